#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# release.sh prepare X.Y.Z   sets the version in meson.build and in all places that repeat it, for a
#                            commit to look through
# release.sh make vX.Y.Z     from the tag: tarball, packages, checksums, in release/X.Y.Z/
#
# See Documentation/release.md.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
export ADP_INSTALL=${ADP_INSTALL:-no}
. buildlib/common.sh
. buildlib/compile.sh
. buildlib/gates-package.sh

skip()
{
    die "$*"
}

usage()
{
    sed -n '3,5s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 1
}

is_version()
{
    [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
}

prepare()
{
    local version=$1 old library
    is_version "$version" || die "$version: not a version like 1.2.3"
    [ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"
    # Before anything is written.
    command -v abidw >/dev/null || die "there is no abidw (package abigail-tools)"
    grep -q '^## Unreleased$' NEWS.md || die "NEWS.md has no '## Unreleased': nothing to release"
    python3 buildlib/check-map.py >&2 || die "the map or a version is wrong already"
    old=$(project_version)
    ADP_RELEASE_DATE=${SOURCE_DATE_EPOCH:-$(date +%s)} python3 buildlib/set-version.py "$version"
    # The description of the ABI that the next versions are compared with.
    compile build-check/release -Dtests=disabled -Dman=disabled
    library=$(readlink -f build-check/release/libadp/abi/libadp.so)
    write_abi "$library" abi/libadp.so.0.abi
    python3 buildlib/check-map.py
    git --no-pager diff --stat
    note "$old -> $version; look through it, then: git commit -s, git tag -s v$version," \
        "buildlib/release.sh make v$version"
}

make_release()
{
    local tag=$1 version=${1#v} work made out=$PWD/release/${1#v}
    is_version "$version" || die "$tag: not a tag like v1.2.3"
    git rev-parse -q --verify "refs/tags/$tag^{commit}" >/dev/null || die "there is no tag $tag"
    work=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf '$work'" EXIT
    # What is built is the tag, whatever lies in this folder.
    [ -z "$(ls -A "$out" 2>/dev/null)" ] || die "$out: there is a release in it already; remove it first"
    git -c advice.detachedHead=false clone -q --no-local --branch "$tag" . "$work/source" ||
        die "$tag: cannot be cloned"
    # All of it, or nothing: it gets its place when it is whole.
    made=$work/made
    mkdir "$made"
    (
        cd "$work/source"
        [ "$(project_version)" = "$version" ] ||
            die "$tag: meson.build has version $(project_version)"
        python3 buildlib/check-map.py
        mkdir -p build-check/logs
        make_tarball build-check/release
        for tool in dpkg-buildpackage:deb rpmbuild:rpm; do
            if command -v "${tool%:*}" >/dev/null; then
                run_gate_quietly "${tool#*:}"
                case $tool in
                *:deb)
                    cp build-check/deb/*.deb build-check/deb/*.dsc build-check/deb/*.orig.tar.xz \
                        build-check/deb/*.debian.tar.xz build-check/deb/*.buildinfo \
                        build-check/deb/*.changes "$made/"
                    ;;
                # The source alone: what is built here is linked with this machine's libraries.
                *:rpm) cp build-check/rpm/SRPMS/*.src.rpm "$made/" ;;
                esac
            else
                note "no ${tool%:*} here: a release without ${tool#*:} packages"
            fi
        done
        cp build-check/release/*.tar.xz "$made/"
    )
    # What people will do with the source package.
    if compgen -G "$made/*.dsc" >/dev/null; then
        dpkg-source --no-check -x "$made"/*.dsc "$work/unpacked" >/dev/null || die "the source package cannot be unpacked"
    fi
    (cd "$made" && sha256sum -- * >SHA256SUMS)
    mkdir -p "$(dirname "$out")"
    rm -rf "$out"
    mv "$made" "$out"
    note "made: $out"
    cat "$out/SHA256SUMS"
}

run_gate_quietly()
{
    bash -c '. buildlib/common.sh; . buildlib/compile.sh; . buildlib/gates-package.sh
        skip() { echo "skipped: $*"; exit 77; }
        set -euo pipefail; "gate_$1"' gate "$1" >"build-check/logs/$1.log" 2>&1 || {
        tail -n 20 "build-check/logs/$1.log" >&2
        die "the packages could not be made ($1)"
    }
}

[ $# -eq 2 ] || usage
case $1 in
prepare) prepare "$2" ;;
make) make_release "$2" ;;
*) usage ;;
esac

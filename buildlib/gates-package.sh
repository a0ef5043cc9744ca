# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Gates that make packages, always from the release tarball, and try them.

project_version()
{
    sed -n "s/^ *version : '\([0-9.]*\)',.*/\1/p" meson.build | head -n 1
}

# make_tarball FOLDER: the release tarball of the last commit, as FOLDER/libadp-VERSION.tar.xz.
make_tarball()
{
    local folder=$1 build=build-check/tarball
    git rev-parse -q --verify HEAD >/dev/null 2>&1 || skip "a release tarball is made of a commit"
    [ -z "$(git status --porcelain)" ] || echo "note: what is not committed is not in the tarball"
    configure "$build" -Dtests=disabled -Dman=disabled >build-check/logs/tarball.log 2>&1 || {
        tail -n 20 build-check/logs/tarball.log
        return 1
    }
    rm -rf "$build/meson-dist"
    meson dist -C "$build" --no-tests --formats xztar --allow-dirty >>build-check/logs/tarball.log 2>&1
    mkdir -p "$folder"
    repack "$build/meson-dist/libadp-$(project_version).tar.xz" "$folder" \
        "$(git log -1 --format=%ct HEAD)"
}

# repack TARBALL FOLDER SECONDS: the same files in FOLDER, with nothing of when and where it was
# made: the same commit gives the same bytes.
repack()
{
    local work name
    name=$(basename "$1")
    work=$(mktemp -d)
    tar -x -C "$work" -f "$1"
    tar -c -C "$work" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner \
        --mode=u+rwX,go+rX,go-w --mtime="@$3" "${name%.tar.xz}" | xz -6 -T1 >"$2/$name"
    rm -rf "$work"
}

# unpack_source FOLDER: FOLDER/libadp-VERSION.tar.xz as a Debian source tree in FOLDER/libadp-VERSION.
unpack_source()
{
    local folder=$1 version
    version=$(project_version)
    rm -rf "$folder/libadp-$version" "$folder"/*.deb "$folder"/*.ddeb
    cp "$folder/libadp-$version.tar.xz" "$folder/libadp_$version.orig.tar.xz"
    tar -x -C "$folder" -f "$folder/libadp-$version.tar.xz"
}

# Builds, checks and looks at the Debian packages on this machine.
gate_deb()
{
    local folder=build-check/deb log=$PWD/build-check/logs/deb-build.log version
    version=$(project_version)
    command -v dpkg-buildpackage >/dev/null || skip "no dpkg-buildpackage here"
    make_tarball "$folder"
    unpack_source "$folder"
    (
        cd "$folder/libadp-$version"
        DEB_BUILD_OPTIONS="parallel=$(nproc)" dpkg-buildpackage -us -uc
    ) >"$log" 2>&1 || {
        grep -E 'FAIL|rror|symbols' "$log" | head -n 20
        tail -n 20 "$log"
        return 1
    }
    grep -E '^(Ok|Fail|Skipped|Timeout):' "$log"
    echo "-- lintian"
    lintian --fail-on error,warning --allow-root --display-info --info --tag-display-limit 0 \
        "$folder/libadp_${version}"-*.changes
    echo "-- hardening of the build"
    # That -fPIE is not repeated when a program is linked is nothing (lintian looks at the programs), and
    # parts of the emulated kernel cannot have all of it: they stand in for libc's functions, or are static.
    blhc --all --ignore-flag -fPIE --ignore-line '.*-U_FORTIFY_SOURCE .*' \
        --ignore-line '.* tests/emukernel/plain-reader .*' "$log"
    echo "-- packages"
    ls "$folder"/*.deb
    check_deb_contents "$folder"
}

# What each package must hold, and what none may.
check_deb_contents()
{
    local folder=$1 bad=0 deb list name
    for deb in "$folder"/*_"$(dpkg --print-architecture)".deb; do
        list=$(dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print substr($6, 2) }')
        name=$(dpkg-deb -f "$deb" Package)
        case $name in
        libadp0) want='/libadp\.so\.0$' ;;
        libadp-providers) want='/libadp/mlx5-adpv[0-9]+\.so$' ;;
        libadp-dev) want='/include/adp/adp\.h$' ;;
        adp-utils) want='/bin/adp$' ;;
        *-dbgsym) want='/debug/' ;;
        *) want='no package of this name was expected' ;;
        esac
        grep -qE "$want" <<<"$list" || {
            echo "$name: nothing like $want in it"
            bad=1
        }
        [ "$name" != libadp0 ] || ! dpkg-deb -f "$deb" Depends | grep -E 'ibverbs|mlx5|providers' || {
            echo "libadp0 depends on more than it should"
            bad=1
        }
        ! dpkg-deb -f "$deb" Depends | grep -E 'libstdc|libfmt' || {
            echo "$name: loads a C++ library, which should be inside it"
            bad=1
        }
        ! dpkg-deb -f "$deb" Depends | grep -E '(ibverbs|rdma)[a-z0-9-]* \(=' || {
            echo "$name: pins rdma-core"
            bad=1
        }
    done
    return $bad
}

# What abidw and abidiff are told: the public headers decide what is of the ABI.
abi_words=(--drop-private-types --exported-interfaces-only)

# write_abi LIBRARY FILE: the description that releases are compared with.
write_abi()
{
    abidw "${abi_words[@]}" --headers-dir libadp/include --no-corpus-path --no-comp-dir-path \
        --no-show-locs --no-elf-needed --type-id-style hash "$1" |
        sed "s|path='[^']*/libadp/|path='libadp/|" >"$2" # the folder of the build is nobody's business
}

gate_abi()
{
    local library=build-check/gcc/libadp/abi/libadp.so baseline=abi/libadp.so.0.abi status=0
    command -v abidiff >/dev/null || skip "there is no abidiff"
    compile build-check/gcc -Dwerror=true -Dtests=enabled
    [ -e "$baseline" ] || skip "there is no $baseline: nothing was released yet"
    # Any difference is one: a reordered member is no more to abidiff than a harmless new one. What
    # is allowed stands in abi/suppressions, with the release that allows it.
    abidiff "${abi_words[@]}" --no-added-syms --headers-dir2 libadp/include \
        --suppressions abi/suppressions "$baseline" "$(readlink -f "$library")" || status=$?
    [ $status -eq 0 ] || {
        echo "before a release that means it: write_abi, and a line in NEWS.md (Documentation/versioning.md)"
        return 1
    }
}

# The units of systemd: well made, and as closed as Documentation and manual say.
gate_units()
{
    local folder=build-check/units unit bad=0 threshold=20
    command -v systemd-analyze >/dev/null || skip "there is no systemd-analyze"
    mkdir -p "$folder"
    for unit in adp-apply.service adp-apply@.service adp-restore.service; do
        # The tool need not be installed for this.
        python3 - "systemd/$unit.in" "$folder/$unit" <<'PYTHON'
import sys
with open(sys.argv[1], encoding="utf-8") as unit, \
        open("systemd/sandbox.conf", encoding="utf-8") as sandbox, \
        open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write(unit.read().replace("@BINDIR@/adp", "/bin/true").replace("@SANDBOX@", sandbox.read()))
PYTHON
        systemd-analyze verify --man=no "$folder/$unit" || bad=1
        systemd-analyze security --offline=true --no-pager --threshold=$threshold \
            "$folder/$unit" | tail -n 1 || bad=1
    done
    if udevadm verify --help >/dev/null 2>&1; then
        udevadm verify systemd/*.rules || bad=1
    fi
    return $bad
}

# build_rpm FOLDER: RPM packages of the tarball in FOLDER, into FOLDER/RPMS.
build_rpm()
{
    local folder=$PWD/$1
    mkdir -p "$folder/SOURCES"
    cp "$folder"/libadp-*.tar.xz "$folder/SOURCES/"
    # Debian's rpm knows neither Fedora's macros nor, as packages of its own, what is installed here.
    rpmbuild -ba --nodeps --load=buildlib/rpm-macros --define "_topdir $folder" \
        --define 'debug_package %{nil}' --define '_build_id_links none' ${ADP_RPM_OPTIONS:+$ADP_RPM_OPTIONS} redhat/libadp.spec
}

gate_rpm()
{
    local folder=build-check/rpm log=build-check/logs/rpm-build.log version
    command -v rpmbuild >/dev/null || skip "there is no rpmbuild"
    version=$(project_version)
    rm -rf "$folder"
    make_tarball "$folder"
    for release in 'rhel 9' 'fedora 42'; do
        rpmspec -P --load=buildlib/rpm-macros --define "$release" redhat/libadp.spec >/dev/null
    done
    build_rpm "$folder" >"$log" 2>&1 || {
        grep -E 'FAIL|rror:' "$log" | head -n 20
        tail -n 20 "$log"
        return 1
    }
    grep -E '^(Ok|Fail|Skipped|Timeout):' "$log" || true
    mkdir -p "$folder/all"
    cp "$folder"/RPMS/*/*.rpm "$folder/all/"
    rpmlint -c buildlib/rpmlint.toml redhat/libadp.spec "$folder"/all/*.rpm
    echo "-- what programs may require"
    rpm -qp --nosignature --provides "$folder"/all/libadp-"$version"-*.rpm | grep LIBADP_
    if compgen -G "build-check/deb/libadp0_$version-*.deb" >/dev/null; then
        python3 buildlib/compare-packages.py build-check/deb "$folder/all"
    else
        echo "not compared with Debian's: ./build.sh check deb rpm"
    fi
}

# The same tarball built twice, in folders and at times of their own: the same bytes.
gate_reproducible()
{
    local folder version n
    version=$(project_version)
    command -v dpkg-buildpackage >/dev/null || skip "no dpkg-buildpackage here"
    for n in 1 22; do
        folder=build-check/reproducible-$n
        rm -rf "$folder"
        make_tarball "$folder"
        unpack_source "$folder"
        (
            cd "$folder/libadp-$version"
            umask 00$n
            DEB_BUILD_OPTIONS="parallel=$n nocheck" dpkg-buildpackage -Pnocheck -us -uc -b
        ) >"build-check/logs/reproducible-$n.log" 2>&1 || {
            tail -n 20 "build-check/logs/reproducible-$n.log"
            return 1
        }
    done
    cmp "build-check/reproducible-1/libadp-$version.tar.xz" \
        "build-check/reproducible-22/libadp-$version.tar.xz"
    for folder in build-check/reproducible-1/*.deb; do
        cmp "$folder" "build-check/reproducible-22/$(basename "$folder")" || n=different
    done
    [ "$n" != different ]
    (cd build-check/reproducible-1 && sha256sum ./*.deb ./*.tar.xz)
}

# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The Debian packages in clean systems: built in one, installed, used, upgraded and purged in another.
# shellcheck disable=SC2016 # what stands in single quotes is for the shell in the root

gate_deb-bookworm() { deb_in_suite bookworm; }
gate_deb-trixie() { deb_in_suite trixie; }
gate_deb-sid() { deb_in_suite sid; }

deb_in_suite()
{
    local suite=$1 version out
    version=$(project_version)
    out=build-check/suite-$suite
    rm -rf "$out"
    make_tarball "$out"
    unpack_source "$out"
    echo "-- build in $suite"
    build_in_suite "$suite" "$out" "$version"
    echo "-- install, use, upgrade, purge in a clean $suite"
    try_in_suite "$suite" "$out" "$version"
}

# ADP_DEB_OPTIONS=nocheck leaves out the tests of the build.
build_in_suite()
{
    local suite=$1 out=$2 version=$3 root=$1-build log=build-check/logs/deb-$1-build.log
    suite_root "$suite" "$root"
    mkdir -p "build-check/roots/$root/src"
    cp -r "$out/libadp-$version" "$out"/*.orig.tar.xz "build-check/roots/$root/src/"
    apt_in_root "$root" update
    apt_in_root "$root" install build-essential
    apt_in_root "$root" build-dep "/src/libadp-$version"
    in_root "$root" sh -c "cd /src/libadp-$version &&
        DEB_BUILD_OPTIONS='parallel=$(nproc) ${ADP_DEB_OPTIONS:-}' dpkg-buildpackage -us -uc -b" \
        >"$log" 2>&1 || {
        grep -E 'FAIL|rror:|symbols' "$log" | head -n 20
        tail -n 20 "$log"
        return 1
    }
    grep -E '^(Ok|Fail|Skipped|Timeout):' "$log" || true
    cp "build-check/roots/$root"/src/*.deb "$out/"
    rm -rf --one-file-system "build-check/roots/$root"
    check_deb_contents "$out"
}

# older_package DEB VERSION FOLDER: the same package as an older version, to upgrade from. (Where a
# release is at hand: ADP_PREVIOUS_DEBS=FOLDER.)
older_package()
{
    local deb=$1 version=$2 folder=$3 work
    work=$(mktemp -d)
    dpkg-deb -R "$deb" "$work/p"
    sed -i -e "s/^Version: .*/Version: $version/" \
        -e "s/(= [^)]*)/(= $version)/g" "$work/p/DEBIAN/control"
    dpkg-deb -b "$work/p" "$folder/old-$(basename "$deb")" >/dev/null
    rm -rf "$work"
}

# install_debs ROOT FOLDER: the packages in a folder of the root.
install_debs()
{
    local debs
    debs=("build-check/roots/$1/$2"/*.deb)
    apt_in_root "$1" install "${debs[@]#build-check/roots/"$1"}"
}

# All files and folders of a root but what package management keeps for itself.
root_listing()
{
    in_root "$1" find / -xdev '(' -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /src \
        -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \
        -o -path /run -o -path /etc/ld.so.cache ')' -prune -o -print | sort
}

try_in_suite()
{
    local suite=$1 out=$2 version=$3 root=$1-clean deb src
    suite_root "$suite" "$root"
    src=build-check/roots/$root/src
    mkdir -p "$src/old" "$src/new"
    for deb in "$out"/libadp0_*.deb "$out"/libadp-providers_*.deb "$out"/libadp-dev_*.deb \
        "$out"/adp-utils_*.deb; do
        cp "$deb" "$src/new/"
        [ -n "${ADP_PREVIOUS_DEBS:-}" ] || older_package "$deb" 0.0.9-1 "$src/old"
    done
    [ -z "${ADP_PREVIOUS_DEBS:-}" ] || cp "$ADP_PREVIOUS_DEBS"/*.deb "$src/old/"
    cp -r "$out/libadp-$version" "$src/tree"
    apt_in_root "$root" update
    apt_in_root "$root" install g++ gcc make cmake pkgconf python3
    # What the packages bring along is the distribution's, and not theirs to remove.
    in_root "$root" sh -c 'apt-get -y -qq --no-install-recommends install $(
        for deb in /src/new/*.deb; do
            dpkg-deb -f "$deb" Depends | tr , "\n" | sed "s/^ *//; s/[ (|].*//" | grep -v -E "adp"
        done | sort -u)' >/dev/null
    root_listing "$root" >"$out/before"
    install_debs "$root" src/old
    in_root "$root" sh -ec '
        cc -std=c11 /src/tree/examples/show.c $(pkg-config --cflags --libs libadp) -o /src/old-program
        ldd /src/old-program | grep libadp.so.0'
    install_debs "$root" src/new
    in_root "$root" sh -ec '
        dpkg-query -W -f "\${Package} \${Version} \${Status}\n" "*adp*" | grep " installed"
        dpkg --verify libadp0 libadp-providers libadp-dev adp-utils
        echo "a program built against the older version:"
        /src/old-program sim0 | head -n 2
        cd /tmp
        adp --sim profile show sim0
        adp --sim -j dev | grep -q "\"simulated\":1"'
    echo "-- debian/tests"
    in_root "$root" sh -c 'cd /src/tree && debian/tests/programs && debian/tests/tool' \
        >"build-check/logs/deb-$suite-tests.log" 2>&1 || {
        grep -A 20 'not ok' "build-check/logs/deb-$suite-tests.log" | head -n 40
        tail -n 20 "build-check/logs/deb-$suite-tests.log"
        return 1
    }
    echo "$(grep -c '^ok ' "build-check/logs/deb-$suite-tests.log") cases"
    apt_in_root "$root" purge libadp0 libadp-providers libadp-dev adp-utils
    root_listing "$root" >"$out/after"
    diff "$out/before" "$out/after" || {
        echo "purge leaves something (above)"
        return 1
    }
    rm -rf --one-file-system "build-check/roots/$root"
}

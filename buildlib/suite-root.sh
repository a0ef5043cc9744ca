# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Roots of Debian suites to build and install in, made by mmdebstrap and kept in the cache. For root.

# suite_root SUITE NAME: a fresh root of the suite in build-check/roots/NAME.
suite_root()
{
    local suite=$1 root=$PWD/build-check/roots/$2 cache tar
    [ "$(id -u)" -eq 0 ] || skip "only root can make the root of a suite"
    command -v mmdebstrap >/dev/null || skip "there is no mmdebstrap"
    cache=${ADP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/libadp}/roots
    tar=$cache/$suite.tar
    mkdir -p "$cache" build-check/roots
    # As old as a week it would be brought up to date package by package.
    [ -z "$(find "$tar" -mtime +7 2>/dev/null)" ] || rm -f "$tar"
    if [ ! -e "$tar" ]; then
        # An archive that stands still for some weeks is good enough to build against, as in
        # fetch-suite.sh; its signature is checked all the same.
        mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists \
            --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "${tar%.tar}.part.tar" \
            >build-check/logs/root-"$suite".log 2>&1 || {
            tail -n 5 build-check/logs/root-"$suite".log
            skip "the suite $suite cannot be had (no network?)"
        }
        mv "${tar%.tar}.part.tar" "$tar"
    fi
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    # Device nodes come from the machine, see in_root.
    tar -x -C "$root" -f "$tar" --exclude './dev/*'
}

# in_root NAME COMMAND...: in the root, with /proc, /dev and /sys of its own mount namespace.
in_root()
{
    local root=$PWD/build-check/roots/$1
    shift
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    # shellcheck disable=SC2016 # for the shell within
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount -t sysfs -o ro sysfs "$root/sys"
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive "$@"' in_root "$root" "$@"
}

# Without recommended packages, quietly unless it fails.
apt_in_root()
{
    local name=$1 log
    shift
    log=$(mktemp)
    in_root "$name" apt-get -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 || {
        tail -n 20 "$log"
        rm -f "$log"
        return 1
    }
    rm -f "$log"
}

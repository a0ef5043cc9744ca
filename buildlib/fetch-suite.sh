#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# fetch-suite.sh [--only PATTERN] SUITE PACKAGE...: packages of another Debian suite (sid, trixie),
# with all that they depend on, unpacked into a folder of the cache. Prints that folder. Nothing is
# installed and the system's own apt state is not touched; no privilege is needed.
#
# --only PATTERN: of all these only the packages whose names match it, as a kernel's, which needs
# nothing around it: --only 'linux-@(image|base)-[0-9]*' trixie linux-image-amd64.
#
# A folder that is there is used again; ADP_CACHE_REFRESH=1 fetches anew, ADP_SUITES=no does without.
# The folder's file PACKAGES names what it holds. Run a program of it by tests/tools/suite-run.sh.
#
# Exit status: 0 there it is; 77 cannot be had here (the reason is on stderr); 1 used wrongly.
set -euo pipefail

give_up()
{
    echo "fetch-suite: $*" >&2
    exit 77
}

only=
[ "${1:-}" != --only ] || {
    only=${2:-}
    shift $(($# > 1 ? 2 : 1))
}
[ $# -ge 2 ] || {
    echo "usage: fetch-suite.sh [--only PATTERN] SUITE PACKAGE..." >&2
    exit 1
}
suite=$1
shift
case "$suite $*" in
*[!A-Za-z0-9.+:\ -]*)
    echo "fetch-suite: '$suite $*' is not a suite and package names" >&2
    exit 1
    ;;
esac
[ "${ADP_SUITES:-}" != no ] || give_up "switched off (ADP_SUITES=no)"

cache=${ADP_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set, nor ADP_CACHE}/.cache}/libadp}/suites
arch=$(dpkg --print-architecture 2>/dev/null) || give_up "needs dpkg and apt-get (Debian or a derivative)"
command -v apt-get >/dev/null || give_up "needs apt-get (Debian or a derivative)"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.pgp
[ -r "$keyring" ] || give_up "needs the package debian-archive-keyring"
mkdir -p "$cache" || give_up "cannot make $cache"
cache=$(cd "$cache" && pwd)

names=$(printf '%s\n' "$@" | sort -u | paste -sd _)
[ -z "$only" ] || names+=-only-$(sha256sum <<<"$only" | cut -c 1-8)
[ ${#names} -le 100 ] || names=$(sha256sum <<<"$names" | cut -c 1-16)
dest=$cache/$suite-$arch-$names

# One at a time for each folder: the second finds what the first has fetched.
exec 9>"$dest.lock"
flock -w 900 9 || give_up "another process holds $dest.lock for 15 minutes"

if [ -e "$dest/PACKAGES" ] && [ -z "${ADP_CACHE_REFRESH:-}" ]; then
    echo "$dest"
    exit
fi
rm -rf "$dest".tmp.*
work=$dest.tmp.$$
trap 'rm -rf "$work"' EXIT
apt=$work/apt
mkdir -p "$work/tree" "$apt/lists/partial" "$apt/archives/partial" "$apt/conf.d"
: >"$apt/status"

# The archive that this machine already uses, whether its lists have been fetched or not; any of
# Debian's archives has all suites. ADP_MIRROR names another.
mirror=${ADP_MIRROR:-}
# shellcheck disable=SC2016 # apt's own variables
[ -n "$mirror" ] || mirror=$(
    {
        apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null || true
        sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources 2>/dev/null | tr ' ' '\n' || true
        sed -n 's/^deb  *\(\[[^]]*\] *\)\{0,1\}\([^ ]*\).*/\2/p' /etc/apt/sources.list \
            /etc/apt/sources.list.d/*.list 2>/dev/null || true
    } | sed 's|/*$||' | grep -m 1 '/debian$' || true
)
[ -n "$mirror" ] || give_up "this machine uses no archive of Debian (ADP_MIRROR=URL names one)"
echo "deb [arch=$arch signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"

# Of the machine's configuration only how to fetch is kept (proxies, archives that stand still): hooks that clean the system's
# cache after an update would fail here, and pinning is not meant for this suite.
{
    apt-config dump 2>/dev/null | grep -E '^Acquire::(http|https|ftp|Retries|ForceIPv|Check-Valid|Max-Valid|By-Hash)' || true
    cat <<CONF
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$apt/conf.d";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Log "$apt";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Retries "3";
Acquire::Languages "none";
Acquire::http::Timeout "60";
Debug::NoLocking "true";
CONF
} >"$apt/apt.conf"
export APT_CONFIG=$apt/apt.conf DEBIAN_FRONTEND=noninteractive

# tell WHAT COMMAND...: gives up with the last lines of the command's output when it fails.
tell()
{
    local what=$1
    shift
    timeout 600 "$@" >"$apt/log" 2>&1 </dev/null || give_up "$what: $(tail -n 3 "$apt/log" | paste -sd ' ')"
}

tell "no lists of $suite from $mirror" apt-get -qq -o APT::Update::Error-Mode=any update
if [ -z "$only" ]; then
    tell "$* cannot be had from $suite" apt-get -qq -y --download-only install "$@"
else
    tell "$* cannot be had from $suite" apt-get -qq -s install "$@"
    chosen=()
    while read -r word package version _; do
        # shellcheck disable=SC2053 # a pattern is what it is
        [ "$word" != Inst ] || [[ ${package%%:*} != $only ]] || chosen+=("$package=${version#\(}")
    done <"$apt/log"
    [ ${#chosen[@]} -gt 0 ] || give_up "$* of $suite needs no package of the name $only"
    cd "$apt/archives"
    tell "${chosen[*]} cannot be had from $suite" apt-get -qq download "${chosen[@]}"
    cd "$work"
fi

# The suite's tree is merged (/lib is usr/lib), but its older packages name the old places.
mkdir -p "$work/tree/usr/lib" "$work/tree/usr/bin" "$work/tree/usr/sbin" "$work/tree/usr/lib64"
for dir in lib bin sbin lib64; do
    ln -s "usr/$dir" "$work/tree/$dir"
done
# shellcheck disable=SC2016 # dpkg's own variables
for deb in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" |
        tar -x -C "$work/tree" --keep-directory-symlink --no-same-owner --no-same-permissions ||
        give_up "cannot unpack $(basename "$deb")"
    dpkg-deb --show --showformat '${Package} ${Version} ${Architecture}\n' "$deb"
done | sort >"$apt/PACKAGES"
mv "$apt/PACKAGES" "$work/tree/PACKAGES"
rm -rf "$dest"
mv "$work/tree" "$dest"
echo "fetch-suite: $(wc -l <"$dest/PACKAGES") packages of $suite unpacked in $dest" >&2
echo "$dest"

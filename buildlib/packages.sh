# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# What a job needs from the distribution: found out fast, installed or named.

# os_release KEY: its value in os-release, or nothing.
os_release()
{
    sed -n "s/^$1=//p" /etc/os-release 2>/dev/null | tr -d '"' | head -n 1
}

# section_packages FILE CODENAME SECTION...: the names, one a line.
section_packages()
{
    local file=$1 codename=$2
    shift 2
    awk -v codename="$codename" -v sections=" $* " '
        { sub(/#.*/, "") }
        /^\[/ { inside = index(sections, " " substr($1, 2, length($1) - 2) " "); next }
        !inside || NF == 0 { next }
        NF > 1 {
            others = sub(/^!/, "", $2)
            listed = index("," $2 ",", "," codename ",") > 0
            if (listed == others)
                next
        }
        { print $1 }' "$file" | sort -u
}

# Of the packages on standard input, those that are not installed.
missing_debian()
{
    local wanted installed
    wanted=$(cat)
    # shellcheck disable=SC2086 # a list of words
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
        sed -n 's/^installed //p' | sort -u) || true
    comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$installed")
}

missing_rpm()
{
    local name
    while read -r name; do
        rpm -q --whatprovides "$name" >/dev/null 2>&1 || echo "$name"
    done
}

install_debian()
{
    local log status=0 options=(-y -qq --no-install-recommends -o Dpkg::Use-Pty=0
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    log=$(mktemp)
    # The lists may be absent or too old to fetch by: then they are fetched, and it is tried again.
    # That one of several archives does not answer matters only if a package is lacking then.
    export DEBIAN_FRONTEND=noninteractive
    apt-get "${options[@]}" install "$@" >"$log" 2>&1 </dev/null || {
        apt-get -qq -o Acquire::Retries=3 update >"$log" 2>&1 </dev/null || true
        apt-get "${options[@]}" install "$@" >>"$log" 2>&1 </dev/null || status=$?
    }
    [ "$status" -eq 0 ] || tail -n 30 "$log" >&2
    rm -f "$log"
    return "$status"
}

install_rpm()
{
    dnf -y -q install "$@"
}

# need_packages SECTION...: returns when all is there; else installs it, or says what and stops.
need_packages()
{
    local kind file missing title how
    title=$(os_release PRETTY_NAME)
    if command -v dpkg-query >/dev/null && [ -e /etc/debian_version ]; then
        kind=debian file=buildlib/packages-debian.txt how="apt-get install"
    elif command -v rpm >/dev/null && command -v dnf >/dev/null; then
        kind=rpm file=buildlib/packages-fedora.txt how="dnf install"
    else
        note "${title:-this system} is not one whose packages are known here; go on with what there is"
        note "wanted, by the names of Debian: $(section_packages buildlib/packages-debian.txt '' "$@" |
            paste -sd ' ')"
        return
    fi
    missing=$(section_packages "$file" "$(os_release VERSION_CODENAME)" "$@" |
        "missing_$kind" | paste -sd ' ')
    [ -n "$missing" ] || return 0
    if [ "$ADP_INSTALL" = no ] || [ "$(id -u)" -ne 0 ]; then
        note "missing packages: $missing"
        die "as root: $how $missing"
    fi
    note "installing from ${title:-the distribution}: $missing"
    # shellcheck disable=SC2086 # a list of words
    "install_$kind" $missing || die "they could not be installed (above is why)"
}

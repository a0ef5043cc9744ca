# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# What every part of build.sh needs. Sourced with the top folder as the current one.

note()
{
    printf 'build.sh: %s\n' "$*" >&2
}

die()
{
    note "$*"
    exit 1
}

# Files that belong to the project, NUL-separated: by git where there is one (new files too), else
# all but build folders (a release tarball). With patterns: only names that match one of them.
project_files()
{
    local name
    {
        if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
            git ls-files -z --cached --others --exclude-standard
        else
            find . '(' -path ./.git -o -path ./build -o -path './build-*' ')' -prune \
                -o -type f -printf '%P\0'
        fi
    } | while IFS= read -r -d '' name; do
        [ -f "$name" ] && matches "$name" "$@" && printf '%s\0' "$name"
    done | sort -z -u
}

# matches NAME [PATTERN]...: the name matches one of the patterns, or there is none.
matches()
{
    local name=$1 pattern
    shift
    [ $# -gt 0 ] || return 0
    for pattern in "$@"; do
        # shellcheck disable=SC2053 # a pattern is what it is
        [[ $name == $pattern ]] && return 0
    done
    return 1
}

# Seconds as "1 min 5 s".
duration()
{
    if [ "$1" -ge 60 ]; then
        echo "$(($1 / 60)) min $(($1 % 60)) s"
    else
        echo "$1 s"
    fi
}

clean()
{
    local dir
    for dir; do
        [ -e "$dir" ] || continue
        rm -rf "$dir" 2>/dev/null ||
            die "cannot remove $dir/: it belongs to $(stat -c %U "$dir"); run clean as that user"
    done
}

# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# Gates that read the sources and build nothing.

gate_spdx()
{
    project_files | python3 buildlib/check-text.py spdx
}

gate_unicode()
{
    project_files | python3 buildlib/check-text.py unicode
}

gate_includes()
{
    project_files '*.h' '*.hpp' '*.c' '*.cpp' | python3 buildlib/check-includes.py
}

# Shell scripts by their name or by their first line, NUL-separated.
shell_scripts()
{
    project_files | xargs -0 -r awk '
        FNR == 1 && (FILENAME ~ /\.sh$/ || /^#! *\/(usr\/)?bin\/(env )?(ba)?sh/) {
            printf "%s%c", FILENAME, 0
        }
        { nextfile }'
}

gate_shell()
{
    shell_scripts | xargs -0 -r shellcheck -x -P SCRIPTDIR
}

gate_spelling()
{
    project_files | xargs -0 -r codespell --
    # A misspelt name of the ABI stays for ever; codespell sees only whole words.
    python3 buildlib/identifiers.py libadp/include/adp/* "$(find libadp -name '*.map')" |
        codespell -
}

gate_format()
{
    local tool version bad
    tool=$(command -v clang-format-14 || command -v clang-format)
    version=$("$tool" --version | grep -o 'version [0-9]*' | cut -d ' ' -f 2)
    [ "$version" = 14 ] || skip "the format is what clang-format 14 makes; here is $version"
    bad=$(project_files '*.h' '*.hpp' '*.c' '*.cpp' | grep -z -v '^kernel-headers/' |
        xargs -0 -r "$tool" --dry-run 2>&1 |
        sed -n 's/^\([^: ]*\):[0-9]*:.*clang-format-violations.*/\1/p' | sort -u)
    [ -n "$bad" ] || return 0
    printf '%s\n' "$bad"
    echo "to apply it: $tool -i" "$(paste -sd ' ' <<<"$bad")"
    return 1
}

gate_map()
{
    python3 buildlib/check-map.py
}

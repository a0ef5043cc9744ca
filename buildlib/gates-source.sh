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

# Shell scripts by their name or by their first line.
shell_scripts()
{
    local name
    project_files | while IFS= read -r -d '' name; do
        case $name in
        *.sh) printf '%s\0' "$name" ;;
        *)
            case $(head -c 64 "$name" | tr -d '\0' | head -n 1) in
            '#!/bin/sh'* | '#!/bin/bash'* | '#!/usr/bin/env bash'*) printf '%s\0' "$name" ;;
            esac
            ;;
        esac
    done
}

gate_shell()
{
    shell_scripts | xargs -0 -r shellcheck -x
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
    local tool version
    tool=$(command -v clang-format-14 || command -v clang-format)
    version=$("$tool" --version | grep -o 'version [0-9]*' | cut -d ' ' -f 2)
    [ "$version" = 14 ] || skip "the format is what clang-format 14 makes; here is $version"
    project_files '*.h' '*.hpp' '*.c' '*.cpp' | grep -z -v '^kernel-headers/' |
        xargs -0 -r "$tool" --dry-run -Werror || {
        echo "to apply it: $tool -i FILE"
        return 1
    }
}

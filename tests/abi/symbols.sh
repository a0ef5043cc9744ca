#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# The library, its version map and its header name the same symbols, and no others leave it.
set -u
library=$1 map=$2 header=$3
n=0 failed=0
check()
{
    n=$((n + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        diff <(echo "$2") <(echo "$3") | sed 's/^/# /'
        failed=1
    fi
}

exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort)
mapped=$(grep -oE '^[[:space:]]+_?adp_[a-z_]+;' "$map" | tr -d ' \t;' | sort)
declared=$(grep -v 'static inline' "$header" | tr '\n' ' ' |
    grep -oE 'ADP_EXPORT [^;]*;' | grep -oE '_?adp_[a-z_]+\(' | tr -d '(' | sort)
versions=$(nm -D --defined-only "$library" | awk '$2 == "A" { print $3 }' | sed 's/@.*//' | sort)

check "exported = map" "$exported" "$mapped"
check "exported = header" "$exported" "$declared"
check "versions = stanzas" "$versions" "$(grep -oE '^LIBADP_[0-9A-Z.]+' "$map" | sort)"
check "every exported symbol carries one of them" \
    "$(nm -D --defined-only "$library" | grep -cE '@@LIBADP_[0-9A-Z.]+$')" "$(echo "$exported" | wc -l)"
# A program that takes the address of each: the header declares them all, and in C.
check "a program can name each of them" "$({
    echo '#include <adp/adp.h>'
    echo 'typedef void (*any)(void);'
    echo 'const any all[] = {'
    # shellcheck disable=SC2086 # words
    printf '    (any)%s,\n' $mapped
    echo '};'
} | ${CC:-cc} -x c -std=c11 -Wall -Wextra -Werror -fsyntax-only -I "$(dirname "$(dirname "$header")")" - 2>&1)" ""
check "libmlx5 and libibverbs are not linked" \
    "$(readelf -d "$library" | grep -cE 'NEEDED.*(mlx5|ibverbs)')" "0"
echo "1..$n"
exit $failed

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
check "one version" "$versions" "LIBADP_0.1"
check "every exported symbol carries it" \
    "$(nm -D --defined-only "$library" | grep -c '@@LIBADP_0.1$')" "$(echo "$exported" | wc -l)"
check "libmlx5 and libibverbs are not linked" \
    "$(readelf -d "$library" | grep -cE 'NEEDED.*(mlx5|ibverbs)')" "0"
echo "1..$n"
exit $failed

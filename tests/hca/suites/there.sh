# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# The second of two guests: its port comes up, then it does what the first says.
. "$TOP/tests/hca/guest.sh"
end_up 2 0c:42:a1:a1:b2:c0
is "$(cat "$port/gids/3")" '0000:0000:0000:0000:0000:ffff:c000:0202' 'the second has its GID'
modprobe rdma_ucm
run python3 "$TOP/tests/hca/there.py" 198.51.100.2
exits 0 'it did what it was told'
hca packets
kernel_is_quiet 'the kernel of the second has nothing to complain of'
done_testing

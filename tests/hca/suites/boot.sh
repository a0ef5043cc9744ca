# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# A profile that stays, by the whole chain: the stock drivers' events, udev's daemon with the rule, systemd
# as process 1 with the units, the tool from its packages, the register of the software ConnectX. Run by
# ./build.sh check boot-guest, which makes the root: run.sh -r. adp-apply.service is enabled there, and
# /etc/adp/adp.toml names 0000:01:00.0.
. "$TOP/tests/hca/guest.sh"
vendor=$TOP/tests/fixtures/roce_accl
before=$(printed_register "$vendor/raw-before.txt")
sample=$(printed_register "$vendor/raw-set-preview.txt")
slot=/sys/bus/pci/devices/0000:01:00.0
unit=adp-apply@0000:01:00.0.service
long=400
wait_step=2 # the guest has one processor, emulated

prop() { systemctl show -P "$2" "$1"; }
# Neither running nor about to be tried again.
at_rest()
{
    local state
    state=$(systemctl show -p ActiveState -p Job "$1")
    [[ $state =~ ActiveState=(inactive|failed|active) && ! $state =~ Job=[1-9] ]]
}
state_is() { [ "$(prop "$1" ActiveState)" = "$2" ]; }
both_at_rest() { at_rest adp-apply.service && at_rest $unit; }
register_is() { [ "$(hca reg 0x402c)" = "$1" ]; }
there_is_no_device() { ! compgen -G "$slot/infiniband/*" >/dev/null; }
unplug() { echo 1 >$slot/remove; }
plug() { echo 1 >/sys/bus/pci/rescan; }
reload_drivers()
{
    unload_drivers
    fresh_register
    modprobe mlx5_core # the rest is loaded by udev
}
# The register as firmware has it when it starts.
fresh_register() { hca "roce_accl = $before"; }

# said UNIT: what the journal has of it since the last call of mark; $since.
mark()
{
    journalctl --sync
    since=$(journalctl -q -n 1 -o export | sed -n 's/^__CURSOR=//p')
}
said()
{
    journalctl --sync
    journalctl -q -o cat --no-pager ${since:+--after-cursor "$since"} -u "$1"
}

# gets_profile WHAT: it is set without anybody's doing; the unit ends well and has said it.
gets_profile()
{
    run wait_for $long register_is "$sample"
    exits 0 "$1: the profile is set"
    run wait_for $long at_rest $unit
    is "$(prop $unit ActiveState) $(prop $unit Result)" 'inactive success' "$1: the unit ended well"
    has "$(said $unit)" 'adp_retx_profile_id 0 -> 1' "$1: the journal says what was set"
    said $unit | grep -E '^[a-z].*(devx|fwctl)\)$|exited|quickly' | sort | uniq -c | sed 's/^/# /'
}

# With the driver of fwctl the kernel has two ways to the register; the unit may use the first of them.
by=devx
[ -z "$FWCTL" ] || by=fwctl

# Boot.
since=
run wait_for $long register_is "$sample"
exits 0 'boot: the profile is set'
run wait_for $long both_at_rest
exits 0 'boot: the units come to their ends'
is "$(prop adp-apply.service ActiveState)" active 'boot: the unit for all devices is active'
is "$(prop $unit Result)" success 'the one of the device did not fail'
lacks "$(said 'adp-apply*')" 'not permitted' 'none was kept from a node'
echo "# restarts: $(prop adp-apply.service NRestarts), $(prop $unit NRestarts)" # 0 unless the machine is slow
has "$(said 'adp-apply*')" 'adp_retx_profile_id 0 -> 1' 'boot: the journal says what was set'
[ -z "$FWCTL" ] || wait_for $long test -e /dev/fwctl/fwctl0
echo "# the device is $(ls $slot/infiniband), set by $(journalctl -q -o short --no-pager -u 'adp-apply*' | grep -m 1 'retx_profile_id')"
is "$(systemctl is-enabled adp-restore.service)" disabled 'the other unit stays disabled'
run adp apply 0000:01:00.0
exits 0 'once more by hand'
has "$out" 'no change' 'there is nothing to do'
has "$out" "(0000:01:00.0, $by)" "by $by"

# Hot-plug.
mark
unplug
run wait_for $long there_is_no_device
exits 0 'it is taken out'
fresh_register
plug
gets_profile 'hot-plug'

mark
reload_drivers
gets_profile 'reload of the driver'

[ "${1:-}" != short ] || {
    done_testing
    exit
}

# The driver finds the firmware dead, resets it and makes the device anew.
mark
fresh_register
hca health.syndrome = 1
hca health.fatal = 1
gets_profile 'reset of the firmware'
has "$(dmesg)" 'recovery succeeded' 'it was one'

# Firmware that is busy.
mark
hca fault op=0xb0c,rw=w,status=6,count=2
reload_drivers
gets_profile 'busy firmware'
like "$(said $unit)" 'exited, status=2' 'the first attempts failed'
kernel_is_quiet 'the kernel has nothing to say about it'

# A wrong file.
mark
sed -i 's/leave_default/leave_defalt/' /etc/adp/adp.toml
reload_drivers
run wait_for $long state_is $unit failed
exits 0 'wrong file: the unit failed'
is "$(prop $unit NRestarts)" 0 'and is not tried again'
has "$(said $unit)" 'did you mean leave_default' 'the journal has the reason'
has "$(systemctl --failed --no-legend)" "$unit" 'systemctl --failed shows it'
run register_is "$before"
exits 0 'nothing was set'
sed -i 's/leave_defalt/leave_default/' /etc/adp/adp.toml
mark
run systemctl restart $unit
gets_profile 'the file is right again'

# No device.
# Fewer attempts than the units have, and sooner: ./build.sh check boot counts theirs.
mkdir -p /run/systemd/system/adp-apply.service.d /run/systemd/system/adp-apply@.service.d
printf '[Unit]\nStartLimitBurst=3\n[Service]\nRestartSec=200ms\n' | tee /run/systemd/system/adp-apply.service.d/quick.conf \
    >/run/systemd/system/adp-apply@.service.d/quick.conf
systemctl daemon-reload
mark
unplug
run wait_for $long there_is_no_device
run systemctl restart adp-apply.service
run wait_for $long state_is adp-apply.service failed
exits 0 'missing device: the unit for all devices fails in the end'
has "$(said adp-apply.service)" '0000:01:00.0: no such RDMA device' 'the journal names it'

# Firmware that is busy for as long as the unit tries; then a device appears.
mark
hca fault op=0xb0c,rw=w,status=6
fresh_register
plug
run wait_for $long state_is $unit failed
exits 0 'firmware that is always busy: the unit fails in the end'
like "$(said $unit)" 'repeated too quickly' 'after so many attempts'
hca clear
mark
reload_drivers
gets_profile 'a device that appears after that'

# Gone between the query and the write.
mark
hca fault op=0xb0c,rw=w,gone=1,count=1
reload_drivers
run wait_for $long state_is $unit failed
exits 0 'gone while it is being set: the unit fails in the end'
said $unit | sed 's/^/# /'
like "$(said $unit)" '0000:01:00\.0.*(No such device|Input/output error|Remote I/O error|timed out|disappeared|gone|no such)' 'with the reason'
unplug
run wait_for $long there_is_no_device
exits 0 'it is taken out'
hca reset
mark
fresh_register
plug
gets_profile 'the device comes back'

# Disabled.
run systemctl disable --now adp-apply.service
mark
reload_drivers
run wait_for $long test -d "$ibdev"
exits 0 'disabled: the device is there'
udevadm settle --timeout=60
is "$(said $unit)" '' 'its unit is not started'
is "$(prop $unit ActiveState)" inactive 'and did not fail'
run register_is "$before"
exits 0 'nothing was set'
mark
run systemctl enable adp-apply.service
reload_drivers
gets_profile 'enabled again'
done_testing

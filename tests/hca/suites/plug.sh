# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=bash
# A profile that stays: the kernel's own events and udev's own daemon take the rule of systemd/, and
# whatever makes the device appear (loading the driver, hot-plug, a reset by the driver) brings its
# profile back. Of systemd stands here what it does with SYSTEMD_WANTS: it starts the unit, whose
# ExecStart is run. That systemd itself does so is shown in a container by ./build.sh check boot.
. "$TOP/tests/hca/guest.sh"
[ -x /lib/systemd/systemd-udevd ] || skip_all 'there is no systemd-udevd'
vendor=$TOP/tests/fixtures/roce_accl
sample=$(printed_register "$vendor/raw-set-preview.txt")
unit=$TOP/systemd/adp-apply@.service.in
wants=/run/adp-test-wants

mkdir -p /run/udev/rules.d /etc/adp
cp "$TOP/systemd/60-adp-apply.rules" /run/udev/rules.d/
# shellcheck disable=SC2016 # udev's
printf 'ENV{SYSTEMD_WANTS}=="adp*", RUN+="/bin/sh -c %secho $env{SYSTEMD_WANTS} >>%s%s"\n' "'" $wants "'" \
    >/run/udev/rules.d/99-adp-test.rules
chmod 755 /etc/adp
config()
{
    printf '[[device]]\nmatch = "%s"\nprofile = "%s"\nleave_default = true\n' "$1" "$2" >/etc/adp/adp.toml
    chmod 644 /etc/adp/adp.toml
}
# A file of root's, as what is in /etc/adp: those of the tests are whose they are.
cp "$vendor/set-named.txt" /etc/adp/sample.txt
chown 0:0 /etc/adp/sample.txt
config 0000:01:00.0 sample.txt

# The register as firmware has it when it starts.
fresh_register()
{
    hca "roce_accl = $(printed_register "$vendor/raw-before.txt")"
}

# start: what systemd would start for the events so far; $out, $err and $status are of its last run.
start()
{
    local instance line
    udevadm settle --timeout=30
    sort -u $wants >"$tap_dir/wants" 2>/dev/null
    : >$wants
    is "$(cat "$tap_dir/wants")" 'adp-apply@0000:01:00.0.service' "$1: the unit of its PCI function is wanted"
    instance=$(sed 's/adp-apply@\(.*\)\.service/\1/' "$tap_dir/wants")
    line=$(sed -n 's|^ExecStart=@BINDIR@/adp ||p' "$unit")
    # shellcheck disable=SC2086 # words
    run "$ADP" ${line//%I/$instance}
}

/lib/systemd/systemd-udevd --daemon
run wait_for 10 udevadm control --ping
exits 0 'udev runs'
load_drivers
udevadm settle --timeout=30
run udevadm info -q property -p "$ibdev"
lacks "$out" SYSTEMD_WANTS 'not enabled: nothing is asked of systemd'
# What "systemctl enable adp-apply.service" does.
mkdir -p /etc/systemd/system/multi-user.target.wants
: >/etc/systemd/system/multi-user.target.wants/adp-apply.service
udevadm trigger --action=add "$ibdev"
udevadm settle --timeout=30
run udevadm info -q property -p "$ibdev"
has "$out" 'SYSTEMD_WANTS=adp-apply@0000:01:00.0.service' 'the property that systemd reads'
like "$out" '^TAGS=.*:systemd:' 'and its tag'
start 'the driver is loaded'
exits 0 'its profile is set'
is "$(hca reg 0x402c)" "$sample" 'the register has it'
run "$ADP" apply 0000:01:00.0
exits 0 'once more'
has "$out" 'no change' 'there is nothing to do'

# Hot-plug: the slot is emptied, and what comes back is as new.
echo 1 >/sys/bus/pci/devices/0000:01:00.0/remove
run wait_for 30 test ! -e "$ibdev"
exits 0 'it is taken out'
run "$ADP" apply 0000:01:00.0
exits 2 'a device that is not there: tried again by the unit'
has "$err" '0000:01:00.0' 'it is named'
fresh_register
: >$wants
echo 1 >/sys/bus/pci/rescan
run wait_for 30 test -d "$ibdev"
exits 0 'it is put in'
hca fault op=0xb0c,rw=w,status=6,count=1 # resources are busy
start 'hot-plug'
exits 2 'busy firmware: tried again by the unit'
run "$ADP" apply 0000:01:00.0
exits 0 'the second time'
is "$(hca reg 0x402c)" "$sample" 'the register has the profile again'

# The driver finds the firmware dead, resets it and makes the device anew.
: >$wants
hca health.syndrome = 1
hca health.fatal = 1
recovered() { dmesg | grep -qE 'recovery (succeeded|failed)'; }
run wait_for 60 recovered
run wait_for 30 test -d "$ibdev"
fresh_register
start 'a reset of the firmware'
exits 0 'its profile is set'
is "$(hca reg 0x402c)" "$sample" 'and the register has it once more'

# What is wrong with the file stays so, and nothing is written.
unload_drivers
fresh_register
config 0000:01:00.0 /nonexistent.toml
load_drivers
start 'a wrong file'
exits 1 'is not tried again by the unit'
has "$err" '/nonexistent.toml' 'what is wrong is said'
is "$(hca reg 0x402c)" "$(printed_register "$vendor/raw-before.txt")" 'nothing was written'
chmod 666 /etc/adp/adp.toml
run "$ADP" apply 0000:01:00.0
exits 1 'a file that everybody can write to'
kernel_is_quiet 'the kernel has nothing to say about it'
done_testing

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Run by systemd in a container (./build.sh check boot), with the packages installed: the units do
# what adp-apply(8) says. The devices are simulated, in /var/lib/adp/sim.json: a state written anew is
# a NIC after a firmware reset.
set -u
n=0
state=/var/lib/adp/sim.json
template='adp-apply@0000:1a:00.0.service'

ok()
{
    local what=$1
    shift
    n=$((n + 1))
    if "$@" >/tmp/out 2>&1; then
        echo "ok $n - $what"
    else
        echo "not ok $n - $what"
        sed 's/^/# /' /tmp/out
    fi
}

is() { [ "$(systemctl show -P "$2" "$1")" = "$3" ] || { systemctl show -P "$2" "$1" && false; }; }
journal() { journalctl --sync && journalctl -q -o cat --no-pager -u "$1" | tee /dev/stderr | grep -q -E "$2"; }
shows()
{
    adp --sim=$state -j accl show sim0 | grep -o '"fields":{[^}]*}' | grep -o "\"$1\":[0-9]*" |
        tee /dev/stderr | grep -qx "\"$1\":$2"
}
reset_nic()
{
    mkdir -p /var/lib/adp
    cat >$state <<'STATE'
{"format": "adp-sim-state", "version": 1, "devices": [{"ibdev": "sim0", "pci": "0000:1a:00.0"}]}
STATE
}

# As somebody without a NIC would try it.
for unit in adp-apply.service:apply 'adp-apply@.service:apply %I' 'adp-restore.service:accl restore'; do
    mkdir -p "/etc/systemd/system/${unit%%:*}.d"
    printf '[Service]\nExecStart=\nExecStart=/usr/bin/adp --sim=%s %s\nRestartSec=200ms\n' \
        $state "${unit#*:}" >"/etc/systemd/system/${unit%%:*}.d/sim.conf"
done
# The journal of a simulated device is beside its state. (An empty condition takes away all of them.)
printf '[Unit]\nConditionDirectoryNotEmpty=\n' >/etc/systemd/system/adp-restore.service.d/journal.conf
systemctl daemon-reload
mkdir -p /etc/adp

ok "disabled after installation" test "$(systemctl is-enabled adp-apply.service)" = disabled
ok "and the restore too" test "$(systemctl is-enabled adp-restore.service)" = disabled
ok "it has not run" is adp-apply.service ActiveState inactive

cat >/etc/adp/adp.toml <<'TOML'
[[device]]
match = "sim0"
[device.accl]
roce_tx_window_en = 1
TOML
reset_nic
systemctl start "$template"
ok "a device that appears does nothing while it is disabled" is "$template" ConditionResult no
ok "nor is that a failure" is "$template" ActiveState inactive
ok "nothing was set" shows roce_tx_window_en 0

ok "one command enables it" systemctl enable --now adp-apply.service
ok "it is active" is adp-apply.service ActiveState active
ok "the switch is set" shows roce_tx_window_en 1
ok "and said in the journal" journal adp-apply.service 'roce_tx_window_en 0 -> 1'

reset_nic
ok "after a reset it is gone" shows roce_tx_window_en 0
ok "a device that appears" systemctl start "$template"
ok "gets it again" shows roce_tx_window_en 1

sed -i 's/roce_tx_window_en/roce_tx_windw_en/' /etc/adp/adp.toml
systemctl restart adp-apply.service
ok "a wrong file is a failure" is adp-apply.service ActiveState failed
ok "that is not tried again" is adp-apply.service NRestarts 0
ok "systemctl --failed shows it" eval "systemctl --failed --no-legend | grep adp-apply.service"
ok "the journal has the reason" journal adp-apply.service 'did you mean roce_tx_window_en'

sed -i 's/roce_tx_windw_en/roce_tx_window_en/; s/sim0/sim7/' /etc/adp/adp.toml
systemctl reset-failed
systemctl restart adp-apply.service
for _ in $(seq 100); do
    [ "$(systemctl show -P ActiveState adp-apply.service)" != activating ] && break
    sleep 0.2
done
ok "a missing device is a failure" is adp-apply.service ActiveState failed
# The sixth is counted and not made.
ok "tried again, and not for ever" is adp-apply.service NRestarts 6
ok "the journal names it" journal adp-apply.service 'sim7: no such RDMA device'

sed -i 's/sim7/sim0/' /etc/adp/adp.toml
systemctl reset-failed
ok "once it is right it is applied" systemctl restart adp-apply.service
ok "a temporary setting" adp --sim=$state accl set sim0 roce_tx_window_en 0 for 1h
ok "is restored by its unit" systemctl start adp-restore.service
ok "to what was configured" shows roce_tx_window_en 1

ok "disabling it" systemctl disable --now adp-apply.service
reset_nic
systemctl start "$template"
ok "ends it" shows roce_tx_window_en 0
echo "1..$n"

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# adp statistic on what a real kernel showed in the life of a device in switchdev mode
# (tests/fixtures/counter/vport, values known), emulated, and as a captured tree; rdma beside it.
. "$(dirname "$0")/../emukernel/lib.sh"
here=$(dirname "$0")
recordings=$EMUKERNEL_SOURCE/tests/fixtures/counter/vport

# machine STEP: a root that is as the recording has it.
machine()
{
    local preset=
    fresh_root "$preset"
    EMUKERNEL_COUNTERS=$emu_work/$1.json
    python3 "$here/recorded_machine.py" emulate "$recordings/sriov72-$1" >"$EMUKERNEL_COUNTERS"
    export EMUKERNEL_COUNTERS
}

# verdict NAME PYTHON: "ports" holds the JSON by port (None: the device level).
verdict()
{
    python3 - "$emu_out" "$recordings" <<END >"$emu_work/verdict" 2>&1
import json, re, sys
ports = {p["port"]: p for p in json.load(open(sys.argv[1])) if p["dev"] == "mlx5_0"}
def values(port):
    return {c["name"]: c["value"] for c in ports[port]["counters"] if c["state"] != "not_exposed"}
def states(port):
    return {c["state"] for c in ports[port]["counters"] if c["state"] != "not_exposed"}
def recorded(step, port):
    path = "mlx5_0/" + (f"ports/{port}/" if port else "") + "hw_counters/"
    found = re.findall(rf"^{path}(\S+) = (\d+)", open(f"{sys.argv[2]}/sriov72-{step}-sysfs.txt").read(), re.M)
    return {n: int(v) for n, v in found if n != "lifespan"}
$2
END
    local status=$?
    [ $status -eq 0 ] || sed 's/^/# /' "$emu_work/verdict"
    result $status "$1"
}

machine d-switchdev-2vf-up
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "two VFs: which port is whose, and what is measured" '
assert sorted(ports, key=lambda p: p or 0) == [None, 1, 2, 3, 4, 5, 6], ports.keys()
assert [ports[p]["function"] for p in (1, 2, 3, 4, 5, 6)] == [None, "pf0vf0", "pf0vf1", None, None, "uplink"]
for p in (2, 3):
    assert states(p) == {"measured"}, states(p)
    assert values(p) == recorded("d-switchdev-2vf-up", p)
assert values(3)["vport_roce_adp_retrans_to"] == 4294967295
for p in (1, 4, 5, 6):
    assert states(p) == {"not_measured"}, (p, states(p))
    assert set(values(p).values()) == {None}
assert values(None) == recorded("d-switchdev-2vf-up", None)
assert ports[None]["source"] == "sysfs" and ports[2]["source"] == "netlink"
assert ports[2]["netdev"] == "eth1"
# Not measured is not absent: what a port has under its vport_ name lacks no capability.
for p in range(1, 7):
    assert all(c["name"].startswith("vport_") for c in ports[p]["counters"]), p
    assert {c["name"] for c in ports[p]["counters"]} == {c["name"] for c in ports[2]["counters"]}, p
'
expect_exit 0 "$ADP" -d statistic show mlx5_0/6
refuse_out 'not shown by this device'
expect_exit 0 "$ADP" -n statistic mode mlx5_0/2 auto
expect_err 'this port stands for another function \(pf0vf0\): .*binds nothing'
expect_exit 0 "$ADP" statistic show mlx5_0
expect_out '^mlx5_0 device level \(sysfs\)$'
expect_out '^mlx5_0/3 pf0vf1 netdev eth2 \(netlink\)$'
expect_out '^mlx5_0/4-5: no function behind it: not measured'
expect_out '^mlx5_0/6: uplink: not measured'
expect_exit 0 "$ADP" export mlx5_0
expect_out '^adp_rdma_counter_total\{device="mlx5_0",port="2",function="pf0vf0",family="hw",name="vport_'
refuse_out 'adp_rdma_counter_total.*port="6"'
expect_out 'adp_rdma_no_value.*port="6".*state="not_measured"'

# The same by devlink, which was recorded beside it, and which its own command reads alike.
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "two VFs: what devlink says of each port" '
listed = json.load(open(f"{sys.argv[2]}/sriov72-d-switchdev-2vf-up-devlink-port-json.txt"))["port"]
for p in (2, 3, 6):
    said = dict(ports[p]["devlink"])
    want = listed[said.pop("port")]
    assert want["netdev"] == ports[p]["netdev"]
    want = {k: int(v) if isinstance(v, bool) else v
            for k, v in {**want, **want.get("function", {})}.items()
            if k not in ("type", "netdev", "port", "splittable", "function")}
    assert said == want, (said, want)
for p in (None, 1, 4, 5):
    assert ports[p]["devlink"] is None and ports[p]["devlink_reason"], p
'
if command -v devlink >/dev/null; then
    expect_exit 0 devlink -j port show
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1])) == json.load(open(sys.argv[2])))' "$emu_out" \
        "$recordings/sriov72-d-switchdev-2vf-up-devlink-port-json.txt" >"$emu_work/same"
    grep -q True "$emu_work/same"
    result $? "the emulated devlink is the recorded one"
else
    skip 2 "no devlink (package iproute2)"
fi
expect_exit 0 "$ADP" -d statistic show mlx5_0
expect_out '^  devlink pci/0000:01:00.0/2: flavour pcivf controller 0 pfnum 0 vfnum 1 external 0 hw_addr 0e:42:a1:a1:00:02$'
# One list for all ports, and no question at all where there is nothing to ask it for.
EMUKERNEL_TRACE=$emu_work/trace expect_exit 0 "$ADP" -j statistic show mlx5_0
[ "$(grep -c '^generic netlink type=31 ' "$emu_work/trace")" = 1 ]
result $? "devlink is asked once"

# change PYTHON: "ports" of the description, and "listed" of devlink.
change()
{
    python3 - "$EMUKERNEL_COUNTERS" "$1" <<'END'
import json, sys
machine = json.load(open(sys.argv[1]))
device = machine["mlx5_0"]
exec(sys.argv[2], {"device": device, "ports": device["ports"], "listed": device["devlink"]})
json.dump(machine, open(sys.argv[1], "w"))
END
    rm -rf "$EMUKERNEL_ROOT" # made anew: netdevs are files there
}

# functions NAME WHAT: as they are to be.
functions()
{
    expect_exit 0 "$ADP" -j statistic show mlx5_0
    expect_no_err
    verdict "$1" "assert [ports[p]['function'] for p in (2, 3, 6)] == $2, {p: ports[p]['function'] for p in ports}
$3"
}

change 'for p in ports.values(): p["phys_port_name"] = ""'
functions "no phys_port_name: devlink tells" '["pf0vf0", "pf0vf1", "uplink"]' '
assert states(6) == {"not_measured"} and states(2) == {"measured"}'
change 'del device["devlink"]'
functions "nor devlink: why" '[None, None, None]' '
assert ports[2]["function_reason"] == "eth1 has no phys_port_name"
assert ports[2]["devlink_reason"] == "this kernel has no devlink"'
expect_exit 0 "$ADP" -d statistic show mlx5_0
expect_out '^  devlink: this kernel has no devlink$'

machine d-switchdev-2vf-up
change 'listed["pci/0000:01:00.0/1"].update(controller=1, external=True)
listed["pci/0000:01:00.0/2"]["vfnum"] = 7'
functions "a name that says less, and one that says otherwise" '["c1pf0vf0", None, "uplink"]' '
assert ports[2]["function_reason"] == "by devlink: phys_port_name of eth1 is pf0vf0"
assert ports[3]["function_reason"] == "phys_port_name of eth2 is pf0vf1, devlink says pf0vf7"
assert ports[3]["devlink"]["vfnum"] == 7 and states(3) == {"measured"}'
expect_exit 0 "$ADP" statistic show mlx5_0
expect_out 'phys_port_name of eth2 is pf0vf1, devlink says pf0vf7'
change 'listed["pci/0000:01:00.0/1"] = {"netdev": "eth1", "flavour": "pcisf", "controller": 0, "pfnum": 0,
    "sfnum": 88, "external": False, "function": {"hw_addr": "0e:42:a1:a1:00:58", "state": "active", "opstate": "attached"}}
ports["2"]["phys_port_name"] = "pf0sf88"
del listed["pci/0000:01:00.0/2"]'
functions "an SF, and a port that devlink does not list" '["pf0sf88", "pf0vf1", "uplink"]' '
assert ports[2]["devlink"] == {"port": "pci/0000:01:00.0/1", "flavour": "pcisf", "controller": 0, "pfnum": 0,
    "sfnum": 88, "external": 0, "hw_addr": "0e:42:a1:a1:00:58", "state": "active", "opstate": "attached"}
assert ports[3]["devlink_reason"] == "devlink lists no port of eth2"'

# What devlink refuses or garbles is no error: the names are what they were.
machine d-switchdev-2vf-up
for fault in errno=95 garbage truncate=18 truncate=30 cut=400 interrupted=1; do
    EMUKERNEL_NETLINK_FAULT="command=1005,$fault" functions "devlink: $fault" '["pf0vf0", "pf0vf1", "uplink"]' '
assert ports[2]["devlink"] is None and ports[2]["devlink_reason"].startswith("devlink"), ports[2]["devlink_reason"]'
done
change 'listed.clear(); listed["errno"] = 1'
functions "devlink: EPERM" '["pf0vf0", "pf0vf1", "uplink"]' '
assert ports[2]["devlink_reason"] == "devlink PORT_GET: Operation not permitted"'

# The VFs go: the kernel repeats their last values, and sysfs and rdma show them as before.
machine e-switchdev-vfs-gone
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "VFs gone: their last values are stale" '
for p in (2, 3):
    assert states(p) == {"stale"}, states(p)
    assert values(p) == recorded("e-switchdev-vfs-gone", p)
    assert ports[p]["function"] is None and "gone" in ports[p]["function_reason"]
assert states(4) == {"not_measured"}
'
machine f-switchdev-4vf
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "four VFs" '
assert [ports[p]["function"] for p in (2, 3, 4, 5)] == ["pf0vf0", "pf0vf1", "pf0vf2", "pf0vf3"]
assert states(5) == {"measured"}
'

# One refused vport hides no other; rdma stops there.
machine x-vport2-refused
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "one refused vport" '
bad = [p for p in ports if p and states(p) == {"unreadable"}]
assert bad == [3], bad
assert {c.get("errno") for c in ports[3]["counters"] if c["state"] == "unreadable"} == {"EINVAL"}
assert values(2) == recorded("x-vport2-refused", 2) and states(2) == {"measured"}
assert ports[6]["function"] == "uplink"
'
if command -v rdma >/dev/null; then
    expect_exit 1 rdma -j statistic
    refuse_out '"port":6'
else
    skip 2 "no rdma (package iproute2)"
fi

# A capability that lacks: device level alone, and why.
machine h-without-q_counter_aggregation
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "without q_counter_aggregation" '
assert values(None) == recorded("h-without-q_counter_aggregation", None)
for p in range(1, 7):
    assert ports[p]["counters"] is None, p
    assert "q_counter_aggregation" in ports[p]["counters_reason"], ports[p]["counters_reason"]
'
expect_exit 2 "$ADP" statistic show mlx5_0/2
machine i-without-roce_accl-enhanced_error
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "names that a capability hides are named with it" '
gates = {c["name"]: c.get("gate") for c in ports[2]["counters"] if c["state"] == "not_exposed"}
assert gates["vport_roce_adp_retrans"] == "roce_accl", gates
assert values(2) == recorded("i-without-roce_accl-enhanced_error", 2)
'
machine g-legacy-again
expect_exit 0 "$ADP" -j statistic show mlx5_0
verdict "legacy mode: the only port, plain names" '
assert list(ports) == [1] and ports[1]["function"] is None
assert ports[1]["devlink_reason"] == "asked for ports in switchdev mode alone"
assert states(1) == {"measured"} and values(1) == recorded("g-legacy-again", 1)
'
EMUKERNEL_TRACE=$emu_work/plain expect_exit 0 "$ADP" -j -d statistic show mlx5_0
[ "$(grep -c '^netlink ' "$emu_work/plain")" -gt 0 ] && ! grep -q '^generic netlink' "$emu_work/plain"
result $? "and devlink is not asked"

# The same trees as somebody would attach them to a bug report.
for step in d-switchdev-2vf-up e-switchdev-vfs-gone g-legacy-again; do
    python3 "$here/recorded_machine.py" tree "$recordings/sriov72-$step" "$emu_work/tree-$step"
    ADP_SYSFS_ROOT=$emu_work/tree-$step "$ADP" -j statistic show mlx5_0 >"$emu_out" 2>"$emu_err"
    result $? "tree of $step"
    verdict "tree of $step: its values" "
for p in ports:
    if states(p) == {'measured'}:
        assert values(p) == recorded('$step', p), p
    else:
        assert states(p) == {'not_measured'} and set(recorded('$step', p).values()) == {0}, p
assert 'measured' in states(2 if 2 in ports else 1)
"
done
finish

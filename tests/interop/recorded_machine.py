# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A recording of a real kernel (tests/fixtures/counter/vport) as a machine: a description for
EMUKERNEL_COUNTERS (first argument "emulate"), or a tree for ADP_SYSFS_ROOT ("tree DIRECTORY").

  recorded_machine.py emulate PREFIX        to standard output
  recorded_machine.py tree PREFIX DIRECTORY
"""
import json
import pathlib
import re
import sys

STATES = {"DOWN": 1, "INIT": 2, "ARMED": 3, "ACTIVE": 4}


def lines(prefix, what):
    path = pathlib.Path(f"{prefix}-{what}.txt")
    return path.read_text(encoding="utf-8").splitlines()


def sysfs(prefix):
    """(path, value or None, error or None) of each file that was read."""
    for line in lines(prefix, "sysfs"):
        match = re.fullmatch(r"(\S+) (=|!) (.*)", line)
        if match:
            path, kind, text = match.groups()
            yield path, text if kind == "=" else None, text if kind == "!" else None


def emulate(prefix):
    links = json.loads("".join(lines(prefix, "rdma-link-json")))
    names = dict(re.findall(r"^(\S+) phys_port_name=(\S*)", "\n".join(lines(prefix, "netdevs")),
                            re.M))
    listed = pathlib.Path(f"{prefix}-devlink-port-json.txt").read_text(encoding="utf-8")
    device = {"device": {}, "ports": {}, "devlink": json.loads(listed)["port"]}
    for link in links:
        netdev = link.get("netdev", "")
        device["ports"][str(link["port"])] = {
            "counters": {}, "netdev": netdev, "phys_port_name": names.get(netdev, ""),
            "state": STATES[link["state"]], "folder": False}
    for path, value, error in sysfs(prefix):
        match = re.fullmatch(r"mlx5_0/(?:ports/(\d+)/)?hw_counters/(\S+)", path)
        if not match or match.group(2) == "lifespan":
            continue
        port, name = match.groups()
        where = device["ports"][port] if port else device
        if port:
            where["folder"] = True
        if error:
            where["errno"] = 22
        where["counters" if port else "device"][name] = int(value or 0)
    return {"mlx5_0": device}


def tree(prefix, directory):
    root = pathlib.Path(directory)
    pci = root / "devices/pci0000:00/0000:1a:00.0"
    for path, value, _ in sysfs(prefix):
        file = pci / "infiniband" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if value is not None:
            file.write_text(value + "\n", encoding="utf-8")
    (root / "class/infiniband").mkdir(parents=True)
    (root / "class/infiniband/mlx5_0").symlink_to(pci / "infiniband/mlx5_0")
    (pci / "infiniband/mlx5_0/device").symlink_to(pci)
    (root / "bus/pci/drivers/mlx5_core").mkdir(parents=True)
    (pci / "driver").symlink_to(root / "bus/pci/drivers/mlx5_core")


if __name__ == "__main__":
    if sys.argv[1] == "emulate":
        print(json.dumps(emulate(sys.argv[2])))
    else:
        tree(sys.argv[2], sys.argv[3])

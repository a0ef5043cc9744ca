# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp flow: values from the published vectors and reports."""
import csv

from tap import equal, main, true


def one(cli, *words):
    return cli.run("-j", *words).exits(0).json[0]


def test_labels_of_the_vectors(cli):
    with open(cli.fixture("flow/flow_vectors.csv"), encoding="ascii") as f:
        rows = [r for r in csv.DictReader(line for line in f if not line.startswith("#"))
                if r["function"] == "calc_flow_label+fold"]
    true(len(rows) >= 20, "the vectors are there")
    for row in rows:
        got = one(cli, "flow", "label", row["in1"], row["in2"])
        equal([got["flow_label"], got["udp_sport"]], [int(row["label_hex"], 16), int(row["sport_dec"])],
              row["id"])


def test_sport(cli):
    equal(one(cli, "flow", "sport", "label", "0xfffff")["udp_sport"], 65472)
    got = one(cli, "flow", "sport", "cm", "4420", "50000")  # report R67
    equal([got["flow_label"], got["udp_sport"], got["derivation"]], [0x2da8c, 55943, "rdma-cm"])
    equal(one(cli, "flow", "sport", "cm", "50000", "4420")["udp_sport"], 63466)
    equal(one(cli, "flow", "sport", "lqpn", "0x1234", "rqpn", "0x5678")["udp_sport"], 49178)


def test_what_does_not_fit_is_refused(cli):
    cli.run("flow", "label", "0x1000000", "1").exits(1).says("0x1000000")
    cli.run("flow", "label", "1").exits(1).says("RQPN")
    cli.run("flow", "sport", "label", "0x100000").exits(1).says("0x100000")
    cli.run("flow", "sport", "lqpn", "1").exits(1).says("together")
    cli.run("flow", "find", "65536").exits(1).says("65536")
    cli.run("flow", "find", "-1").exits(1)
    cli.run("flow", "plan", "paths", "4", "qps", "0").exits(1)
    cli.run("flow", "plan", "paths", "4", "qps", "8", "hash", "md5").exits(1).says("md5", "crc32")
    cli.run("flow", "audit").exits(1).says("FILE")


def test_find(cli):
    got = one(cli, "flow", "find", "65472")  # report R60
    true(0xfffff in got["flow_labels"], "the label UCX uses")
    equal(len(got["flow_labels"]), 64)
    true(any("ucx" in d["derivation"] for d in got["derivations"]), "names UCX")


def test_plan_is_even(cli):
    rows = cli.run("-j", "flow", "plan", "paths", "4", "qps", "8").exits(0).json
    equal([len(rows), rows[-1]["load"]], [9, [2, 2, 2, 2]])
    for row in rows[:-1]:
        equal(one(cli, "flow", "sport", "label", row["flow_label"])["udp_sport"], row["udp_sport"])


def test_audit(cli):
    got = cli.run("-j", "flow", "audit", "paths", "4", "-", stdin=b"49152\n" * 16).exits(0).json[0]
    equal([got["flows"], got["distinct_sports"], max(got["load"])], [16, 1, 16])  # report R61
    true(got["causes"], "a cause is named")


def test_rules_and_filter(cli):
    true("4791" in one(cli, "flow", "filter")["filter"], "the RoCEv2 port")
    equal(one(cli, "flow", "rules", "mlx5")["name"], "mlx5")
    cli.run("flow", "rules", "nothing").exits(1).says("nothing")


if __name__ == "__main__":
    main()

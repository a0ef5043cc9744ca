# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp flow and adp retry: values from the published vectors, reports and measurements."""
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


def explain(cli, *words):
    return {e["model"]: e for e in cli.run("-j", "retry", "explain", *words).exits(0).json}


def near(got, wanted, share=0.001):
    true(abs(got - wanted) <= wanted * share, f"{wanted} expected, {got} found")


def test_explain(cli):
    got = explain(cli, "NCCL_IB_TIMEOUT=20")
    near(got["nominal"]["time_to_error_ms"], 30064.8)
    near(got["mlx5_default"]["time_to_error_ms"], 59766.1)  # measured, report R10
    near(got["ibta_min"]["time_to_error_ms"], 34359.7)
    near(explain(cli, "timeout", "14", "retry_cnt", "7")["mlx5_default"]["time_to_error_ms"], 3662)
    equal(explain(cli, "timeout", "0", "retry_cnt", "7")["nominal"]["time_to_error_ms"], None)
    near(explain(cli, "UCX_RC_TIMEOUT=3s")["nominal"]["time_to_error_ms"], 15032)  # report R17
    equal(explain(cli, "UCX_RC_TIMEOUT=3s")["nominal"]["timeout_code"], 19)
    cli.run("retry", "explain", "timeout", "32").exits(1).says("32")
    cli.run("retry", "explain", "retry_cnt", "20").exits(1).says("20")  # report R05
    cli.run("retry", "explain").exits(1)


def test_explain_with_a_profile(cli):
    got = explain(cli, "timeout", "14", "retry_cnt", "7", "profile", cli.fixture("roce_accl/set-named.txt"))
    near(got["profile"]["time_to_error_ms"], 470, 0.01)


def test_cm(cli):
    equal(one(cli, "retry", "cm", "ca_ack_delay", "16")["timeout_code"], 18)
    equal(one(cli, "retry", "cm", "ca_ack_delay", "16", "kernel", "old")["timeout_code"], 19)
    cli.run("retry", "cm").exits(1).says("ca_ack_delay")


def test_plan(cli):
    got = one(cli, "retry", "plan", "survive", "10s")
    true(got["proposals"], "there is one")
    got = cli.run("-j", "retry", "plan", "detect", "20ms", "pause", "50ms").exits(1).json[0]
    true(got["conflicts"], "the goals conflict")  # report R09
    cli.run("retry", "plan", "survive", "soon").exits(1).says("soon")


def test_compare(cli):
    rows = {e["model"]: e for e in cli.run("-j", "retry", "compare", "timeout=14", "timeout=20").exits(3).json}
    near(rows["nominal"]["ratio"], 64)  # report R13
    near(rows["mlx5_default"]["ratio"], 16.3, 0.01)
    cli.run("retry", "compare", "timeout=14", "timeout=14").exits(0)


def test_decode(cli):
    got = cli.run("-j", "retry", "decode", "status 12 vendor err 129").exits(0).json
    equal([got[0]["status"], got[0]["class"]], [12, "transport_retry"])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp flow: values from the published vectors and reports."""
import csv
import json

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


def test_sport_of_rdma_cm(cli):
    """A label of 0 is none, wherever it comes from; IPv6 flow information is the label itself."""
    got = one(cli, "flow", "sport", "cm", "33825", "1")
    equal([got["flow_label"], got["udp_sport"]], [0, 49152])
    true("lqpn" in cli.run("flow", "sport", "cm", "33825", "1").exits(0).out, "who decides then")
    got = one(cli, "flow", "sport", "cm", "33825", "1", "lqpn", "0x1234", "rqpn", "0x5678")
    equal([got["flow_label"], got["udp_sport"], got["derivation"]],
          [0x60002, 49178, "rdma_calc_flow_label"])
    got = one(cli, "flow", "sport", "cm", "4420", "50000", "flowinfo", "0x6abcde12", "lqpn", "1", "rqpn", "2")
    equal([got["flow_label"], got["derivation"]], [0xcde12, "rdma-cm"])
    equal(one(cli, "flow", "sport", "cm", "4420", "50000", "flowinfo", "0x100000")["flow_label"], 0x2da8c,
          "a traffic class is no label")
    cli.run("flow", "sport", "cm", "1", "2", "flowinfo").exits(1).says("flowinfo")
    cli.run("flow", "sport", "label", "1", "cm", "1", "2").exits(1).says("not both")
    cli.run("flow", "sport", "flowinfo", "1").exits(1).says("flowinfo")


def test_weights_are_shares(cli):
    got = cli.run("-j", "flow", "plan", "qps", "4", "weights", "1,2").exits(0).json[-1]
    equal([got["load"], got["ideal_load"], got["random_load"]], [[1, 3], 3, None])
    true(got["random_load_reason"], "and why")
    got = cli.run("-j", "flow", "audit", "weights", "1,3", "-", stdin=b"49152\n49153\n49154\n49155\n")
    equal([got.json[0]["load"], got.json[0]["ideal_load"], got.json[0]["expected_max_over_mean"]],
          [[1, 3], 3, None])
    for words in (("paths", "4", "weights", "1,2"), ("weights", "1,2", "paths", "4")):
        cli.run("flow", "plan", "qps", "4", *words).exits(1).says("2 weights for 4 paths")
        cli.run("flow", "audit", *words, "-", stdin=b"49152\n").exits(1).says("2 weights for 4 paths")
    equal(cli.run("-j", "flow", "plan", "qps", "4", "paths", "2", "weights", "1,1").exits(0).json[-1]["load"],
          [2, 2])


def test_nothing_is_null_without_a_reason(cli):
    """What .json looks at itself; here it is read."""
    for words in (("find", "49152"), ("find", "36049"), ("rules",), ("sport", "label", "0"),
                  ("plan", "paths", "4", "qps", "4", "hash", "unknown"), ("plan", "weights", "1,2", "qps", "3"),
                  ("plan", "qps", "4", "paths", "4", "stage", "paths", "2")):
        true(cli.run("-j", "flow", *words).exits(0).json, "something")
    true(cli.run("-jd", "flow", "audit", "-", stdin=b"49152\n49152\n36049\n").exits(0).json, "something")
    true(cli.run("-j", "flow", "audit", "weights", "1,2", "-", stdin=b"49152\n49152\n").exits(0).json,
         "something")


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
    cli.run("flow", "find", "49153", "ucx_factor", "0").exits(1).says("ucx_factor 0")
    # A word that stands there twice: which one is meant?
    for twice in (("filter", "host", "10.0.0.1", "host", "10.0.0.2"),
                  ("sport", "label", "5", "label", "6"),
                  ("find", "49153", "lqpn", "1", "rqpn", "2", "lqpn", "3"),
                  ("plan", "paths", "4", "paths", "8", "qps", "2"),
                  ("plan", "paths", "4", "qps", "2", "qps", "3")):
        cli.run("flow", *twice).exits(1).says("stands there twice")
    cli.run("flow", "plan", "qps", "4", "paths", "2", "stage", "paths", "2").exits(0)
    # The switch hashes what the list does not have.
    cli.run("flow", "audit", "paths", "4", "hash", "crc32", "fields", "qpn", "-",
            stdin=b"50000\n50001\n").exits(1).says("line 1 has no QPNs")
    # Sockets that ss shows without another end are no flows.
    got = cli.run("-j", "flow", "audit", "paths", "4", "-", stdin=(
        b"UNCONN 0 0 0.0.0.0:4791 0.0.0.0:*\nUNCONN 0 0 [::]:4791 [::]:*\nUNCONN 0 0 *:4791 *:*\n"
        b"ESTAB 0 0 10.0.0.1:50000 10.0.0.2:4791\n")).exits(0).json[0]
    equal((got["flows"], got["errors"]), (1, 0))


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


def test_plan_in_stages(cli):
    same = cli.run("-j", "flow", "plan", "qps", "16", "paths", "4", "hash", "crc16-ccitt",
                   "stage", "paths", "4", "hash", "crc16-ccitt").exits(0).json[-1]
    equal([same["paths"], same["reachable"]], [16, 4], "polarised")
    equal([s["shares_with"] for s in same["stages"]], [None, 1])
    other = cli.run("-j", "flow", "plan", "qps", "16", "paths", "4", "hash", "crc16-ccitt",
                    "stage", "paths", "4", "hash", "crc16-ccitt", "offset", "4").exits(0).json[-1]
    equal([other["reachable"], other["max_load"]], [16, 1], "another offset mends it")
    cli.run("flow", "plan", "qps", "4", "paths", "4", "stage", "hash", "mod").exits(1).says("paths")


def test_plan_with_weights_and_ports(cli):
    got = cli.run("-j", "flow", "plan", "qps", "32", "weights", "3,1").exits(0).json[-1]
    equal(got["load"], [24, 8])
    rows = cli.run("-j", "flow", "plan", "qps", "4", "paths", "2", "ports", "50000-50003").exits(0).json
    equal(sorted(r["udp_sport"] for r in rows[:-1]), [50000, 50001, 50002, 50003])
    for bad, says in (("5", "FIRST-LAST"), ("60000-50000", "above"), ("100-200", "49152"),
                      ("50000-70000", "70000")):
        cli.run("flow", "plan", "qps", "4", "paths", "2", "ports", bad).exits(1).says(says)
    cli.run("flow", "plan", "qps", "4", "weights", "1,x").exits(1).says("weight")
    cli.run("flow", "plan", "qps", "4", "weights", "0,0").exits(1).says("weights")
    cli.run("flow", "plan", "qps", "4", "paths", "2", "fields", "src,ttl").exits(1).says("ttl")
    cli.run("flow", "plan", "qps", "4", "paths", "2", "hash", "crc32", "fields", "src,dst").exits(0)
    cli.run("flow", "plan", "qps", "4", "paths", "2", "seed", "1").exits(1).says("seed")


def test_plan_of_an_unknown_hash(cli):
    rows = cli.run("-j", "flow", "plan", "paths", "4", "qps", "8", "hash", "unknown").exits(0).json
    equal([rows[0]["path"], rows[-1]["load"], rows[-1]["distinct_sports"]], [None, None, 8])
    true("crc32" in rows[-1]["even_under"] and rows[-1]["notes"], "what can be promised is said")
    true(rows[0]["path_reason"] and rows[-1]["load_reason"], "and why not more")


def test_numbers_of_paths(cli):
    """0, 1, 3, a million, more than ports."""
    def plan(paths):
        return cli.run("-j", "flow", "plan", "qps", "6", "paths", paths)
    plan("0").exits(1).says("paths")
    equal(plan("1").exits(0).json[-1]["load"], [6])
    equal(plan("3").exits(0).json[-1]["load"], [2, 2, 2])
    plan("1000000").exits(1).says("more paths than ports", "16384")
    plan("16385").exits(1).says("more paths than ports")
    equal(plan("16384").exits(0).json[-1]["max_load"], 1)
    plan("-1").exits(1)
    plan("4294967296").exits(1).says("4294967296")
    flows = b"49152\n49153\n49154\n"
    cli.run("flow", "audit", "paths", "0", "-", stdin=flows).exits(1).says("paths")
    equal(cli.run("-j", "flow", "audit", "paths", "1", "-", stdin=flows).exits(0).json[0]["load"], [3])
    equal(cli.run("-j", "flow", "audit", "paths", "3", "-", stdin=flows).exits(0).json[0]["load"],
          [1, 1, 1])
    got = cli.run("-j", "flow", "audit", "paths", "1000000", "-", stdin=flows).exits(0).json[0]
    equal([len(got["load"]), sum(got["load"])], [1000000, 3])
    cli.run("flow", "audit", "paths", "2000000", "-", stdin=flows).exits(1).says("2000000")


def test_bad_ports_and_labels(cli):
    cli.run("flow", "find", "0").exits(1).says("0")
    equal(one(cli, "flow", "find", "36049")["flow_labels"], [])
    cli.run("flow", "label", "0xffffff", "0x1000000").exits(1).says("RQPN")
    cli.run("flow", "sport", "label", "1048576").exits(1).says("1048576")
    cli.run("flow", "sport", "cm", "65536", "1").exits(1).says("65536")
    cli.run("flow", "find", "49152", "ucx_factor", "x").exits(1).says("ucx_factor")
    got = one(cli, "flow", "find", "49168", "ucx_factor", "16")
    true(any(d["derivation"] == "ucx-devx" and d["likely"] for d in got["derivations"]), "path 1")


def test_a_million_lines_with_errors(cli):
    lines = ["# a comment"] + [str(49152 + i % 16384) for i in range(1000000)]
    for at, bad in ((10, "0"), (500000, "65536"), (500001, "0x1000000 5"), (999999, "hello"),
                    (1000000, "40000")):
        lines[at - 1] = bad
    result = cli.run("-j", "flow", "audit", "paths", "16", "-", stdin="\n".join(lines).encode())
    result.exits(1).says("line 10:", "line 500000:", "line 500001:", "line 999999:", "line 1000000:")
    got = result.json[0]
    equal([got["flows"], got["errors"], sum(got["load"])], [999995, 5, 999995])
    equal(got["distinct_sports"], 16384)


def test_many_errors_are_counted_not_shown(cli):
    result = cli.run("-j", "flow", "audit", "-", stdin=b"x\n" * 1000 + b"49152\n").exits(1)
    equal(result.json[0]["errors"], 1000)
    result.says("more lines in error")


def test_no_flows(cli):
    for text in (b"", b"\n\n", b"# nothing\n", b"[]"):
        cli.run("flow", "audit", "-", stdin=text).exits(1).says("no flows")
    cli.run("flow", "audit", "-", stdin=b"zz\n").exits(1).says("line 1", "no flows")
    cli.run("flow", "audit", "-", stdin=b"[{]").exits(1).says("JSON")
    cli.run("flow", "audit", "/nonexistent/file").exits(1).says("No such file")
    cli.run("flow", "audit", "hash", "crc32", "paths", "3", "-", stdin=b"49152\n").exits(1).says("addresses")


def test_audit_names_settings_and_their_traps(cli):
    for flows, setting in ((b"65472\n" * 16, "UCX_IB_NUM_PATHS"),
                           (b"49152\n49153\n", "NCCL_IB_QPS_PER_CONNECTION")):
        got = cli.run("-j", "flow", "audit", "paths", "4", "-", stdin=flows).exits(0).json[0]
        named = {s["setting"]: s for s in got["settings"]}
        true(setting in named, f"{setting} is among {sorted(named)}")
    true("devices" in named["NCCL_IB_QPS_PER_CONNECTION"]["trap"], "times the merged devices")
    true("ncclInternalError" in named["NCCL_IB_OOO_RQ"]["trap"], "fails the connection")
    out = cli.run("-d", "flow", "audit", "paths", "4", "-", stdin=b"49152\n49153\n").exits(0).out
    true("trap:" in out, "said to people too")


def test_audit_takes_the_text_of_adp_qp(cli):
    text = cli.run("--sim", "qp").exits(0).out
    elements = cli.run("--sim", "-j", "qp").exits(0).json
    got = cli.run("-j", "flow", "audit", "-", stdin=text.encode()).exits(0).json[0]
    want = cli.run("-j", "flow", "audit", "-", stdin=json.dumps(elements).encode()).exits(0).json[0]
    true(got["flows"] > 0, "there are queue pairs")
    for key in ("flows", "distinct_sports", "load", "errors"):
        equal(got[key], want[key], key)


def test_audit_names_elements_and_lines(cli):
    cli.run("flow", "audit", "-", stdin=b'[{"sport": 49152}, {"sport": 0}]').exits(1).says("element 2")
    cli.run("flow", "audit", "-", stdin=b"49152\n0\n").exits(1).says("line 2")


def test_find_asks_about_one_queue_pair(cli):
    got = one(cli, "flow", "find", "58314", "lqpn", "0xabcdef")  # vector 70
    true(any(d["derivation"] == "rxe" and d["likely"] for d in got["derivations"]), "rxe's own")
    cli.run("flow", "find", "58314", "rqpn", "1").exits(1).says("lqpn")


def test_plan_says_why_there_are_no_stages(cli):
    got = cli.run("-j", "flow", "plan", "paths", "6", "qps", "12", "src", "10.0.0.1", "dst", "10.0.0.2", "hash",
                  "crc32", "stage", "paths", "6", "hash", "crc32").exits(0).json[-1]
    equal(got["stages"], None)
    true(got["stages_reason"] and any(n.startswith("polarised") for n in got["notes"]), got["notes"])
    notes = cli.run("-j", "flow", "plan", "paths", "6", "qps", "12", "hash",
                    "unknown").exits(0).json[-1]["notes"]
    true(not any("hashes listed" in n for n in notes), notes)


def test_audit_of_a_listing_of_queue_pairs(cli):
    listing = json.dumps([{"dev": "mlx5_0", "lqpn": 17, "rqpn": 18, "type": "RC", "udp_sport": None,
                           "local_addr": None, "peer_addr": "10.0.0.2"},
                          {"dev": "mlx5_0", "lqpn": 19, "rqpn": None, "type": "RC",
                           "udp_sport": None, "local_addr": None, "peer_addr": None}])
    got = cli.run("-j", "flow", "audit", "paths", "2", "-", stdin=listing.encode()).exits(0).json[0]
    equal([got["flows"], got["errors"]], [1, 0], "one address alone is no error there")


def test_rules_and_filter(cli):
    true("4791" in one(cli, "flow", "filter")["filter"], "the RoCEv2 port")
    equal(one(cli, "flow", "rules", "mlx5")["name"], "mlx5")
    cli.run("flow", "rules", "nothing").exits(1).says("nothing")
    # The rule itself, to people as to programs.
    for row in cli.run("-j", "flow", "rules").exits(0).json:
        text = cli.run("flow", "rules", row["name"]).exits(0).out
        for key in ("connected", "address_handle"):
            if row[key]["rule"] != "none" or row[key]["text"]:
                true(row[key]["rule"] in text, f"{row['name']} {key}: {text}")
        true("  (" not in text, text)
    cli.run("flow", "rules", "mana").exits(0).shows("connected QP +flow label, else hash of both QPNs .verified")
    cli.run("flow", "rules", "bnxt_re").exits(0).shows("constant 36049")  # 0x8cd1, as the driver's source


def test_audit_of_labels_with_their_ports(cli):
    text = cli.fixture("flow/R64-label-collisions.txt").read_text()
    plain = cli.run("-j", "flow", "audit", "-", stdin=text.encode()).exits(0).json[0]
    named = cli.run("-j", "flow", "audit", "-", stdin=("# label sport\n" + text).encode()).exits(0).json[0]
    equal([plain["flows"], plain["distinct_sports"], plain["collisions"]], [5, 3, 2])
    note = [n for n in plain["notes"] if "label and port" in n]
    equal(len(note), 1)
    plain["notes"].remove(note[0])
    equal(plain, named)


if __name__ == "__main__":
    main()

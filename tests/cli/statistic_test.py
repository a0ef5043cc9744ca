# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp statistic: what needs no device. Values from public dumps, reports and recordings."""
import json

from tap import equal, main, true


def one(cli, *words, status=0):
    return cli.run("-j", *words).exits(status).json[0]


def fixture(cli, name):
    return str(cli.fixture("counter/" + name))


def test_describe(cli):
    got = one(cli, "statistic", "describe", "local_ack_timeout_err", "driver", "mlx5_core")
    equal([got["concept"], got["side"], got["side_basis"], got["unit"], got["width_bits"], got["overflow"],
           got["gate"], got["vport"]],
          ["ack_timeout", "requester", "stated", "events", 32, "wrap", "retransmission_q_counters", 1])
    true(got["source"] and got["meaning"] and got["is_not"], "source, meaning, what it is not")
    equal(one(cli, "statistic", "describe", "vport_out_of_sequence")["side"], "unknown")
    equal(one(cli, "statistic", "describe", "lifespan")["kind"], "gauge")  # report R52
    equal(one(cli, "statistic", "describe", "roce_adp_retrans")["since"], "5.6")
    equal(one(cli, "statistic", "describe", "port_xmit_data")["unit"], "words")
    equal(one(cli, "statistic", "describe", "Nak", "Sequence", "Error")["driver"], "irdma")
    equal(one(cli, "statistic", "describe", "node_infiniband_packet_sequence_errors_total")["name"],
          "packet_seq_err")
    cli.run("statistic", "describe", "out_of_sequence").exits(0).shows("no source names", "not proof of loss")


def test_describe_all(cli):
    rows = cli.run("-j", "statistic", "describe").exits(0).json
    true(len(rows) > 250, "many")
    true({"mlx5", "mlx4", "bnxt_re", "irdma", "mana", "rxe", "efa", "hfi1", "cxgb4", None} <=
         {r["driver"] for r in rows}, "drivers")
    rxe = cli.run("-j", "statistic", "describe", "driver", "rxe").exits(0).json
    equal(len(rxe), 15)


def test_describe_what_is_not_there(cli):
    cli.run("statistic", "describe", "local_ack_timeout").exits(1).says("local_ack_timeout_err", "perhaps")
    cli.run("statistic", "describe", "rx_vport_rdma_unicast_bytes").exits(1).says("netdev")  # report R56
    cli.run("statistic", "describe", "driver", "siw").exits(1).says("no hw_counters")
    cli.run("statistic", "describe", "driver", "nobody").exits(1).says("nobody", "mlx5")
    cli.run("statistic", "describe", "%s%n\x1b[1m").exits(1)


def test_diff(cli):
    before = cli.file("a.txt", "link mlx5_0/1 out_of_sequence 4294967290 packet_seq_err 3 local_ack_timeout_err 7\n")
    after = cli.file("b.txt", "link mlx5_0/1 out_of_sequence 10 packet_seq_err 3 local_ack_timeout_err 9\n")
    got = one(cli, "statistic", "diff", before, after, status=3)
    equal([got["dev"], got["port"], got["comparable"]], ["mlx5_0", 1, 1])
    counters = {c["name"]: c for c in got["counters"]}
    equal([counters["out_of_sequence"]["delta"], counters["out_of_sequence"]["step"]], [16, "wrapped"])
    equal(counters["packet_seq_err"]["delta"], 0)
    equal([counters["local_ack_timeout_err"]["delta"], counters["local_ack_timeout_err"]["side"]], [2, "requester"])
    cli.run("statistic", "diff", before, after).exits(3).shows("out_of_sequence +.16 packets", "1 unchanged")
    cli.run("statistic", "diff", before, before).exits(0).shows("nothing moved")
    reset = cli.file("c.txt", "link mlx5_0/1 out_of_sequence 1 packet_seq_err 0 local_ack_timeout_err 0\n")
    got = one(cli, "statistic", "diff", before, reset, status=3)
    true(all(c["delta"] is None for c in got["counters"]), "no delta over a reset")
    cli.run("statistic", "diff", before, cli.file("d.txt", "link mlx5_1/1 out_of_sequence 1\n")).exits(1) \
        .says("mlx5_0/1", "mlx5_1/1")


def snapshot(cli, name, value, **more):
    port = {"dev": "mlx5_0", "port": 1, "driver": "mlx5", "dev_index": 2, "speed_mbps": 100000,
            "source": "netlink", "counters": [{"name": "packet_seq_err", "value": value, "state": "measured"}],
            "port_counters": [{"name": "port_xmit_data", "value": value * 1000000, "state": "measured"}]}
    port.update({k: more.pop(k) for k in list(more) if k in port or k in ("pci", "function", "node_guid")})
    whole = {"adp_statistic_snapshot": 1, "time_ms": 1000000, "uptime_ms": 5000, "boot_id": "b", "host": "h",
             "port_count": 1, "ports": [port]}
    whole.update(more)
    return cli.file(name, json.dumps(whole))


def test_diff_of_snapshots(cli):
    before = snapshot(cli, "a.json", 0)
    after = snapshot(cli, "b.json", 2800, time_ms=1001000, uptime_ms=6000)
    got = one(cli, "statistic", "diff", before, after, status=3)
    equal(got["interval_ms"], 1000)
    counters = {c["name"]: c for c in got["counters"]}
    equal(counters["port_xmit_data"]["bits_per_s"], 89.6e9)  # report R54
    cli.run("statistic", "diff", before, after).exits(3).shows("89.6 Gbit/s")
    fast = snapshot(cli, "f.json", 63000, time_ms=1001000, uptime_ms=6000)
    cli.run("statistic", "diff", before, fast).exits(3).shows("above the link's speed")
    for change, says in (({"boot_id": "c"}, "another boot"), ({"dev_index": 3}, "loaded again"),
                         ({"driver": "rxe"}, "another driver")):
        other = snapshot(cli, "o.json", 9, **change)
        run = cli.run("-j", "statistic", "diff", before, other).exits(1).says(says)
        true(all(c["delta"] is None for c in run.json[0]["counters"]), "no delta")
    cli.run("statistic", "diff", before, snapshot(cli, "m.json", 9, boot_id="c", host="i")).exits(1).says("two machines")


def test_damaged_snapshots(cli):
    good = snapshot(cli, "a.json", 5)
    text = good.read_text()
    for name, broken, says in (("cut", text[:-20], "no JSON"), ("neg", text.replace('"value": 5,', '"value": -5,'), "packet_seq_err"),
                               ("new", text.replace('snapshot": 1', 'snapshot": 9'), "version 9"),
                               ("few", text.replace('"port_count": 1', '"port_count": 3'), "1 of 3")):
        cli.run("statistic", "diff", good, cli.file(name, broken)).exits(1).says(name, says)
    cli.run("statistic", "diff", good, "/nowhere").exits(1).says("/nowhere")
    cli.run("statistic", "diff", good).exits(1).says("AFTER")
    cli.run("statistic", "diff", good, good, "x").exits(1).says("not expected")
    cli.run("statistic", "diff", good, good, "dev", "mlx5_9").exits(1).says("mlx5_9")
    cli.run("statistic", "diff", good, cli.file("empty", "[]\n")).exits(1).says("no port counters")
    big = cli.file("big", "x" * (1 << 20))
    cli.run("statistic", "diff", big, big).exits(1).says("no counters")


def test_recordings(cli):
    d = fixture(cli, "vport/sriov72-d-switchdev-2vf-up-rdma-statistic.txt")
    j = fixture(cli, "vport/sriov72-d-switchdev-2vf-up-rdma-statistic-json.txt")
    rows = cli.run("-j", "statistic", "diff", d, j).exits(0).json
    equal(len(rows), 6)
    true(all(c["delta"] == 0 for r in rows for c in r["counters"]), "text and JSON of rdma are equal")
    a, b = (fixture(cli, f"vport/vf72-{s}-sysfs.txt") for s in ("a-vf-bound", "b-vf-retry-exceeded"))
    got = one(cli, "statistic", "compare", "requester", a, b, "port", "mlx5_1/1", status=3)
    equal(got["moved"], "requester")
    true(any(m["name"] == "local_ack_timeout_err" and m["delta"] == 8 for m in got["moves"]), "8 timeouts")
    cli.run("statistic", "compare", "requester", a, b).exits(1).says("several ports", "port DEV/PORT")


def test_what_cannot_be_read_is_told(cli):
    for name in ("reports/R50-na-no-pma.txt", "dumps/13-i40iw-counters-no-pma.txt"):
        text = fixture(cli, name)
        got = one(cli, "statistic", "diff", text, text)
        names = [c["name"] for c in got["counters"]]
        true(names and all(c["step"] == "no_number" for c in got["counters"]), names)
        cli.run("statistic", "diff", text, text).exits(0).shows(
            "cannot be read: " + ", ".join(names) + r" \(N/A \(no PMA\)\)")
        for key in ("path", "simulated"):
            true(got[key] is None and got[key + "_reason"], key)
    equal(got["driver"], "i40iw")


def test_one_line_a_counter(cli):
    before, after = (snapshot(cli, n, v) for n, v in (("a.json", 1), ("b.json", 2)))
    for path in (before, after):
        path.write_text(path.read_text().replace("packet_seq_err", "a\\nb"))
    text = cli.run("statistic", "diff", before, after).exits(3).shows(r"a\?b").out
    true("\nb " not in text, text)


def test_no_heading_gives_an_end_that_no_source_gives(cli):
    text = cli.run("--sim", "statistic", "show", "sim0", "side", "unknown").exits(0).out
    true("out_of_sequence" in text and "roce_adp_retrans" in text, text)
    true("where requests" not in text, text)
    text = cli.run("--sim", "statistic", "show", "sim0", "side", "requester").exits(0).out
    true("where requests are sent" in text and "no source says" not in text, text)


def test_a_level_is_no_event_of_another_driver(cli):
    for name in ("current_rate", "num_qps_congested"):
        true("elsewhere" not in cli.run("statistic", "describe", name).exits(0).out, name)


def test_compare_says_no_more_than_was_counted(cli):
    lone = cli.file("lone.txt", "local_ack_timeout_err +0\n")
    got = one(cli, "statistic", "compare", "requester", lone)
    equal([got["moved"], got["requester"], got["responder"]], ["unknown", None, None])
    equal(verdicts(got)["loss_towards_responder"], "undetermined")
    text = cli.run("statistic", "compare", "requester", lone).exits(0).out
    true("neither" not in text and "responder counted is not known" in text, text)


def verdicts(got):
    return {f["pattern"]: f["verdict"] for f in got["findings"]}


def test_compare_of_reports(cli):
    got = one(cli, "statistic", "compare", "requester", fixture(cli, "reports/R44-nccl394-counters.txt"), status=3)
    v = verdicts(got)
    equal([v["loss_towards_responder"], v["congestion"]], ["supported", "supported"])
    true(any("second listing" in n for n in got["notes"]), "totals: asks for a difference")
    got = one(cli, "statistic", "compare", "requester", fixture(cli, "reports/R43-rnr-not-fatal.txt"), status=3)
    equal([verdicts(got)["rnr_pressure"], got["ended"]], ["supported", []])
    got = one(cli, "statistic", "compare", "requester", fixture(cli, "reports/R33-ar-flags.txt"), status=3)
    equal([verdicts(got)["reordering"], verdicts(got)["loss_towards_responder"]], ["supported", "contradicted"])
    for f in got["findings"]:
        true(f["text"] and f["source"], f["pattern"])
        true(all(e["source"] and e["unit"] for e in f["evidence"]), f["pattern"])


def test_compare_of_both_ends(cli):
    req = cli.file("req", "link rxe0/1 rcvd_seq_err +0 completer_retry_err +13 retry_exceeded_err +0\n")
    resp = cli.file("resp", "link rxe1/1 duplicate_request +52 out_of_seq_request +0\n")
    got = one(cli, "statistic", "compare", "requester", req, "responder", resp, status=3)
    equal([got["moved"], verdicts(got)["lost_acknowledgements"]], ["both", "supported"])
    equal([got["requester"], got["responder"]], ["rxe0/1", "rxe1/1"])
    run = cli.run("statistic", "compare", "responder", resp, "requester", req).exits(3)
    run.shows("supported: lost_acknowledgements", r"responder +duplicate_request \+52 packets", "undetermined")
    cli.run("-d", "statistic", "compare", "requester", req, "responder", resp).exits(3).shows("rule: measured on rxe")
    quiet = cli.file("quiet", "rcvd_seq_err +0\ncompleter_retry_err +0\nduplicate_request +0\nout_of_seq_request +0\n")
    equal(one(cli, "statistic", "compare", "requester", quiet, "responder", quiet)["moved"], "none")


def test_compare_refuses(cli):
    f = cli.file("f", "out_of_sequence +1\n")
    cli.run("statistic", "compare").exits(1).says("requester FILE")
    cli.run("statistic", "compare", f).exits(1).says("requester or responder first")
    cli.run("statistic", "compare", "requester").exits(1).says("no file")
    cli.run("statistic", "compare", "requester", f, "requester", f).exits(1).says("twice")
    cli.run("statistic", "compare", "requester", f, f, f).exits(1).says("third")
    cli.run("statistic", "compare", "requester", f, f).exits(1).says("differences already")
    cli.run("statistic", "compare", "requester", f, "port").exits(1).says("port")


def test_from_standard_input(cli):
    text = b"out_of_sequence +5\npacket_seq_err +0\nlocal_ack_timeout_err +0\n"
    run = cli.run("-j", "statistic", "compare", "requester", "-", stdin=text).exits(3)
    equal(verdicts(run.json[0])["reordering"], "supported")


def test_hostile_text_stays_text(cli):
    f = cli.file("f", b"link x\x1b[31m/1 %s%n +5 \xff\xfe +1 port +2\n")
    run = cli.run("statistic", "compare", "requester", f).exits(0)
    true("\x1b" not in run.out and "\x1b" not in run.err, "no control characters")
    cli.run("-j", "statistic", "compare", "requester", f).exits(0).json
    g = cli.file("g", b"link x/1 %s%n 7 port 2\n")
    h = cli.file("h", b"link x/1 %s%n 9 port 2\n")
    got = one(cli, "statistic", "diff", g, h, status=3)
    equal([c["name"] for c in got["counters"]], ["%s%n", "port"])


def test_compare_of_one_end_and_of_ends_that_disagree(cli):
    own = "packet_seq_err +111\nlocal_ack_timeout_err +8\nimplied_nak_seq_err +0\n"
    for more in ("", "out_of_sequence +0\n"):
        got = cli.run("-j", "statistic", "compare", "requester", cli.file("q", own + more)).exits(3)
        verdicts = {f["pattern"]: f["verdict"] for f in got.json[0]["findings"]}
        equal(verdicts["reordering"], "undetermined")
    zeros = cli.file("r", "out_of_sequence +0\nduplicate_request +0\nout_of_buffer +0\n")
    naks = cli.file("n", "packet_seq_err +500\nlocal_ack_timeout_err +0\n")
    cli.run("statistic", "compare", "requester", naks, "responder", zeros).exits(3).shows(
        "undetermined: loss_towards_responder: the two ends contradict each other",
        "undetermined: reordering: the two ends contradict each other")


if __name__ == "__main__":
    main()

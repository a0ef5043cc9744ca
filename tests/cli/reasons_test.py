# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Every command's JSON: no null without a reason, of good input and bad. Result.json looks."""
import json

from tap import equal, main, true


def commands(cli):
    """For each command, its runs; "-" stands for stdin."""
    file = cli.file("p.toml", "time_base = 4\nqp_total_timeout = 1\ntimeout_init_low_bound = 0\n"
                              "timeout_init_range_size = 0\n[[timeout_range]]\nrange_low_bound = 0\n"
                              "range_size = 2\ntimeout_retry_num = 1\ndec_mode = 1\n")
    part = cli.file("part.toml", "time_base = 4\n")
    one = cli.file("1.txt", "link mlx5_0/1 out_of_sequence 4294967290 req_transport_retries_exceeded 1 odd 3\n")
    two = cli.file("2.txt", "link mlx5_0/1 out_of_sequence 10 req_transport_retries_exceeded 2 gone 4\n")
    bare = cli.file("3.txt", "rx_write_requests 5\n")
    level = cli.file("4.txt", "hw_counters/out_of_buffer:5\n")
    config = cli.folder / "etc"
    config.mkdir()
    (config / "adp.toml").write_text(
        '[[device]]\nmatch = "sim0"\nfields = { roce_tx_window_en = 1 }\n'
        '[[device]]\nmatch = "absent0"\nfields = { roce_tx_window_en = 1 }\n')
    broken = cli.folder / "bad"
    broken.mkdir()
    (broken / "adp.toml").write_text('[[device]]\nmatch = "sim0"\nfields = { nothing = 1 }\n')
    tx = ["sim0", "roce_tx_window_en", "1"]
    full = "--sim=preset:full"
    return {
        "dev show": [[], ["-d"], ["nothing0"], ["sim0"], ["-d", "sim1"]],
        "accl show": [[], ["-d"], ["nothing0"]],
        "accl set": [tx, ["-n", *tx], ["-dn", *tx], [*tx, "for", "1h"], ["sim0", "time_base", "99"]],
        "accl pending": [[]],
        "accl restore": [[], [full]],
        "accl histogram": [["sim0"], [full, "sim0"], [full, "sim0", "on"]],
        "profile show": [[], ["-d"], ["nothing0"], [full]],
        "profile set": [["-y", "sim0", "file", file], ["-n", "sim0", "file", file],
                        ["-y", "sim1", "time_base", "4"]],
        "profile enable": [["sim0"], ["-n", "sim0"]],
        "profile disable": [["sim0"], ["nothing0"]],
        "profile check": [[file], [part]],
        "profile decode": [[file], [part], [cli.fixture("roce_accl/named-after.txt")],
                           [cli.fixture("roce_accl/raw-before.txt")]],
        "profile encode": [[file, "json"]],
        "profile diff": [["file", file, "file", part], ["dev", "sim0", "file", part],
                         ["dev", "sim0", "dev", "sim1"], ["-d", "file", file, "file", file]],
        "profile save": [["sim0", cli.folder / "s.toml"]],
        "profile restore": [["-y", "sim0", cli.folder / "s.toml"]],
        "statistic show": [[], ["-d", "sim0"], ["sim0", "pma"], ["nothing0"], ["sim0", "nonzero"]],
        "statistic watch": [["sim0", "interval", "10ms", "count", "3"], ["interval", "10ms", "count", "1"]],
        "statistic snapshot": [["sim0", "file", cli.folder / "snap.json"]],
        "statistic qp": [["sim0"], []],
        "statistic mode": [["sim0"], []],
        "statistic describe": [[], ["-d"], ["out_of_sequence"], ["port_xmit_wait"], ["lifespan"]],
        "statistic diff": [[one, two], ["-d", one, two], [bare, bare], [two, one], [level, level],
                           [cli.folder / "snap.json", cli.folder / "snap.json"]],
        "statistic compare": [["requester", one, two], ["responder", one, two], ["-d", "requester", one, two,
                              "responder", two, one], ["requester", bare], ["requester", two]],
        "flow label": [["1", "2"]],
        "flow sport": [["label", "1"], ["label", "0"], ["lqpn", "1", "rqpn", "2"], ["cm", "50000", "4420"]],
        "flow find": [["65472"], ["36049"], ["49152", "lqpn", "1", "rqpn", "2"]],
        "flow plan": [["paths", "4", "qps", "4"], ["paths", "4", "qps", "4", "hash", "unknown"],
                      ["weights", "1,2", "qps", "3"], ["paths", "4", "qps", "4", "stage", "paths", "2"],
                      ["paths", "4", "qps", "4", "hash", "crc32", "src", "10.0.0.1", "dst", "10.0.0.2"]],
        "flow audit": [["-"], ["-d", "-"], ["paths", "4", "-"], ["weights", "1,2", "-"],
                       ["paths", "4", "hash", "unknown", "-"]],
        "flow filter": [[], ["vlan", "1", "host", "10.0.0.1"]],
        "flow rules": [[], ["-d"], ["mlx5"]],
        "qp show": [[], ["-d"], ["sim0"], ["nothing0"], ["lqpn", "1"]],
        "retry explain": [["timeout", "14"], ["-d", "timeout", "14"], ["timeout", "0"], ["timeout", "0", "retry_cnt", "0"],
                          ["retry_cnt", "7", "rnr_retry", "7"], ["-d", "nccl", "dev", "sim0", "outage", "2s"],
                          ["-d", "nccl", "profile", file], ["NCCL_IB_TIMEOUT=60"]],
        "retry simulate": [["nccl", "dead", "qps", "2"], ["-d", "nccl", "dead", "qps", "2"],
                           ["timeout", "0", "dead", "qps", "1"], ["-d", "timeout", "0", "dead", "qps", "1"],
                           ["nccl", "loss", "0.01", "qps", "2", "duration", "10ms"]],
        "retry cm": [["ca_ack_delay", "16"], ["ca_ack_delay", "16", "ack_timeout", "0"]],
        "retry plan": [["survive", "10s"], ["detect", "20ms", "pause", "50ms"],
                       ["survive", "10s", "dev", "sim0"], ["survive", "1s", "no_profile"]],
        "retry compare": [["timeout=14,retry_cnt=7", "timeout=15,retry_cnt=7"],
                          ["timeout=0,retry_cnt=7", "timeout=15,retry_cnt=7"],
                          ["timeout=0,retry_cnt=7", "timeout=0,retry_cnt=7"]],
        "retry calibrate": [[full, "sim0"], ["sim0"]],
        "retry decode": [["status", "12"], ["status", "12", "vendor", "0x81"], ["-"], ["no", "sense"]],
        "retry readings": [[]],
        "apply run": [["config", config], ["-n", "config", config], ["sim1", "config", config],
                      ["config", broken]],
        "apply check": [["config", config], ["config", broken]],
        "export show": [["sim0"]],
        "report show": [[], ["sim0"], ["nothing0"]],
        "report unpack": [["nothing", cli.folder / "tree"]],
    }


NO_JSON = {"profile encode", "export show", "report unpack", "statistic watch"}


def test_every_command(cli):
    runs = commands(cli)
    table = json.loads(cli.run("-j", "help").out)["commands"]
    named = {f"{c['object']} {c['command']}" for c in table} - {"help", "complete"}
    equal(named - set(runs), set(), "commands without a run here")
    read = 0
    for command, all_words in runs.items():
        for words in all_words:
            options = [w for w in words if str(w).startswith("-") and w != "-"]
            rest = [w for w in words if w not in options]
            sim = [] if any(str(o).startswith("--sim") for o in options) else [f"--sim={cli.state}"]
            done = cli.run("-j", *sim, *options, *command.split(), *rest,
                           stdin=b"49152\n49152\n36049\n")
            true(done.status in (0, 1, 2, 3), f"exit status\n{done}")
            if command in NO_JSON and command != "statistic watch":
                continue
            if command == "statistic watch":
                for line in done.exits(0).out.splitlines():
                    done.out = f"[{line}]"
                    read += len(done.json)
            elif done.out:
                read += len(done.json)
    cli.sim("accl", "restore")
    true(read > 400, f"{read} elements")


def test_the_watcher_watches(cli):
    """unreasoned() finds what it is to find."""
    from tap import unreasoned
    equal(unreasoned([{"a": None, "a_reason": "so"}, {"value": None, "state": "stale"}]), [])
    equal(unreasoned([{"a": None, "state": "stale"}]), ["$[0].a"])
    equal(unreasoned([{"a": None, "a_reason": ""}]), ["$[0].a", "$[0].a_reason"])
    equal(unreasoned([{"a": {"b": [{"c": None}]}}]), ["$[0].a.b[0].c"])
    equal(unreasoned([{"a_reason": "it is not known why", "a": None}]), ["$[0].a_reason"])
    equal(unreasoned([[None]]), ["$[0][0]"])


if __name__ == "__main__":
    main()

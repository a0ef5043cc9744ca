# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the manual names exists, and what exists is named."""
import json
import re

from manual import BUILT, PAGES, ROOT, end_guardians, page  # first: it knows where the others are
from man_header import Header
from tap import Skipped, equal, main, true

ORDER = ["NAME", "SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "RETURN VALUE", "ERRORS", "THREAD SAFETY",
         "NOTES", "EXAMPLE", "SEE ALSO"]
# Pages of other projects. Each was looked up once; a name that is not here is a slip.
OTHERS = {"atexit(3)", "clush(1)", "errno(3)", "flock(2)", "fork(2)", "longjmp(3)", "wait(2)",
          "ibv_create_qp(3)", "ibv_flow_label_to_udp_sport(3)", "ibv_devices(1)", "ibv_devinfo(1)",
          "ibv_get_device_list(3)", "ibv_modify_qp(3)", "ibv_query_qp(3)", "mlx5dv_devx_general_cmd(3)",
          "mlx5dv_devx_obj_create(3)", "mlx5dv_modify_qp_udp_sport(3)", "mlx5dv_open_device(3)",
          "mstfwreset(1)", "mstreg(1)", "nohup(1)", "rdma(8)", "rdma-dev(8)", "ss(8)", "strerror(3)",
          "tcpdump(8)"}
HEADER = Header((ROOT / "libadp/include/adp/adp.h").read_text(encoding="utf-8"))


def ours():
    return {f"{name}({p.section})" for p in PAGES for name in p.names}


def test_every_exported_symbol_has_a_page(_):
    text = (ROOT / "libadp/abi/libadp.map").read_text(encoding="utf-8")
    exported = sorted({n.lstrip("_") for n in re.findall(r"^\s*(_?adp_\w+);", text, re.M)})
    true(len(exported) > 30, "symbols are there")
    equal(sorted(n for p in PAGES if p.section == "3" for n in p.names), exported, "pages")
    equal(HEADER.functions(), exported, "adp.h")


def test_prototypes_of_all_names_of_a_page(_):
    for p in PAGES:
        if p.section == "3":
            shown = re.search(r"\{\{prototypes (.*)\}\}", p.sections["SYNOPSIS"]).group(1).split()
            equal(shown, p.names, f"{p}: SYNOPSIS")


def test_order_of_sections(_):
    for p in PAGES:
        known = [h for h in p.headings if h in ORDER]
        equal(known, [h for h in ORDER if h in known], f"{p}: order")
        equal(len(set(p.headings)), len(p.headings), f"{p}: each section once")
        equal([p.headings[0], p.headings[-1]], ["NAME", "SEE ALSO"], f"{p}: first and last")
        needed = {"3": {"SYNOPSIS", "DESCRIPTION", "RETURN VALUE", "THREAD SAFETY", "EXAMPLE"},
                  "8": {"SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLE"},
                  "5": {"DESCRIPTION", "EXAMPLE"}, "7": {"DESCRIPTION"}}[p.section]
        equal(needed - set(p.headings), set(), f"{p}: missing")


def test_references_lead_somewhere(_):
    for p in PAGES:
        text = p.prose + "".join(f.read_text(encoding="utf-8")
                                 for f in (ROOT / "man/parts").glob("*.md"))
        found = {f"{n}({s})" for n, s in re.findall(r"\*\*([\w.-]+)\*\*\((\d)\)", text)}
        equal(found - ours() - OTHERS, set(), f"{p}: references")
        equal(set(re.findall(r"(?<![*\w-])adp[\w-]*\(\d\)", p.prose)), set(), f"{p}: not bold")
        also = re.findall(r"\*\*([\w.-]+)\*\*\((\d)\)", p.sections["SEE ALSO"])
        true(also and (p.name, p.section) not in also, f"{p}: SEE ALSO")


def test_emphasis_ends_as_it_begins(_):
    slip = re.compile(r"(?<![\\*\w])\*\*\w+\*(?!\*)|(?<![\\*])\*\w+\*\*(?!\*)")
    equal([bool(slip.search(t)) for t in ("the **id*, or", "*id** is", "**id**, *id*, \\**id")],
          [True, True, False], "slips")
    for p in PAGES:
        equal([m.group(0) for m in slip.finditer(p.prose)], [], f"{p}: emphasis")


def test_nothing_of_the_header_is_retyped(_):
    for p in PAGES:
        for info, body, line in p.blocks:
            true(not re.search(r"^\s*(struct|enum) adp_\w+ *\{|^\s*#define ADP_", body, re.M),
                 f"{p}:{line}: {info}: a structure that adp.h has")


def test_every_structure_and_flag_of_the_header_is_shown(_):
    text = "\n".join(p.text for p in PAGES)
    for kind, name in re.findall(r"^(struct|enum) (adp_\w+) \{", HEADER.text, re.M):
        shown = "{{%s %s}}" % (kind, name) in text
        # Field numbers are shown by name, in adp-accl(8) and adp-profile(5).
        true(shown or name == "adp_field", f"{kind} {name}")
    for prefix in set(re.findall(r"^#define (ADP_(?:OPEN|SET|HISTOGRAM_SET)_)", HEADER.text, re.M)):
        true("{{flags %s}}" % prefix in text, prefix)


def test_errno_values(_):
    documented = set(re.findall(r"\*\*(E[A-Z0-9]+)\*\*", page("adp_errors.7").sections["ERRORS"]))
    convention = HEADER.text[:HEADER.text.index("2. Structures")]
    equal(set(re.findall(r"\bE[A-Z0-9]{3,}\b", convention)) - documented, set(), "of adp.h")
    for p in PAGES:
        equal(set(re.findall(r"\*\*(E[A-Z0-9]{3,})\*\*", p.prose)) - documented, set(), str(p))


def test_every_command_has_a_section_and_an_example(cli):
    for c in json.loads(cli.run("-j", "help").exits(0).out)["commands"]:
        words = f"{c['object']} {c['command']}"
        p = page(f"adp-{c['object']}.8")
        true("{{command %s}}" % words in p.text, f"{p}: {words}")
        # The command, or the object alone or with a device where it is the first one.
        wanted = rf"\badp( -\S+)* {words}\b"
        if c["command"] == "show":
            wanted += rf"|\badp( -\S+)* {c['object']}( mlx5_\d| all|$)"
        true([line for _, line, _, _ in p.commands if re.search(wanted, line)],
             f"{p}: an example of {words}")


def test_every_key_of_a_profile(cli):
    shown = cli.run("--sim", "-j", "profile", "show", "sim0").exits(0).json[0]["profile"]
    keys = set(shown) - {"timeout_range"} | set(shown["timeout_range"][0])
    keys |= {"adp_retx_profile_id", "roce_adp_retrans_en"}
    text = page("adp-profile.5").text
    equal(sorted(re.findall(r"\{\{field (\w+)\}\}", text)), sorted(keys), "keys")
    true("**timeout_range**" in text, "timeout_range")


def test_rules(_):
    tables = BUILT / "tables.txt"
    if not tables.exists():
        raise Skipped("no pages were made")
    rows = [line.split("\t") for line in tables.read_text(encoding="utf-8").splitlines()]
    rules = [(r[1], r[2]) for r in rows if r[0] == "rule"]
    text = page("adp-profile.5").sections["RULES"]
    errors, warnings = text.split("Warnings:")
    for name, part in (("error", errors), ("warning", warnings)):
        equal(re.findall(r"\{\{rule ([\w-]+)\}\}", part), [i for i, kind in rules if kind == name],
              f"{name}s")


def test_reasons_are_those_of_the_program(_):
    """The bold texts of adp_mlx5(7), REASONS AND REMEDIES, stand in the sources."""
    source = ""
    for path in [*(ROOT / "providers/mlx5").glob("*.cpp"), ROOT / "libadp/loader/loader.cpp",
                 ROOT / "libadp/session/session.cpp"]:
        source += re.sub(r'"\s*"', "", path.read_text(encoding="utf-8"))
    text = page("adp_mlx5.7").sections["REASONS AND REMEDIES"]
    reasons = re.findall(r"^\*\*(.+?)\*\*.*\n(?:.+\n)?:   ", text, re.M)
    true(len(reasons) > 15, "reasons are there")
    for reason in reasons:
        true(reason in source, f"\"{reason}\" is no text of the program")


def test_presets(cli):
    text = " ".join(page("adp.8").sections["OPTIONS"].split())
    names = re.findall(r"\*([\w-]+)\*", re.search(r"\*\*preset:\*\*NAME \((.*?)\)", text).group(1))
    model = (ROOT / "providers/sim/FORMAT.md").read_text(encoding="utf-8")
    table = model[model.index("## Presets"):model.index("## The file")]
    equal(sorted(names), sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.M)), "names")
    for name in names:
        cli.run(f"--sim=preset:{name}", "dev").exits(0)


def keys_of(value):
    if isinstance(value, list):
        return set().union(*map(keys_of, value)) if value else set()
    if isinstance(value, dict):
        return set(value) | set().union(*map(keys_of, value.values()))
    return set()


def runs(cli):
    """Outputs of every object, good and bad."""
    good = ("time_base = 4\nqp_total_timeout = 1\ntimeout_init_low_bound = 0\n"
            "timeout_init_range_size = 0\n[[timeout_range]]\nrange_low_bound = 0\nrange_size = 2\n"
            "timeout_retry_num = 1\ndec_mode = 1\n")
    file = cli.file("p.toml", good)
    bad = cli.file("bad.toml", good.replace("time_base = 4", "time_base = 5"))
    fault = cli.file("fault.json", json.dumps({
        "format": "adp-sim-state", "version": 1, "devices": [
            {"ibdev": "sim0", "pci": "0000:1a:00.0", "faults": "op=0x805,rw=w,status=3"}]}))
    strange = cli.file("strange.json", json.dumps({
        "format": "adp-sim-state", "version": 1, "devices": [
            {"ibdev": "sim0", "pci": "0000:1a:00.0", "roce_accl": ["0x1"] * 16}]}))
    tx = ("accl", "set", "sim0", "roce_tx_window_en", "1")
    settings = ("timeout=14,retry_cnt=7", "timeout=15,retry_cnt=7")
    unnamed = cli.fixture("roce_accl/named-after.txt")
    counters = [cli.file(f"{n}.txt", f"link mlx5_0/1 req_transport_retries_exceeded {n}\n") for n in (1, 2)]
    return {
        "dev": [cli.sim("-j", "dev"), cli.sim("-jd", "dev")],
        "accl": [cli.sim("-j", "accl"), cli.sim("-jn", *tx), cli.sim("-j", *tx, "for", "1h"),
                 cli.sim("-j", "accl", "pending"), cli.sim("-j", "accl", "restore"),
                 cli.run("--sim=preset:full", "-j", "accl", "histogram", "sim0"),
                 cli.run(f"--sim={fault}", "-j", *tx), cli.run(f"--sim={strange}", "-j", "accl")],
        "profile": [cli.sim("-jy", "profile", "set", "sim0", "file", file),
                    cli.sim("-j", "profile"),
                    cli.run("-j", "profile", "check", file), cli.run("-j", "profile", "check", bad),
                    cli.run("-j", "profile", "decode", unnamed),
                    cli.sim("-j", "profile", "diff", "dev", "sim0", "dev", "sim1"),
                    cli.sim("-j", "profile", "save", "sim0", cli.folder / "s.toml")],
        "flow": [cli.run("-j", "flow", "label", "1", "2"),
                 cli.run("-j", "flow", "sport", "label", "1"),
                 cli.run("-j", "flow", "find", "65472"), cli.run("-j", "flow", "filter"),
                 cli.run("-j", "flow", "plan", "paths", "4", "qps", "4"),
                 cli.run("-j", "flow", "audit", "-", stdin=b"49152\n49152\n"),
                 cli.run("-j", "flow", "rules", "mlx5")],
        "retry": [cli.run("-jd", "retry", "explain", "timeout", "14"),
                  cli.sim("-jd", "retry", "explain", "nccl", "dev", "sim0", "outage", "2s"),
                  cli.run("-jd", "retry", "simulate", "nccl", "dead", "qps", "2"),
                  cli.run("-j", "retry", "cm", "ca_ack_delay", "16"),
                  cli.run("-j", "retry", "plan", "survive", "10s"),
                  cli.run("-j", "retry", "plan", "detect", "20ms", "pause", "50ms"),
                  cli.run("-j", "retry", "compare", *settings),
                  cli.run("--sim=preset:full", "-j", "retry", "calibrate", "sim0"),
                  cli.run("-j", "retry", "readings"),
                  cli.run("-j", "retry", "decode", "status", "12")],
        "statistic": [cli.sim("-j", "statistic", "show", "sim0"),
                      cli.run("-j", "statistic", "describe", "out_of_sequence"),
                      cli.run("-j", "statistic", "diff", *counters),
                      cli.run("-j", "statistic", "compare", "requester", *counters)],
        "qp": [cli.sim("-j", "qp"), cli.sim("-j", "qp", "show", "sim9")],
        "report": [cli.sim("report"), cli.run("report", "nothing0")],
    }


# Printed where a kernel is alone: tests/interop/{statistic,statistic_switchdev,qp,sysfs}_test.sh have
# them.
needs_kernel = {"qp": {"context_reason", "sport_how"},
                "report": {"sysfs", "sysfs_unreadable"},
                "statistic": {"set_id", "qp_type", "comm", "kernel_owner", "by", "enabled",
                              "optional_counters", "errno", "flavour", "controller", "external",
                              "pfnum", "vfnum", "sfnum", "opstate", "hw_addr", "dry_run", "would"}}


def test_json_keys(cli):
    """Every key that a page names is printed, and every key that is printed is named: in the page
    of its object, or in that of all; a profile's in adp-profile(5)."""
    def bold(text):
        return {w for part in re.findall(r"\*\*([^*]+)\*\*", text)
                for w in part.split() if re.fullmatch(r"[a-z][a-z0-9_]*", w)}

    table = json.loads(cli.run("-j", "help").out)["commands"]
    words = {w for c in table for w in re.findall(r"[a-z]\w*", " ".join(
        (c["object"], c["command"], c["arguments"])))} | {"adp", "help", "null"}
    common = bold(page("adp.8").sections["JSON"])
    fields = keys_of(cli.run("--sim", "-j", "accl").json[0]["fields"])
    everything = set()
    outputs = runs(cli)
    end_guardians(cli)
    for name, results in outputs.items():
        printed = keys_of([r.json for r in results])
        everything |= printed
        own = bold(page(f"adp-{name}.8").sections["JSON"])
        equal(own - printed - words - needs_kernel.get(name, set()), set(),
              f"adp-{name}(8) names, and nothing prints")
        kept = {k for k in printed if not k.endswith("_reason")}
        inside = fields | {"timeout_range", "range_size", "range_low_bound", "timeout_retry_num",
                           "dec_mode", "prev_range_index"}
        if name == "report":  # within sim_state: the format of simulated devices
            inside |= {"format", "version", "ibdev", "pci", "nic_cap", "path", "usable", "reason"}
        elif name == "profile":
            inside |= bold(page("adp-accl.8").sections["JSON"])
        equal(kept - own - common - inside, set(), f"adp-{name}(8) lacks")
    equal(common - everything - words, set(), "adp(8) names, and nothing prints")


if __name__ == "__main__":
    main()

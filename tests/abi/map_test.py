# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The linter of libadp.map: the map passes, and slips of maps that others have released do not."""
import importlib.util
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("check_map", ROOT / "buildlib" / "check-map.py")
lint = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lint)

GOOD = """LIBADP_0.1 {
\tglobal:
\t\tadp_close;
\t\tadp_open_device;
\tlocal:
\t\t*;
};
LIBADP_0.2 {
\tglobal:
\t\tadp_query_port;
} LIBADP_0.1;
LIBADP_0.10 {
\tglobal:
\t\tadp_query_qp;
} LIBADP_0.2;
"""
CASES = [
    ("three stanzas in order", GOOD, None),
    ("the one in the making", GOOD.replace("LIBADP_0.10", "LIBADP_UNRELEASED"), None),
    ("a stanza that skips one", GOOD.replace("} LIBADP_0.2;", "} LIBADP_0.1;"), "inherits LIBADP_0.1"),
    ("a stanza that inherits nothing", GOOD.replace("} LIBADP_0.2;", "};"), "inherits nothing"),
    ("another spelling of the prefix", GOOD.replace("LIBADP_0.2 {", "LIBEADP_0.2 {"), "are named"),
    ("another form of the number", GOOD.replace("LIBADP_0.2", "LIBADP_0_2"), "are named|no stanza"),
    ("not sorted", GOOD.replace("adp_close", "adp_zclose"), "not sorted"),
    ("a symbol twice", GOOD.replace("adp_query_port", "adp_close"), "in two stanzas"),
    ("a foreign symbol", GOOD.replace("adp_query_port", "ibv_query_port"), "not a symbol of ours"),
    ("older than the one before", GOOD.replace("LIBADP_0.10", "LIBADP_0.1.0"), "are named|not newer"),
    ("newer than the project", GOOD.replace("LIBADP_0.10", "LIBADP_1.0"), "newer than the project"),
    ("nothing hidden", GOOD.replace("\tlocal:\n\t\t*;\n", ""), "local: \\*"),
    ("empty", "", "no stanza"),
]


def main():
    import re
    failed = False
    print(f"1..{len(CASES) + 1}")
    for number, (title, text, wanted) in enumerate(CASES, 1):
        found = list(lint.check_map(text, "0.10.0"))
        good = (not found) if wanted is None else any(re.search(wanted, f) for f in found)
        print(f"{'ok' if good else 'not ok'} {number} - {title}")
        if not good:
            failed = True
            print("\n".join("# " + f for f in found or ["nothing was found"]))
    text = (ROOT / lint.MAP).read_text(encoding="utf-8")
    found = list(lint.check_map(text, "9999.0.0"))
    print(f"{'not ok' if found else 'ok'} {len(CASES) + 1} - the map of the library")
    print("\n".join("# " + f for f in found))
    return 1 if found or failed else 0


if __name__ == "__main__":
    sys.exit(main())

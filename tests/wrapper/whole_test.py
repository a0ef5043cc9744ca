# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""adp.hpp is whole: each function of adp.h is called somewhere in it."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "buildlib"))
from man_header import COMMENT, Header  # noqa: E402

# Functions that C++ has no use for, each with the reason.
NOT_WRAPPED = {}


def code_of(text):
    """Without comments and texts: there a name calls nothing."""
    text = COMMENT.sub(" ", text)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"//.*", "", text)


def called(text):
    return set(re.findall(r"\b(adp_\w+)\(", code_of(text)))


def main():
    header = Header((ROOT / "libadp/include/adp/adp.h").read_text(encoding="utf-8"))
    functions = set(header.functions())
    wrapper = (ROOT / "libadp/include/adp/adp.hpp").read_text(encoding="utf-8")
    example = 'x(adp_a(1)); // adp_b()\n/* adp_c() */ y("adp_d()"); adp_e e;'
    checks = [
        ("a name in a comment or a text is no call", called(example), {"adp_a"}),
        ("functions are there", len(functions) > 60, True),
        ("each is called, or has a reason", functions - called(wrapper) - set(NOT_WRAPPED), set()),
        ("who has a reason needs it", set(NOT_WRAPPED) - (functions - called(wrapper)), set()),
    ]
    print(f"1..{len(checks)}")
    for number, (title, got, wanted) in enumerate(checks, 1):
        print(f"{'ok' if got == wanted else 'not ok'} {number} - {title}")
        if got != wanted:
            print(f"# {got}")
    return 0 if all(got == wanted for _, got, wanted in checks) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The tool's JSON has no null that does not say why: KEY_reason stands beside it, or of a counter's
value its state. As a program: reads FILE, prints what breaks this, exit status 1."""
import json
import sys

FORGOTTEN = "it is not known why"  # record::no_reason: nobody thought of a reason


def unreasoned(value, place="$"):
    """The places of nulls without a reason."""
    if isinstance(value, list):
        return [p for i, one in enumerate(value) for p in unreasoned(one, f"{place}[{i}]")]
    if not isinstance(value, dict):
        return [place] if value is None else []
    found = []
    for key, one in value.items():
        if one is not None:
            found += unreasoned(one, f"{place}.{key}")
            if key.endswith("_reason") and one in ("", FORGOTTEN):
                found.append(f"{place}.{key}")
        elif not value.get(f"{key}_reason") and not (key == "value" and value.get("state")):
            found.append(f"{place}.{key}")
    return found


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        places = [p for line in file for p in unreasoned(json.loads(line))]
    print("\n".join(places))
    sys.exit(1 if places else 0)

# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Makes of pandoc's man output what groff and mandoc both show well and mandoc's lint accepts.

pandoc 2.17 marks code by fonts that a terminal does not have, puts a paragraph behind each heading,
and writes a hyphen where a command line has a minus.
"""
import re

# Fonts for code, of pandoc 2 and 3: bold is what a manual page has.
CODE_FONT = re.compile(r"\\f(?:\[(?:C|CR|CW|V|CB|VB|B)\]|\(CR|\(CW)")
BLOCK = re.compile(r"^\.IP\n\.(?:nf|EX)\n(.*?)\n\.(?:fi|EE)$", re.M | re.S)
PARAGRAPH = {".PP", ".LP", ".P"}
HEADING = (".SH", ".SS")


def display(match):
    """A block of code: as it stands, indented, no paragraph of its own."""
    body = CODE_FONT.sub("", match.group(1).replace("\\f[R]", ""))
    return ".PP\n.in +4n\n.EX\n%s\n.EE\n.in" % body.strip("\n")


def minus(line):
    """In text, not in a request, a hyphen that can be copied into a shell."""
    if line.startswith((".", "'")) and not line.startswith((".SH", ".SS")):
        return line
    # Nor is ".." at the end of a line the end of a sentence.
    return re.sub(r"(?<!\\)-", r"\\-", line) + ("\\&" if line.endswith("..") else "")


def narrow(match):
    """Column widths that fit a terminal of 80 characters; pandoc leaves no room between them."""
    widths = [float(w) for w in re.findall(r"w\(([\d.]+)n\)", match.group(0))]
    room = 68 - 3 * (len(widths) - 1)
    factor = min(1, room / sum(widths))
    return " ".join("lw(%.1fn)" % (w * factor) for w in widths) + "."


def normalise(text):
    table = text.startswith("'\\\" t")
    text = text[text.index(".TH "):]
    text = re.sub(r"^\.hy\n", "", text, flags=re.M)
    # A date is one (pandoc of 2026 writes 2026\-11\-30).
    text = re.sub(r"^\.TH .*$", lambda title: title.group(0).replace("\\-", "-"), text, count=1, flags=re.M)
    text = re.sub(r"^lw\(.*\)\.$", narrow, text, flags=re.M)
    text = BLOCK.sub(display, text)
    text = CODE_FONT.sub(r"\\f[B]", text)
    lines = []
    for line in text.split("\n"):
        previous = lines[-1] if lines else ""
        if line in PARAGRAPH and (previous.startswith(HEADING) or previous in PARAGRAPH):
            continue
        if line.startswith((".SH", ".SS", ".TP", ".IP", ".RE", ".TS")) and previous in PARAGRAPH:
            lines.pop()
        lines.append(minus(line.rstrip()))
    return ("'\\\" t\n" if table else "") + "\n".join(lines).rstrip("\n") + "\n"

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Makes a manual page of man/NAME.SECTION.md: expands {{directives}}, runs pandoc, normalises.

A directive stands alone in a line ({{rule ...}} at the end of one). What it brings comes from its
one source: the grammar table of the built tool, the register table, adp.h.

    {{usage}} {{options}} {{commands}}     the tool's help
    {{synopsis OBJECT}}                    the commands of an object
    {{command OBJECT NAME}}                heading and summary of one
    {{fields}}                             the register but for the profile
    {{field NAME}}                         a field of a profile; text below it, indented, goes on
    {{rule ID}}                            where a rule of adp profile check comes from
    {{fw-status}}                          the firmware's status values
    {{hashes}} {{models}} {{stacks}} {{readings}}   of adp flow and adp retry
    {{prototypes NAME...}} {{typedef NAME}} {{struct NAME}} {{enum NAME}} {{flags PREFIX}}
    {{part NAME}}                          man/parts/NAME.md
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

from man_filter import normalise
from man_header import Header, Unknown

SECTIONS = {"3": "libadp programmer's manual", "5": "File formats", "7": "libadp manual",
            "8": "System administration"}
DIRECTIVE = re.compile(r"^(.*?)\{\{([^{}]+)\}\}$")


class Tables:
    """What man/tables.cpp prints: rows of words between tabs, by their first word."""

    def __init__(self, text):
        rows = [line.split("\t") for line in text.splitlines()]
        self.fields = [dict(zip(("name", "offset", "lsb", "width", "access", "select", "since",
                                 "profile", "text"), r[1:])) for r in rows if r[0] == "field"]
        self.rules = {r[1]: (r[2], r[3]) for r in rows if r[0] == "rule"}
        self.others = rows

    def rows(self, kind):
        return [r[1:] for r in self.others if r[0] == kind]


def escape(text):
    return re.sub(r"([\\`*_{}\[\]()#+.!|<>~^$\"'@-])", r"\\\1", text)


def sentence(text):
    return escape(text[0].upper() + text[1:] + ("" if text.endswith(".") else "."))


def words_of(command):
    """A command's words with fonts, as roff: literal bold, to be replaced italic, the rest plain.
    A word, a blank, or one of the signs of the grammar."""
    out = ""
    for token in re.findall(r"[A-Za-z0-9_-]+|\s+|.", command):
        if re.fullmatch(r"[A-Z][A-Z_]*", token):
            out += "\\f[I]%s\\f[R]" % token
        elif re.fullmatch(r"[a-z0-9][A-Za-z0-9_-]*", token):
            out += "\\f[B]%s\\f[R]" % token
        else:
            out += token
    return re.sub(r"\\f\[R\](\s+)\\f\[B\]", r"\1", out)


def synopsis_lines(lines):
    """Each with a hanging indent. Raw roff: pandoc has no such thing."""
    body = "".join(".HP 8\n%s\n" % words_of(line) for line in lines)
    return "```{=man}\n%s.PP\n```" % body


def code(text):
    return "```c\n%s\n```" % text


class Expander:
    def __init__(self, grammar, usage, tables, header, parts):
        self.grammar = grammar
        self.usage_text = usage
        self.tables = tables
        self.header = header
        self.parts = parts

    def expand(self, text):
        lines = []
        for line in text.split("\n"):
            match = DIRECTIVE.match(line)
            if not match:
                lines.append(line)
                continue
            before, words = match.group(1), match.group(2).split()
            function = getattr(self, "do_" + words[0].replace("-", "_"), None)
            if function is None:
                raise Unknown("{{%s}}: no such directive" % match.group(2))
            result = function(*words[1:])
            if not before.strip():  # within a definition: all of it is indented
                result = result.replace("\n", "\n" + before)
            lines.append(before + result)
        return "\n".join(lines)

    # The tool.

    def do_usage(self):
        lines = self.usage_text.split("\n\n")[0].split("\n")
        return synopsis_lines([line.removeprefix("Usage:").strip() for line in lines])

    def do_options(self):
        out = []
        for o in self.grammar["options"]:
            names = ["**%s**" % escape(n) for n in (o["letter"], o["word"]) if n]
            argument = re.sub(r"[A-Z]+", r"*\g<0>*", escape(o["argument"]))
            if argument and not argument.startswith("\\["):
                argument = " " + argument
            out.append("%s%s\n:   %s" % (", ".join(names), argument, sentence(o["summary"])))
        return "\n\n".join(out)

    def commands_of(self, object_name):
        found = [c for c in self.grammar["commands"] if c["object"] == object_name]
        if not found:
            raise Unknown("the tool has no object %s" % object_name)
        return found

    def do_synopsis(self, object_name):
        return synopsis_lines(" ".join(("adp [ OPTIONS ]", c["object"], c["command"],
                                        c["arguments"])).strip()
                              for c in self.commands_of(object_name))

    def do_commands(self):
        out = []
        for c in self.grammar["commands"]:
            out.append("**%s %s**\n:   %s See **adp-%s**(8)." % (
                c["object"], c["command"], sentence(c["summary"]), c["object"]))
        return "\n\n".join(out)

    def do_command(self, object_name, name):
        for c in self.commands_of(object_name):
            if c["command"] == name:
                return "## adp %s %s\n\n%s\n%s" % (
                    object_name, name, synopsis_lines([
                        " ".join((object_name, name, c["arguments"])).strip()]),
                    "\n" + sentence(c["summary"]))
        raise Unknown("adp %s has no command %s" % (object_name, name))

    # The register.

    def do_fields(self):
        return "\n\n".join(self.describe([f]) for f in self.tables.fields if f["profile"] == "0")

    def do_field(self, name):
        rows = [f for f in self.tables.fields
                if f["name"] == name or re.fullmatch(name + "_[0-3]", f["name"])]
        if not rows:
            raise Unknown("the register has no field %s" % name)
        return self.describe(rows, of_profile=True)

    def describe(self, rows, of_profile=False):
        """Term and definition of a field, or of the same field of each range."""
        f = rows[0]
        name, text = f["name"], f["text"]
        if len(rows) > 1:
            name, text = name[:-2], text.replace("range 0", "range N")
        lsb, width = int(f["lsb"]), int(f["width"])
        bits = "bit %d" % lsb if width == 1 else "bits %d:%d" % (lsb + width - 1, lsb)
        where = "%s of dword%s %s" % (bits, "s" if len(rows) > 1 else "",
                                      ", ".join(r["offset"] for r in rows))
        if f["access"] == "ro":
            where += "; read only"
        elif not of_profile:
            where += "; select bit %s" % f["select"]
        if f["since"] and not of_profile:
            where += "; named since %s" % f["since"]
        most = (1 << width) - 1
        return "**%s** *0*%s*%d*\n:   %s\n    (%s.)" % (
            escape(name), "\\|" if most == 1 else "..", most, sentence(text), escape(where))

    def do_rule(self, name):
        if name not in self.tables.rules:
            raise Unknown("adp profile check has no rule %s" % name)
        return "(%s)" % self.tables.rules[name][1]

    def do_fw_status(self):
        rows = ["| status | name | text | errno |", "|---|---------|---------|---|"]
        for value, name, text, err in self.tables.rows("status"):
            rows.append("| %s | %s | %s | %s |" % (value, escape(name), escape(text), err))
        return "\n".join(rows)

    # Flows and retries.

    def do_hashes(self):
        return "\n\n".join("**%s**\n:   %s%s" % (escape(name), sentence(text),
                                                    also and " Also: %s." % escape(also))
                           for name, text, also in self.tables.rows("hash"))

    def do_models(self):
        return "\n\n".join("**%s**\n:   %s.\n    (%s.)" % tuple(map(escape, row))
                           for row in self.tables.rows("model"))

    def do_readings(self):
        return "\n\n".join("**%s** = %s\n:   Reading %s. %s? (%s.)\n    Why: %s." % (
            (escape(name), default, number) + tuple(map(escape, (
                question[0].upper() + question[1:], values, basis))))
            for number, name, default, question, values, basis in self.tables.rows("reading"))

    def do_stacks(self):
        """Each stack with its defaults and the words it has."""
        out = []
        for stack, timeout, count in self.tables.rows("stack"):
            words = [w[0] for w in self.tables.rows("word") if w[1] == stack]
            out.append("**%s**\n:   timeout %s, retry_cnt %s.\n    %s" % (
                escape(stack), timeout, count,
                escape(", ".join(words) + ".") if words else "No words of its own."))
        return "\n\n".join(out)

    # adp.h.

    def do_prototypes(self, *names):
        return code("#include <adp/adp.h>\n\n" + "\n".join(map(self.header.prototype, names)))

    def do_typedef(self, name):
        return code(self.header.typedef(name))

    def do_struct(self, name):
        return code(self.header.structure("struct", name))

    def do_enum(self, name):
        return code(self.header.structure("enum", name))

    def do_flags(self, prefix):
        return code(self.header.flags(prefix))

    def do_part(self, name):
        return self.expand((self.parts / (name + ".md")).read_text(encoding="utf-8").rstrip())


def names_of(text):
    """The names in the section NAME: the page's own and those that lead to it."""
    match = re.match(r"# NAME\n\n([^#]+?) - ", text)
    if not match:
        raise Unknown("it does not begin with a section NAME: name, name - what it is")
    return match.group(1).replace("\n", " ").split(", ")


def roff_header(title, section, date, version):
    return ['-M', "title=" + title.upper(), "-M", "section=" + section, "-M", "date=" + date,
            "-M", "footer=libadp " + version, "-M", "header=" + SECTIONS[section]]


def make(options, source):
    expander = Expander(
        json.loads(pathlib.Path(options.grammar).read_text(encoding="utf-8")),
        pathlib.Path(options.usage).read_text(encoding="utf-8"),
        Tables(pathlib.Path(options.tables).read_text(encoding="utf-8")),
        Header(pathlib.Path(options.header).read_text(encoding="utf-8")),
        source.parent / "parts")
    name, section = source.stem.rsplit(".", 1)
    text = source.read_text(encoding="utf-8")
    names = names_of(text)
    if names != [name] + options.alias:
        raise Unknown("section NAME lists %s, man/meson.build %s" % (names, [name] + options.alias))
    pandoc = subprocess.run(
        [options.pandoc, "--standalone", "--from=markdown-smart", "--to=man",
         *roff_header(name, section, options.date, options.version)],
        input=expander.expand(text).encode(), stdout=subprocess.PIPE, check=True)
    page = normalise(pandoc.stdout.decode())
    comment = ".\\\" Made of man/%s by buildlib/man_page.py.\n" % source.name
    first, sep, rest = page.partition("\n") if page.startswith("'") else ("", "", page)
    pathlib.Path(options.output).write_text(first + sep + comment + rest, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    for word in ("pandoc", "grammar", "usage", "tables", "header", "version", "date", "output"):
        parser.add_argument("--" + word, required=True)
    parser.add_argument("--alias", action="append", default=[])
    parser.add_argument("source", type=pathlib.Path)
    options = parser.parse_args()
    try:
        make(options, options.source)
    except (Unknown, TypeError) as error:
        sys.exit("%s: %s" % (options.source, error))


if __name__ == "__main__":
    main()

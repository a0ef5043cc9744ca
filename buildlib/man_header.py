# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the manual takes from adp.h: prototypes, structures, enumerations, flags. Nothing of it is
typed a second time."""
import re
import textwrap

WIDTH = 72
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Unknown(Exception):
    pass


class Header:
    def __init__(self, text):
        self.text = text
        # One declaration a line, without comments, bodies of inline functions and preprocessor.
        bare = COMMENT.sub(" ", text)
        bare = re.sub(r"^#.*$", "", bare, flags=re.M)
        bare = re.sub(r"(?m)^\{$.*?^\}$", ";", bare, flags=re.S)
        self.declarations = [" ".join(d.split()) for d in bare.split(";")]

    def prototype(self, name):
        """The declaration of a function as a program sees it, broken at a fixed width."""
        for declaration in self.declarations:
            match = re.fullmatch(r"(?:ADP_EXPORT|static inline) (.*?\b)%s(\(.*\))" % name,
                                 declaration)
            if match:
                head = match.group(1) + name + "("
                # A parameter stays whole: its blanks are no place to break.
                parameters = match.group(2)[1:].replace(" ", "\0").replace(",\0", ", ")
                indent = " " * (len(head) if len(head) <= 32 else 8)
                lines = textwrap.wrap(head.replace(" ", "\0") + parameters + ";", WIDTH,
                                      subsequent_indent=indent, break_long_words=False,
                                      break_on_hyphens=False)
                return "\n".join(lines).replace("\0", " ")
        raise Unknown("adp.h has no function %s" % name)

    def typedef(self, name):
        match = re.search(r"^typedef [^;]*\b%s\b[^;]*;" % name, self.text, re.M)
        if not match:
            raise Unknown("adp.h has no type %s" % name)
        return match.group(0)

    def structure(self, kind, name):
        """struct or enum with its comments; a comment that makes a line too long stands above."""
        match = re.search(r"^%s %s \{.*?\};" % (kind, name), self.text, re.M | re.S)
        if not match:
            raise Unknown("adp.h has no %s %s" % (kind, name))
        return tidy(match.group(0))

    def flags(self, prefix):
        """The #defines whose names begin so, with the comments behind them."""
        found = re.findall(r"^#define (%s\w*)[ \t]+(\([^)]*\)|\w+)[ \t]*(/\*.*?\*/)?" % prefix,
                           self.text, re.M | re.S)
        if not found:
            raise Unknown("adp.h has no #define %s..." % prefix)
        lines = []
        for name, value, comment in found:
            if comment:
                lines += textwrap.wrap(" ".join(comment.split()), WIDTH, subsequent_indent="   ")
            lines.append("#define %s %s" % (name, value))
        return "\n".join(lines)

    def functions(self):
        """Names of all functions that a program may call."""
        names = re.findall(r"\b(?:ADP_EXPORT|static inline) [^;{]*?\b(_?adp_\w+)\(", self.text)
        return sorted({n.lstrip("_") for n in names})


def tidy(block):
    lines = []
    for line in re.sub(r"\n\s*(?=[^/\n]*\*/)", " ", block).split("\n"):
        line = line.expandtabs(4)
        match = re.match(r"(\s*)(.*?[;,])\s*(/\*.*\*/)$", line)
        if len(line) > WIDTH and match:
            indent, code, comment = match.groups()
            lines += textwrap.wrap(comment, WIDTH, initial_indent=indent,
                                   subsequent_indent=indent + "   ")
            line = indent + code
        lines.append(line)
    return "\n".join(lines)

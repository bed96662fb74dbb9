"""The man page, and what completes the command's words in bash, zsh and fish, as texts.

generate.py reads the verbs from --help and writes these texts to the folder shell/.
"""

import re
import textwrap
from dataclasses import dataclass

MADE = "written by docs/reference/generate.py: do not edit"
# Flags whose values a table of the command names.
TABLES = {"--policy": "policies", "--oracle": "oracles"}


@dataclass
class Word:
    """A flag (names with dashes) or a positional argument of a verb."""

    names: list[str]
    takes: str  # what kind of value, as in TEXT; empty: none
    choices: list[str]
    default: str
    repeats: bool
    variable: str
    text: str

    def short(self):
        """Its text in a line, cut between words."""
        return textwrap.shorten(self.text.split(";")[0], 72, placeholder=" ...")


@dataclass
class Verb:
    name: str
    summary: str
    usage: str
    arguments: list[Word]
    flags: list[Word]
    notes: list[str]


def word_of(head, text):
    """From the two columns of an entry of --help."""
    names, _, rest = re.sub(r"\{\w+\}", "", head, count=1).partition(" ")
    if "{" in head and "{" not in rest:  # --no-check{false}
        rest = ""
    kind = re.match(r"([A-Z/]+)(?::(\S+))?", rest)
    takes = kind[1] if kind and kind[1] not in ("REQUIRED",) else ""
    listed = re.match(r"[A-Z]+:\{([^}]*)\}", rest)
    choices = listed[1].split(",") if listed else []
    if not names.startswith("-") and re.fullmatch(r"[\w-]+(?:, [\w-]+)+", text):
        choices = choices or text.split(", ")
    default = re.search(r"(?<!\()\b(?:[A-Z]+|\]|\})=(\S+)", rest)
    variable = re.search(r"\(Env:(\w+)\)", head)
    return Word(
        names.split(","),
        takes,
        choices,
        default[1] if default else "",
        " ..." in rest,
        variable[1] if variable else "",
        text,
    )


# ---- the man page


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def man_word(word):
    value = "|".join(word.choices) or word.takes.lower()
    names = ", ".join(rf"\fB{roff(name)}\fR" for name in word.names)
    sentences = [word.text] if word.text else []
    if word.default:
        sentences.append(f"Default: {word.default}.")
    if word.variable:
        sentences.append(f"Variable: {word.variable}.")
    sentences = [t if t.endswith(".") or t == sentences[-1] else t + "." for t in sentences]
    head = names + (rf" \fI{roff(value)}\fR" if value and word.names[0].startswith("-") else "")
    return [".TP", head + (" ..." if word.repeats else ""), roff(" ".join(sentences))]


def man(version, verbs, exit_codes, options):
    out = [
        f'.\\" {MADE}',
        f'.TH FUSILLADE 1 "" "{version}" "User Commands"',
        ".SH NAME",
        r"fusillade \- differential fuzzing and benchmarks for tensor JIT compilers",
        ".SH SYNOPSIS",
        r".B fusillade",
        r"\fIverb\fR [\fIoptions\fR] [\fIarguments\fR]",
        ".SH DESCRIPTION",
        "A flag is \\fB\\-\\-name\\fR \\fIvalue\\fR or \\fB\\-\\-name=\\fR\\fIvalue\\fR. The",
        "environment variable that a flag names says the same as the flag.",
        r".B fusillade help",
        r"\fIverb\fR prints the flags of a verb.",
        ".SH VERBS",
    ]
    for verb in verbs:
        out += [f".SS {verb.name}", roff(verb.summary) + ".", ".PP", ".B " + roff(verb.usage)]
        for word in verb.arguments + verb.flags:
            out += man_word(word)
        for note in verb.notes:
            out += [".PP", roff(note)]
    out.append(".SH EXIT STATUS")
    for code, meaning in exit_codes:
        out += [".TP", rf"\fB{code}\fR", roff(meaning)]
    out.append(".SH ENVIRONMENT")
    for option in options:
        text = f"{option['summary']}. Legal: {option['legal']}."
        if option["default"]:
            text += f" Default: {option['default']}."
        out += [".TP", rf"\fB{roff(option['name'])}\fR", roff(text)]
    out += [
        ".SH FILES",
        ".TP",
        r"\fIshare/doc/fusillade\fR",
        "the manual, below where the command was installed",
    ]
    return "\n".join(out) + "\n"


# ---- completion


def names_of(words):
    return " ".join(name for word in words for name in word.names)


def bash(verbs):
    values, flags, arguments = [], [], []
    for verb in verbs:
        flags.append(f'    {verb.name}) words="{names_of(verb.flags)}" ;;')
        for word in verb.flags:
            if word.choices:
                pattern = f'"{verb.name} {word.names[-1]}"'
                values.append(f'    {pattern}) words="{" ".join(word.choices)}" ;;')
        chosen = [word for word in verb.arguments if word.choices]
        if chosen:
            taking = "|".join(f'"{verb.name} {w.names[-1]}"' for w in verb.flags if w.takes)
            if taking:
                values.append(f"    {taking}) return ;;")
            arguments.append(f'    {verb.name}) words="{" ".join(chosen[0].choices)}" ;;')
    for flag, table in TABLES.items():
        asked = f"\"${{COMP_WORDS[0]}}\" list {table} 2>/dev/null | cut -d' ' -f1"
        values.append(f'    *" {flag}") words=$({asked}) ;;')
    every = " ".join(verb.name for verb in verbs)
    lines = [
        f"# bash completion of fusillade, {MADE}",
        "_fusillade() {",
        "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=",
        "  local verb=${COMP_WORDS[1]}",
        "  COMPREPLY=()",
        '  if [ "$prev" = "=" ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi',
        '  if [ "$cur" = "=" ]; then cur=; fi',
        '  if [ "$COMP_CWORD" -eq 1 ]; then',
        f'    COMPREPLY=($(compgen -W "{every} --help --version" -- "$cur"))',
        "    return",
        "  fi",
        '  case "$verb $prev" in',
        *values,
        '    *) case "$cur" in',
        '    -*) case "$verb" in',
        *flags,
        "    esac ;;",
        '    *) case "$verb" in',
        *arguments,
        "    esac ;;",
        "    esac ;;",
        "  esac",
        '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi',
        "}",
        "complete -o bashdefault -o default -F _fusillade fusillade",
    ]
    return "\n".join(lines) + "\n"


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_value(word):
    if not word.takes and not word.choices:
        return ""
    if word.choices:
        return f":{word.names[-1].lstrip('-')}:({' '.join(word.choices)})"
    table = TABLES.get(word.names[-1])
    if table:
        return f":{table}:($(fusillade list {table} 2>/dev/null | cut -d' ' -f1))"
    return f":{word.takes.lower()}:_files"


def zsh_word(word):
    said = re.sub(r"([\[\]:\\])", r"\\\1", word.short())
    if not word.names[0].startswith("-"):
        return quote(f"{'*' if word.repeats else ''}:{said}{zsh_value(word)[1:] or ':_files'}")
    out = []
    for name in word.names:
        ends = ("=" if name.startswith("--") else "+") if word.takes else ""
        out.append(quote(f"{'*' if word.repeats else ''}{name}{ends}[{said}]{zsh_value(word)}"))
    return " ".join(out)


def zsh(verbs):
    lines = [
        "#compdef fusillade",
        f"# zsh completion of fusillade, {MADE}",
        "_fusillade() {",
        "  local curcontext=$curcontext state line",
        "  local -a verbs",
        "  verbs=(",
        *(f"    {quote(v.name + ':' + v.summary)}" for v in verbs),
        "  )",
        "  _arguments -C '--help[list the verbs]' '--version[print version, commit and build]' \\",
        "    '1:verb:->verb' '*::argument:->rest'",
        "  case $state in",
        "    verb) _describe verb verbs ;;",
        "    rest) case $words[1] in",
    ]
    for verb in verbs:
        words = [zsh_word(word) for word in verb.arguments + verb.flags]
        lines.append(f"      {verb.name}) _arguments " + " \\\n        ".join(words) + " ;;")
    lines += [
        "    esac ;;",
        "  esac",
        "}",
        'if [ "$funcstack[1]" = _fusillade ]; then _fusillade "$@"',
        "else compdef _fusillade fusillade; fi",
    ]
    return "\n".join(lines) + "\n"


def fish_choices(word):
    table = TABLES.get(word.names[-1])
    if word.choices:
        return " -x -a " + quote(" ".join(word.choices))
    if table:
        return " -x -a " + quote(f"(fusillade list {table} 2>/dev/null | cut -d' ' -f1)")
    return " -r" if word.takes else ""


def fish(verbs):
    lines = [f"# fish completion of fusillade, {MADE}"]
    for flag, said in (("help", "list the verbs"), ("version", "print version, commit and build")):
        lines.append(f"complete -c fusillade -n __fish_use_subcommand -l {flag} -d {quote(said)}")
    for verb in verbs:
        lines.append(
            "complete -c fusillade -n __fish_use_subcommand -f "
            f"-a {verb.name} -d {quote(verb.summary)}"
        )
    for verb in verbs:
        start = f"complete -c fusillade -n '__fish_seen_subcommand_from {verb.name}'"
        for word in verb.arguments:
            if word.choices:
                lines.append(f"{start} -f -a {quote(' '.join(word.choices))}")
        for word in verb.flags:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in word.names
            )
            lines.append(f"{start} {names}{fish_choices(word)} -d {quote(word.short())}")
    return "\n".join(lines) + "\n"

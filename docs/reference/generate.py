#!/usr/bin/env python3
"""Writes the pages of this folder that the program itself prints, from its --help and its tables,
and the man page and the completions of shells (shell.py) to shell/.

docs/reference/generate.py build/release/fusillade            # writes them
docs/reference/generate.py build/release/fusillade --check    # says which of them lag: exit code 1

What depends on the machine (which engines are here, what an option is set to) is left out.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import shell

HERE = Path(__file__).resolve().parent
COLUMN = 30  # where the texts of --help begin
# What comes before the text of a flag or a positional argument: its names, what it takes, and
# where else it is read from.
HEAD = re.compile(
    r"(?:-\w,)?-{0,2}[\w.-]+(?:\{\w+\})?(?: [A-Z/]+(?::\S+(?: in \[[^\]]*\])?)?)?(?:=\S*)?"
    r"(?: \[\S*\])?"
    r"(?: \.\.\.)?(?: REQUIRED)?(?: \(Env:\w+\))?(?: (?:Excludes|Needs): .*)?"
)


def output_of(binary, *words):
    bare = {k: v for k, v in os.environ.items() if not k.startswith("FUSILLADE_")}
    done = subprocess.run([binary, *words], capture_output=True, text=True, env=bare)
    if done.returncode != 0:
        sys.exit(f"generate.py: {binary} {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;").strip()


def code(text):
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def sections(text):
    """The parts of a --help by their titles; what comes before is under "", what comes behind the
    last table under "notes"."""
    parts, title = {"": []}, ""
    for line in text.split("\n"):
        heading = re.fullmatch(r"([A-Z][\w ]*|exit codes):", line)
        if heading:
            title = heading[1]
            parts[title] = []
        elif line and not line.startswith(" ") and title not in ("", "notes"):
            title = "notes"
            parts.setdefault(title, []).append(line)
        else:
            parts[title].append(line)
    return parts


def entries(lines):
    """Head and text of each entry of a part of a --help."""
    found = []
    for line in lines:
        if line.startswith(" " * COLUMN):
            found[-1][1] += (" " if found[-1][1] else "") + line.strip()
        elif line.strip():
            bare = line.strip()
            whole = HEAD.fullmatch(bare) is not None
            found.append([bare, ""] if whole else [line[:COLUMN].strip(), line[COLUMN:].strip()])
    return found


def flag_row(head, text):
    env = re.search(r" \(Env:(\w+)\)", head)
    return [code(re.sub(r" \(Env:\w+\)", "", head)), code(env[1] if env else ""), cell(text)]


def verb_section(binary, verb, summary):
    parts = sections(output_of(binary, verb, "--help"))
    usage = next(line for line in parts[""] if line.startswith("Usage: "))
    lines = [
        f"## {verb}",
        "",
        *wrap_text(cell(summary) + "."),
        "",
        "```text",
        usage[len("Usage: ") :],
        "```",
    ]
    for title, first in (("Positionals", "argument"), ("Options", "flag")):
        rows = [flag_row(*e) for e in entries(parts.get(title, [])) if "--help" not in e[0]]
        if rows:
            lines += ["", table([first, "variable", "meaning"], rows)]
    notes = [line for line in parts.get("notes", []) if line.strip()]
    if notes:
        lines += ["", "```text", *notes, "```"]
    return "\n".join(lines)


def verbs(binary):
    top = sections(output_of(binary, "--help"))
    listed = entries(top["Subcommands"])
    names = ", ".join(f"[{verb}](#{verb})" for verb, _ in listed)
    head = [
        "# Verbs and flags",
        "",
        *wrap_text(names + "."),
        "",
        "A flag is written `--NAME VALUE` or `--NAME=VALUE`. The column *variable* names an",
        "environment variable that does the same. [Exit codes](exit-codes.md) are the same for all",
        "verbs.",
        "",
    ]
    return "\n".join(head) + "\n" + "\n\n".join(verb_section(binary, *e) for e in listed)


def of_shells(binary):
    """The texts for man and for shells, by their paths here."""
    words = []
    for name, summary in entries(sections(output_of(binary, "--help"))["Subcommands"]):
        parts = sections(output_of(binary, name, "--help"))
        usage = next(line for line in parts[""] if line.startswith("Usage: "))
        words_by_section = {
            title: [shell.word_of(*e) for e in entries(parts.get(title, []))]
            for title in ("Positionals", "Options")
        }
        notes = [line for line in parts.get("notes", []) if line.strip()]
        words.append(
            shell.Verb(
                name,
                summary,
                usage[len("Usage: ") :],
                words_by_section["Positionals"],
                words_by_section["Options"],
                notes,
            )
        )
    for word in (a for verb in words if verb.name == "help" for a in verb.arguments):
        word.choices = [verb.name for verb in words]
    version = output_of(binary, "--version").splitlines()[0]
    return {
        "shell/fusillade.1": shell.man(
            version, words, exit_code_rows(binary), list_of(binary, "options")
        ),
        "shell/fusillade.bash": shell.bash(words),
        "shell/_fusillade": shell.zsh(words),
        "shell/fusillade.fish": shell.fish(words),
    }


def wrap_text(text):
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) + 1 > 100:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def exit_code_rows(binary):
    lines = sections(output_of(binary, "--help"))["exit codes"]
    return [match.groups() for line in lines if (match := re.match(r"\s+(\d+)\s+(.*)", line))]


def exit_codes(binary):
    rows = [[code, cell(meaning)] for code, meaning in exit_code_rows(binary)]
    return "# Exit codes\n\n" + table(["code", "means"], rows)


def list_of(binary, what):
    return json.loads(output_of(binary, "list", what, "--json"))


def environment(binary):
    options = list_of(binary, "options")
    rows = [
        [code(o["name"]), code(o["default"]), cell(o["legal"]), cell(o["summary"])] for o in options
    ]
    return (
        "# Environment variables\n\n"
        "Each flag also has a variable, which [verbs and flags](verbs.md) names. These options\n"
        "have no flag:\n\n"
        + table(["variable", "default", "legal values", "meaning"], rows)
        + "\n\nThe program also reads these:\n\n"
        + table(
            ["variable", "meaning"],
            [
                [
                    "`FUSILLADE_PYTHON`",
                    "the Python that makes reports and runs scripts for the oracle `python`",
                ],
                [
                    "`FUSILLADE_REPORTS`",
                    "the folder of the reports' Python package, if it is not found",
                ],
                [
                    "`FUSILLADE_ENGINE_WRITES`",
                    "folders, separated by colons, that [external engines](safety.md) may change",
                ],
                [
                    "`FUSILLADE_PLANTED`",
                    "in a copy that `planted` built: the bug that is switched on",
                ],
                ["`FUSILLADE`", "for `repro.sh` in a finding's folder: another binary"],
                [
                    "`OPENBLAS_CORETYPE`",
                    "OpenBLAS's kernels (default: the newest for the processor)",
                ],
            ],
        )
    )


def passes(binary):
    of_passes = [
        [code(p["name"]), p["promises"], cell(p["summary"])] for p in list_of(binary, "passes")
    ]
    of_rules = [
        [code(r["name"]), code(r["left"]), code(r["right"])] for r in list_of(binary, "rules")
    ]
    of_transforms = [
        [code(t["name"]), code(t["use"]), cell(t["summary"])] for t in list_of(binary, "transforms")
    ]
    return "\n\n".join(
        [
            "# Passes, rules and transforms",
            "[Optimisation](../inside/optimisation.md) says what each pass needs, and their order.",
            "## Passes",
            table(["pass", "promises", "what it does"], of_passes),
            "## Rewrite rules of `peephole`",
            table(["rule", "replaces", "by"], [[n, left, right] for n, left, right in of_rules]),
            "## Transforms of kernels",
            table(["transform", "written", "what it does"], of_transforms),
        ]
    )


def oracles(binary):
    rows = [[code(o["name"]), cell(o["summary"])] for o in list_of(binary, "oracles")]
    return "# Oracles\n\n[Oracle](../concepts/oracle.md) says what an oracle is.\n\n" + table(
        ["oracle", "claim"], rows
    )


def engines(binary):
    of_engines = [
        [
            code(e["name"]),
            "yes" if e["passes"] else "no",
            " ".join(e["devices"]),
            cell(e["summary"]),
        ]
        for e in list_of(binary, "engines")
    ]
    of_fusers = [[code(f["name"]), cell(f["summary"])] for f in list_of(binary, "fusers")]
    of_backends = [[code(b["name"]), cell(b["summary"])] for b in list_of(binary, "backends")]
    return "\n\n".join(
        [
            "# Engines, fusers, back ends",
            "`fusillade list engines` and `fusillade list backends` say what this machine has.",
            "## Engines",
            table(["engine", "takes passes", "devices", "what it does"], of_engines),
            "## Fusers",
            table(["fuser", "what it does"], of_fusers),
            "## Back ends",
            table(["back end", "what it does"], of_backends),
        ]
    )


COMPILERS = {
    "inductor": "Inductor",
    "ort": "ONNX Runtime",
    "openvino": "OpenVINO",
    "xla": "XLA",
    "tensorflow": "TensorFlow and TFLite",
    "tvm": "TVM",
    "tinygrad": "tinygrad",
}


OF_PATTERNS = (
    "The production `peer_pattern` draws these, whole or with one condition broken. The number "
    "counts all patterns of a compiler. `fuzz/gen/peer_patterns.h` says how a pattern is written."
)


def patterns_by_compiler(binary):
    """The patterns that are a compiler's own, and the names of those that it shares."""
    patterns = list_of(binary, "patterns")
    parts = []
    for compiler in sorted(
        {c for p in patterns for c in p["compilers"]}, key=list(COMPILERS).index
    ):
        own = [p for p in patterns if p["compilers"][0] == compiler]
        shared = [p["name"] for p in patterns if compiler in p["compilers"][1:]]
        parts.append(f"### {COMPILERS[compiler]}: {len(own) + len(shared)}")
        rows = [[code(p["name"]), code(p["pattern"]), code(p["operands"])] for p in own]
        if shared:
            names = ", ".join(code(name) for name in shared)
            rows.append(["also of others", names, ""])
        parts.append(table(["pattern", "is written", "operands"], rows))
    return parts


def generation(binary):
    of_policies = [[code(p["name"]), cell(p["summary"])] for p in list_of(binary, "policies")]
    of_productions = [
        [
            code(p["name"]),
            cell(p["makes"]),
            f"{p['weight']:g}",
            cell(p["summary"]),
            cell(", ".join(p["policies"])),
        ]
        for p in list_of(binary, "productions")
    ]
    return "\n\n".join(
        [
            "# Policies and productions",
            "[The generator](../inside/generator.md) says how programs are made from these.",
            "## Policies",
            table(["policy", "prefers"], of_policies),
            "## Productions",
            table(
                ["production", "makes", "weight", "what it makes", "policies with another weight"],
                of_productions,
            ),
            "## Patterns of other compilers",
            "\n".join(wrap_text(OF_PATTERNS)),
            *patterns_by_compiler(binary),
        ]
    )


def deviations(binary):
    rows = [
        [code(d["op"]), cell(d["others"]), cell(d["amount"]), cell(d["why"])]
        for d in list_of(binary, "deviations")
    ]
    return (
        "# Allowed deviations\n\n"
        "Operator by operator, how the results of an external engine may differ from the built-in\n"
        "engine. The plans of the built-in engine may not differ in this way.\n\n"
        + table(["operator", "kind", "amount", "why"], rows)
    )


PAGES = {
    "verbs.md": verbs,
    "exit-codes.md": exit_codes,
    "environment.md": environment,
    "passes.md": passes,
    "oracles.md": oracles,
    "engines.md": engines,
    "generation.md": generation,
    "deviations.md": deviations,
}
MARK = "\n<!-- written by docs/reference/generate.py: do not edit -->\n"


def with_mark(page):
    """A page with the mark behind its title, which a site takes from the first line."""
    title, _, rest = page.rstrip().partition("\n")
    return f"{title}\n{MARK}{rest}\n"


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("binary")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(argv[1:])
    lag = []
    texts = {name: with_mark(make(given.binary)) for name, make in PAGES.items()}
    texts |= of_shells(given.binary)
    for name, text in texts.items():
        path = HERE / name
        if given.check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            lag.append(name)
        elif not given.check:
            path.write_text(text, encoding="utf-8")
    if lag:
        print(
            f"docs/reference lags: {', '.join(lag)}; run docs/reference/generate.py {given.binary}"
        )
    return 1 if lag else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

"""What the command says of itself: help, defaults, the man page, and shells' completions. A shell
or a tool that is absent skips its test, and says so."""

import datetime
import os
import re
import shutil
import subprocess
import sys

import pytest
from under_test import BINARY, ROOT, error, run

SHELL = ROOT / "docs/reference/shell"
FILES = {"bash": "fusillade.bash", "zsh": "_fusillade", "fish": "fusillade.fish"}
sys.path.insert(0, str(ROOT / "docs/reference"))

import generate


def verbs():
    listed = run("--help").stdout.split("Subcommands:")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def tool(name):
    return shutil.which(name) or pytest.skip(f"{name} is absent")


def test_help_is_the_flag():
    assert run("help").stdout == run("--help").stdout
    for verb in verbs():
        done = run("help", verb)
        assert done.returncode == 0 and done.stdout == run(verb, "--help").stdout, verb


def test_help_of_what_is_no_verb():
    assert "did you mean fuzz" in error("help", "fuz")
    assert "'gen' is not known to fusillade help" in error("help", "fuzz", "gen")
    assert "--fuzz" in error("help", "--fuzz")


def without_default(verb, head, text):
    """A flag that takes one value is required, or its default is stated, or without it there is no
    value at all."""
    word = generate.shell.word_of(head, text)
    answer = word.default or "default" in text or " REQUIRED" in head
    return word.takes in ("INT", "UINT", "FLOAT") and not word.repeats and not answer


def test_each_number_has_its_default():
    heads = [
        (verb, *entry)
        for verb in verbs()
        for entry in generate.entries(
            generate.sections(run(verb, "--help").stdout).get("Options", [])
        )
    ]
    assert len(heads) > 100
    assert [e for e in heads if without_default(*e)] == []
    assert without_default("gen", "--seed UINT (Env:FUSILLADE_SEED)", "of programs")


@pytest.mark.parametrize(
    ("verb", "answer"),
    [
        ("bench", "--processes INT:INT in [1 - 1000]=5"),
        ("bisect", "--budget TEXT=60s"),
        ("fuzz", "--calls INT:INT in [1 - 64]=4"),
        ("fuzz", "--rss-limit-mb UINT=2048"),
        *[(verb, "--timeout TEXT=10m") for verb in ("run", "opt", "save", "freeze")],
        *[(verb, "three quarters of the machine") for verb in ("run", "opt", "save", "freeze")],
        ("fuzz", "--mode TEXT:{pr,nightly,regress} "),
        ("selftest", "-j,--jobs "),
    ],
)
def test_a_default_is_reported(verb, answer):
    assert answer in run("help", verb).stdout


def test_what_has_jobs_has_j():
    for verb in verbs():
        said = run(verb, "--help").stdout
        assert len(re.findall("--jobs ", said)) == len(re.findall("-j,--jobs ", said)), verb


@pytest.mark.parametrize("shell", FILES)
def test_a_completion_is_printed_as_it_is_installed(shell):
    done = run("completion", shell)
    assert done.returncode == 0 and done.stdout == (SHELL / FILES[shell]).read_text()


def test_bad_words_are_reported_once_and_in_words():
    assert error("fuzz", "--rnus", "3").endswith("did you mean --runs?\n")
    said = error("fuzz", "--runs", "x")
    assert "--runs: 'x' is not a number from 0 to" in said and "see fusillade fuzz --help" in said
    assert "--min-yield: 'x' is not a number" in error("fuzz", "--min-yield", "x")
    said = error("report", ROOT / "nowhere")
    assert said.count("\n") == 1 and "nowhere is no folder" in said


def test_a_variable_that_cannot_be_a_value_is_named():
    def error_of(*words, **variables):
        done = run(*words, env=os.environ | variables)
        assert done.returncode == 1, done.stderr
        return done.stderr

    switch = error_of("selftest", FUSILLADE_VERIFY="1", FUSILLADE_SEED="maybe")
    assert "FUSILLADE_SEED: 'maybe' is not a whole number" in switch
    switch = error_of("fuzz", "--out", "none", FUSILLADE_NO_SANDBOX="maybe")
    assert "FUSILLADE_NO_SANDBOX: 'maybe' is none of 1, true, on, yes, 0, false, off" in switch
    assert "--no-sandbox: 'maybe' is none of" in error_of(
        "fuzz", "--out", "none", "--no-sandbox=maybe"
    )


@pytest.mark.parametrize("verb", [("gen", "--runs=1"), ("list", "oracles")])
def test_the_seed_of_the_day_is_one_of_each_verb(verb):
    done = run(*verb, env=os.environ | {"FUSILLADE_SEED": "date"})
    assert done.returncode == 0, done.stderr
    today = [run(*verb, env=os.environ | {"FUSILLADE_SEED": day}).stdout for day in days()]
    assert done.stdout in today


def days():
    now = datetime.datetime.now(datetime.UTC)
    return [(now + datetime.timedelta(n)).strftime("%Y%m%d") for n in (-1, 0)]


def test_a_variable_that_nothing_reads_is_reported():
    def warnings_of(**variables):
        done = run("list", "oracles", env=os.environ | variables)
        assert done.returncode == 0
        return done.stderr

    said = warnings_of(FUSILLADE_THRAEDS="4")
    assert "has FUSILLADE_THRAEDS, which nothing reads; did you mean FUSILLADE_THREADS" in said
    assert "\x1b" not in warnings_of(**{"FUSILLADE_\x1b[1m": "1"})
    assert (
        warnings_of(FUSILLADE_RUNS="4", FUSILLADE_VERIFY="true", FUSILLADE_PYTHON=sys.executable)
        == ""
    )


@pytest.mark.parametrize("value", ["99999999", "1025", "-1", "two", ""])
def test_threads_have_a_limit(value):
    done = run("list", "oracles", env=os.environ | {"FUSILLADE_THREADS": value})
    assert done.returncode == 1 and f"FUSILLADE_THREADS='{value}'" in done.stderr


def test_a_shell_without_completion():
    assert "bash" in error("completion", "tcsh")
    assert "shell is required: " in error("completion")
    assert "action is required: add: store a run; show: print what changed" in error("history")


def test_a_verb_tells_the_exit_codes_that_it_ends_with():
    check, repro = (run(verb, "--help").stdout for verb in ("check", "repro"))
    assert "exit codes:" in check and "the case fails" not in check and "125" not in check
    assert "77   the case fails" in repro and "70   timeout" in repro
    assert "77   repro, reduce: the case fails" in run("--help").stdout


COMPLETED = [
    ("fu", {"fuzz"}, {"gen"}),
    ("fuzz --mo", {"--mode"}, {"--out"}),
    ("fuzz --mode ", {"pr", "nightly", "regress"}, {"--mode"}),
    ("fuzz --policy cha", {"chains"}, {"scalars"}),
    ("gen --format ca", {"case"}, {"ir"}),
    ("list en", {"engines"}, {"ops"}),
    ("help fu", {"fuzz"}, {"gen"}),
]


BASH = (
    f'source "{SHELL}/fusillade.bash"; COMP_WORDS=({{words}}); COMP_CWORD={{at}}; _fusillade; '
    "printf '%s\\n' \"${{COMPREPLY[@]}}\""
)


def words_of(script, env=None):
    done = subprocess.run(script, capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize(("line", "some", "none"), COMPLETED, ids=[c[0] for c in COMPLETED])
def test_bash_completes(line, some, none):
    words = [str(BINARY), *line.split(" ")]
    quoted = " ".join(f"'{word}'" for word in words)
    answer = words_of(
        [
            tool("bash"),
            "--norc",
            "-c",
            BASH.format(words=quoted, at=len(words) - 1),
        ]
    )
    assert some <= answer and not none & answer, answer


def test_bash_completes_behind_an_equals_sign():
    """Which is in a word of its own."""
    for words in ("gen --format =", "gen --format = ca"):
        quoted = words.split(" ")
        answer = words_of(
            [
                tool("bash"),
                "--norc",
                "-c",
                BASH.format(words=f"fusillade {words}", at=len(quoted)),
            ]
        )
        assert "case" in answer, answer


@pytest.mark.parametrize(("line", "some", "none"), COMPLETED, ids=[c[0] for c in COMPLETED])
def test_fish_completes(line, some, none, tmp_path):
    (tmp_path / "fusillade").symlink_to(BINARY)
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path)}
    script = f"source {SHELL}/fusillade.fish; complete -C 'fusillade {line}' | cut -f1"
    answer = words_of([tool("fish"), "--no-config", "-c", script], env)
    assert some <= answer and not none & answer, answer


@pytest.mark.parametrize(("line", "some", "none"), COMPLETED, ids=[c[0] for c in COMPLETED])
def test_zsh_completes(line, some, none, tmp_path):
    """In a terminal of its own, which shows what Tab lists."""
    (tmp_path / "fusillade").symlink_to(BINARY)
    script = tmp_path / "ask"
    script.write_text(ZSH.replace("FOLDER", str(SHELL)).replace("LINE", line))
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
    answer = words_of([tool("zsh"), "-f", str(script)], env)
    assert some <= answer and not none & answer, answer


# The widget puts what completion would insert between two marks.
ZSH = r"""
zmodload zsh/zpty
# What marks answers is quoted where it is typed: a terminal echoes it.
zpty shell zsh -f -i
zpty -w shell 'PS1=; fpath=(FOLDER $fpath); autoload -Uz compinit; compinit -u -D'
zpty -w shell 'zstyle ":completion:*" list-grouped false; unsetopt zle_bracketed_paste'
zpty -w shell 'tellall () { builtin compadd -A found "$@"; print -l -- M":"${^found} }'
zpty -w shell 'compadd () { tellall "$@"; builtin compadd "$@" }'
zpty -w shell 'tell () { zle complete-word; print; print E""ND; exit }'
zpty -w shell 'zle -N tell; bindkey "^X" tell'
zpty -w shell 'print RE""ADY'
while zpty -r shell text; do [[ $text == *READY* ]] && break; done
zpty -w -n shell $'fusillade LINE\x18'
while zpty -r shell text; do
  text=${text//$'\r'/}
  [[ $text == *M:* ]] && print -r -- "${${text#*M:}%$'\n'}"
  [[ $text == *END* ]] && break
done
exit 0
"""


def test_the_man_page_has_every_verb_and_flag():
    page = (SHELL / "fusillade.1").read_text().replace("\\-", "-")
    for verb in verbs():
        section = page.split(f"\n.SS {verb}\n")[1].split("\n.S")[0]
        for flag in re.findall(r"^ +(?:-\w,)?(--[a-z][\w-]*)", run("help", verb).stdout, re.M):
            assert rf"\fB{flag}\fR" in section, (verb, flag)
    assert all(rf"\fB{code}\fR" in page for code in (0, 1, 2, 3, 70, 71, 72, 77, 125))


def test_the_man_page_is_drawn_without_a_warning():
    done = subprocess.run(
        [tool("groff"), "-man", "-ww", "-z", SHELL / "fusillade.1"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_completion_parses(shell):
    done = subprocess.run([tool(shell), "-n", SHELL / FILES[shell]], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""

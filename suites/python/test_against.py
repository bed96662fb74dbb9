"""fuzz --against: equal builds, builds that cannot be asked, and one that counts less.

There is one build here, so the better one is simulated: a proxy that speaks the protocol of
`fusillade cost`, asks the binary under test, and takes a step off each plan that the pass cse
changed something in.
"""

import json
import os
import stat
import subprocess

import pytest
from under_test import BINARY

PROXY = """#!/usr/bin/python3
import json, os, socket, subprocess, sys

def receive(s):
    head = b""
    while not head.endswith(b"\\n"):
        byte = s.recv(1)
        if not byte:
            sys.exit(0)
        head += byte
    size, kind = head.decode().split()
    body = b""
    while len(body) < int(size):
        body += s.recv(int(size) - len(body))
    return kind, body

def send(s, kind, body):
    s.sendall(f"{len(body)} {kind}\\n".encode() + body)

harness = socket.socket(fileno=0)
mine, its = socket.socketpair()
subprocess.Popen([BINARY, "cost"], stdin=its, stdout=its)
its.close()
send(harness, *receive(mine))
while True:
    send(mine, *receive(harness))
    kind, body = receive(mine)
    if kind == "values":
        all = json.loads(body)
        for one in all:
            nodes = [["", None]] + one["nodes"]
            merged = any(
                p == "cse" and n != before
                for (_, before), (p, n) in zip(nodes, nodes[1:])
            )
            for count in one["counts"]:
                if count[0] == "steps" and merged:
                    count[1] -= 1
        body = json.dumps(all).encode()
    send(harness, kind, body)
"""


# What builds answered before training was counted.
OLDER = (
    PROXY.split("        for one in all:", maxsplit=1)[0]
    + """        for one in all:
            del one["kernels"]
            one["counts"] = [c for c in one["counts"] if c[0] in ("steps", "bytes moved", "nodes")]
        body = json.dumps(all).encode()
    send(harness, kind, body)
"""
)


def run(*args, timeout=300, **kw):
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=timeout, **kw
    )


def error(*args, **kw):
    done = run(*args, **kw)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert "\nfusillade: error: " in "\n" + done.stderr, done.stderr
    return done.stderr


def program(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def campaign(out, against, *more, **kw):
    return run("fuzz", "--against", against, "--out", out, "--jobs", 1, *more, **kw)


def test_equal_builds_cost_the_same(tmp_path):
    done = campaign(tmp_path / "out", BINARY, "--runs", 400)
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads((tmp_path / "out/campaign.json").read_text())
    assert data["findings"] == [] and data["programs"] == 400
    assert data["verdicts"]["ok"] > 200, data["verdicts"]


def test_an_older_build_is_compared_by_the_counts_that_it_has(tmp_path):
    older = program(tmp_path / "older", OLDER.replace("BINARY", repr(os.path.abspath(BINARY))))
    done = campaign(tmp_path / "out", older, "--runs", 200)
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads((tmp_path / "out/campaign.json").read_text())
    assert data["findings"] == [] and data["verdicts"]["ok"] > 100, data["verdicts"]


def test_a_build_that_cannot_be_asked_is_named(tmp_path):
    assert "there is no other build at /no/such/fusillade" in error(
        "fuzz", "--against", "/no/such/fusillade", "--runs", 1, "--out", tmp_path / "a"
    )
    assert "is no program" in error(
        "fuzz", "--against", tmp_path, "--runs", 1, "--out", tmp_path / "b"
    )
    older = program(
        tmp_path / "older",
        "#!/bin/sh\necho \"fusillade: error: there is no verb '$1'\" >&2\nexit 1\n",
    )
    message = error("fuzz", "--against", older, "--runs", 1, "--out", tmp_path / "c")
    assert "does not answer to `cost`" in message and "there is no verb 'achieved'" in message
    other = program(
        tmp_path / "other",
        "#!/bin/sh\nhello='protocol: 1\nname: fusillade\nversion: 0\nforms: case\nvalues: "
        "counts\n'\nprintf '%d hello\\n%s' ${#hello} \"$hello\"\ncat > /dev/null\n",
    )
    assert "speaks version 0 of `cost`, this build version 1" in error(
        "fuzz", "--against", other, "--runs", 1, "--out", tmp_path / "d"
    )
    assert not (tmp_path / "c").exists()


def test_the_oracle_wants_a_build(tmp_path):
    assert "--against names it" in error(
        "fuzz", "--oracle", "against", "--runs", 1, "--out", tmp_path / "a"
    )
    assert "stdin is no socket" in error("cost", stdin=subprocess.DEVNULL)
    case = tmp_path / "case"
    case.write_text(
        "fusillade case 1\noracle: against\nplan: vm\nprogram:\n  graph(%x : int):\n"
        "    return (%x)\ncall:\n"
        "    x = 3\nend\n"
    )
    assert "--against names it" in error("repro", case)
    assert run("repro", case, "--against", BINARY).returncode == 0


@pytest.fixture(scope="module")
def better(tmp_path_factory):
    folder = tmp_path_factory.mktemp("better")
    return program(folder / "fusillade", PROXY.replace("BINARY", repr(os.path.abspath(BINARY))))


def test_what_costs_more_is_found_reduced_and_blamed(tmp_path, better):
    out = tmp_path / "out"
    done = campaign(out, better, "--runs", 4000, "--max-findings", 1)
    assert done.returncode == 2, done.stdout + done.stderr
    finding = json.loads((out / "campaign.json").read_text())["findings"][0]
    assert (finding["verdict"], finding["oracle"], finding["blame"]) == (
        "slow",
        "against",
        "cse",
    ), finding
    assert finding["nodes"] <= 4
    case = out / finding["case"]
    assert f"note: against: {better}\n" in case.read_text()
    assert f"repro {case} --against {better}\n" in done.stderr, done.stderr
    assert f"--against {better}" in (case.parent / "repro.sh").read_text()
    shown = run("repro", case, "--against", better)
    assert shown.returncode == 77 and "slow (steps)" in shown.stdout and ", was " in shown.stdout, (
        shown.stdout
    )
    assert "blame: cse" in run("bisect", case, "--against", better).stdout
    assert run("repro", case, "--against", BINARY).returncode == 0
    better.rename(better.with_name("elsewhere"))
    assert f"there is no other build at {better}" in error("repro", case, "--against", better)
    better.with_name("elsewhere").rename(better)


@pytest.fixture
def repository(tmp_path, better):
    """Three commits: the first has a build kept that is better, the second none and nothing to
    build one of, the third an old one."""
    root = tmp_path / "repository"
    root.mkdir()

    def git(*words):
        return subprocess.run(
            ["git", "-C", root, "-c", "user.name=n", "-c", "user.email=e", *words],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    git("init", "-q")
    for name in ("better", "bare", "old"):
        git("commit", "-q", "--allow-empty", "-m", name)
        git("tag", name)
    for name in ("better", "old"):
        build = root / "build" / "commits" / git("rev-parse", name)[:12] / "fusillade"
        build.parent.mkdir(parents=True)
        if name == "better":
            build.symlink_to(better)
        else:
            program(
                build, "#!/bin/sh\necho \"fusillade: error: there is no verb '$1'\" >&2\nexit 1\n"
            )
    return root


def test_a_commit_is_the_build_kept_of_it(tmp_path, repository):
    out = tmp_path / "out"
    done = campaign(out, "better", "--runs", 4000, "--max-findings", 1, cwd=repository)
    assert done.returncode == 2, done.stdout + done.stderr
    kept = next((repository / "build" / "commits").glob("*/fusillade")).parent.parent
    finding = json.loads((out / "campaign.json").read_text())["findings"][0]
    assert finding["blame"] == "cse"
    named = (out / finding["case"]).read_text().split("note: against: ")[1].split("\n")[0]
    assert (
        named.startswith(f"{kept}/")
        and run("repro", out / finding["case"], "--against", named).returncode == 77
    )
    done = campaign(
        tmp_path / "again", "better", "--builds", kept, "--runs", 50, cwd=tmp_path / "repository"
    )
    assert done.returncode in (0, 2), done.stderr


def test_what_is_no_commit_is_reported(tmp_path, repository):
    def message_of(against, cwd=repository):
        return error("fuzz", "--against", against, "--runs", 1, "--out", tmp_path / "out", cwd=cwd)

    assert (
        f"there is no other build at {repository}/never; 'never' is no commit of the repository "
        f"that holds {repository}" in message_of("never")
    )
    (repository / "folder").mkdir()
    assert "folder is no program but a folder; 'folder' is no commit" in message_of("folder")
    (tmp_path / "outside").mkdir()
    assert "not a git repository" in message_of("better", cwd=tmp_path / "outside")
    done = campaign(tmp_path / "out", "bare", "--runs", 1, cwd=repository)  # nothing to build there
    assert (
        done.returncode == 1
        and done.stderr.startswith("building bare (")
        and "cmake -S build/commits/tree" in done.stderr
    ), done
    assert "does not answer to `cost`" in message_of("old")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("verb", ["repro", "bisect", "reduce"])
def test_no_case_chooses_what_is_run(tmp_path, verb):
    """Cases come from strangers."""
    chosen = program(tmp_path / "chosen", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    case = tmp_path / "case"
    case.write_text(
        f"fusillade case 1\noracle: against\nplan: vm\nnote: against: {chosen}\nprogram:\n"
        "  graph(%x : int):\n"
        "    return (%x)\ncall:\n    x = 3\nend\n"
    )
    assert f"which was {chosen}" in error(verb, case)
    assert not (tmp_path / "ran").exists()

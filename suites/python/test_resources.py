"""What the machine does not give (processes, descriptors, room, memory, processor time) is no
finding: it is reported, the campaign stops with exit code 1 and goes on where it was. Signals that
are no crash end a campaign as an interrupt does.
"""

import errno
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from under_test import BINARY, HANG, programs_so_far, wait_until

NOBODY = 65534
CAMPAIGN = [
    "fuzz",
    "--runs=60",
    "--seed=3",
    "--policy=scalars",
    "--oracle=differential",
    "--min-yield=0",
]
ENDLESS = "def f(n: int) -> int:\n    while n > 0:\n        n = n % 7 + 1\n    return n\n"
CASE = """fusillade case 1
oracle: differential
plan: vm/o2
program:
  graph(%x : Tensor):
    %a : Tensor = aten::exp(%x)
    return (%a)
call:
    x = f32[3] {1, 2, 3}
end
"""


def with_limits(*limits, user=None):
    """What a child does before it becomes the command: limits of its own, another user."""

    def enter():
        for which, amount in limits:
            resource.setrlimit(which, (amount, amount))
        if user is not None:
            os.setgid(user)
            os.setuid(user)

    return enter


def run(*args, **more):
    env = os.environ | {"FUSILLADE_REPORTS": "/no/picture"}
    return subprocess.run(
        [BINARY, *map(str, args)], capture_output=True, text=True, timeout=HANG, env=env, **more
    )


def findings(out):
    return [p.name for p in (out / "findings").iterdir()]


def is_reported(done, what):
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.splitlines()[-1].startswith("fusillade: error: ") and what in done.stderr, (
        done.stderr
    )


def fill(path):
    """The whole room that is left."""
    with path.open("wb", buffering=0) as f:
        try:
            while f.write(b"\0" * 4096):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC, error


@pytest.fixture
def open_folder():
    """One that another user may write to; pytest's own are closed to others."""
    out = Path("/tmp") / f"fusillade-resources-{os.getpid()}"
    out.mkdir(mode=0o777)
    out.chmod(0o777)
    yield out
    shutil.rmtree(out)


@pytest.mark.skipif(
    os.getuid() != 0, reason="root alone can become another user, whose processes are counted"
)
@pytest.mark.parametrize("processes", [1, 2, 4])
def test_no_process_or_thread_to_be_had(open_folder, processes):
    out = open_folder / "out"
    enter = with_limits((resource.RLIMIT_NPROC, processes), user=NOBODY)
    done = run("fuzz", "--runs=200", "--seed=3", "--out", out, preexec_fn=enter)
    is_reported(done, "Resource temporarily unavailable")
    assert "--resume goes on with it" in done.stderr and not findings(out)
    assert not list((out / "pending").iterdir())
    done = run("fuzz", "--runs=200", "--seed=3", "--out", out, "--resume")
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "campaign.json").read_text())["programs"] == 200


@pytest.mark.parametrize("descriptors", [4, 5, 6, 7])
def test_no_descriptor_to_be_had(tmp_path, descriptors):
    done = run(
        *CAMPAIGN,
        "--out",
        tmp_path / "out",
        preexec_fn=with_limits((resource.RLIMIT_NOFILE, descriptors)),
    )
    assert done.returncode in (0, 1), done.stderr
    assert not (tmp_path / "out/findings").is_dir() or not findings(tmp_path / "out")
    if done.returncode:
        is_reported(done, "campaign.db" if "campaign.db" in done.stderr else "Too many open files")


def test_address_space_below_the_limit_on_memory_is_refused(tmp_path):
    case = tmp_path / "fine.case"
    case.write_text(CASE)
    for words in (
        [*CAMPAIGN, "--out", tmp_path / "out"],
        ["repro", case],
        ["check", case, "--out", tmp_path / "check"],
    ):
        for which, flag in ((resource.RLIMIT_AS, "-v"), (resource.RLIMIT_DATA, "-d")):
            is_reported(
                run(*words, preexec_fn=with_limits((which, 1200 << 20))),
                f"ulimit {flag} leaves a process 1200 MB; with --rss-limit-mb 2048",
            )
    assert (
        run(
            "repro",
            case,
            "--rss-limit-mb=64",
            preexec_fn=with_limits((resource.RLIMIT_AS, 8 << 30)),
        ).returncode
        == 0
    )


def test_address_space_that_is_asked_for_is_enough(tmp_path):
    """Threads' arenas and a BLAS's buffers lie in it, too: where they find no room, programs
    seem to hang."""
    words = ["fuzz", "--runs=20", "--seed=3", "--jobs=1", "--min-yield=0", "--rss-limit-mb=150"]
    words += ["--out", tmp_path / "out"]
    done = run(*words, preexec_fn=with_limits((resource.RLIMIT_AS, 300 << 20)))
    needed = int(re.search(r"it may need (\d+) MB", done.stderr)[1])
    done = run(*words, preexec_fn=with_limits((resource.RLIMIT_AS, (needed + 8) << 20)))
    assert done.returncode == 0 and not findings(tmp_path / "out"), done.stdout + done.stderr


def test_memory_that_lacks_before_a_verb_begins_is_reported():
    for megabytes in range(220, 290, 4):
        done = run("--version", preexec_fn=with_limits((resource.RLIMIT_AS, megabytes << 20)))
        assert done.returncode in (0, 1, 127), done  # 127: the system's loader
        assert done.returncode != 1 or "memory" in done.stderr, done.stderr


def test_a_limit_of_file_sizes_is_reported(tmp_path):
    out, script = tmp_path / "out", tmp_path / "r.py"
    script.write_text("def f(x):\n    return x.relu()\n")
    is_reported(
        run(
            "run",
            script,
            "--rand",
            "f32[100000]",
            "--out",
            out,
            preexec_fn=with_limits((resource.RLIMIT_FSIZE, 4096)),
        ),
        "File too large (ulimit -f allows a file of 4096 bytes)",
    )
    for room in (4096, 8192, 30000):  # for the tables, for the first programs
        done = run(
            "fuzz",
            "--runs=100000",
            *CAMPAIGN[2:],
            "--out",
            tmp_path / str(room),
            preexec_fn=with_limits((resource.RLIMIT_FSIZE, room)),
        )
        is_reported(done, f"campaign.db: File too large (ulimit -f allows a file of {room} bytes)")
    assert not list(tmp_path.rglob("core*"))


def test_a_full_disk_is_reported_and_what_was_found_stays(tmp_path):
    place = tmp_path / "full"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place], capture_output=True
    ).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        out, pending = place / "out", place / "out/pending"
        assert run("fuzz", "--runs=1", *CAMPAIGN[2:], "--out", out).returncode == 0
        pending.mkdir(exist_ok=True)
        case = (
            "fusillade case 2\noracle: differential\nverdict: crash\nplan: vm\nprogram:\n"
            + CASE.split("program:\n")[1]
        )
        (pending / "000000000007-0.case").write_text(case)
        fill(place / "filler")
        done = run(*CAMPAIGN, "--resume", "--out", out)
        assert done.returncode == 1 and "fusillade: error: " in done.stderr, done.stderr
        assert not findings(out) and (pending / "000000000007-0.case").read_text() == case
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_program_too_large_for_the_limit_is_skipped_as_such(tmp_path):
    """Eight gigabytes at once, a list that grows to as much, and what only the oracles' copies make
    too large."""
    programs = {
        "at_once": "    y = torch.ones([2000, 1024, 1024])\n    return x + y.sum()\n",
        "in_a_list": "    l = [x]\n    for i in range(1000):\n"
        "        l.append(torch.ones([1024, 1024]) * i)\n    return l[-1].sum() + x\n",
        "by_cat": "    y = torch.ones([64, 1024, 1024])\n"
        "    return torch.cat([y, y, y, y]).sum() + x\n",
        "copies": "    y = torch.ones([36, 1024, 1024])\n    return y.relu().sum() + x\n",
    }
    for name, body in programs.items():
        path, out = tmp_path / f"{name}.py", tmp_path / name
        path.write_text(f"import torch\ndef f(x):\n{body}")
        done = run(
            "check",
            path,
            "--timeout",
            "200s",
            "--rss-limit-mb",
            "600",
            "--rand",
            "f32[2]",
            "--inputs",
            1,
            "--oracle",
            "shapes",
            "--oracle",
            "types",
            "--oracle",
            "differential",
            "--oracle",
            "freeze",
            "--plan",
            "vm/o2",
            "--out",
            out,
        )
        assert done.returncode in (0, 3) and not findings(out), (name, done.stdout, done.stderr)
        errors = (
            "| skip: out of memory under the limit |" in done.stdout
            or "times: out of memory" in done.stderr
        )
        assert errors, (name, done.stdout, done.stderr)


def test_repro_of_a_program_too_large_is_no_failure(tmp_path):
    case = tmp_path / "large.case"
    case.write_text(
        CASE.replace("f32[3] {1, 2, 3}", "f32[40000000] philox(seed=1, offset=0, kind=normal)")
    )
    done = run("repro", "--rss-limit-mb=100", case)
    assert done.returncode == 0 and "skip (out of memory under the limit)" in done.stdout, (
        done.stdout
    )


def test_processor_time_is_reported(tmp_path):
    path = tmp_path / "never.py"
    path.write_text(ENDLESS)
    is_reported(
        run("run", path, "--arg", 1, preexec_fn=with_limits((resource.RLIMIT_CPU, 2))),
        "the limit of processor time is reached (ulimit -t)",
    )


STOPS = [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGXCPU, signal.SIGUSR1]


@pytest.mark.parametrize("number", STOPS)
def test_signals_that_stop_a_campaign(tmp_path, number):
    out = tmp_path / "out"
    environment = os.environ | {"FUSILLADE_REPORTS": "/no/picture"}
    with subprocess.Popen(
        # Under nohup one is ignored.
        ["env", "--default-signal", BINARY, "fuzz", "--max-total-time=1000", "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        text=True,
    ) as p:
        wait_until(lambda: programs_so_far(out), p)
        p.send_signal(number)
        _, errors = p.communicate(timeout=600)
    assert p.returncode == 72, errors
    before = json.loads((out / "campaign.json").read_text())
    assert before["exit_code"] == 72 and not before["findings"]
    assert run("fuzz", f"--runs={before['programs'] + 5}", "--resume", "--out", out).returncode == 0


@pytest.mark.parametrize("verb", ["fuzz", "bench"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_what_is_stopped_before_it_begins_is_interrupted(tmp_path, number, verb):
    """While the worker of an engine starts, which takes its time."""
    here = tmp_path / "here"
    (tmp_path / "slow.py").write_text(f"import time\nopen({str(here)!r}, 'w')\ntime.sleep(1000)\n")
    with subprocess.Popen(
        [BINARY, verb, "--engine", f"slow={tmp_path}/slow.py", "--plan", "slow:eager"]
        + ["--out", tmp_path / "out"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as p:
        wait_until(here.exists, p)
        p.send_signal(number)
        _, errors = p.communicate(timeout=600)
    assert p.returncode == 72 and "interrupted before anything began" in errors


def test_a_warning_to_all_of_a_campaign_is_of_no_program(tmp_path):
    """Slurm's --signal=USR1 goes to each process of a step."""
    out = tmp_path / "out"
    with subprocess.Popen(
        [BINARY, "fuzz", "--max-total-time=1000", "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"FUSILLADE_REPORTS": "/no/picture"},
        text=True,
        start_new_session=True,
    ) as p:
        wait_until(lambda: programs_so_far(out), p)
        os.killpg(p.pid, signal.SIGUSR1)
        _, errors = p.communicate(timeout=600)
    assert p.returncode == 72 and not findings(out) and not list((out / "pending").iterdir()), (
        errors
    )
    assert "ended by signal" not in errors


def test_a_campaign_that_was_stopped_and_goes_on_found_nothing(tmp_path):
    """Ctrl-Z stops all of it, for longer than a judgement may take."""
    out = tmp_path / "out"
    with subprocess.Popen(
        [BINARY, "fuzz", "--max-total-time=1000", "--timeout=2s", "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"FUSILLADE_REPORTS": "/no/picture"},
        text=True,
        start_new_session=True,
    ) as p:
        for _ in range(2):
            before = programs_so_far(out)
            wait_until(lambda b=before: programs_so_far(out) > b, p)
            os.killpg(p.pid, signal.SIGSTOP)
            time.sleep(4)  # longer than the limit, on any machine
            os.killpg(p.pid, signal.SIGCONT)
        before = programs_so_far(out)
        wait_until(lambda: programs_so_far(out) > before, p)
        p.send_signal(signal.SIGINT)
        _, errors = p.communicate(timeout=600)
    assert p.returncode == 72 and not findings(out) and not list((out / "pending").iterdir()), (
        errors
    )


def test_under_nohup_a_closed_terminal_ends_nothing(tmp_path):
    out = tmp_path / "out"

    under = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]
    with subprocess.Popen(
        [*under, BINARY, *CAMPAIGN, "--out", out],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"FUSILLADE_REPORTS": "/no/picture"},
    ) as p:
        wait_until((out / "campaign.db").exists, p)
        p.send_signal(signal.SIGHUP)
        _, errors = p.communicate(timeout=600)
    assert p.returncode == 0, errors


def test_a_reader_that_is_gone_ends_no_campaign(tmp_path):
    out = tmp_path / "out"
    reading, writing = os.pipe()
    os.close(reading)
    p = subprocess.run(
        [BINARY, *CAMPAIGN, "--out", out], stdout=writing, stderr=writing, timeout=200
    )
    os.close(writing)
    assert p.returncode == 1  # its output could not be written
    assert json.loads((out / "campaign.json").read_text())["programs"] == 60


def test_a_death_with_large_inputs_is_saved_with_one_call(tmp_path):
    """Four calls of 20 MB each: the case has the one that shows the hang alone, and is read
    again."""
    (tmp_path / "endless.py").write_text(
        "def f(x):\n    n = 1\n    while n > 0:\n        n = n % 7 + 1\n    return x\n"
    )
    run(
        "check",
        "endless.py",
        "--rand",
        "f32[5000000]",
        "--timeout=3s",
        "--inputs=4",
        "--oracle=differential",
        "--plan=vm",
        "--out=out",
        cwd=tmp_path,
    )
    (case,) = [  # a folder NAME.part is of a triage whose time ended while it wrote
        *(tmp_path / "out/pending").glob("*.case"),
        *(p for p in (tmp_path / "out/findings").glob("*/original.case") if ".part" not in str(p)),
    ]
    text = case.read_text()
    assert "verdict: hang" in text and text.count("\ncall:\n") == 1

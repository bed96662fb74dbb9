"""Trials: one command, one fault, and what is asked afterwards."""

import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

import checks
import cuts
import shim
from scenarios import SCENARIOS

CUT = [name for name, s in SCENARIOS.items() if s.cut]
OTHER_TESTS = [*(f"cut-{name}" for name in CUT), *(f"kill-{name}" for name in SCENARIOS)]
SIGNALS = ("SIGHUP", "SIGXFSZ", "SIGPIPE", "SIGTERM", "SIGKILL")
HANG = 1500  # seconds: what takes longer does not end, on any machine
MOST_MALLOCS = 400  # of one test under --all: each is one of a hundred thousand


@dataclass
class Table:
    rows: dict = field(default_factory=dict)  # test -> [trials, failures]
    failures: list = field(default_factory=list)

    def add(self, test, problems, command):
        row = self.rows.setdefault(test, [0, 0])
        row[0] += 1
        if not problems:
            return
        row[1] += 1
        self.failures.append((test, problems, command))
        print(f"FAILED {test}: {command}", *problems, sep="\n    ", flush=True)

    def text(self):
        lines = ["", "| test | trials | failures |", "|---|---:|---:|"]
        rows = [*self.rows.items(), ("all", [sum(c) for c in zip(*self.rows.values())] or [0, 0])]
        lines += [f"| {test} | {n} | {bad} |" for test, (n, bad) in rows]
        return "\n".join(lines)


@dataclass
class Done:
    code: int
    text: str  # of stdout and stderr
    errors: str


def sample(count, most, draw):
    """Numbers from 1 to `count`, all, or one drawn from each of `most` equal parts."""
    if most >= count:
        return list(range(1, count + 1))
    return [1 + int((i + draw.random()) * count / most) for i in range(most)]


class Unfit(Exception):
    """A test that cannot begin."""


class Runner:
    def __init__(self, asked, folder):
        self.asked, self.folder, self.table = asked, folder, Table()
        self.shim = shim.Shim(folder, asked.binary)
        self.given = folder / "given"
        self.given.mkdir()
        self.end = time.monotonic() + asked.budget
        self.baselines = {}

    def work(self):
        work = self.folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        return work

    def start(self, scenario, words, work, more=None):
        env = scenario.environment(work)
        return subprocess.Popen(
            [self.asked.binary, *words],
            env=env | (more or {}),
            cwd=scenario.cwd or work,
            stdout=open(work / "stdout", "wb"),
            stderr=open(work / "stderr", "wb"),
            start_new_session=True,
        )

    def finish(self, process, work):
        try:
            code = process.wait(HANG)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        errors = (work / "stderr").read_text(encoding="utf-8", errors="replace")
        text = (work / "stdout").read_text(encoding="utf-8", errors="replace") + errors
        return Done(code, text, errors)

    def command(self, scenario, words, work, more=None):
        return self.finish(self.start(scenario, words, work, more), work)

    def keep(self, work, name):
        if self.asked.keep:
            to = self.asked.keep / name
            shutil.rmtree(to, ignore_errors=True)
            shutil.copytree(work, to, symlinks=True)

    def again_with(self, test, **flags):
        words = ["suites/faults/run", "--test", test]
        for flag, value in flags.items():
            words += [f"--{flag}", str(value)]
        return shlex.join(words)

    def baseline(self, scenario):
        """A run without faults: its exit code, what it came to, and how often each call came."""
        if scenario.name not in self.baselines:
            self.baselines[scenario.name] = self.run_unharmed(scenario)
        return self.baselines[scenario.name]

    def run_unharmed(self, scenario):
        work = self.work()
        scenario.before(work)
        self.shim.set()
        started = time.monotonic()
        words = scenario.command(work)
        done = self.command(scenario, words, work, self.shim.environment())
        if done.code not in scenario.codes or done.code == 1:
            raise Unfit(f"it fails without a fault: {done}")
        result = scenario.result(work)
        problems = [*checks.folder_whole(work / "out"), *scenario.missing(work, done.text)]
        if problems:
            raise Unfit(f"it fails without a fault: {done} {problems}")
        return Baseline(done.code, result, self.shim.counts(), time.monotonic() - started)


@dataclass
class Baseline:
    code: int
    result: dict
    counts: dict
    seconds: float


def ended_well(scenario, done):
    if done.code is None:
        yield f"it did not end within {HANG} s"
    elif done.code < 0:
        yield f"it died of {signal.Signals(-done.code).name}: {done.errors[-300:]}"
    elif done.code not in scenario.codes:
        yield f"exit code {done.code} is not documented for {scenario.name}: {done.errors[-300:]}"


def names_place(done, what, kind):
    """An error says what was being done, or what there was none of."""
    if "error: " not in done.errors:
        yield f"exit code 1, and stderr names no error: {done.errors[-300:]!r}"
        return
    name = what.split(" ", 1)[-1].rsplit("/", 1)[-1].removesuffix(".part")
    name = name.removesuffix("-journal")  # of a database, which is named instead
    words = {name} - {""} | {os.strerror(e) for e in shim.KINDS.get(kind, ())}
    words |= {"memory", "disk I/O error", "database or disk is full"}
    if not any(w in done.errors for w in words):
        yield f"stderr does not name the place ({what}): {done.errors[-300:]!r}"


def complete(scenario, work, base):
    try:
        result = scenario.result(work)
    except (OSError, ValueError, KeyError) as e:
        return [f"exit code {base.code}, and its result is not there: {e!r}"]
    return [f"exit code {base.code}, but {d}" for d in checks.differences(result, base.result)]


def goes_on(runner, scenario, work, base, reported):
    """Without the fault the command comes to what it would have come to."""
    done = runner.command(scenario, scenario.again(work), work)
    if done.code == 1 and "without --resume" in done.errors:
        done = runner.command(scenario, scenario.command(work), work)
    if done.code != base.code:
        yield f"afterwards exit code {done.code}, not {base.code}: {done.errors[-300:]}"
    if done.code in (0, 2, 3):
        yield from (f"afterwards {p}" for p in complete(scenario, work, base))
    yield from (f"afterwards {p}" for p in scenario.missing(work, reported + done.text))
    yield from (f"afterwards {p}" for p in checks.folder_whole(work))


def judge(runner, scenario, work, base, done, what, kind):
    """All that is asked after a fault."""
    yield from ended_well(scenario, done)
    if done.code == base.code:
        yield from complete(scenario, work, base)
    elif done.code == 1:
        yield from names_place(done, what, kind)
    elif done.code in (0, 2, 3):
        yield f"exit code {done.code}, not {base.code}, after {what}: {done.errors[-300:]!r}"
    yield from scenario.missing(work, done.text)
    yield from checks.folder_whole(work)
    yield from goes_on(runner, scenario, work, base, done.text)


def try_fault(runner, scenario, base, kind, number):
    work = runner.work()
    scenario.before(work)
    runner.shim.set(kind, number)
    done = runner.command(scenario, scenario.command(work), work, runner.shim.environment())
    fault = runner.shim.fault()
    if not fault:
        return None
    what = fault[0]
    problems = list(judge(runner, scenario, work, base, done, what, kind))
    problems = [f"at: {what}", *problems] if problems else []
    again = runner.again_with(scenario.name, kind=kind, number=number)
    runner.table.add(f"{scenario.name}: {kind}", problems, again)
    if problems:
        runner.keep(work, f"{scenario.name}-{kind}-{number}".replace(" ", "-"))
    return problems


def moments(asked, count, seconds, cost):
    """Which of `count` moments are tried, for as long as the time allows."""
    if asked.number is not None:
        yield asked.number
        return
    most = count if asked.all else max(1, min(count, int(seconds / cost)))
    end = time.monotonic() + seconds
    draw = random.Random(f"{asked.seed} {count}")
    numbers = sample(count, most, draw)
    draw.shuffle(numbers)
    for number in numbers:
        if not asked.all and time.monotonic() > end:
            return
        yield number


def cut_power(runner, scenario, seconds):
    """The power goes after each event of one run."""
    base = runner.baseline(scenario)
    work, log = runner.work(), runner.folder / "log"
    log.unlink(missing_ok=True)
    scenario.before(work)
    start = cuts.snapshot(work)
    runner.shim.set()
    words = scenario.command(work)
    runner.command(scenario, words, work, runner.shim.environment(log, work))
    events = cuts.read_log(log)
    test = f"cut-{scenario.name}"
    print(f"{test}: {base.seconds:.1f} s, {len(events)} events", flush=True)
    for k in moments(runner.asked, len(events), seconds, 2 * base.seconds):
        shutil.rmtree(work)
        drew = cuts.rebuild(events, k, work, start, random.Random(f"{runner.asked.seed} {k}"))
        reported = cuts.reported_before(events, k)
        problems = [
            *scenario.missing(work, reported),
            *checks.cases_whole(work),
            *checks.json_whole(work),
        ]
        problems += [*scenario.read(runner, work, reported)]
        problems += [*goes_on(runner, scenario, work, base, reported)]
        problems = [f"there are {drew}", *problems] if problems else []
        runner.table.add(test, problems, runner.again_with(test, number=k, seed=runner.asked.seed))
        if problems:
            runner.keep(work, f"{test}-{k}")


def kill(runner, scenario, seconds):
    """A signal at some moment of a run."""
    base = runner.baseline(scenario)
    test, count = f"kill-{scenario.name}", 1000
    print(f"{test}: {base.seconds:.1f} s", flush=True)
    for number in moments(runner.asked, count, seconds, 2 * base.seconds):
        draw = random.Random(f"{runner.asked.seed} {number}")
        name, moment = SIGNALS[number % len(SIGNALS)], draw.uniform(0.01, base.seconds)
        work = runner.work()
        scenario.before(work)
        process = runner.start(scenario, scenario.command(work), work)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.Signals[name])
        done = runner.finish(process, work)
        problems = list(judge_kill(runner, scenario, work, base, done, signal.Signals[name]))
        if problems:
            problems = [f"{name} after {moment:.2f} s", *problems]
            runner.keep(work, f"{test}-{number}")
        again = runner.again_with(test, number=number, seed=runner.asked.seed)
        runner.table.add(test, problems, again)


def judge_kill(runner, scenario, work, base, done, number):
    silent = not done.text  # it had not started
    dies = number == signal.SIGKILL or not scenario.flushes or silent
    if done.code not in (-number if dies else 1, 1):
        yield from ended_well(scenario, done)
    if done.code == base.code:
        yield from complete(scenario, work, base)
    yield from scenario.missing(work, done.text)
    yield from checks.cases_whole(work)
    yield from checks.json_whole(work)
    yield from goes_on(runner, scenario, work, base, done.text)


def walk(runner, scenario, seconds):
    """Calls of each kind in turn, as many as the time allows."""
    asked = runner.asked
    base = runner.baseline(scenario)
    kinds = [k for k in (asked.kind or [*shim.KINDS, shim.HALF]) if base.counts[k]]
    print(f"{scenario.name}: {base.seconds:.1f} s,", {k: base.counts[k] for k in kinds}, flush=True)
    if asked.number:
        for kind in kinds:
            try_fault(runner, scenario, base, kind, asked.number)
        return
    most = max(1, int(seconds / (3 * base.seconds) / max(1, len(kinds))))
    plan = []
    for at, kind in enumerate(kinds):
        n = base.counts[kind]
        tried = (MOST_MALLOCS if kind == "malloc" else n) if asked.all else most
        numbers = sample(n, tried, random.Random(f"{asked.seed} {scenario.name} {kind}"))
        plan += [((i + at / len(kinds)) / len(numbers), kind, k) for i, k in enumerate(numbers)]
    end = time.monotonic() + seconds
    for _, kind, number in sorted(plan):
        if not asked.all and time.monotonic() > end:
            break
        try_fault(runner, scenario, base, kind, number)


def run(asked, folder):
    runner = Runner(asked, folder)
    tests = asked.test or [*SCENARIOS, *OTHER_TESTS]
    for done, test in enumerate(tests):
        share = max(0, runner.end - time.monotonic()) / (len(tests) - done)
        way, name = test.split("-", 1) if test in OTHER_TESTS else ("", test)
        trial = {"cut": cut_power, "kill": kill}.get(way, walk)
        try:
            trial(runner, SCENARIOS[name](asked.binary, runner.given), share)
        except Unfit as e:
            runner.table.add(test, [str(e)], runner.again_with(test))
        sys.stdout.flush()
    return runner.table

"""The commands that faults are tried on: what each is given, how it goes on, what it came to.

A scenario is run in a folder of its own, `work`. What it came to (`result`) is compared with that
of a run without faults; times are left out.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import checks

ROOT = checks.ROOT
PYTHON = "/usr/bin/python3"
SCRIPT = "def f(x):\n    return x.relu() * 2.0 + 1.0\n"
OTHER_SCRIPT = "def f(x):\n    return x.exp()\n"


def wrong_engine(given):
    """An engine with one bug, so that findings are triaged and kept."""
    text = (ROOT / "fuzz/workers/example.py").read_text(encoding="utf-8")
    (given / "wrong.py").write_text(text.replace("np.negative", "lambda a: -2 * a"))
    return [
        f"--engine=wrong={given}/wrong.py",
        f"--engine-python=wrong={PYTHON}",
        "--plan=wrong:eager",
        "--policy=chains",
        "--min-yield=0",
        "--jobs=1",
    ]


@dataclass
class Scenario:
    """One command. `given` holds what all its runs read."""

    program: str
    given: Path
    name = ""
    codes = (0, 1)  # that it may end with
    cwd = None
    python = "/nonexistent"  # draws no plot, which would cost more than the campaign
    flushes = False  # on signals
    cut = False  # is tried with power cuts

    def environment(self, work):
        env = {k: v for k, v in os.environ.items() if not k.startswith("FUSILLADE_")}
        env |= {"FUSILLADE_CACHE": str(work / "cache"), "TMPDIR": str(work)}
        return env | {"FUSILLADE_PYTHON": self.python, "FUSILLADE_REPORTS": str(ROOT / "reports")}

    def prepare(self, words, work):
        """Runs a command that makes what another one reads."""
        done = subprocess.run(
            [self.program, *words],
            env=self.environment(work),
            cwd=self.cwd or work,
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 2):
            raise SystemExit(f"{words}: exit code {done.returncode}: {done.stderr}")

    def before(self, work):
        """Makes what the command finds in place."""

    def command(self, work):
        raise NotImplementedError

    def again(self, work):
        """The command that goes on after a fault."""
        return self.command(work)

    def result(self, work):
        raise NotImplementedError

    def missing(self, work, text):
        """What was reported and is not there."""
        return []

    def read(self, runner, work, text):
        """What verbs that only read do not take."""
        return []


class Fuzz(Scenario):
    name, codes, flushes, cut = "fuzz", (0, 1, 2, 3, 72), True, True
    runs, seed = 40, 1

    def command(self, work):
        engine = wrong_engine(self.given)
        return ["fuzz", *engine, f"--runs={self.runs}", f"--seed={self.seed}", f"--out={work}/out"]

    def again(self, work):
        return [*self.command(work), "--resume"]

    def result(self, work):
        return checks.campaign_result(work / "out")

    def missing(self, work, text):
        return checks.findings_whole(work / "out", checks.reported_findings(text))

    def read(self, runner, work, text):
        for bucket in checks.reported_findings(text):
            case = work / "out/findings" / bucket / "reduced.case"
            done = runner.command(self, ["show", str(case)], work)
            if done.code != 0:
                yield f"show {case}: exit code {done.code}, {done.errors[-300:]}"


class Ours(Fuzz):
    """The built-in engine, with kernels that are kept on disk."""

    name, cut = "fuzz-ours", False

    def command(self, work):
        plans = ["--plan=vm/o2,fuse(loopnest,llvm)", "--plan=jit"]
        out = f"--out={work}/out"
        return ["fuzz", *plans, f"--runs={self.runs}", f"--seed={self.seed}", "--jobs=1", out]


class Check(Fuzz):
    name, cut = "check", False

    def command(self, work):
        (self.given / "f.py").write_text(SCRIPT)
        rest = ["--rand=f32[4]", "--inputs=2", "--plan=vm", "--jobs=1", f"--out={work}/out"]
        return ["check", f"{self.given}/f.py", *rest]


class Save(Scenario):
    name, cut = "save", True

    def before(self, work):
        (self.given / "old.py").write_text(OTHER_SCRIPT)
        (self.given / "new.py").write_text(SCRIPT)
        self.prepare(["save", f"{self.given}/old.py", "--fn=f", f"--out={work}/a.pt"], work)

    def command(self, work):
        return ["save", f"{self.given}/new.py", "--fn=f", f"--out={work}/a.pt"]

    def result(self, work):
        return {"archive": hashlib.sha256((work / "a.pt").read_bytes()).hexdigest()}


class Bench(Scenario):
    name, codes, cut = "bench", (0, 1, 2, 72), True

    def command(self, work):
        folder = self.given / "programs"
        folder.mkdir(exist_ok=True)
        shutil.copy(ROOT / "bench/programs/gelu_bias.py", folder)
        tiny = ["--size=small", "--plan=eager", "--plan=vm", "--processes=2", "--iterations=20"]
        return ["bench", f"--programs={folder}", *tiny, f"--out={work}/bench.json"]

    def result(self, work):
        path = work / "bench.json"
        if not path.exists():
            return {"timings": []}
        entries = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
        names = [(e["name"], e.get("error_occurred", False)) for e in entries]
        return {"timings": sorted(map(str, names))}


class History(Scenario):
    """A second run is added to a history that has one, in a repository of two commits."""

    name, python = "history", PYTHON

    def __init__(self, program, given):
        super().__init__(program, given)
        self.cwd = given / "repository"
        if self.cwd.exists():
            return
        who = ["-c", "user.name=faults", "-c", "user.email=faults@localhost"]
        subprocess.run(["git", "init", "-q", self.cwd], check=True)
        for subject in ("first", "second"):
            commit = [*who, "commit", "-q", "--allow-empty", "-m", subject]
            subprocess.run(["git", "-C", self.cwd, *commit], check=True)

    def bench(self, commit):
        bench_file = self.given / commit.replace("~", "-") / "bench.json"
        if not bench_file.exists():
            bench_file.parent.mkdir()
            self.prepare(
                Bench(self.program, self.given).command(bench_file.parent), bench_file.parent
            )
        return bench_file

    def before(self, work):
        self.prepare(self.words(work, "HEAD~1"), work)

    def words(self, work, commit):
        named = subprocess.run(
            ["git", "rev-parse", commit], cwd=self.cwd, check=True, capture_output=True, text=True
        ).stdout.strip()
        words = ["history", "add", str(self.bench(commit)), f"--db={work}/history.sqlite"]
        return [*words, f"--commit={named}", "--machine=m"]

    def command(self, work):
        return self.words(work, "HEAD")

    def result(self, work):
        with closing(sqlite3.connect(work / "history.sqlite")) as db:
            return {"results": db.execute("SELECT count(*) FROM results").fetchone()[0]}


class Report(Scenario):
    name, python = "report", PYTHON

    def before(self, work):
        kept = self.given / "campaign"
        if not kept.exists():
            kept.mkdir()
            self.prepare(Fuzz(self.program, self.given).command(kept), kept)
        shutil.copytree(kept / "out", work / "out")

    def command(self, work):
        return ["report", f"{work}/out"]

    def result(self, work):
        page = work / "out/report/index.html"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        return {"page": text.endswith("</html>\n")}


SCENARIOS = {s.name: s for s in (Fuzz, Ours, Check, Save, Bench, History, Report)}

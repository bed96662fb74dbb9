"""A finding of an external engine as the text of an issue for those who maintain it.

What their forms ask for is in it: the script, what it prints, the versions, for PyTorch an
ablation over back ends, which runs the script once per back end. The script is written anew from
the parsed case (fuzz/run/foreign/script.h), never taken from the folder, which may come from a
stranger; what finding.json says is only shown, spelled.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass

from . import causes, model
from .visible import visible

SECONDS = 300  # of one run of the script
SHOWN = 77  # a script's exit status while the finding lives

TRACKERS = {
    "torch": "https://github.com/pytorch/pytorch/issues",
    "jax": "https://github.com/jax-ml/jax/issues",
    "ort": "https://github.com/microsoft/onnxruntime/issues",
}
NAMES = {"torch": "PyTorch", "jax": "JAX", "ort": "ONNX Runtime"}

# What torch.compile does, one part more in each: where a script first shows the finding is the
# part to blame.
BACKENDS = ("eager", "aot_eager", "aot_eager_decomp_partition", "inductor")
BLAMED = {
    "eager": "Dynamo: already the captured graph, run by eager mode, differs",
    "aot_eager": "AOTAutograd: the traced graph differs before any decomposition",
    "aot_eager_decomp_partition": "decompositions or the partitioner",
    "inductor": "Inductor: every earlier back end gives the right value",
    None: "none: no back end shows it alone",
}
COMPILES = re.compile(r"torch\.compile\((?P<what>[^()]*(?:\([^()]*\)[^()]*)*)\)")

HOW_JUDGED = (
    "Judged against an interval for each element: what roundings, orders of sums, contracted "
    "products and the other usual formulas of an operator may give. `fusillade list deviations` "
    "says where that last part was chosen."
)


@dataclass
class Run:
    name: str
    shows: bool
    said: str  # the line that says what was expected, else the last


class NoIssue(Exception):
    """There is nothing to write, with the reason."""


def family_of(finding, worker=None):
    """ "torch" of a finding under torch:compile, or under another name of its worker."""
    family = worker or finding["plan"].split(":")[0].split("/")[0]
    if family not in TRACKERS:
        raise NoIssue(
            f"plan {visible(finding['plan'])}: issues are written for {', '.join(TRACKERS)}; for "
            "another engine send its makers script.py and reduced.case"
        )
    return family


def with_backend(script, backend):
    """The script with each torch.compile(f) given its back end; None where there is none."""
    changed, count = COMPILES.subn(
        lambda m: (
            f"torch.compile({m['what']}, backend={backend!r})"
            if "backend=" not in m["what"]
            else m[0]
        ),
        script,
    )
    return changed if count and changed != script else None


def run_of(interpreter, script, name, folder):
    """Runs the text; a run that does not end shows nothing."""
    try:
        done = subprocess.run(
            [interpreter, "-I", "-c", script],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            cwd=folder,
        )
    except subprocess.TimeoutExpired:
        return Run(name, False, f"did not end in {SECONDS} s")
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    expected = next((line for line in lines if ": expected " in line), lines[-1] if lines else "")
    said = visible(expected)[:200] or f"exit status {done.returncode}"
    return Run(name, done.returncode == SHOWN, said)


def ablation(interpreter, script, folder):
    """A run per back end of torch.compile; empty where the script compiles nothing."""
    runs = []
    for backend in BACKENDS:
        changed = with_backend(script, backend)
        if changed is None:
            return []
        runs.append(run_of(interpreter, changed, backend, folder))
    return runs


def first_to_show(runs):
    return next((run.name for run in runs if run.shows), None)


def sureness(runs, times):
    """How sure we are, in a sentence, from repeated runs of the unchanged script."""
    shown = sum(run.shows for run in runs)
    if shown == len(runs):
        return f"The script showed it in {shown} of {times} runs."
    if shown:
        return f"The script showed it in {shown} of {times} runs: it is not deterministic."
    return "The script did not show it here: check the versions before you send this."


def names_of(finding):
    """ "exp" of aten::exp.out."""
    return [op.split("::")[-1].split(".")[0] for op in finding["operators"]]


def what_it_does(finding):
    if finding["message"].startswith("error: "):
        return "raises an error that eager mode does not"
    return {
        "mismatch": "differs from eager mode",
        "crash": "crashes",
        "hang": "does not end",
    }.get(finding["verdict"], finding["verdict"])


def words_to_search(finding):
    """What to search the tracker for before a new issue is opened."""
    if finding["message"].startswith("error: "):
        words = [finding["message"].removeprefix("error: ")[:100]]
    else:
        words = []
    kind = "wrong result" if finding["verdict"] == "mismatch" else finding["verdict"]
    return words + [f"{op} {kind}" for op in names_of(finding)[:4]]


def fence(text, language=""):
    """A code block that the text cannot close."""
    ticks = max((len(run) for run in re.findall(r"`+", text)), default=0)
    marks = "`" * max(3, ticks + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def title_of(finding, family):
    ops = ", ".join(names_of(finding)[:3]) or "a program"
    engine = finding["plan"].split(":")[-1]
    return visible(f"{family}.{engine}: {ops} {what_it_does(finding)}")


def issue_of(finding, family, script, runs, again, versions):
    """The text, in Markdown."""
    engine = finding["plan"].split(":")[-1]
    parts = [f"# {title_of(finding, family)}", "", "## Describe the bug", ""]
    parts += [f"Under `{family}.{engine}` this program {what_it_does(finding)}: "]
    parts[-1] += f"{visible(finding['message'])}."
    parts += [""]
    parts += [fence(visible(finding["detail"])), "", fence(script, "python"), ""]
    parts += ["It prints:", "", fence("\n".join(dict.fromkeys(run.said for run in again))), ""]
    parts += [sureness(again, len(again)), ""]
    if finding["message"] == "wrong result":
        parts += [HOW_JUDGED, ""]
    if runs:
        parts += ["## Ablation", "", "| back end | shows it | prints |", "|---|---|---|"]
        cell = [(r.name, "yes" if r.shows else "no", r.said.replace("|", "\\|")) for r in runs]
        parts += [f"| {name} | {shows} | {said} |" for name, shows, said in cell]
        parts += ["", f"First to blame: {BLAMED[first_to_show(runs)]}.", ""]
    parts += ["## Versions", "", fence(versions), ""]
    parts += [f"Found by Fusillade ({visible(finding['origin'])}), reduced to "]
    parts[-1] += f"{finding['nodes']} operator{'s' if finding['nodes'] != 1 else ''}."
    return "\n".join(parts) + "\n"


VERSIONS = {
    "torch": "import torch.utils.collect_env as c; print(c.get_pretty_env_info())",
    "jax": "import jax; jax.print_environment_info()",
    "ort": "import onnxruntime as o, onnx, numpy, platform; "
    "print('onnxruntime', o.__version__, 'onnx', onnx.__version__, 'numpy', numpy.__version__); "
    "print(o.get_build_info()); print(platform.platform(), platform.python_version())",
}


def versions_of(interpreter, family):
    try:
        done = subprocess.run(
            [interpreter, "-I", "-c", VERSIONS[family]],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"{NAMES[family]}: its versions were not known in {SECONDS} s"
    return visible(done.stdout.strip() or done.stderr.strip().splitlines()[-1])


def upstream(folder, path, interpreter, worker=None, times=3):
    """The issue of a finding's folder, what to search for first, and whether the script at `path`
    shows the finding here. `worker`: the shipped one that the plan's family runs."""
    inside = causes.inside(folder, "finding.json")
    if inside is None or os.path.getsize(inside) > causes.MOST_FILE:
        raise NoIssue(f"{visible(folder)} holds no finding.json: give the folder of a finding")
    finding = model.load(inside, "finding")
    family = family_of(finding, worker)
    with open(path, encoding="utf-8") as file:
        script = file.read()
    again = [run_of(interpreter, script, "script.py", folder) for _ in range(times)]
    runs = ablation(interpreter, script, folder) if family == "torch" else []
    issue = issue_of(finding, family, script, runs, again, versions_of(interpreter, family))
    search = [f"search {TRACKERS[family]} for:"]
    search += [f"  {visible(words)}" for words in words_to_search(finding)]
    return issue, "\n".join(search) + "\n", any(run.shows for run in again)


def main(folder, script, interpreter, worker=None):
    try:
        issue, search, shows = upstream(folder, script, interpreter, worker)
    except (NoIssue, model.Broken) as reason:
        print(f"fusillade: {reason}", file=sys.stderr)
        return 1
    print(search, file=sys.stderr)
    path = os.path.join(folder, "issue.md")
    from . import files

    files.write(path, issue, folder)
    print(issue, end="")
    print(f"written to {visible(path)}", file=sys.stderr)
    return 0 if shows else 3

"""Every command of a ```sh block in README.md, CONTRIBUTING.md, docs/ and results/ is run, cut down
by the table of slices below.

A command that no slice cuts runs as it is, and has a minute: a new one in the manual is run
here from its first day. What cannot be run here is among LEFT_OUT, with why, and the reasons
are printed (pytest -rs).
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from under_test import BINARY, ROOT

# Pages of bench/peers and of counters of the processor, whose commands take minutes and hours.
MEASURED = {"eager.md", "figures.md", "fusers.md", "model_times.md"}
DOCS = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(
        str(p.relative_to(ROOT))
        for folder in ("docs", "results")
        for p in Path(ROOT, folder).rglob("*.md")
        if p.name not in MEASURED and re.search(r"^ *```sh$", p.read_text("utf-8"), re.M)
    ),
]
SECONDS = 60
OURS = "build/release/fusillade"
ENGINES = Path(ROOT, "build/engines/bin/python")
OUTSIDE = "torch|jax|ort|old|iree|mlx|mnn|onnxref|openvino|tf|tflite|tinygrad|tvm"

# What is not run here, by a pattern of the command: why.
LEFT_OUT = [
    (
        r"^ci/(fuzz|check|setup|gpu|build|portable|package)\.sh",
        "it installs and builds; this test is a part of it",
    ),
    (r"^pip install|^mkdocs ", "it installs from elsewhere, or needs what was"),
    (
        r"fusillade (recheck|prune) out/night",
        "it needs a campaign with findings: test_recheck.py and test_prune.py have some",
    ),
    (r"many_findings\.py", "it makes hundreds of thousands of files"),
    (r"^kubectl ", "it needs a cluster: test_kubernetes.py plays the manifests"),
    (r"pytest ", "it is a test that runs beside this one"),
    (r"ci/laws\.py", "the laws are a phase of ci/check.sh"),
    (
        r"screenshot\.py",
        "it needs a browser; reports/tests/test_browser.py has one where there is one",
    ),
    (
        r"^(\S+=\S+ )?\S*fusillade planted|/build/planted/|^FUSILLADE_PLANTED",
        "it builds a copy of the tree: test_planted.py",
    ),
    (r"planted/ten\.py run", "it builds two commits: test_slowdowns.py"),
    (r"planted/mutate\.py|^git worktree", "it writes into another tree: ci/tests/test_plant.py"),
    (r"compare --machines", "it needs machines: test_compare_verb.py has files of some"),
    (r"compare --commits", "it builds two commits: test_compare_verb.py has builds that need none"),
    (r"--against HEAD", "it builds a commit: test_against.py"),
    (r"cmake/united/group\.py|ninja |cmake --preset|-ftime-trace", "it builds this tree"),
    (r"build/fuzz/fuzz_parse_", "a target of libFuzzer has a build of its own"),
    (r"fusillade releases ", "it needs two releases: test_releases.py has a worker that is both"),
    (r"fusillade upstream ", "it is about a finding in PyTorch: test_upstream_verb.py"),
    (
        r"history (add|show)",
        "it is about a clean checkout: test_history_verb.py has a repository of its own",
    ),
    (
        r"report out/planted",
        "it is of a hunt that is not run here: reports/tests/test_planted_page.py",
    ),
    (
        r"check spread\.py|--oracle plain_python",
        "only an external engine takes its file: test_plain_python.py",
    ),
    (r"slurm/campaign\.sh", "it needs a cluster: test_shards.py has a stand-in"),
    (r"faults/run", "it takes minutes: test_faults.py runs a slice of it"),
    (r"make_gradients\.py", "it writes the tables of answers anew"),
    (
        r"external/pytorch/models\.py",
        "it makes models of torchvision and timm, which takes minutes: test_external.py",
    ),
    (
        r"peers/(models|fusers)\.py",
        "it measures other compilers, which takes minutes: test_peers_options.py asks its options",
    ),
]

# What a command becomes: (where this matches, pattern, text instead), in this order.
SLICES = [
    (r".", r"^fusillade ", OURS + " "),
    (r" (fuzz|check) ", r" --jobs[= ]\d+", ""),
    (r" fuzz ", r" --max-findings=\d+", ""),
    (r" fuzz ", r" --(runs|max-total-time|min-yield)[= ]\S+", ""),
    (r" fuzz ", r"$", " --runs 8 --min-yield 0"),
    (r" fuzz .*--policy rows", r"--policy rows", "--policy rows --oracle differential"),
    (r" fuzz .*--(oracle (scaling|speed)|plan '[^']*cuda)", r"--runs 8", "--runs 2"),
    (r" fuzz ", r" --engine-python \S+", ""),
    (r"mine:fast", r"--runs 8", "--runs 80"),
    # the engine of ONNX runs in test_start.py, where onnx is installed
    (r"mine_onnx\.py", r"mine_onnx\.py", "mine.py"),
    (r"mine\.py", r"--plan vm/o2", "--plan mine:fast"),
    (r"mine\.py", r"$", " --engine-python mine=/usr/bin/python3"),
    (r" reduce .*--budget", r"--budget \S+", "--budget 5s"),
    (r" repro .*--times", r"--times \d+", "--times 1"),
    (r" fuzz .*--oracle (peer_gradient|compiled)", r" --oracle (peer_gradient|compiled)", ""),
    # no engine of ours runs whole Python: test_whole_python.py
    (r" fuzz .*--oracle whole_python", r" --(oracle whole_python|policy python)", ""),
    (r" fuzz ", rf"--plan ('({OUTSIDE}):[^']*'|({OUTSIDE}):\S+)", "--plan vm/o2"),
    (r" fuzz ", r"--plan vm/o2( --plan vm/o2)+", "--plan vm/o2"),
    (r" check .*--oracle compiled", r" --oracle compiled", ""),
    (r" check ", rf"--plan ({OUTSIDE}):\S+", "--plan vm/o2"),
    (r" check ", r"--plan vm/o2( --plan vm/o2)+", "--plan vm/o2"),
    (r" check ", r" --inputs \d+", ""),
    (r" check ", r"$", " --inputs 1 --oracle differential"),
    (r" bench ", r" --(processes|iterations|filter) \S+", ""),
    (r" bench ", r"$", " --processes 1 --iterations 20 --filter '^ratio_iou/N:16$'"),
    (r" compare ", r"$", " --gate none"),
    (r" selftest ", r" --runs \d+ --jobs \d+", " --runs 50"),
    (r" truth ", r" --trials 100( \[BENCH\] \[--history FILE\]|0)", " --trials 1"),
    (r" ulps --every 1 ", r" --every 1 ", " --every 1000003 exp"),
    (r" --cost \d+", r" --cost \d+", " --cost 1"),
    (r"f32\[1024,1024\]", r"f32\[1024,1024\]", "f32[8,1024]"),
    (r"Layer\(128, 128\)", r"f32\[64,16,128\]", "f32[2,3,128]"),
    (r"unit_tests", r"--gtest_filter", "--gtest_list_tests --gtest_filter"),
    (r"pytorch/operators\.py", r"$", " --only erfinv --share 64 --jobs 1"),
    (r"peers/eager\.py", r"--rounds 1", "--rounds 1 --filter '^add$' --python /usr/bin/python3"),
]

# Exit codes other than 0: findings and too little data are no fault of the manual.
ALSO_FINE = [
    (r" (fuzz|check|merge) ", (2, 3)),
    (r" repro .*mine\.py", (77,)),
    (r" repro .*--script", (1,)),  # of a case that passes there is none
    (r" gpu ", (1, 3)),
    (r"@cuda", (1,)),
]

NET = """import torch
def f(x):
    return (x * 2).sigmoid()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
    def forward(self, x):
        return x * self.weight
"""
FILES = {
    "FILE.py": "def f(x, y: Optional[Tensor] = None):\n    return x.exp().sum(-1)\n",
    "PROGRAM.py": "def f(x):\n    return (x * 2).sigmoid()\n",
    "net.py": NET,
    "peak.py": "def peak(x):\n    return x.argmax(keepdim=True)\n",
    "known.txt": "",
    "mine.py": Path(ROOT, "docs/start/mine.py").read_text(encoding="utf-8"),
}


def commands(doc):
    """Of each block its commands, continued lines joined; in a block with prompts, what stands
    behind them."""
    text = Path(ROOT, doc).read_text(encoding="utf-8")
    for block in re.findall(r"^ *```sh\n(.*?)^ *```", text, re.S | re.M):
        lines = [
            re.sub(r"\s+#\s.*", "", line).strip() for line in block.replace("\\\n", " ").split("\n")
        ]
        lines = [line for line in lines if line and not line.startswith("#")]
        if any(line.startswith("$ ") for line in lines):
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        yield lines


def slice_command(command):
    command += " "
    for where, pattern, instead in SLICES:
        if re.search(where, command):
            command = re.sub(
                pattern, lambda _, text=instead: text, command, count=1 if pattern == "$" else 0
            )
    return re.sub(r" +", " ", command).strip()


def why_left_out(command):
    if not ENGINES.exists() and re.search(
        r" gen .*--plan (torch:aot|torch:compile|jax:|ort:)", command
    ):
        return "no build/engines (ci/setup.sh --engines)"
    return next((why for pattern, why in LEFT_OUT if re.search(pattern, command)), None)


def same_run(command):
    """Campaigns that differ in where they write to and in their seed are run once."""
    return (
        re.sub(r" --(out|seed)[= ]\S+", "", command)
        if re.search(" (fuzz|check) ", command)
        else command
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder that looks like the repository, into which commands may write."""
    place = tmp_path_factory.mktemp("manual")
    for name in ("bench", "ci", "docs", "fuzz", "reports", "suites"):
        (place / name).symlink_to(Path(ROOT, name))
    (place / "build/release").mkdir(parents=True)
    for path in Path(BINARY).parent.iterdir():
        if path.name != "fusillade":
            (place / "build/release" / path.name).symlink_to(path)
    (place / OURS).symlink_to(BINARY)
    (place / "old").mkdir()
    (place / "old/fusillade").symlink_to(BINARY)
    bucket = place / "out/night/findings/BUCKET"
    bucket.mkdir(parents=True)
    for name, text in FILES.items():
        (place / name).write_text(text)
    subprocess.run(
        [BINARY, "save", "net.py", "--module", "Net()", "--out", "theirs.pt"],
        cwd=place,
        check=True,
        capture_output=True,
    )
    return place


def put_bucket(place):
    """What is known of a finding: a case that passes, so that repro, bisect and reduce end at
    once."""
    bucket = place / "out/night/findings/BUCKET"
    bucket.mkdir(parents=True, exist_ok=True)
    case = sorted(Path(ROOT, "suites/regress").glob("*.case"))[0]
    for name in ("reduced.case", "original.case"):
        shutil.copy(case, bucket / name)


def run_command(place, command, exported):
    environment = os.environ | {"FUSILLADE_PYTHON": "/usr/bin/python3"}
    if re.search(r" (fuzz|check) ", command):
        environment["FUSILLADE_REPORTS"] = str(place / "no picture is drawn")
    return subprocess.run(
        ["bash", "-c", "\n".join([*exported, command])],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


@pytest.mark.parametrize("doc", DOCS)
def test_commands_run(doc, place, record_property):
    wrong, left_out, ran = [], {}, run_so_far(place)
    for lines in commands(doc):
        exported = []
        for line in lines:
            why = why_left_out(line)
            if why:
                left_out[line] = why
                continue
            command = slice_command(line)
            if command.startswith("export "):
                exported.append(command)
                continue
            if same_run(command) in ran and "report" not in command:
                continue
            ran.add(same_run(command))
            if "BUCKET" in command:
                put_bucket(place)
            if "--resume" not in command:
                shutil.rmtree(place / out_of(command), ignore_errors=True)
            elif not (place / out_of(command) / "campaign.db").exists():
                # the campaign that it goes on with ran elsewhere, as the same one of another page
                shutil.rmtree(place / out_of(command), ignore_errors=True)
                run_command(place, command.replace(" --resume", ""), exported)
            try:
                done = run_command(place, command, exported)
            except subprocess.TimeoutExpired:
                wrong.append(
                    f"{line}\n  as {command}: not done within {SECONDS} s; a slice of it is needed"
                )
                continue
            fine = {0}.union(
                *(codes for pattern, codes in ALSO_FINE if re.search(pattern, command))
            )
            if (
                done.returncode not in fine
                or " fuzz " in command
                and not re.search(r"programs? in ", done.stdout)
            ):
                wrong.append(
                    f"{line}\n  as {command}: exit code {done.returncode}\n"
                    f"  {done.stderr.strip()[-600:]}"
                )
    for line, why in left_out.items():
        print(f"not run: {line}: {why}")
        record_property("not run", f"{line}: {why}")
    assert not wrong, "\n".join(wrong)


RAN = {}


def run_so_far(place):
    return RAN.setdefault(place, set())


def out_of(command):
    """The folder of a campaign, which begins anew; nothing else is removed."""
    found = re.search(r" (?:fuzz|check) .*--out[= ](\S+)", command)
    return found[1] if found else "no such folder"


def test_each_slice_and_each_reason_is_needed():
    """What matches no command of the manual any more is taken out of the tables."""
    lines = [line for doc in DOCS for block in commands(doc) for line in block]
    assert len(lines) > 100
    for pattern, _ in LEFT_OUT:
        assert any(re.search(pattern, line) for line in lines), pattern
    for where, pattern, _ in SLICES:
        assert any(re.search(where, line + " ") for line in lines) or "vm/o2" in pattern, where


def test_names_of_engines_outside_are_plans():
    """Of commands whose external engines are exchanged for one of ours, at least the plans are
    read."""
    words = {
        word
        for doc in DOCS
        for block in commands(doc)
        for line in block
        for word in re.findall(r"--plan '?((?:torch|jax|ort):[^' ]+)", line)
    }
    assert len(words) >= 6
    if not ENGINES.exists():  # PyTorch 1.13 has this one
        words &= {"torch:eager"}
    plans = [word for plan in sorted(words) for word in ("--plan", plan)]
    done = subprocess.run([BINARY, "gen", *plans, "--runs", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("doc", ["README.md", "docs/start/your-compiler.md"])
def test_each_campaign_of_the_first_pages_has_an_end(doc):
    """What slices put in place of an end cannot show that one is missing."""
    campaigns = [c for block in commands(doc) for c in block if re.search(r"fusillade fuzz ", c)]
    assert campaigns
    for command in campaigns:
        assert re.search(r" --(runs|max-total-time|mode)[= ]", command), command

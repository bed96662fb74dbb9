"""The installed CMake package, used by a program outside the tree (suites/consumer).

Installs build/release (or $FUSILLADE_BUILD) into an empty prefix, then configures, builds and runs
the consumer against that prefix alone.
"""

import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from under_test import ROOT

BUILD = Path(os.environ.get("FUSILLADE_BUILD", ROOT / "build/release"))
EXPECTED = """hinge f32[6] 0 0 0 1 3 5
until_large f32[6] 3 4 5 6 7 8
twice f32[2, 2] 10 12 140 160
loaded f32[2, 2] 10 12 140 160
"""


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    path = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", path)
    return path


@pytest.fixture(scope="module")
def consumer(prefix, tmp_path_factory):
    build = tmp_path_factory.mktemp("consumer")
    compiler = re.search(
        r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.M
    ).group(1)
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        ROOT / "suites/consumer",
        "-B",
        build,
        "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run("cmake", "--build", build)
    return build / "consumer"


def shown_commands(page):
    """Commands that a page shows with their output: '$ command' and the lines below it in its
    block."""
    blocks = re.findall(
        r"^```\n\$ (.+)\n((?:(?!```).*\n)*)```$", (ROOT / "docs" / page).read_text(), re.M
    )
    assert blocks, page
    return blocks


@pytest.mark.parametrize(
    "plan", ["eager", "vm/o2", "vm/o2,fuse(loopnest,interp)", "vm/o2,fuse(loopnest,llvm)"]
)
def test_the_consumer_scripts_traces_and_registers(consumer, plan):
    assert run(consumer, plan) == EXPECTED


def test_a_wrong_plan_is_an_error_of_the_consumer(consumer):
    done = subprocess.run([consumer, "vm/none_such"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "none_such" in done.stderr


def test_installed_headers_stand_alone(prefix):
    """No installed file refers to the source tree, and no harness header is installed."""
    files = [p for p in prefix.rglob("*") if p.suffix in (".h", ".cmake")]
    assert any(p.name == "plan.h" for p in files)
    for path in files:
        text = path.read_text()
        assert str(ROOT) not in text, path
        assert '#include "fuzz/' not in text, path


def test_the_installed_command_runs(prefix):
    assert "aten::add" in run(prefix / "bin/fusillade", "list", "ops")


def test_links_of_the_installed_manual_hold(prefix):
    """Of README and of the manual to each other, where all of it was installed."""
    doc = prefix / "share/doc/fusillade"
    links = 0
    for page in (doc / "README.md", *doc.glob("docs/**/*.md")):
        prose = re.sub(r"^ *```.*?^ *```$|`[^`\n]+`", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", prose):
            links += 1
            assert (page.parent / target).exists(), (page.relative_to(doc), target)
    assert links > 100


def test_man_and_shells_find_what_is_installed(prefix):
    for path in (
        "man/man1/fusillade.1",
        "bash-completion/completions/fusillade",
        "zsh/site-functions/_fusillade",
        "fish/vendor_completions.d/fusillade.fish",
    ):
        text = (prefix / "share" / path).read_text()
        assert "written by docs/reference/generate.py" in text
    assert not (prefix / "share/doc/fusillade/docs/reference/shell").exists()
    if shutil.which("man"):  # a bare Debian has none
        assert "--max-total-time" in run("man", prefix / "share/man/man1/fusillade.1")


def test_the_installed_command_asks_python(prefix, tmp_path):
    """The Python worker is part of the binary: nothing of the source tree is needed."""
    out = tmp_path / "out"
    # by the clock: the machine may be busy
    run(
        prefix / "bin/fusillade",
        "fuzz",
        "--policy",
        "source",
        "--oracle",
        "python",
        "--runs",
        20,
        "--out",
        out,
        "--timeout",
        "120s",
    )
    report = (out / "summary.md").read_text()
    assert re.search(r"^\| ok \| 20 \|$", report, re.M), report


@pytest.mark.parametrize("command, output", shown_commands("inside/optimisation.md"))
def test_the_page_shows_what_the_command_prints(prefix, consumer, command, output):
    words = shlex.split(command)
    words[0] = {"fusillade": prefix / "bin/fusillade", "when": consumer.parent / "when"}[words[0]]
    done = subprocess.run([*map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout + done.stderr == output


def test_each_verb_works_moved_without_the_checkout(prefix, tmp_path):
    """As nobody, without a network, with the checkout hidden (ci/try_package.py)."""
    may = subprocess.run(["unshare", "--mount", "--net", "true"], capture_output=True)
    if os.geteuid() or may.returncode:
        pytest.skip("hiding the checkout needs root and a mount namespace")
    tree = tmp_path / "tree"
    run("cmake", "--install", BUILD, "--component", "program", "--prefix", tree)
    done = subprocess.run(
        [sys.executable, ROOT / "ci/try_package.py", "--prefix", tree],
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wheel_is_whole(tmp_path):
    """Its RECORD lists each file; the executable may be run; pip takes its name and needs."""
    tree = tmp_path / "tree"
    for name, text in (("bin/fusillade", "#!/bin/sh\necho ran\n"), ("share/fusillade/a", "a")):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    run(sys.executable, ROOT / "ci/wheel.py", tree, "1.2.3", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "fusillade-1.2.3-py3-none-manylinux_2_36_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = archive.read("fusillade-1.2.3.dist-info/RECORD").decode().splitlines()
        for line in record[:-1]:
            name, digest, size = line.split(",")
            content = archive.read(name)
            digest_ = (
                base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            )
            assert digest == f"sha256={digest_}" and int(size) == len(content)
        assert sorted(names) == sorted(line.split(",")[0] for line in record)
        script = archive.getinfo("fusillade-1.2.3.data/scripts/fusillade")
        assert script.external_attr >> 16 & 0o777 == 0o755
        metadata = archive.read("fusillade-1.2.3.dist-info/METADATA").decode()
    needs = re.findall(r"^Requires-Dist: (\w+)", metadata, re.M)
    assert needs == ["numpy", "matplotlib", "jinja2", "jsonschema"]


def test_the_same_files_make_the_same_wheel(tmp_path):
    (tmp_path / "tree/bin").mkdir(parents=True)
    (tmp_path / "tree/bin/fusillade").write_text("x")
    wheels = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        run(sys.executable, ROOT / "ci/wheel.py", tmp_path / "tree", "1.0.0", tmp_path / name)
        wheels.append(next((tmp_path / name).glob("*.whl")).read_bytes())
    assert wheels[0] == wheels[1]


def test_the_version_gives_commit_and_build(prefix):
    digest_ = run(prefix / "bin/fusillade", "--version")
    assert re.fullmatch(
        r"fusillade \d+\.\d+\.\d+\ncommit \S.*\nbuild Release, .*LLVM 19.*\n", digest_
    )

"""The files by which ClusterFuzzLite and OSS-Fuzz build the libFuzzer targets: project.yaml by a
schema of what their pages ask, build.sh run with stand-ins for CMake and Ninja, the names in both
those of the tree."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "ci/recipes"
LITE, OSS = RECIPES / "clusterfuzzlite", RECIPES / "oss-fuzz"

# project.yaml, as their pages "Build integration" and "Setting up a new project" say.
ADDRESS = {"type": "string", "pattern": "^https://[^ ]+$"}
PROJECT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["language"],
    "properties": {
        "language": {"enum": ["c", "c++", "go", "rust", "python", "jvm", "swift", "javascript"]},
        "homepage": ADDRESS,
        "main_repo": ADDRESS,
        "primary_contact": {"type": "string", "pattern": "^[^@ ]+@[^@ ]+$"},
        "auto_ccs": {"type": "array", "items": {"type": "string"}},
        "base_os_version": {"enum": ["legacy", "ubuntu-20-04", "ubuntu-24-04"]},
        "fuzzing_engines": {
            "type": "array",
            "items": {"enum": ["libfuzzer", "afl", "honggfuzz", "centipede", "none"]},
        },
        "sanitizers": {
            "type": "array",
            "items": {"enum": ["address", "memory", "undefined", "none"]},
        },
        "architectures": {"type": "array", "items": {"enum": ["x86_64", "i386", "aarch64"]}},
    },
}
OF_OSS_FUZZ = ["language", "homepage", "primary_contact", "main_repo"]


def project(folder, required):
    yaml = pytest.importorskip("yaml")
    jsonschema = pytest.importorskip("jsonschema")
    project_data = yaml.safe_load((folder / "project.yaml").read_text())
    jsonschema.validate(project_data, {**PROJECT, "required": required})
    return project_data


def test_project_files_are_as_asked():
    lite, oss = project(LITE, ["language"]), project(OSS, OF_OSS_FUZZ)
    assert lite["language"] == oss["language"] == "c++"


def test_a_wrong_project_file_is_refused(tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    for text in ("language: c+\n", "homepage: https://a.org\n", "language: c\nsanitisers: []\n"):
        (tmp_path / "project.yaml").write_text(text)
        with pytest.raises(jsonschema.ValidationError):
            project(tmp_path, ["language"])


@pytest.mark.parametrize("folder", [LITE, OSS], ids=lambda f: f.name)
def test_a_docker_file_has_what_the_build_needs(folder):
    """The packages that CMake looks for, by ci/setup.sh; the image that project.yaml names."""
    text = (folder / "Dockerfile").read_text()
    setup = (ROOT / "ci/setup.sh").read_text()
    image = project(folder, ["language"])["base_os_version"]
    assert re.search(rf"^FROM gcr\.io/oss-fuzz-base/base-builder:{image}$", text, re.M)
    for package in (
        "cmake ninja-build lld-19 llvm-19-dev libgtest-dev nlohmann-json3-dev libfmt-dev "
        "libcli11-dev libsqlite3-dev libopenblas-serial-dev zlib1g-dev libzstd-dev"
    ).split():
        assert package in text.split() and package in setup.split(), package
    assert re.search(r"^COPY (\S+/)?build\.sh \$SRC/$", text, re.M)
    assert "$SRC/fusillade" in text


def build_into(script, where, *words):
    """$OUT after build.sh, whose cmake and ninja stand in: ninja writes what it is asked for."""
    stand_in = where / "bin"
    stand_in.mkdir()
    (stand_in / "cmake").write_text('#!/bin/sh\nprintf "%s\\n" "$@" >"$WORK/asked"\n')
    (stand_in / "ninja").write_text(
        '#!/bin/sh\n[ "$1" = -C ] || exit 1\nmkdir -p "$2"\ncd "$2"\nshift 2\ntouch "$@"\n'
    )
    for name in ("cmake", "ninja"):
        (stand_in / name).chmod(0o755)
    for name in ("src", "out", "work"):
        (where / name).mkdir()
    (where / "src/fusillade").symlink_to(ROOT)
    env = {
        "PATH": f"{stand_in}:{os.environ['PATH']}",
        "SRC": str(where / "src"),
        "OUT": str(where / "out"),
        "WORK": str(where / "work"),
        "CC": "clang",
        "CXX": "clang++",
        "CFLAGS": "-O1 -fsanitize=address",
        "CXXFLAGS": "-O1 -fsanitize=address -stdlib=libc++",
        "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer",
    }
    done = subprocess.run(["bash", "-eu", script, *words], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert "-DFUSILLADE_FUZZING_ENGINE=-fsanitize=fuzzer" in (where / "work/asked").read_text()
    return where / "out"


@pytest.mark.parametrize("folder", [LITE, OSS], ids=lambda f: f.name)
def test_the_build_leaves_targets_and_seeds(folder, tmp_path):
    out = build_into(folder / "build.sh", tmp_path)
    names = {p.name for p in out.iterdir()}
    targets = {n for n in names if "." not in n and "_seed_corpus" not in n}
    assert {f"{t}.options" for t in targets} <= names
    with zipfile.ZipFile(out / "fuzz_parse_case_seed_corpus.zip") as seeds:
        assert len(seeds.namelist()) > 20
        assert seeds.read(seeds.namelist()[0]).startswith(b"fusillade case ")
    with zipfile.ZipFile(out / "fuzz_parse_exported_seed_corpus.zip") as seeds:
        archives = [n for n in seeds.namelist() if n.endswith(".pt2")]
        texts = [n for n in seeds.namelist() if n.endswith(".seed")]
        assert len(archives) == len(texts) + 1 > 6  # one of a former layout
        assert all(seeds.read(n).startswith(b'{"graph_module"') for n in texts)


@pytest.mark.parametrize("name", ["exported", "onnx"])
def test_a_dictionary_has_words_as_libfuzzer_reads_them(name, tmp_path):
    word = re.compile(r'(#.*|"([ !#-\[\]-~]|\\[\\"]|\\x[0-9a-f]{2})+")')
    lines = (ROOT / f"fuzz/dictionaries/{name}.dict").read_text().splitlines()
    assert len(lines) > 100 and len(set(lines)) == len(lines)
    assert not [line for line in lines if not word.fullmatch(line)]
    build = build_into(LITE / "build.sh", tmp_path, f"fuzz_parse_{name}")
    assert (build / f"fuzz_parse_{name}.dict").read_text().splitlines() == lines


def test_the_build_makes_the_targets_that_there_are(tmp_path):
    """By cmake/harness.cmake: a parser each, and an oracle each."""
    text = (ROOT / "cmake/harness.cmake").read_text()
    parsers = re.search(r"foreach\(name ([\w ]+)\)\s+add_executable\(fuzz_parse_", text)[1]
    oracles = [p.stem[: -len("_oracle")] for p in (ROOT / "fuzz/oracle").glob("*_oracle.cpp")]
    there = {f"fuzz_parse_{p}" for p in parsers.split()} | {f"fuzz_{o}" for o in oracles}
    programs = {
        p.name for p in build_into(LITE / "build.sh", tmp_path).iterdir() if "." not in p.name
    }
    assert programs <= there and {n for n in there if "parse" in n} <= programs


def test_one_target_is_built_alone(tmp_path):
    out = build_into(LITE / "build.sh", tmp_path, "fuzz_parse_npy")
    assert {p.name for p in out.iterdir()} == {"fuzz_parse_npy", "fuzz_parse_npy.options"}


@pytest.mark.parametrize("folder", [LITE, OSS], ids=lambda f: f.name)
def test_shellcheck_finds_nothing(folder):
    if not shutil.which("shellcheck"):
        pytest.skip("shellcheck is absent")
    done = subprocess.run(
        ["shellcheck", folder / "build.sh"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout

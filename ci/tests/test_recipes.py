"""The files of ci/recipes are workflows that GitHub and GitLab take, and their commands are ours.

check-jsonschema and actionlint are those of build/recipes (ci/setup.sh --lint) or of PATH; where
one is absent its tests are skipped, and say so.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "ci/recipes"
TOOLS = ROOT / "build/recipes"
GITHUB = sorted(RECIPES.glob("github/*.yml"))
GITLAB = sorted(RECIPES.glob("gitlab/*.yml"))
BINARY = Path(os.environ.get("FUSILLADE_BINARY", ROOT / "build/release/fusillade"))
PAGE = ROOT / "docs/start/ci.md"


def checker():
    """How check-jsonschema is run, and its environment."""
    if (TOOLS / "check_jsonschema").is_dir():
        env = {**os.environ, "PYTHONPATH": str(TOOLS)}
        return ["/usr/bin/python3", "-m", "check_jsonschema"], env
    if found := shutil.which("check-jsonschema"):
        return [found], os.environ
    pytest.skip("check-jsonschema is absent (ci/setup.sh --lint)")


def fits(schema, path, *more):
    words, env = checker()
    words = [*words, "--builtin-schema", f"vendor.{schema}", *more, path]
    return subprocess.run(words, capture_output=True, text=True, env=env)


def test_there_are_recipes_of_each_kind():
    assert [p.stem for p in GITHUB] == ["benchmark", "nightly", "pull-request"] and GITLAB


@pytest.mark.parametrize("path", GITHUB, ids=lambda p: p.stem)
def test_github_takes_it(path):
    done = fits("github-workflows", path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", GITLAB, ids=lambda p: p.stem)
def test_gitlab_takes_it(path):
    done = fits("gitlab-ci", path, "--data-transform", "gitlab-ci")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_workflow_is_refused(tmp_path):
    (tmp_path / "wrong.yml").write_text("on: push\njobs:\n  a:\n    steps: 3\n")
    assert fits("github-workflows", tmp_path / "wrong.yml").returncode != 0


@pytest.mark.parametrize("path", GITHUB, ids=lambda p: p.stem)
def test_actionlint_finds_nothing(path):
    tool = shutil.which("actionlint", path=f"{TOOLS / 'bin'}:{os.environ['PATH']}")
    if not tool:
        pytest.skip("actionlint is absent (ci/setup.sh --lint)")
    done = subprocess.run([tool, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def commands(text):
    """Those of `fusillade` in a recipe or a page, as words."""
    text = re.sub(r"\\\n\s*", " ", text)
    for line in re.findall(r"(?:^|[ /\"'])fusillade\"? ([a-z]+ [^|;&#\n]+)", text, re.M):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        try:
            yield list(lexer)
        except ValueError:  # prose, with one quotation mark
            continue


@pytest.mark.parametrize("path", [*GITHUB, *GITLAB, PAGE], ids=lambda p: p.stem)
def test_each_flag_is_one_of_its_verb(path):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    found = [words for words in commands(path.read_text()) if words]
    assert found
    for verb, *words in found:
        done = subprocess.run([BINARY, verb, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, verb
        for word in words:
            flag = word.split("=")[0]
            if flag.startswith("--"):
                assert re.search(rf"(?<![\w-]){flag}(?![\w-])", done.stdout), (verb, flag)


@pytest.mark.parametrize("path", GITHUB + GITLAB, ids=lambda p: p.stem)
def test_each_script_is_a_shells(path, tmp_path):
    """Blocks of `run` and lists of `script` parse, as sh reads them."""
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load(path.read_text())
    scripts = []

    def walk(node):
        for key, value in node.items() if isinstance(node, dict) else ():
            if key == "run":
                scripts.append(value)
            elif key in ("script", "before_script", "after_script"):
                scripts.append("\n".join(value))
            walk(value)
        for value in node if isinstance(node, list) else ():
            walk(value)

    walk(document)
    assert scripts
    for script in scripts:
        plain = re.sub(r"\$\{\{.*?\}\}", "x", script)
        done = subprocess.run(["bash", "-n"], input=plain, capture_output=True, text=True)
        assert done.returncode == 0, (script, done.stderr)

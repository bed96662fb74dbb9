"""ci/image.sh: the image of Dockerfile without docker, and what runs in it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def image(*words, **more):
    return subprocess.run([ROOT / "ci/image.sh", *words], capture_output=True, text=True, **more)


def test_words():
    assert "--try" in image("--help").stdout
    done = image("--colour")
    assert done.returncode == 1 and "unknown word" in done.stderr


def test_it_says_what_it_needs(tmp_path):
    shutil.copytree(ROOT / "ci", tmp_path / "ci", ignore=lambda *_: ["tests"])
    script = tmp_path / "ci/image.sh"
    done = subprocess.run([script], capture_output=True, text=True)
    assert done.returncode == 1 and "ci/package.sh makes it" in done.stderr
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/fusillade-0.1.0-py3-none-any.whl").touch()
    for tool in ("bash", "dirname", "sed"):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    done = subprocess.run(
        [script], capture_output=True, text=True, env={"PATH": str(tmp_path / "bin")}
    )
    assert done.returncode == 1 and "apt-get install buildah" in done.stderr


@pytest.mark.skipif(shutil.which("buildah") is None, reason="NO BUILDAH: no image was made")
@pytest.mark.skipif(os.getuid() != 0, reason="buildah needs root here")
@pytest.mark.skipif(
    len(list((ROOT / "dist").glob("fusillade-*.whl"))) != 1,
    reason="NO WHEEL: no image was made; ci/package.sh makes one",
)
def test_it_runs_on_a_root_that_is_read_only():
    done = image("--try", timeout=1500)
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(r"^dist/fusillade-.*\.docker\.tar$", done.stdout, re.M)
    assert "it runs as user 1000 on a root file system that is read only" in done.stdout

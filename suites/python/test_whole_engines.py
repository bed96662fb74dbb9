"""External engines are whole, and say how they were built; one that lost its vector code is
refused."""

import os
import re
import subprocess
import sys

import pytest
from under_test import BINARY, PYTHON, ROOT


def fusillade(*words, **options):
    return subprocess.run(
        [BINARY, *map(str, words)], capture_output=True, text=True, timeout=300, **options
    )


ENGINES = ROOT / "build/engines/bin/python"
NO_VECTORS = (
    '#!/bin/sh\nfor word; do case $word in -mavx* | -msve*) exit 1 ;; esac; done\nexec g++ "$@"\n'
)
engines_needed = pytest.mark.skipif(
    not ENGINES.exists(), reason="no build/engines (ci/setup.sh --engines)"
)


@pytest.fixture
def scalar_compiler(tmp_path):
    """An environment whose C++ compiler makes no vector code: what inductor finds out in
    silence."""
    compiler = tmp_path / "scalar-g++"
    compiler.write_text(NO_VECTORS)
    compiler.chmod(0o755)
    return {**os.environ, "CXX": str(compiler), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}


def has_vectors():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return not {"avx2", "avx512f"}.isdisjoint(file.read().split())


@engines_needed
@pytest.mark.skipif(not has_vectors(), reason="this processor has no AVX2")
def test_a_compiler_that_lost_its_vector_code_is_refused(tmp_path, scalar_compiler):
    (tmp_path / "f.py").write_text("def f(x):\n    return x.erf() * 2\n")
    run = fusillade(
        "check",
        tmp_path / "f.py",
        "--rand",
        "f32[33]",
        "--plan",
        "torch:compile",
        "--out",
        tmp_path / "out",
        env=scalar_compiler,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "cannot run 'compile': inductor makes no vector code" in run.stderr, run.stderr
    asked = ["-c", f"import builds; print(builds.of({str(ENGINES)!r}, 'torch', 'compile'))"]
    env = {**scalar_compiler, "PYTHONPATH": str(ROOT / "bench/peers")}
    run = subprocess.run(
        [sys.executable, *asked], capture_output=True, text=True, env=env, timeout=300
    )
    assert run.returncode == 1 and "no vector code" in run.stderr, run.stdout + run.stderr


@engines_needed
@pytest.mark.skipif(not has_vectors(), reason="this processor has no AVX2")
def test_a_compiler_that_is_whole_says_what_it_is(tmp_path):
    (tmp_path / "f.py").write_text("def f(x):\n    return x.erf() * 2\n")
    run = fusillade(
        "run",
        tmp_path / "f.py",
        "--rand",
        "f32[33]",
        "--plan",
        "torch:compile",
        "--out",
        tmp_path / "out",
    )
    assert run.returncode == 0, run.stderr
    said = re.search(r"^torch: PyTorch 2\.\S+ \((.*)\), run by (\S+)$", run.stderr, re.M)
    assert (
        said and "vector code avx" in said[1] and "threads 1" in said[1] and "blas " in said[1]
    ), run.stderr


@engines_needed
def test_the_venv_links_with_its_own_torch():
    """Whatever other PyTorch is in the system's library folder."""
    asked = (
        "import os, sysconfig, torch; print(sysconfig.get_config_var('LIBDIR') == "
        "os.path.dirname(torch.__file__) + '/lib')"
    )
    run = subprocess.run([ENGINES, "-c", asked], capture_output=True, text=True, timeout=300)
    assert run.stdout == "True\n", run.stdout + run.stderr


def test_an_interpreter_is_taken_with_a_word(tmp_path):
    """Of the environment that the user is in, where it has what the worker imports."""
    venv = tmp_path / "venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(PYTHON)
    (tmp_path / "f.py").write_text("def f(x):\n    return x * 2\n")
    words = [
        "run",
        tmp_path / "f.py",
        "--rand",
        "f32[3]",
        "--plan",
        "torch:eager",
        "--out",
        tmp_path / "out",
    ]
    run = fusillade(*words, env={**os.environ, "VIRTUAL_ENV": str(venv)})
    if (
        run.returncode == 0
        and subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0
    ):
        assert (
            run.stderr.startswith("torch: PyTorch 1.") and f"run by {venv}/bin/python" in run.stderr
        ), run.stderr
    else:
        assert f"run by {venv}" not in run.stderr

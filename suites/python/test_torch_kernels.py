"""The kernels of a graph are compiled as one file (fuzz/workers/torch_kernels.py): its text, and
under PyTorch 2 where it is installed (ci/setup.sh --engines)."""

import subprocess
import sys

import pytest
from under_test import ROOT

WORKERS = str(ROOT / "fuzz/workers")
ENGINES = str(ROOT / "build/engines/bin/python")
sys.path.insert(0, WORKERS)
from torch_kernels import is_of_the_form, join_texts

KERNEL = (
    '#include <a.h>\nextern "C"  void  kernel(const float* in,\n    float* out)\n{\n'
    "    #pragma omp simd\n}\n"
)


def test_kernels_stand_apart_in_one_file():
    text = join_texts([KERNEL, "  #include <b.h>\n" + KERNEL])
    assert text.startswith("#include <a.h>\n#include <b.h>\nnamespace kernel_0_ {\n")
    assert text.count("#include") == 2 and text.count("#pragma omp simd") == 2
    assert (
        text.index("namespace kernel_0_") < text.index("extern") < text.index("namespace kernel_1_")
    )


@pytest.mark.parametrize(
    "text, taken",
    [
        (KERNEL, True),
        (KERNEL.replace("  void  ", ' __attribute__((visibility("default"))) void '), True),
        (KERNEL + KERNEL, False),  # of which of them?
        (KERNEL.replace(" kernel(", " other("), False),
        ("#define N 3\n" + KERNEL, False),  # would reach into its neighbours
        ("", False),
    ],
)
def test_what_is_not_of_the_form_is_left_to_inductor(text, taken):
    assert is_of_the_form(text) == taken


PROGRAM = """
import os, sys
os.environ.update(TORCHINDUCTOR_COMPILE_THREADS="1", TORCHINDUCTOR_CACHE_DIR=sys.argv[2])
sys.path.insert(0, sys.argv[1])
import torch
import torch_kernels
from torch._inductor import cpp_builder
asked = []
once = cpp_builder.CppBuilder.build
cpp_builder.CppBuilder.build = lambda self: (asked.append(self.get_command_line()), once(self))[1]
if sys.argv[3] == "apart": torch_kernels.is_of_the_form = lambda source: False
torch_kernels.compile_together()
torch_kernels.compile_together()

def several(x):
    y = torch.linalg.qr(x.sin() + 1)[1]
    return y.exp(), torch.linalg.qr(y * 2)[1] / 3, x.sum(0)

x = torch.arange(12.).reshape(4, 3)
wanted, got = several(x), torch.compile(several, dynamic=False)(x)
assert all(torch.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(wanted, got)), (wanted, got)
print(sum(".main.cpp" in a for a in asked))
"""


@pytest.mark.skipif(
    subprocess.run(
        ["sh", "-c", f"{ENGINES} -c 'import torch._inductor'"], capture_output=True
    ).returncode
    != 0,
    reason="PyTorch 2 is not installed: ci/setup.sh --engines",
)
def test_inductor_compiles_once_for_a_graph(tmp_path):
    def compiles(what):
        run = subprocess.run(
            [ENGINES, "-c", PROGRAM, WORKERS, str(tmp_path), what],
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert run.returncode == 0, run.stderr
        return int(run.stdout.split()[-1])

    assert compiles("together") == 1
    assert compiles("apart") == 3

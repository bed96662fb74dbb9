"""opt --kernels from outside: what a program's groups become, what they load and store, and what
transforms make of them."""

import ctypes
import os
import shutil
import subprocess

import pytest
from under_test import BINARY, ROOT

IOU = ROOT / "bench" / "programs" / "ratio_iou.py"
ROWS = "def f(x, y):\n    return torch.softmax(x * x, -1), y + 1.0\n"


def run(*args):
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=300)


def optimise(*args):
    done = run("opt", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_loads_and_stores_beside_eager():
    inputs = ["--rand", "f32[100]"] * 8
    text = optimise(IOU, "--kernels", "vm/fuse(loopnest,llvm)", *inputs)
    assert "# loads: 37 node by node, 8 in the kernel; stores: 20 and 1\n" in text
    for part in (
        "# group 1: fuser loopnest, back end llvm\n",
        "# Kernel IR\nkernel\n",
        "# LLVM IR\n",
        "define ",
        "# assembly\n",
        "ret",
    ):
        assert part in text
    assert "# CUDA" not in text


def test_schedules_and_cuda_text(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(ROWS)
    text = optimise(
        path,
        "--kernels",
        "vm/o2,fuse(tile,cuda-emulated)",
        "--rand",
        "f32[3,40]",
        "--rand",
        "f32[3]",
    )
    assert "# launch 0: rows: blocks 1, threads " in text
    assert "__global__ void" in text and "shuffle(" in text
    assert "# loads: 3 node by node, 1 in the kernel; stores: 2 and 1\n" in text
    assert "group 2" not in text  # y + 1.0 alone is no group


def test_a_sum_is_taken_where_its_elements_are_stored():
    text = optimise(
        ROOT / "bench/programs/softmax_scale.py",
        "--kernels",
        "vm/o2,fuse(loopnest,llvm)",
        "--rand",
        "f32[3,40]",
    )
    kernel = text.split("# Kernel IR\n")[1].split("# LLVM IR\n")[0]
    maximum, exponentials, quotients = kernel.split("    for v1 in 40")[1:]
    assert "mul.f32" in maximum and "mul.f32" in exponentials  # x * scale is in no memory
    assert kernel.count(" temp f32[3, 40]") == 1
    lines = exponentials.splitlines()
    assert (
        lines[0] == " any order"
        and "      b3[v0, v1] = e" in exponentials
        and "      v17 = e" in exponentials
    )
    assert "div.f32" in quotients


def test_threads_that_meet_take_turns_in_machine_code(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(ROWS)
    text = optimise(
        path, "--kernels", "vm/o2,fuse(tile,llvm)", "--rand", "f32[3,40]", "--rand", "f32[3]"
    )
    kernel = text.split("# Kernel IR\n")[1].split("# LLVM IR\n")[0]
    assert "; work-item loops\n" in text and " register f32[" in kernel and "define void @" in text
    assert "shuffle" not in kernel and "barrier" not in kernel


def test_what_a_back_end_declines_says_why(tmp_path):
    path = tmp_path / "f.py"
    path.write_text("import torch\ndef f(x):\n    return torch.cumsum(x * x, 0).exp()\n")
    text = optimise(
        path, "--kernels", "vm/o2,fuse(loopnest,cuda-emulated)", "--rand", "f32[100000]"
    )
    assert "# runs node by node: 200000 steps of one thread\n" in text


@pytest.mark.parametrize(
    "plan, says", [("eager", "no group was made"), ("vm/o2,fuse(tile,x)", "no kernel back end 'x'")]
)
def test_errors_name_what_is_legal(plan, says):
    done = run("opt", IOU, "--kernels", plan, *["--rand", "f32[4]"] * 8)
    assert done.returncode == 1 and says in done.stderr


def transform(tmp_path, steps, plan="vm/o2,fuse(loopnest,llvm)"):
    path = tmp_path / "f.py"
    path.write_text(ROWS)
    return run(
        "opt",
        path,
        "--kernels",
        plan,
        "--rand",
        "f32[3,40]",
        "--rand",
        "f32[3]",
        "--transform",
        steps,
    )


def test_kernels_before_and_after_each_transform(tmp_path):
    done = transform(tmp_path, "split(v0,2,tail); unroll(v1)", "vm/fuse(loopnest,llvm)")
    assert done.returncode == 0, done.stderr
    before, after_split, after_both = done.stdout.split("# Kernel IR")[1:]
    assert after_split.startswith(" after split(v0,2,tail)\n") and after_both.startswith(
        " after unroll(v1)\n"
    )
    assert (
        len(before) < len(after_split) and "define " in after_both and "# assembly\n" in after_both
    )


@pytest.mark.parametrize(
    "steps, says",
    [
        (
            "splitt(v0,8,tail)",
            (
                "the transforms are: cache, compute_at, dead_stores, distribute, flatten, "
                "grid, inline"
            ),
        ),
        ("split(v0,8)", "legal is split(loop, factor, tail|mask)"),
        ("split(v77,8,tail)", "there is no loop over v77; legal is: split(v0,2,tail)"),
        ("split(v0,900,tail)", "the inner loop has 2 to 2 iterations; legal is: split(v0,2,tail)"),
        ("unroll(v0", "is no transform; one is a name and arguments"),
    ],
)
def test_a_transform_that_is_not_legal_says_what_is(tmp_path, steps, says):
    done = transform(tmp_path, steps)
    assert done.returncode == 1 and says in done.stderr


def test_transforms_are_a_table():
    text = subprocess.run([BINARY, "list", "transforms"], capture_output=True, text=True).stdout
    names = [line.split()[0] for line in text.splitlines()]
    assert names == sorted(names) and {"split", "reorder", "inline", "rfactor", "vectorize"} <= set(
        names
    )
    assert "split(loop, factor, tail|mask)" in text


def test_loops_are_grids_where_a_back_end_takes_nothing_else(tmp_path):
    path = tmp_path / "f.py"
    path.write_text(ROWS)
    done = run(
        "opt",
        path,
        "--kernels",
        "vm/o2,fuse(loopnest,cuda-emulated)",
        "--rand",
        "f32[3,40]",
        "--rand",
        "f32[3]",
    )
    assert done.returncode == 0, done.stderr
    assert "# launch 0: iterations: blocks " in done.stdout and "; all by " in done.stdout
    assert (
        "  block v" in done.stdout and "    thread v" in done.stdout and "__global__" in done.stdout
    )


def test_a_grid_is_made_of_loops_by_name(tmp_path):
    done = transform(tmp_path, "grid(v0,32); one_thread()", "vm/fuse(loopnest,llvm)")
    assert done.returncode == 1 and "all is grids; legal is: nowhere" in done.stderr
    done = transform(tmp_path, "grid(v0,32)", "vm/fuse(loopnest,llvm)")
    assert done.returncode == 0 and "thread v" in done.stdout.split("# Kernel IR")[2], done.stderr


FUNCTIONS = (
    "def f(x):\n    y = x * 1.0\n    return torch.exp(y) + torch.tanh(y * 0.5), torch.expm1(y * "
    "0.25)\n"
)


@pytest.mark.skipif(
    not (shutil.which("valgrind") and shutil.which("strip")),
    reason="NO VALGRIND: nothing took AVX-512 away",
)
def test_functions_have_the_same_bits_on_a_processor_without_avx512(tmp_path):
    numpy = pytest.importorskip("numpy")
    path, given = tmp_path / "f.py", tmp_path / "x.npy"
    path.write_text(FUNCTIONS)
    drawn = numpy.random.default_rng(3)
    x = drawn.integers(0, 2**32, 20001, dtype=numpy.uint64).astype(numpy.uint32).view(numpy.float32)
    x[::2] = drawn.uniform(-110, 95, x[::2].size)
    numpy.save(given, x)
    plain = tmp_path / "fusillade"  # valgrind 3.19 does not read clang 19's debug information
    subprocess.run(["strip", "-g", "-o", plain, BINARY], check=True)
    results = []
    for name, before in (("here", []), ("valgrind", ["valgrind", "-q", "--tool=none"])):
        words = [
            *before,
            plain,
            "run",
            path,
            "--fn",
            "f",
            "--plan",
            "vm/o2,fuse(loopnest,llvm)",
            "--in",
            given,
            "--out",
            tmp_path / name,
        ]
        done = subprocess.run(
            list(map(str, words)),
            capture_output=True,
            text=True,
            timeout=300,
            env=os.environ | {"FUSILLADE_THREADS": "1"},
        )
        assert done.returncode == 0, done.stderr
        results.append([numpy.load(tmp_path / name / f"out0.{i}.npy") for i in range(2)])
    for mine, theirs in zip(*results):
        number = ~numpy.isnan(mine)
        assert (numpy.isnan(theirs) == ~number).all()
        assert (mine[number].view(numpy.uint32) == theirs[number].view(numpy.uint32)).all()


def ptx(text):
    """What NVRTC makes of CUDA text, as assembly for sm_90."""
    found = sorted((ROOT / "build" / "nvrtc").rglob("libnvrtc.so.13"))
    if not found:
        pytest.skip("no NVRTC: ci/setup.sh --cuda")
    for builtins in found[0].parent.glob("libnvrtc-builtins.so*"):
        ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(str(found[0]))
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert (
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"k.cu", 0, None, None) == 0
    )
    options = (ctypes.c_char_p * 2)(b"--gpu-architecture=compute_90", b"--std=c++17")
    assert nvrtc.nvrtcCompileProgram(program, 2, options) == 0
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, code)
    return code.value.decode()


@pytest.mark.parametrize("form", ["x * x + 1.0", "torch.softmax(x * x, -1)"])
def test_neighbours_are_one_access(tmp_path, form):
    path = tmp_path / "f.py"
    path.write_text(f"def f(x):\n    return {form}\n")
    text = optimise(path, "--kernels", "vm/o2,fuse(tile,cuda-emulated)", "--rand", "f32[64,512]")
    assert " aligned\n" in text and "vector v" in text
    cuda = text[text.index("# CUDA\n") + 7 : text.index("# bytes:")]
    assert "load_wide(&b0" in cuda and "store_wide(&b1" in cuda
    code = ptx((ROOT / "engine" / "kernel" / "cuda_prelude.cuh").read_text() + cuda)
    assert "ld.global" in code and "st.global" in code
    assert all(
        ".v4" in line
        for line in code.splitlines()
        if ".global" in line and ("ld." in line or "st." in line)
    ), code

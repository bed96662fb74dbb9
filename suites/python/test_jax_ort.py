"""JAX and ONNX Runtime as engines: their tables name rows of ours, promotion is ATen's, a contract
loosens what it says, and programs run under them where they are installed (ci/setup.sh
--engines)."""

import importlib
import itertools
import re
import subprocess
import sys
from unittest.mock import MagicMock

import pytest
from under_test import BINARY, PYTHON, ROOT, torch_needed

WORKERS = ROOT / "fuzz/workers"
ENGINES = str(ROOT / "build/engines/bin/python")
FAMILIES = {
    "jax": ("jax_pointwise", "jax_shapes", "jax_tables"),
    "ort": ("onnx_pointwise", "onnx_tensors", "onnx_layers"),
}
LEAST = {"jax": 200, "ort": 80}


def has(module):
    try:
        return (
            subprocess.run([ENGINES, "-c", f"import {module}"], capture_output=True).returncode == 0
        )
    except FileNotFoundError:
        return False


jax_needed = pytest.mark.skipif(
    not has("jax"), reason="JAX is not installed: ci/setup.sh --engines"
)
ort_needed = pytest.mark.skipif(
    not has("onnxruntime"), reason="ONNX Runtime is not installed: ci/setup.sh --engines"
)


def fusillade(*words):
    return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True, timeout=600)


@pytest.fixture
def modules(monkeypatch):
    """The workers' modules, on mocks of what they build on."""
    for name in ("jax", "jax.numpy", "onnx", "onnx.helper", "onnx.numpy_helper", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, MagicMock())
    monkeypatch.syspath_prepend(str(WORKERS))
    ours = [path.stem for path in WORKERS.glob("*.py")]
    for name in ours:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module
    for name in ours:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_names_rows_of_ours(family, modules):
    rows = {line.split()[0] for line in fusillade("list", "ops").stdout.splitlines()}
    for module in FAMILIES[family]:
        modules(module)
    table = modules({"jax": "jax_arrays", "ort": "onnx_graph"}[family]).OPS
    unknown = [name for name in table if "aten::" + name.removesuffix(".default") not in rows]
    assert not unknown and len(table) >= LEAST[family], (len(table), unknown)


def test_workers_are_python():
    for path in WORKERS.glob("*.py"):
        compile(path.read_text(), str(path), "exec")


def test_promotion_of_plain_numbers_and_of_tensors_without_dims(modules):
    common = modules("aten").common_dtype
    assert common([("int8", 1), 3]) == "int8"
    assert common([("int8", 1), ("int64", 0)]) == "int8"
    assert common([("int8", 1), 0.5]) == "float32"
    assert common([("bool", 2), True]) == "bool"
    assert common([("bool", 2), 2]) == "int64"
    assert common([("uint8", 1), ("int8", 1)]) == "int16"
    assert common([("float16", 1), ("bfloat16", 1)]) == "float32"
    assert common([("float16", 1), ("float64", 0)]) == "float16"
    assert common([("int32", 0), ("float64", 0), ("uint8", 1)]) == "float64"
    assert common([2, 0.5, True]) == "float32"


@torch_needed
def test_promotion_is_pytorchs(modules):
    dtypes = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
    operands = [(d, n) for d in dtypes for n in (0, 1)] + [True, 2, 0.5]
    pairs = [(a, b) for a, b in itertools.product(operands, repeat=2) if isinstance(a, tuple)]
    code = (
        "import sys, torch\n"
        "make = lambda o: torch.zeros([1] * o[1], dtype=getattr(torch, o[0])) if isinstance(o, "
        "tuple) else o\n"
        "for a, b in eval(sys.stdin.read()): print(str(torch.result_type(make(a), make(b)))[6:])\n"
    )
    run = subprocess.run(
        [PYTHON, "-c", code], input=repr(pairs), capture_output=True, text=True, check=True
    )
    common = modules("aten").common_dtype
    assert [common(pair) for pair in pairs] == run.stdout.split()


FLUSHING = """
import ctypes
import numpy as np
from fusillade_worker import Ops, Parts, Worker, serve


def flush(a):
    return np.where(np.abs(a) < np.finfo(a.dtype).tiny, a.dtype.type(0), a)


class Flushing(Worker):
    name, version = "flushing", "1"
    contract = {"eager": CONTRACT}
    ops = Ops({"mul.Tensor": lambda a, b: flush(flush(a) * flush(b)),
               "exp.default": lambda a: np.exp(a) * FACTOR,
               "neg.default": lambda a: -a})

    def memory(self, dtype, data):
        return np.frombuffer(data, dtype)

    def view(self, memory, sizes, strides, offset):
        return np.lib.stride_tricks.as_strided(memory[offset:], sizes,
                                               [s * memory.itemsize for s in strides])

    def is_tensor(self, value):
        return isinstance(value, np.ndarray)

    def parts(self, t):
        strides = [s // t.itemsize for s in t.strides]
        return Parts(str(t.dtype), t.shape, strides, 0, None, lambda: t.tobytes())


serve(Flushing())
"""
CASE = """fusillade case 1
plan: mine:eager
program:
  graph(%x : Float(2, strides=[1], requires_grad=0, device=cpu),
        %y : Float(2, strides=[1], requires_grad=0, device=cpu)):
    %z : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::OP
    return (%z)
call:
    x = f32[2] {0x1p-100, 0x1p+1}
    y = f32[2] {0x1p-40, 0x1p+0}
end
"""


@pytest.mark.parametrize(
    "op,contract,factor,code",
    [
        ("mul(%x, %y)", "{}", "1", 77),
        ("mul(%x, %y)", "{'flushes_subnormals': True}", "1", 0),
        ("exp(%x)", "{}", "np.float32(1.00001)", 77),
        ("exp(%x)", "{'ulp': {'exp': 200}}", "np.float32(1.00001)", 0),
        ("exp(%x)", "{'ulp': {'exp': 40}}", "np.float32(1.00001)", 77),
        ("exp(%x)", "{'approximate': ['aten.exp.default']}", "np.float32(1.00001)", 0),
        ("neg(%x)", "{'approximate': ['aten.exp.default']}", "1", 0),
        ("neg(%x)", "{'flushes_subnormals': None}", "1", 1),
    ],
)
def test_a_contract_loosens_what_it_says(op, contract, factor, code, tmp_path):
    (tmp_path / "worker.py").write_text(
        FLUSHING.replace("CONTRACT", contract).replace("FACTOR", factor)
    )
    (tmp_path / "x.case").write_text(CASE.replace("OP", op))
    run = fusillade(
        "repro",
        tmp_path / "x.case",
        "--engine",
        f"mine={tmp_path}/worker.py",
        "--engine-python",
        f"mine={PYTHON}",
    )
    assert run.returncode == code, run.stdout + run.stderr


def test_what_is_not_installed_is_said_with_a_way_out(tmp_path):
    (tmp_path / "f.py").write_text("def f(x):\n    return x + 1\n")
    for family in FAMILIES:
        run = fusillade(
            "run",
            tmp_path / "f.py",
            "--rand",
            "f32[3]",
            "--plan",
            f"{family}:eager",
            "--engine-python",
            f"{family}={sys.executable}",
        )
        if run.returncode != 0:
            assert run.returncode == 1 and "ci/setup.sh --engines" in run.stderr, run.stderr
        listed = fusillade("list", "engines").stdout
        assert f"{family}:eager" in listed


PROGRAM = """def f(x, y):
    z = torch.maximum(x, y).exp()
    return z.sum([1]), (x @ y.t() + 1).softmax(0), z[:, 1:].flip([0]), x.to(torch.int64).topk(2)
"""


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param("jax:eager", marks=jax_needed),
        pytest.param("jax:jit", marks=jax_needed),
        *[pytest.param("ort:" + level, marks=ort_needed) for level in ("eager", "basic", "all")],
    ],
)
def test_a_program_runs(plan, tmp_path):
    (tmp_path / "f.py").write_text(PROGRAM)
    run = fusillade(
        "run", tmp_path / "f.py", "--plan", plan, "--rand", "f32[2,3]", "--rand", "f32[2,3]"
    )
    assert (run.returncode, run.stdout) == (
        0,
        "out0: (f32[2], f32[2, 2], f32[2, 2], (f32[2, 2], i64[2, 2]))\n",
    ) or run.stdout.startswith("out0: (f32[2], f32[2, 2], f32[2, 2]"), run.stdout + run.stderr


@pytest.mark.parametrize(
    "plans,least",
    [
        pytest.param(["jax:eager", "jax:jit"], 1000, marks=jax_needed),
        pytest.param(["ort:eager", "ort:all"], 1000, marks=ort_needed),
    ],
)
def test_a_campaign_compares(plans, least, tmp_path):
    words = [w for plan in plans for w in ("--plan", plan)]
    run = fusillade(
        "fuzz",
        *words,
        "--policy",
        "chains",
        "--runs",
        40,
        "--seed",
        3,
        "--max-findings",
        1,
        "--min-yield",
        0,
        "--out",
        tmp_path / "out",
    )
    assert run.returncode in (0, 2), run.stdout + run.stderr
    assert int(re.search(r"Elements compared: (\d+)", run.stdout)[1]) > least, run.stdout


@ort_needed
def test_a_finding_is_reproduced_blamed_and_reduced(tmp_path):
    """ONNX Runtime 1.32 sums 64-bit integers in floats: a fault of that version, which is
    pinned."""
    case = tmp_path / "sum.case"
    case.write_text("""fusillade case 1
plan: ort:eager
program:
  graph(%x : Long(4, strides=[1], requires_grad=0, device=cpu)):
    %a : Long(4, strides=[1], requires_grad=0, device=cpu) = aten::abs(%x)
    %n : NoneType = prim::Constant()
    %s : Long(strides=[], requires_grad=0, device=cpu) = aten::sum(%a, %n)
    return (%s)
call:
    x = i64[4] {9007199254740992, 1, 0, 0}
end
""")
    run = fusillade("repro", case)
    assert run.returncode == 77 and "9007199254740992" in run.stdout, run.stdout + run.stderr
    run = fusillade("bisect", case)
    assert run.returncode == 77 and "blame: ort:eager" in run.stdout, run.stdout + run.stderr
    run = fusillade("reduce", case, "--budget", "20s", "--out", tmp_path / "small.case")
    assert run.returncode == 77 and "abs" not in (tmp_path / "small.case").read_text(), (
        run.stdout + run.stderr
    )


@pytest.mark.parametrize(
    "plan",
    [pytest.param("jax:eager", marks=jax_needed), pytest.param("ort:eager", marks=ort_needed)],
)
def test_the_spread_of_nothing_is_nan_whatever_it_is_divided_by(plan, tmp_path):
    case = tmp_path / "std.case"
    case.write_text(f"""fusillade case 1
plan: {plan}
oracle: conformance
program:
  graph(%x : Float(0, strides=[1], requires_grad=0, device=cpu)):
    %d : int[] = prim::Constant[value=[]]()
    %n : int = prim::Constant[value=-1]()
    %k : bool = prim::Constant[value=0]()
    %y : Float(strides=[], requires_grad=0, device=cpu) = aten::std(%x, %d, %n, %k)
    return (%y)
call:
    x = f32[0] {{}}
end
""")
    run = fusillade("repro", case)
    assert run.returncode == 0 and ": ok" in run.stdout, run.stdout + run.stderr


# ONNX Runtime multiplies by 0.0049 first and divides by as much after
TANH = "tanh of numbers next to subnormal ones"
OPEN = [  # a call of ONNX Runtime's on x, and why it is declined; None: it is compared
    ("tanh(%x)", "Float", "0x1p-130, 0x1p-1", TANH),
    ("tanh(%x)", "Float", "0x1p-120, 0x1p-1", None),
    ("tanh(%x)", "Float", "0x0p+0, 0x1p-1", None),
    ("tanh(%x)", "Double", "0x1p-130, 0x1p-1", None),
    ("mish(%x)", "Float", "-0x1.6p+6, 0x1p-1", TANH),
    ("mish(%x)", "Float", "-0x1p+6, -inf", None),
    ("celu(%x, %inf)", "Float", "0x1p-1, 0x1p+0", "an infinite alpha"),
    ("celu(%x, %tenth)", "Float", "0x1p-1, 0x1p+0", None),
    ("softmax(%x, %zero, %none)", "Float", "0x1p+0, inf", "a softmax of infinity"),
    ("softmax(%x, %zero, %none)", "Float", "0x1p+0, -inf", None),
    (
        "scatter_add(%x, %zero, %places, %x)",
        "Half",
        "0x1p+0, 0x1p+1",
        "no kernel that adds 16-bit floats",
    ),
    ("scatter_add(%x, %zero, %places, %x)", "Float", "0x1p+0, 0x1p+1", None),
    (
        "addmm(%m, %m, %m, %one, %tenth)",
        "Double",
        "0x1p+0, 0x1p+1",
        "factors that float32 does not hold",
    ),
    ("addmm(%m, %m, %m, %one, %half)", "Double", "0x1p+0, 0x1p+1", None),
    ("addmm(%m, %m, %m, %one, %tenth)", "Float", "0x1p+0, 0x1p+1", None),
    ("floor_divide(%x, %two)", "Char", "127, -128", None),
    ("floor_divide(%x, %two)", "Int", "2147483647, -7", None),
    ("floor_divide(%x, %two)", "Long", "9223372036854775807, 7", None),
]
CODES = {"Float": "f32", "Double": "f64", "Half": "f16", "Char": "i8", "Int": "i32", "Long": "i64"}


@ort_needed
@pytest.mark.parametrize("call,kind,elements,reason", OPEN)
def test_what_onnx_runtime_leaves_open_is_declined(call, kind, elements, reason, tmp_path):
    case = tmp_path / "open.case"
    case.write_text(f"""fusillade case 1
plan: ort:eager
oracle: conformance
program:
  graph(%x : {kind}(2, strides=[1], requires_grad=0, device=cpu),
        %places : Long(2, strides=[1], requires_grad=0, device=cpu)):
    %inf : float = prim::Constant[value=inf]()
    %tenth : float = prim::Constant[value=0.1]()
    %half : float = prim::Constant[value=0.5]()
    %zero : int = prim::Constant[value=0]()
    %one : int = prim::Constant[value=1]()
    %two : int = prim::Constant[value=-2]()
    %none : NoneType = prim::Constant()
    %sizes : int[] = prim::Constant[value=[1, 1]]()
    %first : Tensor = aten::select(%x, %zero, %zero)
    %m : Tensor = aten::reshape(%first, %sizes)
    %y : Tensor = aten::{call}
    return (%y)
call:
    x = {CODES[kind]}[2] {{{elements}}}
    places = i64[2] {{1, 0}}
end
""")
    run = fusillade("repro", case)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (
        f"declined: {reason}" in run.stdout.replace("#-bit", "16-bit").replace("float#", "float32")
        if reason
        else ": ok" in run.stdout
    ), run.stdout


@jax_needed
def test_what_xla_rewrites_wrongly_is_a_finding(tmp_path):
    """XLA of JAX 0.10.2 divides once by a product, which overflows: a fault of that version, which
    is pinned."""
    case = tmp_path / "quotients.case"
    case.write_text("""fusillade case 1
plan: jax:jit
program:
  graph(%a : Float(2, strides=[1], requires_grad=0, device=cpu),
        %b : Float(2, strides=[1], requires_grad=0, device=cpu)):
    %c : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::div(%a, %b)
    %d : Float(2, strides=[1], requires_grad=0, device=cpu) = aten::div(%c, %b)
    return (%d)
call:
    a = f32[2] {0x1p+100, 0x1p+1}
    b = f32[2] {0x1p+70, 0x1p+0}
end
""")
    run = fusillade("repro", case)
    assert run.returncode == 77 and "mismatch (value) under jax:jit" in run.stdout, (
        run.stdout + run.stderr
    )
    run = fusillade("bisect", case)
    assert run.returncode == 77 and "blame: jax:jit" in run.stdout, run.stdout + run.stderr


@jax_needed
def test_products_are_python_in_a_script():
    """As lax.dot_general, with and without batches, and of bytes with sums of 32 bits."""
    text = """
import jax.numpy as jnp, numpy as np
from jax import lax, make_jaxpr
from jax_source import source_of
x = np.arange(12, dtype=np.float32).reshape(4, 3)
def f(x, m):
    return (m @ x.T).sum(0), jnp.einsum("bij,bjk->bik", x[None], x.T[None]), lax.dot(
        x.astype(jnp.int8), m.astype(jnp.int8), preferred_element_type=jnp.int32), jnp.matmul(
        m, x.T, precision=lax.Precision.HIGHEST)
made = {"lax": lax, "jnp": jnp, "np": np}
exec(source_of(make_jaxpr(f)(x, x[:3])), made)
for a, b in zip(made["f"](x, x[:3]), f(x, x[:3])):
    assert a.dtype == b.dtype and np.array_equal(a, b)
"""
    r = subprocess.run(
        [ENGINES, "-c", text], cwd=WORKERS, capture_output=True, text=True, timeout=300
    )
    assert r.returncode == 0, r.stderr


@jax_needed
@pytest.mark.parametrize(
    "body",
    [
        "x[jnp.array([0, 2])]",
        "x.at[jnp.array([0, 2])].add(1.0)",
        "x.at[1].set(0.0)",
        "jnp.take_along_axis(x, jnp.argsort(x, 1), 1)",
        "jnp.argmax(x, 1)",
        "jnp.sort(x, 0)",
        "lax.bitcast_convert_type(x, jnp.int32)",
        "lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), 'VALID')",
    ],
)
def test_indexing_is_python_in_a_script(body):
    text = f"""
import jax.numpy as jnp, numpy as np
from jax import lax, make_jaxpr
from jax_source import source_of
x = jnp.arange(12, dtype=np.float32).reshape(4, 3)
def f(x):
    return {body}
made = {{"lax": lax, "jnp": jnp}}
exec(source_of(make_jaxpr(f)(x)), made)
assert np.array_equal(made["f"](x), f(x))
"""
    r = subprocess.run(
        [ENGINES, "-c", text], cwd=WORKERS, capture_output=True, text=True, timeout=300
    )
    assert r.returncode == 0, r.stderr

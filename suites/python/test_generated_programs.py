"""Generated scripts in the real TorchScript: what it takes, it must compute as we do.

A sample of each source policy is printed, scripted by PyTorch 1.13.1 and run on the first call's
inputs, each in a process of its own, for TorchScript may crash. What it refuses is counted. A
difference is excused in three cases, each of them shown by the program at hand: Python itself,
running the text with PyTorch's eager tensors, does as we do; PyTorch says that it has no kernel for
a dtype; or TorchScript's own results leave the tolerance when its inputs change in their last bits.
Of layers with random parameters, and where memory is asked for that nothing fills, only dtypes and
sizes are compared.
"""

import base64
import collections
import importlib.util
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import warnings
import zlib

import numpy as np
import pytest
import torch
from under_test import BINARY

SAMPLE = 40
ACCEPTED = 0.3  # of the sample, at least
SECONDS = 20
DTYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "bool": torch.bool,
}
DIGITS = {torch.float16: 2e-2, torch.bfloat16: 5e-2, torch.float64: 1e-9}  # float32: 1e-4

PYTHON = "excused: Python does as we do"
KERNEL = "excused: PyTorch has no kernel"
OVERLAP = "excused: a write through a view that overlaps what it reads"  # which reads first here
BITS = "excused: TorchScript's own results hang on last bits"
RANDOM = re.compile(r"nn\.(Linear|Conv|Embedding)|\b(new_empty|empty_like|empty_strided|empty)\(")

TENSOR = r"(?P<dtype>bool|bf16|[fiu]\d+)\[(?P<sizes>[\d, ]*)\]"


def tensor_of(dtype, sizes, strides, items):
    """The tensor of a case; memory that it spans between its elements is zero."""
    out = torch.zeros(sizes, dtype=DTYPES[dtype])
    if strides is not None:
        span = 1 + sum((n - 1) * s for n, s in zip(sizes, strides)) if 0 not in sizes else 0
        out = torch.zeros([span], dtype=DTYPES[dtype]).as_strided(sizes, strides)
    for place, item in zip(np.ndindex(*sizes), items):
        out[place] = item
    return out


def unpack(m):
    """Of a large tensor's compressed elements the text of a small one's."""
    kinds = {"f": "float", "i": "int", "u": "uint"}
    data = zlib.decompress(base64.b64decode(m["packed"]))
    if m["dtype"] == "bf16":
        items = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        items = np.frombuffer(
            data, "bool" if m["dtype"] == "bool" else kinds[m["dtype"][0]] + m["dtype"][1:]
        )
    texts = ", ".join(repr(int(v)) if isinstance(v, bool) else repr(v) for v in items.tolist())
    return f"{m['dtype']}[{m['sizes']}]{m['strides'] or ''} {{{texts}}}"


def inputs_of(case):
    """The first call of a case, as Python values; a module's place is left out."""
    text = case[case.index("\ncall:\n") + 7 :]
    values = []
    for line in text[: text.index("\nend")].splitlines():
        value = line.split(" = ", 1)[1]
        if value.endswith("()") and value[0].isupper():
            continue
        value = re.sub(r"-?0x[0-9a-f.]+p[+-]\d+", lambda m: repr(float.fromhex(m[0])), value)
        value = re.sub(
            TENSOR + r"(?P<strides> strides=\[[\d, ]*\])? zlib \{(?P<packed>[^}]*)\}",
            unpack,
            value,
        )
        value = re.sub(
            TENSOR + r"( strides=(?P<strides>\[[\d, ]*\]))? \{(?P<items>[^}]*)\}",
            lambda m: f"tensor_of('{m['dtype']}', [{m['sizes']}], {m['strides']}, [{m['items']}])",
            value,
        )
        values.append(eval(value, {"tensor_of": tensor_of, "nan": math.nan, "inf": math.inf}))
    return values


def ours(case, folder):
    """Nested values with numpy arrays, or the exception's text."""
    run = subprocess.run(
        [BINARY, "run", str(case), "--out", str(folder)], capture_output=True, text=True, timeout=60
    )
    if run.returncode != 0:
        assert run.returncode == 1, run.stderr
        return RuntimeError(run.stderr.splitlines()[0])
    shown = run.stdout.split("\n", 1)[0].split(": ", 1)[1]
    shown = re.sub(TENSOR, lambda m: f"dtypes['{m['dtype']}']", shown)

    def fill(v, name):
        if isinstance(v, torch.dtype):
            file = folder / f"{name}.npy"
            return (v, np.load(file)) if file.exists() else v
        if isinstance(v, (list, tuple)):
            return type(v)(fill(x, f"{name}.{i}") for i, x in enumerate(v))
        return v

    return fill(eval(shown, {"dtypes": DTYPES, "nan": math.nan, "inf": math.inf}), "out0")


def theirs(module, entry, values, scripted=True):
    """What TorchScript, or Python, makes of it in this process: ("refused" | "raised" | "value",
    what)."""
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)  # as here
    warnings.simplefilter("ignore")
    try:
        spec = importlib.util.spec_from_file_location(module.stem, module)
        program = importlib.util.module_from_spec(spec)
        sys.modules[module.stem] = program  # where inspect finds the classes' text
        spec.loader.exec_module(program)
        target = getattr(program, entry)
        target = target() if entry == "Net" else target
        target = torch.jit.script(target) if scripted else target
    except Exception as e:
        return "refused", str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
    try:
        return "value", portable(target(*values))
    except Exception as e:
        return "raised", str(e).strip().splitlines()[-1]


def portable(v):
    if isinstance(v, torch.Tensor):
        v = v.detach()
        wide = v.to(torch.float64) if v.is_floating_point() else v
        return v.dtype, wide.numpy().copy()
    if isinstance(v, (list, tuple)):
        return type(v)(portable(x) for x in v)
    return {k: portable(x) for k, x in v.items()} if isinstance(v, dict) else v


def classes(function, *arguments):
    """function(*arguments) in a forked process; ("crashed", why) when that dies."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(write, "wb") as out:
            pickle.dump(function(*arguments), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        data = answer.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(data) if status == 0 else ("crashed", f"status {status}")


def is_tensor(v):
    return isinstance(v, tuple) and len(v) == 2 and isinstance(v[0], torch.dtype)


def same(a, b):
    """`a` is ours; of a tensor in a dict only the dtype is known."""
    if is_tensor(b):
        if not is_tensor(a):
            return a == b[0]
        x = (
            torch.from_numpy(a[1])
            if a[1].dtype.kind != "V"
            else torch.from_numpy(a[1].view(np.int16)).view(a[0])
        )
        x = (x.to(torch.float64) if x.is_floating_point() else x).numpy()
        if a[0] != b[0] or x.shape != b[1].shape:
            return False
        if x.dtype != np.float64:
            return np.array_equal(x, b[1])
        finite = np.abs(b[1][np.isfinite(b[1])])
        digits = DIGITS.get(a[0], 1e-4)
        is_close = digits * finite.max() if finite.size else 0
        return np.allclose(x, b[1], rtol=digits, atol=is_close, equal_nan=True)
    if isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, dict):
        return type(a) is dict and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(b, float) and type(a) is float:
        return a == b or (a != a and b != b) or math.isclose(a, b, rel_tol=1e-12)
    return type(a) is type(b) and a == b


def perturb(v):
    """Every float with other last bits."""
    if isinstance(v, torch.Tensor):
        return v * (1 + 2.0**-20) if v.is_floating_point() else v
    if isinstance(v, (list, tuple)):
        return type(v)(perturb(x) for x in v)
    if isinstance(v, dict):
        return {k: perturb(x) for k, x in v.items()}
    return v


def generate(policy, index):
    return subprocess.run(
        [BINARY, "gen", "--policy", policy, "--seed", "11", "--index", str(index), "--calls", "1"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def judge(case, name, folder):
    """One word, or "differs: ..."; behind a ':' what is counted separately."""
    script = re.sub(
        "^  ", "", case[case.index("\nscript:\n") + 9 : case.index("\ncall:\n")], flags=re.M
    )
    entry = "Net" if re.search(r"^class Net\b", script, re.M) else "main"
    (folder / "program.case").write_text(case)
    module = folder / f"program_{name}.py"
    module.write_text(script + "\n")
    kind, there = classes(theirs, module, entry, inputs_of(case))
    if kind in ("refused", "crashed"):
        return kind
    here = ours(folder / "program.case", folder)
    failed = isinstance(here, RuntimeError)
    random = RANDOM.search(script) is not None

    def agrees(kind, there):
        if failed or kind != "value":
            return failed and kind == "raised"
        return same(forms(here), forms(there)) if random else same(here, there)

    if agrees(kind, there):
        return "same error" if failed else "same forms" if random else "same"
    if kind == "raised" and re.search(r"not implemented for '\w+'", there):
        return KERNEL
    if kind == "raised" and not failed and "refer to a single memory location" in there:
        return OVERLAP
    if agrees(*classes(theirs, module, entry, inputs_of(case), False)):
        return PYTHON
    if kind == "value" and not failed:
        moved_kind, moved = classes(theirs, module, entry, perturb(inputs_of(case)))
        if moved_kind != "value" or not same(moved, there):
            return BITS
    return f"differs: program {name}\n{script}\n{inputs_of(case)}\nhere  {here}\nthere {there}"


def forms(v, sizes=True):
    """The value with nothing of its numbers but types, of its tensors but dtypes and sizes; of
    those in a dict only dtypes."""
    if isinstance(v, torch.dtype):
        return str(v)
    if is_tensor(v):
        return (str(v[0]), v[1].shape) if sizes else str(v[0])
    if isinstance(v, (list, tuple)):
        return type(v)(forms(x, sizes) for x in v)
    return {k: forms(x, False) for k, x in v.items()} if isinstance(v, dict) else type(v)


@pytest.mark.parametrize("policy", ["source", "source_tensors"])
def test_what_torchscript_takes_computes_the_same(policy, tmp_path):
    counts = collections.Counter()
    wrong = []
    for index in range(SAMPLE):
        folder = tmp_path / str(index)
        folder.mkdir()
        word = judge(generate(policy, index), f"{policy}_{index}", folder)
        if word.startswith("differs"):
            wrong.append(word)
        counts[word.split("\n")[0].split(" program")[0]] += 1
    table = f"{policy}: " + ", ".join(f"{n} {word}" for word, n in counts.most_common())
    print("\n" + table)
    assert not wrong, "\n\n".join(wrong)
    taken = SAMPLE - counts["refused"] - counts["crashed"]
    assert taken >= ACCEPTED * SAMPLE, table


def test_differences_are_reported():
    half, whole = np.float32([0.5, 2]), np.float64([0.5, 2])
    assert same([1, (2.5, None)], [1, (2.5, None)])
    assert same({"a": torch.float32, "b": math.nan}, {"a": (torch.float32, whole), "b": math.nan})
    assert same((torch.float32, half), (torch.float32, whole))
    assert same(forms({"a": torch.float32}), forms({"a": (torch.float32, whole)}))
    assert not same(forms({"a": torch.float32}), forms({"a": (torch.float64, whole)}))
    assert not same(forms((torch.float32, half)), forms((torch.float32, whole[:1])))
    for other in [
        (torch.float64, whole),
        (torch.float32, whole[:1]),
        (torch.float32, whole + 0.01),
        [0.5, 2],
    ]:
        assert not same((torch.float32, half), other)
    for a, b in [
        (1, 1.0),
        (True, 1),
        (2.5, 2.50001),
        ("a", "b"),
        ([1], (1,)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ]:
        assert not same(a, b)
    assert classes(os._exit, 3) == ("crashed", "status 768")


CASE = """fusillade case 2
oracle: frontends
script:
  import torch
  from torch import Tensor
  def main(x: Tensor):
      {}
      return x
call:
    x = {}
end
"""
SOME = "f32[64] {" + ", ".join(str(1 + i / 64) for i in range(64)) + "}"


@pytest.mark.parametrize(
    "line,x,word",
    [
        ("x = x + 1", "f32[2] {1, 2}", "same"),
        ("x = x[3]", "f32[2] {1, 2}", "same error"),
        ("x = torch.nn.functional.silu(x)", "f16[2] {1, 2}", KERNEL),
        ("x[:] = 1e22", "f16[2] {1, 2}", PYTHON),
        (
            "x = torch.full_like(x, 2 ** len(x.shape) / 2).to(torch.float64) * 3 ** 2 // (2 ** 3)",
            "f32[2] {1, 2}",
            "same",
        ),
        ("x = torch.frac(torch.sin(x) * 16777216.0 / 3)", SOME, BITS),
        ("x = torch.silu(x)", "f32[2] {1, 2}", "refused"),
    ],
)
def test_excuses_are_earned(line, x, word, tmp_path):
    assert judge(CASE.format(line, x), "by_hand", tmp_path).split("\n")[0] == word


def test_true_differences_are_differences(tmp_path, monkeypatch):
    monkeypatch.setattr(
        sys.modules[__name__], "ours", lambda case, folder: (torch.float32, np.float32([2, 4]))
    )
    assert judge(CASE.format("x = x + 1", "f32[2] {1, 2}"), "by_hand", tmp_path).startswith(
        "differs: program by_hand"
    )
    monkeypatch.setattr(sys.modules[__name__], "ours", lambda case, folder: RuntimeError("no"))
    assert judge(CASE.format("x = x + 1", "f32[2] {1, 2}"), "by_hand", tmp_path).startswith(
        "differs: program by_hand"
    )

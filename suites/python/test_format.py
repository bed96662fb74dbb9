"""Format specifications against CPython's own: the same values and specifications, drawn at random, in one script."""
import itertools
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("FUSILLADE_BINARY", str(ROOT / "build/release/fusillade"))
VALUES = {
    "int": [0, 1, -1, 7, 255, -1234567, 97, 2**62],
    "float": [0.0, -0.0, 1.0, 100.0, 1.5, -2.675, 1e16, 1e22, 1.25e-7, 0.0001, 12345.678, -0.5, 1e300],
    "str": ["", "a", "häuser", "long text here"],
    "bool": [True, False],
}
TYPES = {"int": ["", *"bdoxXcefgEG%"], "float": ["", *"eEfFgG%"], "str": ["", "s"], "bool": ["", "d", "x"]}
NAMES = {"int": int, "float": float, "str": str, "bool": bool}


def specifications(kind, rng):
    fill = rng.choice(["", "", "<", ">", "^", "=", "*<", "é^", "0>", "x="])
    sign = rng.choice(["", "", "+", "-", " "])
    mark = rng.choice(["", "", "#"])
    width = rng.choice(["", "", "1", "8", "08", "020", "15"])
    group = rng.choice(["", "", ",", "_"])
    precision = rng.choice(["", "", ".0", ".1", ".3", ".12"])
    return fill + sign + mark + width + group + precision + rng.choice(TYPES[kind])


def run(script, tmp_path):
    path = tmp_path / "f.py"
    path.write_text(script, encoding="utf-8")
    return subprocess.run([BINARY, "run", str(path), "--plan", "vm"], capture_output=True, text=True)


@pytest.mark.parametrize("kind", list(VALUES))
def test_specifications_give_what_python_gives(kind, tmp_path):
    rng = random.Random(kind)
    body, errors, count = "def f() -> int:\n", [], 0
    for value, _ in itertools.product(VALUES[kind], range(60)):
        spec = specifications(kind, rng)
        try:
            expected = format(value, spec)
        except (ValueError, OverflowError):
            errors.append((value, spec))
            continue
        count += 1
        body += f"    assert '{{:{spec}}}'.format({value!r}) == {expected!r}, {spec!r}\n"
    out = run(body + "    return 1\n", tmp_path)
    assert count > 15 and out.returncode == 0, out.stdout + out.stderr
    for value, spec in rng.sample(errors, min(12, len(errors))):
        out = run(f"def f() -> str:\n    return '{{:{spec}}}'.format({value!r})\n", tmp_path)
        assert out.returncode == 1 and "Error: " in out.stderr, (value, spec, out.stdout, out.stderr)


@pytest.mark.parametrize("expression,reason", [
    ("'{:d}'.format('a')", "ValueError: Unknown format code 'd' for object of type 'str'"),
    ("'{:5}'.format([1])", "TypeError: unsupported format string"),
    ("'{0} {}'.format(1, 2)", "ValueError: cannot switch"),
    ("'{2}'.format(1, 2)", "IndexError"),
    ("'{:99999999}'.format(1)", "ValueError: Too many decimal digits"),
    ("'{:n}'.format(1)", "ValueError: Unknown format code 'n'"),
    ("'{!a}'.format(1)", "is not supported"),
])
def test_what_is_refused(expression, reason, tmp_path):
    out = run(f"def f() -> str:\n    return {expression}\n", tmp_path)
    assert out.returncode == 1 and reason in out.stderr, out.stdout + out.stderr


TENSORS = '''
import sys
from pathlib import Path
import numpy as np, torch
rng = np.random.default_rng(7)
folder = Path(sys.argv[1])
sizes = [(), (1,), (3,), (40,), (2, 3), (2, 40), (0,), (0, 3), (2, 1, 2, 2), (1001,), (7, 150), (5, 9, 30), (4, 300, 1)]
cases = []
for number, size in enumerate(sizes * 3):
    plain = rng.standard_normal(size)
    special = np.where(rng.random(size) < 0.3, rng.choice([np.inf, -np.inf, np.nan, 0.0], size), plain)
    cases += [plain * s for s in (1, 1e3, 1e9, 1e-3, 1e-6)] + [special, np.round(plain * 50), np.round(special * 9), np.exp(plain * 9)]
    cases += [rng.integers(-10 ** d, 10 ** d, size) for d in (1, 9)] + [plain > 0, np.zeros(size)]
kinds = [np.float32, np.float64, np.float16]
texts = []
for number, case in enumerate(cases):
    if case.dtype == np.float64:
        case = case.astype(kinds[number % 3])
    elif case.dtype == np.int64:
        case = case.astype([np.int64, np.int32][number % 2])
    np.save(folder / f"{number}.npy", case)
    x = torch.from_numpy(np.asarray(case))
    texts.append([str(x), f"{x}", "%s" % x])
import json
json.dump(texts, open(folder / "texts.json", "w"))
'''


@pytest.mark.skipif(subprocess.run(["/usr/bin/python3", "-c", "import torch"], capture_output=True).returncode != 0,
                    reason="python3-torch is not installed")
def test_tensors_are_printed_as_pytorch_does(tmp_path):
    subprocess.run(["/usr/bin/python3", "-W", "ignore", "-c", TENSORS, tmp_path], check=True, timeout=120)
    texts = json.loads((tmp_path / "texts.json").read_text())
    assert len(texts) > 400
    width = 24  # tensors of one run
    names = [f"x{i}" for i in range(width)]
    body = "".join(f'    print(str({n}))\n    print("--")\n    print(f"{{{n}}}")\n    print("--")\n    print("%s" % {n})\n    print("==")\n'
                   for n in names)
    (tmp_path / "shown.py").write_text(f"import torch\ndef main({', '.join(n + ': torch.Tensor' for n in names)}) -> None:\n{body}")
    for first in range(0, len(texts), width):
        numbers = [min(first + i, len(texts) - 1) for i in range(width)]
        given = [word for n in numbers for word in ("--in", tmp_path / f"{n}.npy")]
        done = subprocess.run([BINARY, "run", tmp_path / "shown.py", *given, "--plan", "vm"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        for number, got in zip(numbers, done.stdout.split("\n==\n")):
            assert got.split("\n--\n") == texts[number], number

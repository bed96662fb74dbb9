"""Format specifications against CPython's own: the same values and specifications, drawn at random, in one script."""
import itertools
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

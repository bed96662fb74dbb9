"""Student's t against printed tables, against forms that are closed, and there and back; and no
part of the reports needs SciPy."""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from fusillade_reports import student

# Quantiles of 0.975 and 0.995, as every table of Student's t prints them.
PRINTED = {1: (12.706, 63.657), 4: (2.776, 4.604), 10: (2.228, 3.169), 30: (2.042, 2.750)}


@pytest.mark.parametrize("degrees", PRINTED)
def test_printed_quantiles(degrees):
    found = student.quantile(degrees, 0.975), student.quantile(degrees, 0.995)
    assert found == pytest.approx(PRINTED[degrees], abs=5e-4)


@pytest.mark.parametrize("t", [-40.0, -3.0, -1e-6, 0.0, 0.5, 2.0, 700.0])
def test_closed_forms(t):
    """One degree is Cauchy's distribution, two have a root; many are nearly the normal's."""
    assert student.below(1, t) == pytest.approx(0.5 + math.atan(t) / math.pi, rel=1e-9)
    assert student.below(2, t) == pytest.approx(0.5 + t / 2 / math.sqrt(2 + t * t), rel=1e-9)
    normal = 0.5 * math.erfc(-t / math.sqrt(2))
    assert student.below(1e6, t) == pytest.approx(normal, abs=1e-6)


@pytest.mark.parametrize("degrees", [1, 1.3, 4.7, 29.5, 999.0])
@pytest.mark.parametrize("share", [1e-4, 0.3, 0.5, 0.9, 0.9999])
def test_there_and_back(degrees, share):
    t = student.quantile(degrees, share)
    assert student.below(degrees, t) == pytest.approx(share, rel=1e-9)
    assert student.quantile(degrees, 1 - share) == pytest.approx(-t, rel=1e-9, abs=1e-12)


def test_far_out():
    assert student.below(3, -math.inf) == 0 and student.below(3, math.inf) == 1


def test_the_reports_need_what_pip_brings_alone():
    """numpy, matplotlib, jinja2 with markupsafe, jsonschema, and Python's own: what the wheel asks
    for."""
    folder = Path(student.__file__).parent
    code = (
        "import ast, pathlib, sys\n"
        "names = set()\n"
        "for path in pathlib.Path(sys.argv[1]).glob('*.py'):\n"
        "    for node in ast.walk(ast.parse(path.read_text())):\n"
        "        if isinstance(node, ast.Import): names |= {a.name for a in node.names}\n"
        "        if isinstance(node, ast.ImportFrom) and not node.level: names.add(node.module)\n"
        "print(*sorted({n.split('.')[0] for n in names} - sys.stdlib_module_names))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True)
    assert done.stdout.split() == ["jinja2", "jsonschema", "markupsafe", "matplotlib", "numpy"]

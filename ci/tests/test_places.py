"""How many places one thing takes: the files of the tree that name one that is there, by its exact
name, as docs/layout.md counts them. What a test program can add by itself, it adds
(suites/unit/new_*_test.cpp); this looks at what lies in more than one file.

A name that appears in a further file fails here: either a fact of it has left its home, or the
table is to say so.
"""

import os
import re
import subprocess

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
COMMENT = re.compile(r"//.*|^\s*#(?!\s*include).*")

# What is added, its name as code says it, where code of it may be, and where it is.
PLACES = [
    (
        "an operator whose body is a script",
        r"\baten::trapezoid\b|\"trapezoid\"",
        ("engine", "fuzz"),
        {"engine/aten/scan/ops.py"},
    ),
    (
        "an operator in C++ that is not element-wise",
        r"\baten::masked_select\b|\"masked_select\"",
        ("engine", "fuzz"),
        {"engine/aten/index/rows.cpp", "engine/aten/index/ops.py"},
    ),
    (
        "an element-wise operator",
        r"\baten::hypot\b|\"hypot\"",
        ("engine", "fuzz"),
        {
            "engine/aten/pointwise/math.cpp",
            "engine/aten/pointwise/ops.py",
            "fuzz/workers/aten_pointwise.py",
            "fuzz/workers/onnx_pointwise.py",
        },
    ),
    (
        "a scalar function",
        r"\btan\b",
        ("engine/scalar", "engine/kernel", "engine/fuse", "fuzz/run"),
        {"engine/scalar/number.h", "engine/scalar/functions.cpp", "engine/scalar/libmvec.cpp"},
    ),
    (
        "a reduction that is no fold: what fusers know of it",
        r"\bargmax\b|\bemit_extreme\b|\bGreatest\b",
        ("engine/fuse", "engine/passes", "engine/ir", "fuzz/gen", "fuzz/run", "fuzz/oracle"),
        # the generator's are words of whole Python, and patterns of other compilers: another
        # reduction needs none
        {
            "engine/fuse/lowering_extreme.cpp",
            "fuzz/gen/peer_inductor.cpp",
            "fuzz/gen/peer_tensorflow.cpp",
            "fuzz/gen/python_numbers.cpp",
        },
    ),
    (
        "a pass",
        r"\bPASS\(peel\b|\"peel\"|[\",]peel[\",]",
        ("engine", "fuzz"),
        {"engine/passes/peel.cpp"},
    ),
    (
        "a back end",
        r"\"cuda-emulated\"",
        ("engine", "fuzz"),
        {"engine/kernel/cuda_emulated.cpp"},
    ),
    ("an oracle", r"\"scaling\"", ("engine", "fuzz"), {"fuzz/oracle/scaling_oracle.cpp"}),
    (
        "an oracle that blames in a way of its own",
        r"\"adjoint\"",
        ("engine", "fuzz"),
        {"fuzz/oracle/adjoint_oracle.cpp"},
    ),
]


def sources(folders):
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", *folders],
        capture_output=True,
        text=True,
        check=True,
    )
    return [n for n in listed.stdout.split("\n") if n.endswith((".h", ".cpp", ".cuh", ".py"))]


def naming(pattern, names):
    """The files whose code, not only whose comments, holds the pattern."""
    found = set()
    for name in names:
        if not os.path.isfile(os.path.join(ROOT, name)):
            continue
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            lines = (COMMENT.sub("", line) for line in file)
            if any(re.search(pattern, line) for line in lines):
                found.add(name)
    return found


@pytest.mark.parametrize("what, pattern, folders, places", PLACES, ids=[p[0] for p in PLACES])
def test_stands_where_the_table_says(what, pattern, folders, places):
    assert naming(pattern, sources(folders)) == places


def test_an_engine_that_is_shipped_is_named_in_four_files_at_most_beside_its_own():
    names = sources(["fuzz", "engine"]) + ["cmake/harness.cmake"]
    own = re.compile(r"fuzz/workers/jax_\w+\.py$")
    found = {n for n in naming(r"\bjax_worker\b|kJax\w*Text|\"jax\"", names) if not own.match(n)}
    assert found <= {
        "cmake/harness.cmake",
        "fuzz/run/foreign/family.cpp",
        "fuzz/run/foreign/script.cpp",
        "fuzz/run/foreign/worker_text.h",
    }


def test_a_name_in_a_comment_is_no_place(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", str(tmp_path))
    (tmp_path / "a.cpp").write_text("// Not peel.\n")
    (tmp_path / "b.cpp").write_text('parse_plan("vm/peel");\n')
    (tmp_path / "c.py").write_text("# peel\nx = 1  # said\n")
    assert naming(r"\bpeel\b", ["a.cpp", "b.cpp", "c.py", "gone.h"]) == {"b.cpp"}

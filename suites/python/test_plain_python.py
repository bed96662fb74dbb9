"""`check` of a Python file as people run it: the oracles plain_python and plain_gradient, by a
worker of numpy whose engines are wrong in their own ways, and what counts as an error that is
needed."""

import ast
import json
import sys

import pytest
from under_test import ROOT, error, run

sys.path.insert(0, str(ROOT / "fuzz/workers"))
from raised_for_result import raised_for_result

# Its engines: `rounded` is what a compiler may be; the others are not.
WORKER = """
import sys
import numpy as np
sys.path.insert(0, {start!r})
import fusillade_worker
serve, fusillade_worker.serve = fusillade_worker.serve, lambda worker: None
from mine import Mine
from fusillade_worker import Ops, Parts
class Script:
    def __init__(self, said):
        self.text, self.entry, self.declined = said["text"], said["entry"], None
def add(a, factor):
    return a * a.dtype.type(factor) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a
class Plain(Mine):
    name, version = "plain", "1"
    engines = dict.fromkeys("eager rounded wrong lost nan sizes huge ints forgets slope".split())
    contract = {{"slope": {{"gradients": True}}, "eager": {{"gradients": True}}}}
    ops, script = Ops({{}}), Script
    def memory(self, dtype, data):
        return np.frombuffer(data, dtype)
    def view(self, memory, sizes, strides, offset):
        size = memory.itemsize
        return np.lib.stride_tricks.as_strided(memory[offset:], sizes, [size * s for s in strides])
    def parts(self, t):
        whole = t.copy()
        strides = [s // t.itemsize for s in whole.strides]
        return Parts(str(t.dtype), t.shape, strides, 0, None, whole.tobytes)
    def run(self, engine, program, call):
        arguments = call.arguments()
        if engine.startswith("grad:"):
            return [[np.full_like(arguments[0], 3 if engine == "grad:slope" else 2)]], {{}}
        key = (engine, call.options.get("role"))
        if key not in program.kept or engine == "forgets":
            program.kept[key] = {{}}
            exec(program.script.text, program.kept[key])
        names = program.kept[key]
        try:
            result = names[program.script.entry](*arguments)
        except BaseException as e:
            said = repr(e)
            e.by_operator, e.for_result = "operator" in said, "needed" in said
            if engine == "lost":
                return [arguments[0]], {{}}
            raise
        by = {{"rounded": 1 + 2e-7, "wrong": 1.01, "nan": float("nan")}}.get(engine, 1)
        x, numbers = arguments[0], [a for a in arguments if type(a) is int]
        first = program.kept.setdefault("first", (x.shape, numbers))
        strange = dict(
            sizes=x.shape != first[0], ints=numbers != first[1], huge=x.size and x.max() > 1e29
        )
        by = 1.01 if strange.get(engine) else by
        return [add(result, by)], {{}}
serve(Plain())
"""
FINE = """
def f(x, k: int):
    with_what = {n: n + k for n in range(3)}  # no TorchScript takes this: it is not read
    return (lambda y: y * with_what[1] + x)(x)
"""
UNREAD = "def f(x):\n    [y] = [x for _ in {1}]\n    "


@pytest.fixture
def check(tmp_path):
    worker = tmp_path / "plain.py"
    worker.write_text(WORKER.format(start=str(ROOT / "docs/start")))

    def run_check(text, engine, *flags, rand=("f32[4]",)):
        file = tmp_path / "program.py"
        file.write_text(text)
        words = ["check", file, "--engine", f"plain={worker}", "--plan", f"plain:{engine}"]
        words += ["--jobs", 1, "--inputs", 16, "--out", tmp_path / engine, "--max-findings", 1]
        return run(*words, *[w for r in rand for w in ("--rand", r)], *flags)

    return run_check


def finding(tmp_path, engine):
    (folder,) = (tmp_path / engine / "findings").iterdir()
    return json.loads((folder / "finding.json").read_text()), folder


def test_what_the_front_end_does_not_read_is_judged(check, tmp_path):
    done = check(FINE, "rounded", "--arg", "k=2")
    assert done.returncode == 0, done.stderr
    assert "not read, so only the oracle plain_python judges it" in done.stderr
    assert json.loads((tmp_path / "rounded/campaign.json").read_text())["verdicts"]["ok"] > 0


@pytest.mark.parametrize(
    "text, engine, rand",
    [
        ("return x * 2\n", "sizes", ["f32[4]"]),
        ("return x * 2\n", "huge", ["f32[4]"]),
        ("return x * k\n", "ints", ["f32[4]", "int"]),
    ],
)
def test_calls_of_one_program_differ(check, text, engine, rand):
    parameters = "x, k" if len(rand) > 1 else "x"
    text = f"def f({parameters}):\n    [_] = [x for _ in {{1}}]\n    {text}"
    done = check(text, engine, rand=rand)
    assert done.returncode == 2 and "plain_python" in done.stderr, done.stderr
    assert check(text, "rounded", rand=rand).returncode == 0


def test_what_a_text_leaves_behind_is_met_by_its_next_call(check):
    text = "calls = []\ndef f(x):\n    calls.append({1})\n    return x * len(calls)\n"
    done = check(text, "rounded")
    assert done.returncode == 0, done.stderr
    assert check(text, "forgets").returncode == 2


def test_gradients_are_compared_where_an_engine_gives_them(check, tmp_path):
    done = check(FINE, "slope", "--arg", "k=2")
    assert done.returncode == 2, done.stderr
    data, folder = finding(tmp_path, "slope")
    assert data["oracle"] == "plain_gradient"
    assert "gradient 0: element 0 is 3, plain Python gives 2" in (folder / "README.md").read_text()


@pytest.mark.parametrize("engine, says", [("wrong", "plain Python gives"), ("nan", "is nan")])
def test_a_wrong_value_is_found(check, tmp_path, engine, says):
    done = check(FINE, engine, "--arg", "k=2")
    assert done.returncode == 2, done.stderr
    data, folder = finding(tmp_path, engine)
    case = (folder / "reduced.case").read_text()
    assert case.startswith("fusillade case 6\noracle: plain_python\n") and "plain python:" in case
    assert says in case
    again = run("repro", folder / "reduced.case", "--engine", f"plain={tmp_path / 'plain.py'}")
    assert again.returncode == 77, again.stderr


@pytest.mark.parametrize(
    "message, found", [("needed operator", True), ("an operator", False), ("of Python", True)]
)
def test_which_error_may_be_lost(check, message, found):
    done = check(UNREAD + f"raise RuntimeError('{message}')\n", "lost")
    assert done.returncode == (2 if found else 3), done.stderr


LEAVES = {
    "SystemExit": "import sys\ndef f(x):\n    [y] = [x for _ in {1}]\n    sys.exit(3)\n",
    "KeyboardInterrupt": UNREAD + "raise KeyboardInterrupt\n",
    "Own": "class Own(BaseException):\n    def __str__(self):\n        raise SystemExit(4)\n"
    + UNREAD.lstrip()
    + "raise Own\n",
}


@pytest.mark.parametrize("name", LEAVES)
def test_a_program_that_leaves_is_no_end_of_its_worker(check, tmp_path, name):
    """What leads out of an interpreter is an outcome like any error: the same in both, or lost."""
    done = check(LEAVES[name], "rounded")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "skip: the program raises an error" in done.stdout, done.stdout
    done = check(LEAVES[name], "lost")
    assert done.returncode == 2, done.stdout + done.stderr
    case = (finding(tmp_path, "lost")[1] / "reduced.case").read_text()
    assert f"its eager mode: {name}:" in case, case


def test_what_stands_in_texts_and_comments_is_no_use_of_a_name(check):
    text = 'def said(x):\n    """f of x,\n    or f(x)"""\n    return f"{len({1, 2})}"  # f\n'
    text += "def f(x):\n    [y] = [x for _ in {1}]\n    said(x)\n    return y\n"
    done = check(text, "rounded")
    assert done.returncode == 0, done.stdout + done.stderr
    done = check(text.replace("said(x)\n    return", "return"), "rounded")
    assert done.returncode == 1 and "has 2 functions that no other calls" in done.stderr
    done = check(text.replace("len({1, 2})", "f(x)"), "rounded")
    assert done.returncode == 1 and "has 0 functions that no other calls" in done.stderr


@pytest.mark.parametrize(
    "main, quoted",
    [
        ("f", 'f"of f {x}"'),
        ("d", 'f"{len({1}):d}"'),
        ("r", "f'{len({1})!r:>{len({2})}}'"),
        ("f", "f'{len({1})}' f''' f\n    f {len({2})} f'''"),
        ("f", "rf'\\d{len({1})}f' + F'{{f}} {{{len({2})}}}'"),
        ("f", 'f"{len({1}) != 2} f" + b"f".decode() + u"f"'),
    ],
)
def test_what_an_f_string_only_quotes_is_no_use_of_a_name(check, main, quoted):
    text = f"def said(x):\n    return {quoted}\n"
    text += f"def {main}(x):\n    [y] = [x for _ in {{1}}]\n    said(x)\n    return y\n"
    done = check(text, "rounded")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "used", ["dict(f=2)", "x.f", "f = 2", "'{f}'.format(f = 2)", "getattr(x, 'f', 0)"]
)
def test_a_name_of_something_else_is_no_use_of_a_function(check, used):
    text = f"def said(x):\n    {used}\ndef f(x):\n    [y] = [x for _ in {{1}}]\n"
    done = check(text + "    [said for _ in {1}]\n    return y\n", "rounded")
    assert done.returncode == 0, done.stdout + done.stderr


def test_f_strings_within_f_strings_have_an_end(check):
    """Deeper than any Python takes: it is no Python, and told so."""
    nested = "f'{" * 100_000 + "1" + "}'" * 100_000
    done = check(f"def f(x):\n    return {nested}\n", "rounded")
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_file_that_is_read_is_judged_by_both(check, tmp_path):
    text = "def f(x):\n    return x * 2.0\n"
    done = check(text, "wrong", "--oracle", "plain_python")
    assert done.returncode == 2 and "not read" not in done.stderr
    assert finding(tmp_path, "wrong")[0]["oracle"] == "plain_python"


def test_a_module(check, tmp_path):
    text = "class Net:\n    def __call__(self, x):\n        return self.forward(x)\n\n"
    text += "    def forward(self, x):\n        return x + len({1: 2})\n"
    text = text.replace("import torch", "")
    done = check("import sys\nsys.modules['torch'] = sys\nsys.manual_seed = id\n" + text, "wrong",
                 "--module", "Net()")  # fmt: skip
    assert done.returncode == 2, done.stderr


@pytest.mark.parametrize(
    "text, says",
    [
        ("def f(x): yield x\ndef g(x): yield x\n", "it has 2 functions that no other calls"),
        ("def f(*x):\n    yield x\n", "each needs a name and a place"),
        ("x = {}\n", "it has 0 functions that no other calls"),
    ],
)
def test_what_has_no_entry(check, text, says):
    done = check(text, "wrong", rand=())
    assert done.returncode == 1 and says in done.stderr, done.stderr


@pytest.mark.parametrize(
    "text, place, says",
    [
        ("def f(x:\n    return x\n", ":1:5:", "was never closed"),
        ("def f(x):\n    return [x\n", ":2:11:", "was never closed"),
        ("def f(x):\n    with g():\n  return x\n", ":3:", "unindent does not match"),
        ("def f(x):\n    yield x\n    break\n", ":3:4:", "outside loop"),
    ],
    ids=["parameters", "bracket", "indentation", "compiled"],
)
def test_what_is_no_python_is_bad_input(check, tmp_path, text, place, says):
    """Told once, with its place, and nothing is judged."""
    done = check(text, "rounded")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"error: {tmp_path / 'program.py'}{place}" in done.stderr, done.stderr
    assert done.stderr.count("no Python") == 1 and says in done.stderr, done.stderr
    assert "nor as" not in done.stderr and "not read" not in done.stderr, done.stderr
    assert not (tmp_path / "rounded/campaign.json").exists()


def test_the_function_that_no_other_calls_is_meant(check):
    text = "def g(x):\n    return x + len({1})\ndef f(x, dim=None, *, dtype={}):\n    return g(x)\n"
    done = check(text + "if __name__ == '__main__':\n    f(1)\n", "wrong")
    assert done.returncode == 2 and "mismatch by plain_python" in done.stderr, done.stderr


def test_a_function_that_a_decorator_takes_is_not_meant(check):
    text = "def keep(given):\n    return given\n\n\n@keep\ndef _(x):\n    return x\n\n\n"
    text += "def make():\n    return [{}]\n\n\nKEPT = make()\n\n\n"
    done = check(text + "def f(x):\n    return x + len({1})\n", "wrong")
    assert done.returncode == 2 and "mismatch by plain_python" in done.stderr, done.stderr


MAKE = """
def make(count, name="inner"):
    def {inner}(
        x,  # a tensor
        k: int = 2,
    ):
        return x * count + len({{k}})

    if count < 0:
        return None
    return {inner}


"""


@pytest.mark.parametrize(
    "text, words",
    [
        (MAKE.format(inner="inner") + "f = make(3)\n", ()),
        (MAKE.format(inner="inner") + "f = make(3)\ng = make(4)\n", ("--fn", "g")),
        ("def make():\n    return lambda x, k=2: x + len({k})\nf: object = make()\n", ()),
        ("f = lambda x, *, k=2: x + len({k})\n", ()),
        (MAKE.format(inner="other") + "g = make(3)\ndef f(x):\n    return g(x)\n", ()),
        # What nobody calls may be a hook: the function that is defined is meant.
        (MAKE.format(inner="hook") + "h = make(3)\ndef f(x):\n    return x + len({1})\n", ()),
    ],
    ids=["closure", "chosen", "lambda returned", "lambda", "called", "hook"],
)
def test_a_function_that_a_line_makes(check, tmp_path, text, words):
    done = check(text, "wrong", *words)
    assert done.returncode == 2 and "mismatch by plain_python" in done.stderr, done.stderr
    case = (finding(tmp_path, "wrong")[1] / "original.case").read_text()
    name = words[1] if words else "f"
    assert f"return {name}(" in case, case


@pytest.mark.parametrize(
    "text, says",
    [
        ("def keep(g):\n    return g\n\n\n@keep\n" + MAKE.format(inner="f").lstrip(), "'g'"),
        ("def make():\n    return [lambda x: x]\n", "'g'"),
        ("def make():\n    x = 1\n", "'g'"),
    ],
    ids=["decorated", "a list", "nothing"],
)
def test_what_a_line_makes_may_be_no_function(check, text, says):
    done = check(text + "g = make()\n", "wrong", "--fn", "g")
    assert done.returncode == 1 and f"has no function {says}" in done.stderr, done.stderr


def test_dtypes_that_tensors_lack_are_of_plain_python(tmp_path):
    (tmp_path / "program.py").write_text("def f(x):\n    return x + x\n")
    for rand, says in (("c64[3]", "complex64"), ("u16[3]", "uint16"), ("c128[]", "complex128")):
        said = error("run", tmp_path / "program.py", "--rand", rand)
        assert f"there are no tensors of {says}; `check` gives such" in said
        said = error("check", tmp_path / "program.py", "--rand", rand, "--out", tmp_path / "out")
        assert f"there are no tensors of {says}" in said
    said = error("run", tmp_path / "program.py", "--rand", "c64[3] offset=1")
    assert "complex numbers lie contiguous" in said
    said = error("run", tmp_path / "program.py", "--rand", "c32[3]")
    assert "c32" in said


def test_a_complex_argument_goes_as_pairs(check, tmp_path):
    """The worker of numpy does not know what the text says of them."""
    done = check(FINE, "wrong", "--arg", "k=2", rand=["c64[3]"])
    assert done.returncode == 2, done.stderr
    case = (finding(tmp_path, "wrong")[1] / "reduced.case").read_text()
    assert "x = f32[3, 2]" in case


def test_plain_python_is_of_external_engines(tmp_path):
    (tmp_path / "program.py").write_text("def f(x):\n    yield x\n")
    said = error("check", tmp_path / "program.py", "--out", tmp_path / "out")
    assert "'yield' is not supported" in said and "plain Python" not in said


def is_needed(body, line):
    """Of a function with this body, whose line `line` of it raises."""
    text = "def f(x):\n" + "".join(f"    {row}\n" for row in body)
    tree = ast.parse(text)
    try:
        names = {}
        exec(compile(tree, "text", "exec"), names)
        names["f"](1)
    except ZeroDivisionError as e:
        assert e.__traceback__.tb_next.tb_lineno == line + 1
        return raised_for_result(e, tree, "text")
    raise AssertionError("it raises nothing")


@pytest.mark.parametrize(
    "body, line, needed",
    [
        (["return x / 0"], 1, True),
        (["y = x / 0", "z = y + 1", "return z"], 1, True),
        (["y = x / 0", "return x"], 1, False),
        (["y = x / 0", "return y.shape"], 1, False),
        (["y = x / 0", "if x:", "    x = y", "return x"], 1, False),
        (["y = x", "y += 1 / 0", "return [y]"], 2, True),
        (["y, z = x / 0, 1", "return z"], 1, True),  # both names are of one statement
        (["return len([x / 0])"], 1, False),
    ],
)
def test_an_error_is_needed_where_its_value_is_returned(body, line, needed):
    assert is_needed(body, line) is needed


def test_every_function_at_work_returns_it():
    text = "def g(x):\n    return x / 0\ndef f(x):\n    y = g(x)\n    return {end}\n"
    for end, needed in (("y", True), ("x", False)):
        tree = ast.parse(text.format(end=end))
        names = {}
        exec(compile(tree, "text", "exec"), names)
        try:
            names["f"](1)
        except ZeroDivisionError as e:
            assert raised_for_result(e, tree, "text") is needed

"""Scripts that a stranger wrote to do more than compute, given to the oracle `python`.

Each tries to make the file `pwned`, or to take all time or memory. It is judged as a saved case and
as a script that is checked. Nothing may be written, and the answer is a documented one.
"""

import re
import subprocess

import pytest
from under_test import BINARY, PYTHON, ROOT

MAIN = "def main(x: int) -> int:\n    return x\n"
TOUCH = '__import__("os").system("touch pwned")'


def fields(body, head="@dataclass(init=False, eq=False)", then="repr(A())"):
    return (
        f"from dataclasses import dataclass, field\n{head}\nclass A:\n{body}\n"
        f"def main(x: int) -> int:\n    {then}\n    return x\n"
    )


def within(statement):
    return f"def main(x: int) -> int:\n    {statement}\n    return x\n"


# The script, and a part of what `repro` has to say of it.
REFUSED = {
    # keys and names that become code in Python's library
    "annotations_key": (
        fields("    __annotations__ = {'x\"+str(" + TOUCH + ")#': int}"),
        "__annotations__",
    ),
    "annotations_key_of_init": (
        fields("    __annotations__ = {'x=" + TOUCH + "': int}", "@dataclass", "pass"),
        "__annotations__",
    ),
    "annotations_subscript": (
        fields("    y: int = 0\n    __annotations__['x=" + TOUCH + "'] = int"),
        "a statement within a class",
    ),
    "annotations_update": (
        fields("    y: int = 0\n    __annotations__.update({'x=" + TOUCH + "': int})"),
        "a statement within a class",
    ),
    "annotations_in_a_constant": (
        "def f(x: int) -> int:\n    return x\nKEYS = f.__annotations__\n" + MAIN,
        "__annotations__",
    ),
    "annotations_by_keyword": ("ONE = dict(__annotations__=1)\n" + MAIN, "__annotations__"),
    "annotations_of_another": (
        "class B:\n    y: int = 0\nB.__annotations__ = {'x=" + TOUCH + "': int}\n" + MAIN,
        "outside its functions",
    ),
    "field_renamed": (
        "from dataclasses import dataclass, field\nF = field(default=1)\n@dataclass\nclass A:\n"
        "    x: int = F\n"
        "F.name = 'x=" + TOUCH + "'\n@dataclass\nclass B(A):\n    y: int = 0\n" + MAIN,
        "outside its functions",
    ),
    "field_renamed_in_a_class": (
        "from dataclasses import dataclass, field\nF = field(default=1)\n@dataclass\nclass A:\n"
        "    x: int = F\n"
        "class C:\n    F.name = 'x="
        + TOUCH
        + "'\n@dataclass\nclass B(A):\n    y: int = 0\n"
        + MAIN,
        "a statement within a class",
    ),
    "annotation_of_an_attribute": (
        fields("    y: int = 0\n    " + TOUCH + ".x: int"),
        "a statement within a class",
    ),
    "enum_of_a_module": (
        "from enum import Enum\nALL = Enum._convert_('X', 'os', str)\n" + MAIN,
        "_convert_",
    ),
    "enum_missing": (
        "from enum import Enum\nclass E(Enum):\n    A = 1\n    @classmethod\n"
        "    def _missing_(cls, v: int) -> int:\n"
        "        return 1\n" + MAIN,
        "_missing_",
    ),
    "module_of_a_class": (fields("    __module__ = 'os'\n    y: int = 0"), "__module__"),
    "text_signature": (
        fields("    __text_signature__ = '(a=os.getcwd)'\n    y: int = 0"),
        "__text_signature__",
    ),
    # ways through attributes
    "class_of_a_number": (
        "ALL = (0).__class__.__base__.__subclasses__()\n" + MAIN,
        "__subclasses__",
    ),
    "globals_of_a_function": (
        "def f(x: int) -> int:\n    return x\nALL = f.__globals__\n" + MAIN,
        "__globals__",
    ),
    "builtins_by_name": ("ALL = __builtins__\n" + MAIN, "__builtins__"),
    "builtins_by_subscript": ("ALL = __builtins__['open']('pwned', 'w')\n" + MAIN, "__builtins__"),
    "loader": ("import math\nALL = math.__loader__\n" + MAIN, "__loader__"),
    "mro": ("ALL = int.mro()\n" + MAIN, "mro"),
    "init_subclass": (
        "class A:\n    def __init_subclass__(cls, n: int = 0) -> int:\n        return n\n" + MAIN,
        "__init_subclass__",
    ),
    "class_getitem": (
        "class A:\n    def __class_getitem__(cls, n: int) -> int:\n        return n\n" + MAIN,
        "__class_getitem__",
    ),
    "set_name": (
        "class A:\n    def __set_name__(self, o: int, n: str) -> int:\n        return 0\n" + MAIN,
        "__set_name__",
    ),
    "frame_of_a_traceback": (
        "from typing import Any\nclass W:\n    def __enter__(self) -> int:\n        return 0\n"
        "    def __exit__(self, t: Any, v: Any, tb: Any):\n        tb.tb_frame.f_builtins\n" + MAIN,
        "tb_frame",
    ),
    "getattr": ("ALL = getattr(0, '__cla' + 'ss__')\n" + MAIN, "getattr"),
    "setattr": ("ALL = setattr(int, 'x', 1)\n" + MAIN, "setattr"),
    "eval": (
        "ALL = eval('"
        + TOUCH.replace('"', "\\'").replace("'", "\\'").replace("\\\\'", "\\'")
        + "')\n"
        + MAIN,
        "eval",
    ),
    "exec": ('ALL = exec(\'open("pwned", "w")\')\n' + MAIN, "exec"),
    "compile": ("ALL = compile('1', 'a', 'eval')\n" + MAIN, "compile"),
    "open": ("ALL = open('pwned', 'w')\n" + MAIN, "open"),
    "type": ("ALL = type('A', (), {'a': 1})\n" + MAIN, "type"),
    "vars": ("ALL = vars()\n" + MAIN, "vars"),
    "globals": ("ALL = globals()\n" + MAIN, "globals"),
    "import_by_name": ("ALL = " + TOUCH + "\n" + MAIN, "__import__"),
    # formats
    "format_walks": ("ALL = '{0.__class__}'.format(1)\n" + MAIN, "a format that walks attributes"),
    "format_walks_items": (
        "ALL = '{x[__class__]}'.format(x=[1])\n" + MAIN,
        "a format that walks attributes",
    ),
    "format_nested": ("ALL = '{:{0.real}}'.format(1)\n" + MAIN, "a format that walks attributes"),
    "format_not_literal": (
        "F = '{0.__cla' + 'ss__}'\nALL = F.format(1)\n" + MAIN,
        "not written where it is used",
    ),
    "format_of_str": (
        "ALL = str.format('{0.__class__}', 1)\n" + MAIN,
        "not written where it is used",
    ),
    "format_kept": (
        "F = '{0.__class__}'.format\nALL = F(1)\n" + MAIN,
        "not written where it is used",
    ),
    "format_map": (
        "ALL = '{x.__class__}'.format_map({'x': 1})\n" + MAIN,
        "not written where it is used",
    ),
    # imports
    "import_os": ("import os\nALL = os.system('touch pwned')\n" + MAIN, "os"),
    "import_socket": ("from socket import socket\nALL = socket()\n" + MAIN, "socket"),
    "import_subprocess": (
        "import subprocess\nALL = subprocess.run(['touch', 'pwned'])\n" + MAIN,
        "subprocess",
    ),
    "import_signal": ("import signal\nALL = signal.raise_signal(9)\n" + MAIN, "signal"),
    "import_pathlib": ("from pathlib import Path\nALL = Path('pwned').touch()\n" + MAIN, "pathlib"),
    "import_ctypes": ("import ctypes\nALL = ctypes.CDLL(None)\n" + MAIN, "ctypes"),
    "import_sys_by_typing": ("import typing\nALL = typing.sys\n" + MAIN, "raise AttributeError"),
    "import_sys_by_enum": ("from enum import sys\n" + MAIN, "raise ImportError"),
    # what is run outside the functions
    "decorator": ("def evil(f: int) -> int:\n    return f\n@evil\n" + MAIN, "a decorator"),
    "decorator_called": ("@print('a')\n" + MAIN, "a decorator"),
    "decorator_of_a_path": ("import math\n@math.sin\n" + MAIN, "a decorator"),
    "decorator_of_a_class": (
        "def evil(f: int) -> int:\n    return f\n@evil\nclass A:\n    x: int = 0\n" + MAIN,
        "a decorator",
    ),
    "docstring_goes_on": ("'a'.join(" + TOUCH + ")\n" + MAIN, "outside its functions"),
    "hidden_in_a_comment": ("# a comment\r" + TOUCH + "\n" + MAIN, "a line's end"),
    "call": (TOUCH + "\n" + MAIN, "outside its functions"),
    "if": ("if " + TOUCH + ":\n    pass\n" + MAIN, "outside its functions"),
    "lambda": ("ALL = (lambda: " + TOUCH + ")()\n" + MAIN, "outside its functions"),
    "try": (
        "try:\n    " + TOUCH + "\nexcept Exception:\n    pass\n" + MAIN,
        "outside its functions",
    ),
    "function_twice": (
        "def main(x: int = open('pwned', 'w')) -> int:\n    return 0\n" + MAIN,
        "outside its functions",
    ),
    "constant_twice": ("A = " + TOUCH + "\nA = 1\n" + MAIN, "__import__"),
    "annotation_of_a_constant": ("A: " + TOUCH + " = 1\n" + MAIN, "__import__"),
    "annotation_under_a_comment": (
        "def main(x: " + TOUCH + "):\n    # type: (int) -> int\n    return x\n",
        "__import__",
    ),
    "name_of_a_named_tuple": (
        "from typing import NamedTuple\nP = NamedTuple('P' + " + TOUCH + ", [('x', int)])\n" + MAIN,
        "__import__",
    ),
    "exits": ("A = exit(3)\n" + MAIN, "exit"),
}

# Names between two underscores each are Python's: what is not of a class's operators is refused
# before CPython sees it, wherever an expression may appear.
POSITIONS = {
    "value_of_an_enum": "from enum import Enum\nclass E(Enum):\n    A = {}\n",
    "within_a_value_of_an_enum": "from enum import Enum\nclass E(Enum):\n    A = (1, [{}])\n",
    "base": "class A({}):\n    y: int = 0\n",
    "argument_of_a_decorator": "from dataclasses import dataclass\n@dataclass(eq={})\nclass A:\n"
    "    y: int = 0\n",
    "argument_of_a_decorator_by_path": "import dataclasses\n@dataclasses.dataclass({})\nclass A:\n"
    "    y: int = 0\n",
    "argument_of_property": "class A:\n    @property({})\n    def f(self) -> int:\n"
    "        return 0\n",
    "default_of_a_field": "from dataclasses import dataclass, field\n@dataclass\nclass A:\n"
    "    y: int = field(default={})\n",
    "factory": "from dataclasses import dataclass, field\n@dataclass\nclass A:\n"
    "    y: int = field(default_factory={})\n",
    "plain_field": "from dataclasses import dataclass\n@dataclass\nclass A:\n    y: int = {}\n",
    "default_of_a_method": "class A:\n    def f(self, y: int = {}) -> int:\n        return y\n",
    "default_by_keyword": "class A:\n    def f(self, *, y: int = {}) -> int:\n        return y\n",
    "annotation_of_a_field": "class A:\n    y: {} = 0\n",
    "field_of_a_named_tuple": "from typing import NamedTuple\nclass P(NamedTuple):\n"
    "    x: int = {}\n",
    "formatted": 'A = f"{{{}}}"\n',
    "specification": 'A = f"{{1:{{{}}}}}"\n',
    "specification_of_a_value_of_an_enum": "from enum import Enum\nclass E(Enum):\n"
    '    A = f"{{1:>{{{}}}}}"\n',
    "specification_of_a_default": 'class A:\n    def f(self, y: str = f"{{1:{{{}}}}}") -> str:\n'
    "        return y\n",
    "conversion": 'A = f"{{{}!r}}"\n',
    "slice": "A = [1][{}:]\n",
    "choice": "A = 1 if {} else 2\n",
    "value_of_a_dict": "A = {{'a': {}}}\n",
    "comprehension_of": "A = [{} for i in range(1)]\n",
    "walrus": "A = (B := {})\n",
}
EXPRESSIONS = {
    "import": "__import__('os')",
    "spec": "__spec__",
    "loader": "__loader__.load_module",
    "reduce": "(1).__reduce_ex__(2)",
    "dict": "A.__dict__",
    "keyword": "dict(__import__=1)",
}
NAMES = {
    "function": "def __import__(x: int) -> int:\n    return x\n",
    "method": "class A:\n    def __del__(self):\n        pass\n",
    "constant": "__build_class__ = 1\n",
    "class": "class __build_class__:\n    y: int = 0\n",
    "import_as": "import math as __builtins__\n",
    "import_from": "from math import __loader__\n",
    "import_from_as": "from math import sin as __build_class__\n",
    "parameter": "def f(__spec__: int) -> int:\n    return 1\n",
    "argument_of_a_method": "class A:\n    def f(self, __class__: int) -> int:\n        return 1\n",
    "match_args": "class A:\n    __match_args__ = ('a',)\n    y: int = 0\n",
}
PYTHONS = {
    f"{place}_{name}": head.format(text) + MAIN
    for place, head in POSITIONS.items()
    for name, text in EXPRESSIONS.items()
}
PYTHONS.update({f"name_of_{what}": text + MAIN for what, text in NAMES.items()})

# What takes all there is, or ends the interpreter: the worker's limits answer, or the script is
# refused.
LIMITED = {
    "loop": ("while True:\n    pass\n" + MAIN, "outside its functions"),
    "loop_of_for": ("for i in range(10 ** 18):\n    pass\n" + MAIN, "outside its functions"),
    "loop_in_a_class": (
        "class A:\n    while True:\n        pass\n" + MAIN,
        "a statement within a class",
    ),
    "comprehension": ("A = [0 for i in range(10 ** 18) if i < 0]\n" + MAIN, "limit: time"),
    "comprehension_in_a_class": (
        "class A:\n    a: int = len([0 for i in range(10 ** 18) if i < 0])\n" + MAIN,
        "limit: time",
    ),
    "sum_of_a_range": ("A = sum(range(10 ** 18))\n" + MAIN, "limit: time"),
    "recursion": (
        "def f(x: int) -> int:\n    return x\nclass A:\n    def m(self) -> int:\n"
        "        return self.m()\n"
        "    def __eq__(self, other: int) -> bool:\n        return self == other\nB = A() == 1\n"
        + MAIN,
        "limit: RecursionError",
    ),
    "long_text": ("A = 'x' * 10 ** 12\n" + MAIN, "limit: MemoryError"),
    "long_list": ("A = [0] * 10 ** 12\n" + MAIN, "limit: MemoryError"),
    "long_list_of_a_range": ("A = list(range(10 ** 10))\n" + MAIN, "limit: "),
    "large_int": ("A = 10 ** 10 ** 10\n" + MAIN, "limit: "),
    "large_int_shifted": ("A = 1 << (10 ** 12)\n" + MAIN, "limit: MemoryError"),
    "large_int_as_text": ("A = str(10 ** 10 ** 7)\n" + MAIN, "limit: time"),
    "raises": ("A = 1 // 0\n" + MAIN, "its definitions raise ZeroDivisionError"),
    "deep": ("A = " + "(" * 190 + "1" + ")" * 190 + "\n" + MAIN, ""),
}
# What the front end refuses.
UNCOMPILED = {
    "fields_of_a_dataclass": (fields("    y: int = 0", then="A().__dataclass_fields__"), ""),
    "default": ("def main(x: int, y: int = " + TOUCH + ") -> int:\n    return x\n", ""),
    "default_without_end": (
        (
            "def main(x: int, y: int = len([0 for i in range(10 ** 18) if i < 0])) -> int:\n"
            "    return x\n"
        ),
        "",
    ),
    "metaclass": ("class A(metaclass=print):\n    x: int = 0\n" + MAIN, ""),
    "class_in_a_class": ("class A:\n    class B:\n        print(1)\n" + MAIN, ""),
    "within_a_function": (within(TOUCH), ""),
    "import_within_a_function": (within("import os"), ""),
    "subclasses_within_a_function": (within("x.__class__.__base__.__subclasses__()"), ""),
    "getattr_within_a_function": (within("getattr(x, '__cla' + 'ss__')"), ""),
}
ALL = {**REFUSED, **LIMITED, **UNCOMPILED}


def fusillade(folder, *args):
    return subprocess.run(
        [BINARY, *map(str, args)], cwd=folder, capture_output=True, text=True, timeout=500
    )


def write_scripts(folder, names):
    """Each script as a saved case and as one to be checked."""
    for name in names:
        text = ALL[name][0]
        lines = "".join(f"  {line}\n" for line in text.rstrip("\n").split("\n"))
        case = (
            f"fusillade case 2\noracle: python\nverdict: skip\nscript:\n{lines}call:\n  x = 3\n"
            "end\n"
        )
        (folder / f"{name}.case").write_text(case, newline="")
        (folder / f"{name}.py").write_text(text, newline="")


def names_in(folder):
    return {path.name for path in folder.iterdir()}


CHECK = ("--fn", "main", "--oracle", "python", "--inputs", 1, "--jobs", 1, "--out", "out")


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What `repro` says of each case, and `check` of all scripts together."""
    folder = tmp_path_factory.mktemp("hostile")
    names = [name for name in ALL if name not in UNCOMPILED]
    write_scripts(folder, names)
    before = names_in(folder)
    repro = fusillade(folder, "repro", *(f"{name}.case" for name in names))
    check = fusillade(folder, "check", *(f"{name}.py" for name in names), *CHECK)
    assert names_in(folder) - before == {"out"}
    return repro, check


@pytest.mark.parametrize("name", [name for name in ALL if name not in UNCOMPILED])
def test_a_saved_case_is_not_run(answers, name):
    line = re.search(rf"^{name}\.case: (.*)", answers[0].stdout, re.MULTILINE)
    assert line and ALL[name][1] in line[1], answers[0].stdout + answers[0].stderr
    assert "died" not in line[1]


def test_names_of_pythons_own_are_refused_by_rule(tmp_path):
    """By the first wall, whatever the others know, or by the front end."""
    for name, text in PYTHONS.items():
        lines = "".join(f"  {line}\n" for line in text.rstrip("\n").split("\n"))
        (tmp_path / f"{name}.case").write_text(
            f"fusillade case 2\noracle: python\nverdict: skip\nscript:\n{lines}call:\n  x = 3\n"
            "end\n"
        )
    passed = []
    for name in PYTHONS:
        done = fusillade(tmp_path, "repro", f"{name}.case")
        first = re.search(
            r"skip \(not given to Python: the name '__\w+__', in line \d", done.stdout
        )
        if not (first and done.returncode == 0) and not (
            done.returncode == 1 and "fusillade: error: " in done.stderr
        ):
            passed.append((name, done.stdout))
    assert not passed
    # But what classes of the language define is given to it.
    operators = (
        "class A:\n    def __init__(self):\n        self.x = 1\n    def __len__(self) -> int:\n"
        "        return self.x\n"
    )
    (tmp_path / "fine.case").write_text(
        "fusillade case 2\noracle: python\nscript:\n"
        + "".join(
            f"  {line}\n"
            for line in (
                operators + "def main(x: int) -> int:\n    return x + len(A())\n"
            ).splitlines()
        )
        + "call:\n  x = 3\nend\n"
    )
    assert "fine.case: ok" in fusillade(tmp_path, "repro", "fine.case").stdout


def test_nothing_is_found_and_nothing_breaks(answers):
    repro, check = answers
    assert repro.returncode == 0, repro.stdout
    assert check.returncode in (0, 3), check.stdout + check.stderr
    for r in answers:
        assert "Traceback" not in r.stdout + r.stderr and "died" not in r.stdout


@pytest.mark.parametrize("name", UNCOMPILED)
def test_what_does_not_compile_is_an_error(tmp_path, name):
    write_scripts(tmp_path, [name])
    before = names_in(tmp_path)
    for r in (
        fusillade(tmp_path, "repro", f"{name}.case"),
        fusillade(tmp_path, "check", f"{name}.py", *CHECK),
    ):
        assert (
            r.returncode == 1 and "fusillade: error: " in r.stderr and "Traceback" not in r.stderr
        )
    assert names_in(tmp_path) - before <= {"out"}


def worker_without_filter():
    """The worker's text, less that it asks for the filter of system calls, which fusillade hands
    it."""
    return (
        (ROOT / "fuzz/run/python/worker.py")
        .read_text()
        .replace('return "no filter', 'return "" and "no filter')
    )


def test_what_cannot_be_confined_is_said():
    worker = (ROOT / "fuzz/run/python/worker.py").read_text()
    asked = b"script\0plain\0def f(x):\n    return x\n\0(1,)"
    r = subprocess.run(
        [PYTHON, "-I", "-S", "-c", worker, ""],
        input=b"%d run\n" % len(asked) + asked,
        capture_output=True,
    )
    assert b"unconfined: no filter of system calls: none is known for this machine\n" in r.stdout
    assert r.stdout.endswith(
        b"declined\nno filter of system calls: none is known for this machine"
    ), r.stdout


ENUM_OF_FIELDS = """from dataclasses import dataclass, field
from enum import Enum
from typing import Any
class Same:
    def __init__(self):
        self.n = 0
    def __eq__(self, o: Any) -> bool:
        return True
class Evil:
    def __init__(self):
        self.n = 0
        self.frozen = False
        self.init = True
        self.kw_only = False
        self.type = 1
        self.default = 1
        self.default_factory = 1
        self._field_type = Same()
    @property
    def name(self) -> str:
        self.n += 1
        return 'a=__import__("os").mkdir("pwned"),b' if self.n == 9 else "a"
@dataclass
class A(Enum("E", {"__dataclass_fields__": {"a": Evil()}, "__dataclass_params__": Evil()})):
    pass
def main(x: int) -> int:
    return x
"""
CALLED = "from enum import Enum\ndef f(x):\n    return Enum('E', {'a': x})\n"
TUPLE = "from typing import NamedTuple\ndef f(x):\n    return NamedTuple('E', [('a', int)])\n"
HELPER = "def f(x):\n    return _augmented_attribute(f, '__code__', x)\n"
SPELLED = "def f(x):\n    return _wrap(x)\n"


@pytest.mark.parametrize("mode", ["plain", "int64"])
@pytest.mark.parametrize("script", [ENUM_OF_FIELDS, CALLED, TUPLE, HELPER, SPELLED])
def test_the_worker_alone_holds(tmp_path, mode, script):
    """What no check of ours stands before: names made of text, and what the arithmetic of 64 bits
    adds to a script's names."""
    worker = worker_without_filter()
    asked = b"script\0" + mode.encode() + b"\0" + script.encode() + b"\0(1,)"
    r = subprocess.run(
        [PYTHON, "-I", "-S", "-c", worker, ""],
        input=b"%d run\n" % len(asked) + asked,
        capture_output=True,
        cwd=tmp_path,
    )
    output = r.stdout.split(b"\n")[-1]
    assert b"a script may not use" in output or b"NameError" in output, r.stdout
    assert not list(tmp_path.iterdir()) and b"Traceback" not in r.stderr


@pytest.mark.parametrize(
    "opened, closed", [("[*", "]"), ("(*", ",)"), ("max(*", ")"), ("{**", "}")]
)
def test_stars_nest_as_deep_as_brackets(tmp_path, opened, closed):
    (tmp_path / "deep.py").write_text(
        f"def f(x):\n    y = {opened * 20000}x{closed * 20000}\n    return x\n"
    )
    r = fusillade(tmp_path, "opt", "deep.py")
    assert r.returncode == 1 and "nested more than 200 deep" in r.stderr, (
        r.returncode,
        r.stderr[-300:],
    )


def test_a_script_cannot_change_the_next():
    """A worker that is asked twice: what the first script sets of a module or a class is not there
    for the second."""
    worker = worker_without_filter()
    asked = b""
    for script in (
        "import math\ndef f(x):\n    math.pi = 3\n",
        "import math\ndef f(x):\n    return math.pi\n",
    ):
        body = f"script\0plain\0{script}\0(1,)".encode()
        asked += b"%d run\n%s" % (len(body), body)
    r = subprocess.run([PYTHON, "-I", "-S", "-c", worker, ""], input=asked, capture_output=True)
    assert re.findall(rb"AttributeError|3\.14159\d*", r.stdout) == [
        b"AttributeError",
        b"3.141592653589793",
    ]

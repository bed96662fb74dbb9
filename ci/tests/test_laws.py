"""Each law fails on a tree that breaks it, and names the place."""

import importlib.util
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))  # laws.py takes pages.py from beside it
spec = importlib.util.spec_from_file_location("laws", os.path.join(HERE, "..", "laws.py"))
laws = importlib.util.module_from_spec(spec)
spec.loader.exec_module(laws)

GOOD = {
    "README.md": "```sh\nci/run.sh\nbuild/release/fusillade fuzz\n```\n",
    "ci/run.sh": "",
    "fuzz/cli/fuzz.cpp": '// The main verb.\nVERB(fuzz, "x") {}\n',
    "engine/base/a.h": "// One made certain.\n#pragma once\ninline int a() { return 1; }\n",
    "engine/base/a.cpp": '// See a.h.\n#include "engine/base/a.h"\n',
    "engine/ir/b.cpp": '// Takes one from below.\n#include "engine/base/a.h"\n',
    "ci/tool.py": '#!/usr/bin/env python3\n"""Tells what it does."""\n',
}
RUFF = {"ruff.toml": "line-length = 100\n"}
# The format law holds where a tree has a style.
STYLE = {".clang-format": "BasedOnStyle: Google\nColumnLimit: 100\n"}

BAD = [
    ("layers: engine/base/c.cpp", {"engine/base/c.cpp": '#include "engine/ir/graph.h"\n'}),
    ("layers: engine/ir/c.cpp", {"engine/ir/c.cpp": '#include "fuzz/x.h"\n'}),
    ("layers: fuzz/c.cpp", {"fuzz/c.cpp": '#include "bench/x.h"\n'}),
    ("layers: engine/base/c.cpp", {"engine/base/c.cpp": "#include <engine/ir/graph.h>\n"}),
    ("layers: engine/base/c.cpp", {"engine/base/c.cpp": '#  include "engine/ir/graph.h"\n'}),
    ("layers: engine/odd/c.cpp", {"engine/odd/c.cpp": "\n"}),
    ("layers: engine/base/c.cpp", {"engine/base/c.cpp": '#include "engine/odd/c.h"\n'}),
    ("layers: fuzz/run/c.cpp", {"fuzz/run/c.cpp": '#include "fuzz/oracle/oracle.h"\n'}),
    ("layers: fuzz/case/c.h", {"fuzz/case/c.h": "#include <fuzz/cli/verb.h>\n"}),
    ("layers: fuzz/run/python/c.h", {"fuzz/run/python/c.h": '#include "fuzz/judge/judge.h"\n'}),
    (
        "layers: fuzz/oracle/c.cpp: includes fuzz/target.h",
        {"fuzz/oracle/c.cpp": '#include "fuzz/target.h"\n'},
    ),
    ("layers: fuzz/cli/c.cpp", {"fuzz/cli/c.cpp": '#include "suites/x.h"\n'}),
    ("layers: fuzz/odd/c.cpp: 'odd' is not a layer of fuzz", {"fuzz/odd/c.cpp": "\n"}),
    ("layers: fuzz/cli/c.cpp", {"fuzz/cli/c.cpp": '#include "fuzz/odd/c.h"\n'}),
    ("forks: fuzz/cli/c.cpp:2", {"fuzz/cli/c.cpp": "// A child.\nint pid = fork();\n"}),
    ("forks: engine/ir/c.cpp:2", {"engine/ir/c.cpp": '// A shell.\nint i = std::system("ls");\n'}),
    ("forks: bench/c.h:2", {"bench/c.h": "// A child.\ninline int c() { return ::vfork(); }\n"}),
    ("size: engine/ir/c.cpp", {"engine/ir/c.cpp": "\n" * 701}),
    (
        "size: engine/base/a.h: 251 lines of code",
        {
            "engine/base/a.h": "// One made certain.\n#pragma once\n"
            + "extern int a;  // one of many\n" * 250
        },
    ),
    (
        "size: engine/base/a.h: declares two functions at once: int a(), b()",
        {"engine/base/a.h": "// One made certain.\n#pragma once\nint a(), b();\n"},
    ),
    (
        "size: engine/base/a.h: declares two functions at once: int* a(int x), *b(int x) const",
        {
            "engine/base/a.h": "// One made certain.\n#pragma once\nclass A {\n public:\n"
            "  int* a(int x),\n"
            "      *b(int x) const;\n};\n"
        },
    ),
    (
        "size: engine/base/a.h: declares two functions at once: std::pair<int, int> a(), b()",
        {
            "engine/base/a.h": "// One made certain.\n#pragma once\n#include <utility>\n"
            "std::pair<int, int> a(), b();\n"
        },
    ),
    (
        "format: engine/base/a.cpp: is not as",
        {**STYLE, "engine/base/a.cpp": '// See a.h.\n#include "engine/base/a.h"\nint  b;\n'},
    ),
    (
        "format: engine/base/a.h: is not as",
        {
            **STYLE,
            "engine/base/a.h": "// One made certain.\n#pragma once\ninline int a() {return 1;}\n",
        },
    ),
    (
        "columns: ci/tool.py:2: 101 columns",
        {"ci/tool.py": f'"""Tells what it does."""\n#{"x" * 100}\n'},
    ),
    ("columns: ci/tool:2: 101 columns", {"ci/tool": f"#!/bin/sh\n#{'x' * 100}\n"}),
    *(
        (f"columns: {name}:2: 101 columns", {name: f"\n{'x' * 101}\n"})
        for name in (
            "CMakeLists.txt cmake/a.cmake cmake/a.cmake.in ci/a.sh Dockerfile a.json a.toml "
            "ci/recipes/a.yml a.yaml a.html a.css a.js engine/a.cuh suites/a.cpp"
        ).split()
    ),
    (
        "format: ci/tool.py: is not as ruff",
        {**RUFF, "ci/tool.py": '"""Tells what it does."""\n\na  = 1\n'},
    ),
    (
        "lint: ci/tool.py:3:8: F401",
        {**RUFF, "ci/tool.py": '"""Tells what it does."""\n\nimport os\n'},
    ),
    (
        "lint: ci/tool.py:3:5: invalid-syntax",
        {**RUFF, "ci/tool.py": '"""Tells what it does."""\n\na = \n'},
    ),
    ("op lists: fuzz/x.cpp:1", {"fuzz/x.cpp": '"aten::add", "aten::mul",\n"aten::sub"\n'}),
    ("headers: engine/base/c.h", {"engine/base/c.h": "#pragma once\nstd::string s();\n"}),
    (
        "headers: engine/base/c.h",
        {
            "engine/base/c.h": "#pragma once\nstd::string s();\n",
            "engine/base/c.cpp": '#include <string>\n#include "engine/base/c.h"\n',
        },
    ),
    (
        "headers: engine/base/c.h",
        {
            "engine/base/c.h": "#pragma once\nstd::deque<int> s();\n",
            "engine/base/c.cpp": '#include "engine/base/c.h"\n',
        },
    ),
    (
        "wide headers: fuzz/run/c.h: reads nlohmann/json.hpp",
        {"fuzz/run/c.h": "// One of many.\n#pragma once\n#include <nlohmann/json.hpp>\n"},
    ),
    (
        "united: cmake/united/groups.txt: names engine/base/c.cpp",
        {"cmake/united/groups.txt": "engine/base/c.cpp\n", "cmake/profile/sources.txt": ""},
    ),
    (
        "united: cmake/united/groups.txt: engine/base/a.cpp is in two groups or is hot",
        {
            "cmake/united/groups.txt": "engine/base/a.cpp engine/ir/b.cpp\n",
            "cmake/profile/sources.txt": "engine/base/a.cpp\n",
        },
    ),
    (
        "heads: engine/base/c.cpp: does not start",
        {"engine/base/c.cpp": "int c;\n// One to count them.\n"},
    ),
    ("heads: ci/tool.py: does not start", {"ci/tool.py": "import os\n"}),
    (
        "heads: engine/base/c.h: its first comment tells too little",
        {"engine/base/c.h": "// C.\n#pragma once\n"},
    ),
    ("heads: engine/base/c.cpp: refers to c.h", {"engine/base/c.cpp": "// See c.h.\n"}),
    (
        "heads: engine/base/c.cpp: its first comment has 21",
        {"engine/base/c.cpp": "// Words and words.\n" * 21},
    ),
    ("readme: README.md: runs ci/gone.sh", {"README.md": "```sh\nci/gone.sh\n```\n"}),
    ("readme: README.md: 121 lines, the cap is 120", {"README.md": "Short.\n" * 121}),
    (
        "readme: README.md: runs the verb 'fizz'",
        {"README.md": "```sh\nbuild/release/fusillade fizz\n```\n"},
    ),
    (
        "readme: README.md: runs the verb 'fizz'",
        {"README.md": "```bash\nbuild/release/fusillade fizz\n```\n"},
    ),
    ("readme: README.md: runs the verb 'fizz'", {"README.md": "Try `fusillade fizz`.\n"}),
    (
        "readme: README.md: runs gone, which",
        {
            "README.md": "```sh\nbuild/release/gone\n```\n",
            "CMakeLists.txt": "add_executable(here a.cpp)\n",
        },
    ),
    (
        "readme: README.md: gives 'fuzz' the flag --gone",
        {"README.md": "```sh\nfusillade fuzz --gone\n```\n"},
    ),
    (
        "readme: README.md: gives 'list' the flag --seed",
        {
            "README.md": "`fusillade list --seed`\n",
            "fuzz/cli/two.cpp": '// Two verbs.\nVERB(list, "") {}\n'
            'VERB(gen, "") { flag("--seed"); }\n',
        },
    ),
    ("readme: README.md: runs ci/gone.sh", {"README.md": "```sh\n./ci/gone.sh\n```\n"}),
    ("marks: engine/base/c.cpp:1", {"engine/base/c.cpp": "// TO\x44O\n"}),
    ("marks: engine/base/c.cpp:1", {"engine/base/c.cpp": 'auto p = "/ro\x6ft/x";\n'}),
]


def tree(tmp_path, extra):
    for name, text in {**GOOD, **extra}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(tmp_path)


def test_a_good_tree_breaks_nothing(tmp_path):
    assert laws.faults(tree(tmp_path, {})) == []


@pytest.mark.parametrize("expected,extra", BAD)
def test_a_bad_tree_is_named(tmp_path, expected, extra):
    if "ruff.toml" in extra and not os.path.isfile(laws.RUFF):
        pytest.skip("ruff is not installed: ci/setup.sh --lint does")
    assert any(p.startswith(expected) for p in laws.faults(tree(tmp_path, extra)))


def test_a_header_is_compiled_again_once_what_it_includes_changes(tmp_path):
    text = '// One that takes another.\n#pragma once\n#include "engine/base/a.h"\n'
    text += "inline int c() { return a(); }\n"
    root = tree(tmp_path, {"engine/base/c.h": text})
    assert laws.faults(root) == []
    (tmp_path / "engine/base/a.h").write_text("// One made certain.\n#pragma once\nint b();\n")
    assert any(p.startswith("headers: engine/base/c.h") for p in laws.faults(root))


def test_comments_and_blanks_are_no_code(tmp_path):
    text = (
        "// One made certain.\n#pragma once\n" + "  // Words.\n\n" * 200 + "extern int a;\n" * 249
    )
    assert laws.faults(tree(tmp_path, {"engine/base/a.h": text})) == []


@pytest.mark.parametrize(
    "declared",
    [
        "int a(int x, int y);",
        "std::function<int(int)> a, b;",
        "inline int x = a(1), y = a(2);",
        "struct A {\n  A(int a, int b);\n};",
        "int a();  // or a(), b();",
        'inline const char* x = "int a(), b();";',
    ],
)
def test_one_function_and_several_values_may_be_declared(declared):
    assert list(laws.functions_declared_together(declared)) == []


def test_a_tree_as_its_style_wants_it(tmp_path):
    assert laws.faults(tree(tmp_path, STYLE)) == []


def test_a_line_of_a_hundred_columns_is_legal(tmp_path):
    text = '"""Tells what it does."""\n#' + "ä" * 99 + "\n"
    assert laws.faults(tree(tmp_path, {"ci/tool.py": text, "a.sh": "#" + "ä" * 99})) == []


@pytest.mark.parametrize("name", ["suites/golden/a.json", "docs/reference/shell/a.fish", "a.txt"])
def test_what_a_program_prints_may_be_wide(tmp_path, name):
    assert laws.faults(tree(tmp_path, {name: "x" * 101})) == []


def test_python_without_its_formatter_is_broken(tmp_path, monkeypatch):
    monkeypatch.setattr(laws, "RUFF", str(tmp_path / "none"))
    assert laws.faults(tree(tmp_path, RUFF)) == [
        f"{law}: ruff is not installed: ci/setup.sh --lint does" for law in ("format", "lint")
    ]


def test_a_ruff_of_another_version_is_broken(tmp_path):
    if not os.path.isfile(laws.RUFF):
        pytest.skip("ruff is not installed: ci/setup.sh --lint does")
    told = laws.faults(tree(tmp_path, {"ruff.toml": 'required-version = "==0.0.1"\n'}))
    assert len(told) == 2 and all("0.0.1" in line for line in told), told


def test_a_tree_without_a_style_has_none_to_break(tmp_path):
    assert (
        laws.faults(
            tree(
                tmp_path,
                {"engine/base/a.cpp": '// See a.h.\n#include "engine/base/a.h"\nint  b;\n'},
            )
        )
        == []
    )


def test_folders_include_to_the_left(tmp_path):
    extra = {
        "fuzz/process/p.h": "// A part of it all.\n#pragma once\ninline int p() { return 1; }\n",
        "fuzz/process/p.cpp": '// See p.h.\n#include "fuzz/process/p.h"\nint a = fork();\n',
        "fuzz/cli/c.cpp": '// Takes all of it.\n#include "engine/base/a.h"\n'
        '#include "fuzz/process/p.h"\n',
        "fuzz/target.cpp": '// An entry point of all.\n#include "fuzz/cli/verb.h"\n',
        "fuzz/run/c.cpp": "// A word of it.\nint b = not_fork(); int c = a.fork();  // fork()\n",
    }
    assert laws.faults(tree(tmp_path, extra)) == []


@pytest.mark.parametrize(
    "line",
    [
        "bool f(const Operator& op) { return op.run == &run_x; }",
        "bool f(const Row& r) { return r.run != &run_x<false>; }",
        'bool f(const Operator& op) { return op.schema.name.ends_with("min"); }',
        'bool f(const Row* r) { return r->name.find("empty") != std::string::npos; }',
        'bool f(const Node* n) { return n->op().name.starts_with("aten::arg"); }',
        'const std::string& of = op.schema.name;\nbool b = of.contains("nested");',
        'const std::string of = op.name;\nbool b = of.ends_with("min");',
        "const auto& of = n->op().name;\nbool b = of.find(kArg) == 0;",
        'bool f(const Operator& op) { return op.name.compare(0, 3, "arg") == 0; }',
        'bool f(const Operator& op) { return op.name.substr(6) == "min"; }',
        'bool f(const Operator& op) { return std::strstr(op.name.c_str(), "min"); }',
        "bool f(const Operator& op) { return std::regex_search(op.schema.name, of); }",
        'bool f(const Operator& op) { return contains(op.name, "min"); }',
        "bool f(const Operator& op) { return (&run_arg == op.run); }",
        "bool f(const Operator& op) { return op.infer == &infer_arg; }",
    ],
)
def test_facts_of_operators_are_given_by_traits(tmp_path, line):
    where = "engine/aten/sort/c.cpp"
    broken = laws.faults(tree(tmp_path, {where: "// Sorts.\n" + line + "\n"}))
    assert [b for b in broken if b.startswith("operator facts: " + where)], broken


@pytest.mark.parametrize(
    "line",
    [
        "bool f(const Walk& walk) { return walk.run == 1; }",
        'bool f(const Operator& op) { return op.name.starts_with("aten::"); }',
        'size_t f(const Operator& op) { return op.schema.name.find("::"); }',
        'bool f(const SchemaArg& a) { return a.name.starts_with("real_"); }',
    ],
)
def test_namespaces_and_arguments_may_be_asked_for(tmp_path, line):
    broken = laws.faults(tree(tmp_path, {"engine/aten/sort/c.cpp": "// Sorts.\n" + line + "\n"}))
    assert [b for b in broken if b.startswith("operator facts")] == []


@pytest.mark.parametrize(
    ("name", "line", "word"),
    [
        ("engine/base/c.cpp", "std::string joined(const std::string& a) { return a; }", "joined"),
        ("engine/base/c.h", "  const std::vector<int>& told() const;", "told"),
        ("engine/base/c.cpp", "struct S {\n  bool muted() const { return true; }\n};", "muted"),
        ("engine/base/c.cpp", "[[nodiscard]] bool settled(int a) { return a; }", "settled"),
        ("engine/base/c.cpp", "auto named(int a) -> bool { return a; }", "named"),
        ("engine/base/c.cpp", "std::string\nquoted(int a) {\n  return {};\n}", "quoted"),
        ("engine/base/c.cpp", "bool Outer::Inner::closed() { return true; }", "closed"),
        ("fuzz/workers/w.py", "def told(x):\n    return x", "told"),
        ("fuzz/workers/w.py", "class A:\n    def made(self):\n        return 1", "made"),
        (
            "fuzz/workers/w.py",
            "class A:\n    @property\n    def made(self):\n        return 1",
            None,
        ),
        ("suites/faults/w", "#!/usr/bin/env python3\ndef told(x):\n    return x", "told"),
        ("suites/faults/w", "#!/bin/sh\ndef told(x):\n    return x", None),
        ("engine/base/c.h", "  double left(double elapsed) const;", "left"),
        ("engine/base/c.cpp", "void Step::ran(int a) { b = a; }", "ran"),
        ("engine/base/c.cpp", "void took(double seconds) { used += seconds; }", "took"),
        ("fuzz/workers/w.py", "def went(x):\n    return x", "went"),
        ("fuzz/workers/w.py", "def came(x):\n    return x", "came"),
        ("fuzz/workers/w.py", "def gave(x):\n    return x", "gave"),
        ("engine/base/c.cpp", "void f() {\n  const auto kept = [] { return 1; };\n}", "kept"),
        ("engine/base/c.cpp", "void f() {\n  const auto keep = [] { return 1; };\n}", None),
        ("engine/base/c.cpp", "int embed(int a) { return a; }", None),
        ("engine/base/c.cpp", "void f() {\n  std::string quoted(3, 'a');\n}", None),
        ("engine/base/c.cpp", "bool is_known(int a) { return a; }", None),
    ],
)
def test_functions_are_verbs_or_nouns(tmp_path, name, line, word):
    head = "// Names.\n" + "#pragma once\n" * name.endswith(".h")
    text = line if line.startswith("#!") else head + line
    broken = laws.faults(tree(tmp_path, {name: text + "\n"}))
    found = [b for b in broken if b.startswith("function names")]
    assert [word] * bool(word) == [b.split("'")[1] for b in found], broken


def test_a_trait_that_nobody_asks_for_is_named(tmp_path):
    listed = "// Asked.\n#pragma once\nenum class Trait {\n  Join,  // behind another\n  Sums};\n"
    asks = "// Asks.\nbool f() { return has_trait(Trait::Join); }\n"
    table = "// See traits.h.\nTrait all[] = {Trait::Join, Trait::Sums};\n"
    files = {"engine/ops/traits.h": listed, "engine/ops/traits.cpp": table}
    broken = laws.faults(tree(tmp_path, files | {"engine/aten/sort/c.cpp": asks}))
    assert [b for b in broken if b.startswith("traits")] == [
        "traits: engine/ops/traits.h: nobody asks for the trait Sums"
    ]


def test_rule_files_may_name_ops(tmp_path):
    text = "// law: rules name ops\n" + '"aten::add", "aten::mul", "aten::sub"\n'
    assert laws.faults(tree(tmp_path, {"engine/passes/p.cpp": text})) == []


def test_examples_in_a_head_are_not_prose(tmp_path):
    text = "// A table of names:\n" + "//   name   value\n" * 40
    assert laws.faults(tree(tmp_path, {"engine/base/c.cpp": text})) == []


def test_marks_before_a_docstring_are_part_of_the_head(tmp_path):
    text = "# bench: f32[N] N=16\n" + '"""Square roots of numbers."""\n'
    assert laws.faults(tree(tmp_path, {"bench/programs/roots.py": text})) == []

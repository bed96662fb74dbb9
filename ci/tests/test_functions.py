"""Functions and lambdas of C++ are found where they begin and end, and nothing else is."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import functions

BODY = "{\n  a();\n}"


def bodies_of(text):
    return [(first, last, head) for first, last, head in functions.bodies(text)]


@pytest.mark.parametrize(
    "head",
    [
        "int a()",
        "template <class T, int n = (1 > 0)>\nstd::vector<T> a(T x)",
        "static auto A::operator()(int x) const -> std::pair<int, int>",
        "A::A(int x) : b_(x), c_{x}, d_({x})",
        "A::~A() noexcept",
        "int main() try",
        'TEST(A, "b")',
        "[[maybe_unused]] bool operator<(A a, B b)",
        "A::operator bool() const&",
        "ODD(a)\nODD(b)\nint a()",
    ],
)
def test_a_function(head):
    lines = head.count("\n")
    for before in ("", "namespace a {\n", "class A : B<int> {\n public:\n"):
        text = f"{before}{head} {BODY}\n"
        ((first, last, _),) = bodies_of(text)
        assert last == text[: text.index(BODY)].count("\n") + 3
        assert last - lines - 2 <= first <= last - 2


@pytest.mark.parametrize(
    "text",
    [
        f"const int a[] = {BODY};",
        f"struct A {BODY};",
        f"template <class T>\nclass A : public B<T> {BODY};",
        f"enum class A {BODY};",
        f"namespace a::b {BODY}",
        f'const B b{{{{"(", a(1)}}, {{"]", 2}}}};\nconst C c = a({BODY});',
        f"// int a() {BODY.replace(chr(10), ' ')}",
        f'const char* a = R"(int a() {BODY})";',
        "#define A(b) void b() { \\\n }\n",
        "const char a = '{', b = '\"';\nconst int c = 1'000;\nvoid f();",
    ],
)
def test_no_function(text):
    assert bodies_of(text) == []


def test_a_lambda_outside_of_functions_counts_by_itself():
    text = (
        "const int a = add({{1, [](int x) { return x; }},\n {2, [&]() -> int {\n return 2;\n}}});\n"
    )
    assert [(first, last) for first, last, _ in bodies_of(text)] == [(1, 1), (2, 4)]


def test_lambdas_in_a_function_are_of_it():
    text = "void a() {\n  b(c, [&](int i) {\n    d(i);\n  });\n}\nvoid e() {}\n"
    assert [(first, last) for first, last, _ in bodies_of(text)] == [(1, 5), (6, 6)]


@pytest.mark.parametrize("head,name", [("int A::b()", "A::b"), ("const bool x = []", "a lambda")])
def test_a_long_one_is_named(tmp_path, monkeypatch, head, name):
    def faults_of(lines):
        (tmp_path / "engine").mkdir(exist_ok=True)
        (tmp_path / "engine/a.cpp").write_text(f"\n{head} {{" + "\n" * (lines - 1) + "}\n")
        return list(functions.functions(str(tmp_path), ["engine/a.cpp"]))

    assert faults_of(60) == []
    assert faults_of(61) == [f"engine/a.cpp:2: {name} has 61 lines, the cap is 60"]
    monkeypatch.setattr(functions, "LONG", {"engine/a.cpp": [name]})
    assert faults_of(61) == []
    (stale,) = faults_of(60)
    assert stale.startswith(f"engine/a.cpp: {name} is within the cap")

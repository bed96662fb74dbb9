// Dicts, named tuples and enums of scripts: read back from the graph's text and from case files,
// compared by every oracle that meets them, and with Python, whose KeyError names the key.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.h"
#include "engine/run/archive/archive.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/stateful_module.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kImports =
    "from enum import Enum\nfrom typing import Any, Dict, List, NamedTuple, Tuple\n";

Case script_case(const std::string& script, std::vector<IValue> inputs) {
  Case c;
  set_script(c, kImports + script, "<test>");
  c.calls.push_back({std::move(inputs)});
  return c;
}

Verdict verdict_of(const char* name, Case& c) {
  c.oracle = name;
  return oracle(name).judge(c);
}

IValue words(int64_t a, int64_t b) {
  IValue out = IValue::dict(TypeKind::Str, TypeKind::Int);
  out.as_dict().set(IValue::str("b"), IValue(a));
  out.as_dict().set(IValue::str("a\"\n"), IValue(b));
  return out;
}

TEST(SourceContainers, DictsAgreeInEveryFrontEnd) {
  Case c = script_case(
      "def f(d: Dict[str, int], k: str) -> Tuple[int, Dict[str, int], List[str], Dict[int, "
      "List[int]]]:\n"
      "    e = {i: [i, 2] for i in range(3)}\n    e[1].append(7)\n    e[5] = [1]\n    s = 0\n"
      "    for key, v in d.items():\n        s += v * len(key)\n    if k in d:\n        del d[k]\n"
      "    d[\"new\"] = d.pop(\"none\", 4)\n    d[\"new\"] += e[2][0]\n    return s, d, "
      "list(d.keys()), e\n",
      {words(1, 2), IValue::str("b")});
  ASSERT_EQ(c.refused, "");
  c.plans = parse_plans({"vm/o2"});
  for (const char* name : {"python", "frontends", "differential", "trace"}) {
    Verdict v = verdict_of(name, c);
    EXPECT_EQ(v.kind, VerdictKind::Ok) << name << ": " << v.reason << "\n" << v.detail;
  }
}

TEST(SourceContainers, RecordsAgreeInEveryFrontEnd) {
  Case c = script_case(
      "class E(Enum):\n    RED = \"r\"\n    BLUE = \"b\"\n\nclass T(NamedTuple):\n    a: int\n    "
      "b: List[E]\n    c: int = 4\n\n"
      "def g(n: int) -> T:\n    for i in range(n):\n        if i * i > 3:\n            return T(i, "
      "[E.RED], c=9)\n"
      "    return T(b=[E.BLUE, E.RED], a=n)\n\n"
      "def f(n: int) -> Tuple[str, int, bool]:\n    t = g(n)\n    x, y, z = t\n"
      "    return y[0].value + t.b[0].name, t[2] + x, t.b[0] == E.RED\n",
      {IValue(3)});
  ASSERT_EQ(c.refused, "");
  c.calls.push_back({{IValue(1)}});
  for (const char* name : {"python", "frontends"}) {
    Verdict v = verdict_of(name, c);
    EXPECT_EQ(v.kind, VerdictKind::Ok) << name << ": " << v.reason << "\n" << v.detail;
  }
}

TEST(SourceContainers, PythonsKeyErrorTellsTheKey) {
  std::string head = "def f(x: Dict[str, int]) -> int:\n    ";
  Case same = script_case(head + "return x[\"a\"] + x[\"it's\"]\n", {words(1, 2)});
  Verdict v = verdict_of("python", same);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.detail;
  Case other = script_case(head + "return x[\"it's\"]\n", {words(1, 2)});
  other.script = kImports + head + "return x[\"its\"]\n";
  EXPECT_EQ(verdict_of("python", other).reason, "error message");
  Case raised = script_case(head + "raise KeyError(\"a\")\n", {words(1, 2)});
  EXPECT_EQ(verdict_of("python", raised).kind, VerdictKind::Ok);
}

// A message that the script computes is compared as one that it spells out.
TEST(SourceContainers, AMessageOfARaiseIsCompared) {
  std::string head = "def f(s: str) -> int:\n    ";
  Case c = script_case(head + "raise ValueError(s + \"!\")\n", {IValue::str("ab")});
  Verdict v = verdict_of("python", c);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.detail;
  c.script = kImports + head + "raise ValueError(s + \"?\")\n";
  EXPECT_EQ(verdict_of("python", c).reason, "error message");
}

TEST(SourceContainers, NumbersBeyondNumbersAreFormattedAsInPython) {
  std::string body = "def f(x: float, y: float) -> str:\n    return \"";
  std::string args;
  for (const char* form :
       {"%f", "%05.1f", "%+06.2f", "%-6.1f|", "% f", "%E", "%8g", "%+g", "%-07e|", "%#G"}) {
    body += std::string(form) + "," + form + ";";
    args += args.empty() ? "x, y" : ", x, y";
  }
  for (double v : {double{INFINITY}, -double{INFINITY}, 0.0, -2.5}) {
    Case c = script_case(body + "\" % (" + args + ") + f\"{x:.3f} {y:6.1f}\"\n",
                         {IValue(std::copysign(NAN, v)), IValue(v)});
    ASSERT_EQ(c.refused, "");
    Verdict verdict = verdict_of("python", c);
    EXPECT_EQ(verdict.kind, VerdictKind::Ok) << verdict.detail;
  }
}

TEST(SourceContainers, WrongDictsAreSeen) {
  std::string head = "def f(x: Dict[str, int]) -> Dict[str, int]:\n    ";
  for (const char* other :
       {"x[\"b\"] = 5\n    return x\n", "x[\"c\"] = 5\n    return x\n", "return {\"b\": 1}\n"}) {
    Case c = script_case(head + other, {words(1, 2)});
    c.script = kImports + head + "return x\n";
    EXPECT_EQ(verdict_of("python", c).reason, "value");
  }
}

TEST(SourceContainers, DictsReadBackFromCases) {
  Case c = script_case(
      "def f(x: Dict[str, int], y: Dict[int, List[float]], z: Dict[str, Tensor], e: Dict[int, "
      "int]) -> int:\n    return x[\"b\"]\n",
      {words(1, -2), IValue::dict(TypeKind::Int, Type::list(TypeKind::Float)),
       IValue::dict(TypeKind::Str, TypeKind::Tensor), IValue::dict(TypeKind::Int, TypeKind::Int)});
  ASSERT_EQ(c.refused, "");
  std::vector<IValue>& inputs = c.calls[0].inputs;
  inputs[1].as_dict().set(IValue(-3), IValue::list({IValue(0.1), IValue(-0.0)}, TypeKind::Float));
  Tensor t = Tensor::zeros({2, 2}, DType::F32);
  inputs[2].as_dict().set(IValue::str("t"), IValue(t));
  inputs[2].as_dict().set(IValue::str("row"), IValue(Tensor::view_of(t, 2, {2}, {1})));
  std::string text = print(c);
  Case back = parse_case(text, "t");
  EXPECT_EQ(print(back), text);
  const DictBox& z = back.calls[0].inputs[2].as_dict();
  EXPECT_EQ(z.items()[0].second.as_tensor().storage(), z.items()[1].second.as_tensor().storage());
  EXPECT_EQ(verdict_of("frontends", back).kind, VerdictKind::Ok);
}

TEST(SourceContainers, BrokenDictsOfCasesAreErrors) {
  Case c = script_case("def f(x: Dict[str, int], n: int) -> int:\n    return n\n",
                       {words(1, 2), IValue(3)});
  std::string text = print(c);
  size_t at = text.find("    x = ");
  std::string head = text.substr(0, at), rest = text.substr(text.find('\n', at));
  for (const char* bad : {"{", "{\"a\"}", "{\"a\": }", "{\"a\": 1", "{\"a\": 1, \"a\": 2}",
                          "{1: 1}", "{\"a\": \"b\"}", "{\"a\": 1 \"b\": 2}"}) {
    EXPECT_THROW(parse_case(head + "    x = " + bad + rest, "t"), Error) << bad;
  }
  EXPECT_NO_THROW(parse_case(head + "    x = {}" + rest, "t"));
}

TEST(SourceContainers, EnumsOfTheTextThatAreNoneAreErrors) {
  ClassTable classes;
  auto cls = std::make_shared<ClassType>();
  cls->name = "__torch__.E";
  cls->kind = ClassType::Kind::Enum;
  cls->members = {{"RED", IValue(1)}};
  cls->value_type = TypeKind::Int;
  classes.add(cls);
  auto text = [](const char* value) {
    return fmt::format(
        "graph():\n  %0 : Enum<__torch__.E> = prim::Constant[value={}]()\n  return (%0)\n", value);
  };
  EXPECT_NO_THROW(parse_graph(text("__torch__.E.RED"), "t", &classes));
  for (const char* bad : {"__torch__.E.BLUE", "__torch__.F.RED", "RED", "__torch__.E.", ".", "_"}) {
    EXPECT_THROW(parse_graph(text(bad), "t", &classes), Error) << bad;
  }
  EXPECT_THROW(parse_graph(text("__torch__.E.RED"), "t"), Error);
}

TEST(SourceContainers, StoredDictsOfTensorsAreCompared) {
  Case c = script_case("def f(x: Dict[str, Tensor]) -> Tensor:\n    return x[\"a\"]\n",
                       {IValue::dict(TypeKind::Str, TypeKind::Tensor)});
  c.calls[0].inputs[0].as_dict().set(IValue::str("a"), IValue(Tensor::zeros({3}, DType::F32)));
  Module original = holding(*c.program, copy_call(c.calls[0]));
  Module loaded = load_archive(save_archive(original), "x");
  EXPECT_EQ(state_difference(original, loaded), "");
  IValue dict = loaded.self.as_object().slots[static_cast<size_t>(loaded.type().slot("in0"))];
  set_element(dict.as_dict().items()[0].second.as_tensor(), 1, 2.0);
  EXPECT_NE(state_difference(original, loaded).find("elements"), std::string::npos);
}

}  // namespace
}  // namespace fusillade::fuzz

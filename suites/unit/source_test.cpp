// Generated scripts, scripts in case files, and the oracles that compare front ends and Python.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/base/error.h"
#include "engine/base/probe.h"
#include "fuzz/gen/generate.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/outcome.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

Case script_case(const std::string& script, std::vector<IValue> inputs) {
  Case c;
  set_script(c, script, "<test>");
  c.calls.push_back({std::move(inputs)});
  return c;
}

Verdict verdict_of(const char* name, Case& c) {
  c.oracle = name;
  return oracle(name).judge(c);
}

TEST(Source, ProgramsAreAcceptedAndAgreeWithPython) {
  GenerateOptions o;
  o.policy = "source";
  o.calls = 2;
  int agreed = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    Choices choices(2026, i);
    Case c = generate_case(choices, o);
    ASSERT_EQ(c.refused, "") << c.script;
    for (const char* name : {"frontends", "python"}) {
      Verdict v = verdict_of(name, c);
      ASSERT_FALSE(is_finding(v.kind)) << name << ": " << v.reason << "\n"
                                       << v.detail << "\n"
                                       << print(c);
      agreed += v.kind == VerdictKind::Ok;
    }
  }
  EXPECT_GE(agreed, 700);
}

TEST(Source, TensorProgramsAreAcceptedAndTheirTracesAgree) {
  GenerateOptions o;
  o.policy = "source_tensors";
  o.calls = 2;
  int agreed = 0;
  int traced = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    Choices choices(2027, i);
    Case c = generate_case(choices, o);
    ASSERT_EQ(c.refused, "") << c.script;
    Verdict v = verdict_of("frontends", c);
    ASSERT_FALSE(is_finding(v.kind)) << v.reason << "\n" << v.detail << "\n" << print(c);
    agreed += v.kind == VerdictKind::Ok;
    traced += v.kind == VerdictKind::Ok && v.reason.empty();
  }
  EXPECT_GE(agreed, 380);
  EXPECT_GE(traced, 320);
}

TEST(Source, TensorProgramsSayWhatPeopleWrite) {
  GenerateOptions o;
  o.policy = "source_tensors";
  std::string all;
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(5, i);
    all += generate_case(choices, o).script;
  }
  for (const char* text :
       {" += ", "[..., ", "[:, ", ", None]", "for i", " if ", "return (", "dim=", "torch.cat([",
        ".T\n", ".view([", "] = ", "torch.where(", "def f1(",
        "class C:", "class Net(nn.Module):", "nn.Parameter(", "self.a", " = C("}) {
    EXPECT_NE(all.find(text), std::string::npos) << text;
  }
}

TEST(Source, TasksRunOnOtherThreadsWhileTheirArgumentsAreWritten) {
  GenerateOptions o;
  o.policy = "tasks";
  o.calls = 1;
  const uint64_t before = probe("tasks/offered").count();
  int with_tasks = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    Choices choices(77, i);
    Case c = generate_case(choices, o);
    ASSERT_EQ(c.refused, "") << c.script;
    c.plans = parse_plans({"eager", "vm"});
    const uint64_t offered = probe("tasks/offered").count();
    Verdict v = verdict_of("differential", c);
    ASSERT_FALSE(is_finding(v.kind)) << v.reason << "\n" << v.detail << "\n" << print(c);
    with_tasks += probe("tasks/offered").count() > offered;
  }
  EXPECT_GE(with_tasks, 90);
  EXPECT_GE(probe("tasks/offered").count(), before + 100);
}

TEST(Source, AModuleIsAProgramWithItsState) {
  std::string script =
      "import torch\nfrom torch import Tensor, nn\nclass Net(nn.Module):\n    def __init__(self):\n"
      "        super().__init__()\n        self.n = 1\n        self.register_buffer(\"b\", "
      "torch.full([2], 0.5))\n"
      "        self.register_buffer(\"c\", torch.full([], 2.0))\n    def forward(self, x: "
      "Tensor):\n"
      "        self.b += x\n        self.c = self.b * self.n\n        self.n = self.n + 1\n        "
      "return self.b[0]\n";
  Case c;
  set_script(c, script, "<test>");
  ASSERT_EQ(c.refused, "");
  c.calls.push_back({{c.self, IValue(Tensor::zeros({2}, DType::F32))}});
  std::string text = print(c);
  EXPECT_NE(text.find("self = Net()\n"), std::string::npos) << text;
  Case back = parse_case(text, "t");
  EXPECT_EQ(print(back), text);
  Verdict v = verdict_of("frontends", back);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.reason << v.detail;
  EXPECT_EQ(v.reason, "");  // traced as well
  // Another program whose result is the same and whose state is not.
  Case other;
  set_script(other,
             script.substr(0, script.find("        self.c = ")) + "        return self.b[0]\n",
             "<test>");
  Outcome a = Prepared(c, parse_plan("eager")).run(c.calls[0]);
  Outcome b = Prepared(other, parse_plan("eager")).run({{other.self, c.calls[0].inputs[1]}});
  Verdict differ;
  EXPECT_FALSE(bitwise_equal(a, b, differ));
}

TEST(Source, AScriptReadsBack) {
  Case c = script_case("def f(x: int, s: str) -> int:\n\n    return x + len(s)\n",
                       {IValue(3), IValue::str("a\"b")});
  std::string text = print(c);
  EXPECT_EQ(text.substr(0, 17), "fusillade case 2\n");
  Case back = parse_case(text, "t");
  EXPECT_EQ(print(back), text);
  EXPECT_EQ(back.script, c.script);
  EXPECT_EQ(verdict_of("python", back).kind, VerdictKind::Ok);
}

TEST(Source, ARefusedScriptIsACase) {
  std::string text =
      "fusillade case 2\noracle: frontends\nscript:\n  def f(x: int) -> int:\n      return "
      "y\nend\n";
  Case c = parse_case(text, "t");
  EXPECT_NE(c.refused.find("t:5:"), std::string::npos) << c.refused;
  EXPECT_NE(print(c).find("return y"), std::string::npos);
  Verdict v = verdict_of("frontends", c);
  EXPECT_EQ(v.kind, VerdictKind::Bug);
  EXPECT_EQ(verdict_of("python", c).kind, VerdictKind::Skip);
  EXPECT_THROW(parse_case(text.substr(0, text.size() - 4) + "call:\n    x = 1\nend\n", "t"), Error);
}

TEST(Source, PythonSeesWrongValuesErrorsAndArguments) {
  // What the graph computes is put in the place of what the script says.
  auto as_if = [](const std::string& script, const std::string& other, std::vector<IValue> inputs) {
    Case wrong = script_case(other, inputs);
    wrong.script = script;
    return verdict_of("python", wrong);
  };
  std::string head = "def f(x: int) -> int:\n    ";
  Verdict value = as_if(head + "return x // 2\n", head + "return x // 3\n", {IValue(-7)});
  EXPECT_EQ(value.reason, "value") << value.detail;
  Verdict missing = as_if(head + "return 1 // x\n", head + "return x\n", {IValue(0)});
  EXPECT_EQ(missing.reason, "missing error: ZeroDivisionError");
  Verdict other =
      as_if(head + "raise ValueError(\"a\")\n", head + "raise ValueError(\"b\")\n", {IValue(0)});
  EXPECT_EQ(other.reason, "error message");
  Verdict sort =
      as_if(head + "raise ValueError(\"a\")\n", head + "raise KeyError(\"a\")\n", {IValue(0)});
  EXPECT_EQ(sort.reason, "error class: KeyError for ValueError");
  std::string list = "def f(x: List[int]) -> int:\n    ";
  std::string import = "from typing import List\n";
  Verdict changed =
      as_if(import + list + "x[0] = 1\n    return 1\n", import + list + "y = x[0]\n    return 1\n",
            {IValue::list({IValue(5)}, TypeKind::Int)});
  EXPECT_EQ(changed.reason, "value") << changed.detail;
}

TEST(Source, IntsOf64BitsAgreeUnderTheirOwnReason) {
  std::string head = "def f(x: int) -> int:\n    return ";
  Case wraps = script_case(head + "(x + 1) % 10\n", {IValue(INT64_MAX)});
  Verdict v = verdict_of("python", wraps);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.detail;
  EXPECT_EQ(v.reason, "agrees with Python in ints of 64 bits");
  Case power = script_case(head + "x ** 40 % 7\n", {IValue(3)});
  EXPECT_EQ(verdict_of("python", power).reason, "agrees with Python in ints of 64 bits");
  Case small = script_case(head + "x ** 3\n", {IValue(3)});
  EXPECT_EQ(verdict_of("python", small).reason, "");
}

// x to the third overflows, so Python is asked in 64 bits; changes in place stay in place there.
TEST(Source, IntsOf64BitsKeepListsInPlace) {
  Case c = script_case(
      "from typing import List, Tuple\n\nclass Counter:\n    def __init__(self, n: int, seen: "
      "List[int]):\n"
      "        self.n = n\n        self.seen = seen\n\n"
      "def f(x: int) -> Tuple[int, int, List[int], List[int]]:\n    rows = [[1], [2]]\n    first = "
      "rows[0]\n"
      "    rows[0] += [x]\n    c = Counter(x, first)\n    c.n *= x\n    c.seen += [3]\n    first "
      "*= 2\n"
      "    return x * x * x, c.n, first, c.seen\n",
      {IValue(int64_t{1} << 33)});
  ASSERT_EQ(c.refused, "");
  Verdict v = verdict_of("python", c);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.detail;
  EXPECT_EQ(v.reason, "agrees with Python in ints of 64 bits");
}

TEST(Source, ArgumentsThatPythonHasNotAreSkipped) {
  Case c = script_case("def f(x):\n    return x\n", {IValue(Tensor::zeros({2}, DType::F32))});
  EXPECT_EQ(verdict_of("python", c).reason, "Python's limit: arguments that Python does not know");
}

TEST(Source, EndlessAndGreedyScriptsAreLimitedInPython) {
  Case c = script_case("def f(x: int) -> int:\n    return x\n", {IValue(1)});
  c.script = "def f(x):\n    while True:\n        pass\n";
  EXPECT_EQ(verdict_of("python", c).reason, "Python's limit: time");
  c.script = "def f(x):\n    y = [x]\n    while True:\n        y = y + y\n";
  std::string reason = verdict_of("python", c).reason;  // whichever comes first
  EXPECT_TRUE(reason == "Python's limit: MemoryError" || reason == "Python's limit: time")
      << reason;
  c.script = "def f(x):\n    return x\n";
  EXPECT_EQ(verdict_of("python", c).kind, VerdictKind::Ok);
}

TEST(Source, WithoutAnInterpreterTheOracleSaysSo) {
  const char* before = std::getenv("FUSILLADE_PYTHON");
  std::string kept = before ? before : "";
  setenv("FUSILLADE_PYTHON", "/nonexistent/python", 1);
  PythonWorker none;
  std::string why;
  try {
    none.ask("def f(x):\n    return x\n", "plain", {"(1,)"});
  } catch (const Unsupported& e) {
    why = e.what();
  }
  EXPECT_EQ(why, "no Python: /nonexistent/python does not run the worker");
  if (before) setenv("FUSILLADE_PYTHON", kept.c_str(), 1);
  else unsetenv("FUSILLADE_PYTHON");
}

TEST(Source, AScriptIsReducedByItsText) {
  Case c = script_case(
      "def f(x: int, y: int) -> int:\n    a = y * 3\n    if a > 2:\n        for i in range(4):\n   "
      "         a += i\n"
      "    b = [a, x]\n    return (b[0] + 2) // x\n",
      {IValue(0), IValue(1000)});
  // Python sees another text than the engine runs: the division is what differs.
  c.oracle = "valid";
  Reduced r = reduce(c, Limits{}, 30);
  EXPECT_EQ(r.smallest.script, "def f() -> int:\n    return 0 // 0\n") << r.smallest.script;
}

}  // namespace
}  // namespace fusillade::fuzz

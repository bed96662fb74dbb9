// Findings as scripts without Fusillade: that they run, tell good from bad, and hold no string of a
// case as code. With PyTorch of Debian's Python, where it is there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "engine/base/error.h"
#include "fuzz/judge/judge.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/python_source.h"
#include "fuzz/run/foreign/script.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kPython = "/usr/bin/python3";

const std::string& debian() {
  static const std::string family = [] {
    declare_families({"torch_of_debian=torch"}, {std::string("torch_of_debian=") + kPython});
    return std::string("torch_of_debian");
  }();
  return family;
}

bool has_torch() {
  static const bool has =
      std::system((std::string(kPython) + " -c 'import torch' 2>/dev/null").c_str()) == 0;
  return has;
}

int exit_code_of(const std::string& script) {
  std::string path = fmt::format("/tmp/fusillade_script_{}.py", getpid());
  std::ofstream(path) << script;
  int status = std::system(fmt::format("{} {} > /dev/null 2>&1", kPython, path).c_str());
  unlink(path.c_str());
  return WEXITSTATUS(status);
}

Case case_of(const std::string& body) {
  Case c = parse_case("fusillade case 1\noracle: compiled\nplan: " + debian() +
                          ":script(nnc)\nprogram:\n" + body + "end\n",
                      "<test>");
  return c;
}

// TorchScript's fuser takes no comparison of bools: a fault of 1.13.1 that stays.
constexpr const char* kBools =
    "  graph(%x : Char(4, strides=[2], requires_grad=0, device=cpu),\n"
    "        %b : Bool(4, strides=[1], requires_grad=0, device=cpu)):\n"
    "    %y : Bool(4, strides=[1], requires_grad=0, device=cpu) = aten::eq(%x, %x)\n"
    "    %z : Bool(4, strides=[1], requires_grad=0, device=cpu) = aten::gt(%y, %b)\n"
    "    return (%z)\n"
    "call:\n"
    "    x = i8[4] strides=[2] {1, 2, 3, 4}\n"
    "    b = bool[4] {0, 1, 0, 1}\n";
constexpr const char* kGood =
    "  graph(%x : Float(2, 2, strides=[2, 1], requires_grad=0, device=cpu),\n"
    "        %y : Float(2, strides=[1], requires_grad=0, device=cpu)):\n"
    "    %a : Float(2, 2, strides=[2, 1], requires_grad=0, device=cpu) = aten::sin(%x)\n"
    "    %z : Float(2, 2, strides=[2, 1], requires_grad=0, device=cpu) = aten::mul(%a, %y)\n"
    "    return (%z)\n"
    "call:\n"
    "    base0 = f32[5] {1, inf, nan, 0.5, 7}\n"
    "    x = view of base0 offset=0 f32[2, 2] strides=[2, 1]\n"
    "    y = view of base0 offset=1 f32[2] strides=[1]\n";

TEST(FindingScript, ExitsWith77WhileTheFaultLives) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(kBools);
  c.origin = "\nimport os; os._exit(3) #\r\x01\"\"\"'''";
  Verdict v = judge_here(c);
  ASSERT_EQ(v.kind, VerdictKind::Mismatch) << v.reason;
  v.detail = "\"\"\"\nos._exit(3)";
  std::string script = script_of(c, v);
  EXPECT_EQ(exit_code_of(script), 77) << script;
  EXPECT_LE(std::count(script.begin(), script.end(), '\n'), 25) << script;
}

TEST(FindingScript, ExitsWith0OnceTheFaultIsGone) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(kGood);
  Verdict v = judge_here(c);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.reason << v.detail;
  for (const char* reason : {"value", "strides", "shape", "error: RuntimeError"}) {
    v.reason = reason;
    std::string script = script_of(c, v);
    EXPECT_EQ(exit_code_of(script), 0) << script;
  }
  v.kind = VerdictKind::Crash;
  EXPECT_EQ(exit_code_of(script_of(c, v)), 0);
}

TEST(FindingScript, HasPyTorchsOwnNames) {
  EXPECT_EQ(python_source(*parse_graph(R"(graph(%x : Tensor, %n : int):
  %two : int = prim::Constant[value=2]()
  %six : int = prim::Constant[value=6]()
  %none : NoneType = prim::Constant()
  %m : int = aten::mul(%n, %two)
  %s : int = aten::size(%x, %m)
  %w : Tensor = aten::zeros_like(%x, %six, %none, %none, %none, %none)
  return (%w, %s)
)"),
                          PythonOf::Torch)
                .text,
            "def program(x0, x1):\n"
            "  v0 = (x1 * 2)\n"
            "  v1 = x0.size(v0)\n"
            "  v2 = torch.ops.aten.zeros_like.default(x0, dtype=torch.float32)\n"
            "  return (v2, v1)\n");
}

TEST(ReducePrefix, TheBeginningBecomesTheValuesThatTheEngineMadeThere) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(
      "  graph(%x : Char(4, strides=[1], requires_grad=0, device=cpu)):\n"
      "    %t : Char(4, strides=[1], requires_grad=0, device=cpu) = aten::neg_(%x)\n"
      "    %s : Char(4, strides=[1], requires_grad=0, device=cpu) = aten::abs(%t)\n"
      "    %y : Bool(4, strides=[1], requires_grad=0, device=cpu) = aten::eq(%s, %x)\n"
      "    %z : Bool(4, strides=[1], requires_grad=0, device=cpu) = aten::gt(%y, %y)\n"
      "    return (%z, %t)\n"
      "call:\n"
      "    x = i8[4] {1, 2, 3, 4}\n");
  const Shrink* prefix = nullptr;
  for (const Shrink* s : Table<Shrink>::instance().sorted())
    if (s->name == "prefix") prefix = s;
  ASSERT_TRUE(prefix);
  ASSERT_EQ(prefix->units(c), 3u);
  EXPECT_FALSE(prefix->apply(c, 1, 2));
  ASSERT_TRUE(prefix->apply(c, 0, 2));
  verify(*c.program);
  EXPECT_EQ(program_nodes(*c.program), 2);
  ASSERT_EQ(c.calls[0].inputs.size(), 3u);  // x, t which is x, s
  Tensor x = c.calls[0].inputs[0].as_tensor();
  EXPECT_EQ(element_as_int(x, 3), -4);
  EXPECT_TRUE(c.calls[0].inputs[1].as_tensor().shares_storage(x));
  EXPECT_EQ(element_as_int(c.calls[0].inputs[2].as_tensor(), 3), 4);
}

}  // namespace
}  // namespace fusillade::fuzz

// Findings as scripts without Fusillade: they run, distinguish good from bad, and contain no string
// of a case as code. With PyTorch of Debian's Python, where it is there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/tensor/iterate.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/triage_result.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/spawn.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/literal.h"
#include "fuzz/run/foreign/python_source.h"
#include "fuzz/run/foreign/script.h"
#include "fuzz/triage/triage.h"

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
    "    y = view of base0 offset=3 f32[2] strides=[1]\n";

constexpr Limits kLimits = {.seconds = 60, .megabytes = 4096};

// Lines that are neither empty nor comments.
int64_t lines_of_code(const std::string& script) {
  int64_t count = 0;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    count += !line.empty() && line[0] != '#';
  }
  return count;
}

TEST(FindingScript, DeclaresNoEncodingOfACase) {
  EXPECT_EQ(comment_text("# vim: coding: utf-7"), "# vim: coding : utf-7");
  EXPECT_EQ(comment_text("coding=utf-7, decoding"), "coding =utf-7, decoding");
}

TEST(FindingScript, ExitsWith77WhileTheFaultLives) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(kBools);
  c.origin = "\nimport os; os._exit(3) #\r\x01\"\"\"'''";
  Verdict v = judge_here(c);
  ASSERT_EQ(v.kind, VerdictKind::Mismatch) << v.reason;
  std::string path = fmt::format("/tmp/fusillade_saved_{}.py", getpid());
  ASSERT_EQ(save_script(path, c, v, kLimits, path + ".tried"), "");
  std::string script = read_text_file(path);
  unlink(path.c_str());
  EXPECT_EQ(exit_code_of(script), 77) << script;
  EXPECT_LE(lines_of_code(script), 15) << script;
  v.detail = "\"\"\"\nos._exit(3)";
  for (const std::string& hostile : scripts_of(c, v)) EXPECT_NE(exit_code_of(hostile), 3);
}

TEST(FindingScript, ExitsWith0OnceTheFaultIsGone) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(kGood);
  Verdict v = judge_here(c);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << v.reason << v.detail;
  v.kind = VerdictKind::Mismatch;
  v.detail = "output 0: element 3 is 7";
  for (const char* reason : {"value", "strides", "error: RuntimeError"}) {
    v.reason = reason;
    std::string script = scripts_of(c, v)[0];
    EXPECT_EQ(exit_code_of(script), 0) << script;
    EXPECT_LE(lines_of_code(script), 15) << script;
  }
  v.detail = "input 1: element 1 is 7";
  v.reason = "value";
  for (const std::string& script : scripts_of(c, v)) EXPECT_EQ(exit_code_of(script), 0) << script;
  v.kind = VerdictKind::Crash;
  EXPECT_EQ(exit_code_of(scripts_of(c, v)[0]), 0);
  EXPECT_NE(save_script("/tmp/fusillade_no_script.py", c, v, kLimits,
                        "/tmp/fusillade_no_script.py.tried"),
            "");
  EXPECT_NE(access("/tmp/fusillade_no_script.py", F_OK), 0);
}

size_t count_of(const std::string& part, const std::string& text) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

// The engine's interpreter is one that never ends a script, so the triage is cut while one runs.
TEST(FindingScript, ATriageThatIsCutSaysHowTheScriptIsMade) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  namespace fs = std::filesystem;
  const std::string out = fmt::format("/tmp/fusillade_cut_{}", getpid());
  fs::create_directories(out + "/pending");
  fs::create_directories(out + "/findings");
  const std::string slow = out + "/python";
  std::ofstream(slow) << "#!/bin/sh\ncase \"$1\" in *.tried*) exec sleep 1000;; esac\nexec "
                      << kPython << " \"$@\"\n";
  fs::permissions(slow, fs::perms::owner_all);
  declare_families({"torch_that_waits=torch"}, {"torch_that_waits=" + slow});
  Case c = parse_case(std::string("fusillade case 1\noracle: compiled\nplan: "
                                  "torch_that_waits:script(nnc)\nprogram:\n") +
                          kBools + "end\n",
                      "<test>");
  const std::string path = out + "/pending/0-0.case";
  write_atomically(path, print(c));
  const TriageResult result;
  auto has_tried_script = [&] {
    for (const auto& f : fs::recursive_directory_iterator(out))
      if (f.path().string().ends_with(".tried.py")) return true;  // and not while it is written
    return false;
  };
  auto cut = [&] {
    const std::vector<KnownCause> none;
    TriageJob job{.path = path, .budget = 0, .known = &none, .result = &result};
    Child child = spawn([&] { triage_file(out, job, kLimits); }, {.name = "triage"});
    while (!child.try_reap() && !has_tried_script()) usleep(20000);
    EXPECT_TRUE(has_tried_script()) << child.log();
    child.end();
  };
  cut();
  cut();
  std::string let_go;
  const auto row = read_triage_result(path, result, true, &let_go);
  ASSERT_TRUE(row);
  EXPECT_FALSE(has_tried_script());
  const std::string readme = read_text_file(out + "/findings/" + row->bucket + "/README.md");
  EXPECT_EQ(count_of("There is no script.py: ", readme), 1u) << readme;
  EXPECT_EQ(count_of("fusillade repro reduced.case --script script.py", readme), 1u) << readme;
  fs::remove_all(out);
}

// The eager mode against ours: the bound is a literal.
TEST(FindingScript, SaysWhatOursMayBe) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(kGood);
  c.oracle = "conformance";
  c.plans = parse_plans({debian() + ":eager"});
  Verdict v;
  v.kind = VerdictKind::Mismatch;
  v.reason = "value";
  v.detail = "output 0: element 0 is 7";
  std::string script = scripts_of(c, v)[0];
  EXPECT_EQ(exit_code_of(script), 0) << script;
  EXPECT_NE(script.find("expected[0] <= got <= expected[1]"), std::string::npos) << script;
}

// A worker's eager mode may give a NaN where the script's gives a number: that is no proof.
TEST(FindingScript, ShowsNothingWhereWhatIsExpectedIsIllegalItself) {
  if (!has_torch()) GTEST_SKIP() << "no torch for " << kPython;
  Case c = case_of(kGood);
  Verdict v;
  v.kind = VerdictKind::Mismatch;
  v.reason = "value";
  v.detail = "output 0: element 2 is 7";  // sin(nan) * 0.5
  std::string script = scripts_of(c, v)[0];
  EXPECT_NE(script.find("legal = lambda got: got != got"), std::string::npos) << script;
  EXPECT_EQ(exit_code_of(script), 0) << script;
  std::string other = script;
  const size_t sine = other.find("sin(");
  ASSERT_NE(sine, std::string::npos) << script;
  other.replace(sine, 3, "signbit");
  EXPECT_EQ(exit_code_of(other), 0) << other;
}

TEST(FindingScript, HasPyTorchsOwnNames) {
  auto graph = parse_graph(R"(graph(%x : Tensor, %n : int):
  %two : int = prim::Constant[value=2]()
  %six : int = prim::Constant[value=6]()
  %none : NoneType = prim::Constant()
  %m : int = aten::mul(%n, %two)
  %s : int = aten::size(%x, %m)
  %w : Tensor = aten::zeros_like(%x, %six, %none, %none, %none, %none)
  return (%w, %s)
)");
  EXPECT_EQ(python_source(*graph, PythonOf::Operators).text,
            "def f(x0, x1):\n"
            "    v0 = (x1 * 2)\n"
            "    v1 = x0.size(v0)\n"
            "    v2 = torch.ops.aten.zeros_like.default(x0, dtype=torch.float32)\n"
            "    return (v2, v1)\n");
  EXPECT_EQ(python_source(*graph, PythonOf::People).text,
            "def f(x0, x1: int): return (torch.zeros_like(x0, dtype=torch.float32), "
            "x0.size((x1 * 2)))\n");
}

TEST(FindingScript, WhatATensorIsAskedIsItsMethodOrAttribute) {
  auto graph = parse_graph(R"(graph(%x : Tensor, %n : int):
  %two : int = prim::Constant[value=2]()
  %a : int[] = aten::stride(%x)
  %b : int = aten::stride(%x, %n)
  %c : int = aten::storage_offset(%x)
  %d : bool = aten::is_contiguous(%x, %two)
  %e : bool = prim::is_cuda(%x)
  return (%a, %b, %c, %d, %e)
)");
  EXPECT_EQ(python_source(*graph, PythonOf::People).text,
            "def f(x0, x1: int):\n"
            "    return (x0.stride(), x0.stride(x1), x0.storage_offset(),\n"
            "        x0.is_contiguous(memory_format=torch.channels_last), x0.is_cuda)\n");
}

TEST(Literal, IsShortAndExact) {
  Tensor t = Tensor::empty({2, 6}, DType::F32);
  for (int64_t i = 0; i < 12; ++i) set_element(t, i, i == 7 ? 1.349453 : 0.0);
  EXPECT_EQ(array_text(t, kTorchDialect),
            "torch.tensor([0.0] * 7 + [1.349453, 0.0, 0.0, 0.0, 0.0]).reshape(2, 6)");
  set_element(t, 7, 0);
  EXPECT_EQ(array_text(t, kTorchDialect), "torch.full((2, 6), 0.0)");
  EXPECT_EQ(array_text(Tensor::empty({0, 3}, DType::F16), kNumpyDialect),
            "np.zeros((0, 3), \"float16\")");
  Tensor many = Tensor::empty({20, 1000}, DType::F16);
  for (int64_t i = 0; i < many.numel(); ++i)
    set_element(many, i, static_cast<double>(i % kCounted));
  EXPECT_EQ(array_text(many, kTorchDialect),
            "torch.tensor([i % 7.0 for i in range(20000)], dtype=torch.float16)"
            ".reshape(20, 1000)");
  set_element(many, 19999, 5);
  EXPECT_GT(array_text(many, kTorchDialect).size(), 20000u);
  EXPECT_EQ(number_text(-INFINITY, DType::F64, kJaxDialect), "-jnp.inf");
  EXPECT_EQ(wrap_line("f(" + std::string(60, 'a') + ", " + std::string(60, 'b') + ")", 4),
            "    f(" + std::string(60, 'a') + ",\n        " + std::string(60, 'b') + ")\n");
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
  for (const Shrink* s : Table<Shrink>::instance().by_name())
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

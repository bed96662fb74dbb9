// Calls in sequence: in which mode they find their module, from threads at once, mixed with other
// programs.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "engine/ops/entry.h"
#include "engine/passes/pass.h"
#include "engine/run/plan.h"
#include "fuzz/case/training.h"
#include "fuzz/gen/generate.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/oracle/siblings.h"

namespace fusillade::fuzz {
namespace {

const char* const kModule =
    "fusillade case 3\noracle: ring\nplan: vm/o2\nscript:\n  import torch\n  import torch.nn as "
    "nn\n  class Net(nn.Module):\n    def __init__(self):\n      super().__init__()\n      "
    "self.norm = nn.BatchNorm1d(2)\n    def forward(self, x):\n      y = self.norm(x)\n      if "
    "self.training:\n        y = y + 1\n      return y\ncall:\n    self = Net()\n    x = f32[3, 2] "
    "{1, 2, 3, 4, 5, 7}\ncall:\n    self = Net().eval()\n    x = f32[3, 2] {1, 2, 3, 4, 5, "
    "7}\nend\n";

std::string error_with_edit(std::string text, const std::string& what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
  try {
    parse_case(text, "f.case");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Training, ACallSaysItsModeAndKeepsItInText) {
  const Case c = parse_case(kModule, "f.case");
  ASSERT_EQ(c.calls.size(), 2u);
  EXPECT_TRUE(is_training(c.calls[0].inputs[0]));
  EXPECT_FALSE(is_training(c.calls[1].inputs[0]));
  const std::string text = print(c);
  EXPECT_NE(text.find("fusillade case 3\n"), std::string::npos);
  EXPECT_NE(text.find("self = Net()\n"), std::string::npos) << text;
  EXPECT_NE(text.find("self = Net().eval()\n"), std::string::npos) << text;
  EXPECT_EQ(print(parse_case(text, "again")), text);
  EXPECT_EQ(print(c.clone()), text);
  Case other = c.clone();
  set_script(other, c.script + "\n", "<other>");
  EXPECT_FALSE(is_training(other.calls[1].inputs[0])) << "another text, the same modes";
  other.calls.pop_back();
  EXPECT_NE(print(other).find("fusillade case 2\n"), std::string::npos) << "no mode, no version 3";
}

TEST(Training, WhatIsNoModeIsRefused) {
  const std::string mode = "Net().eval()";
  for (const char* by : {"Net().evil()", "Net().", "Net().eval", "Net().eval(", "Net().eval(1)",
                         "Net().eval() 2", ".eval()", "Net().eval().train()", "Net()eval()"})
    EXPECT_NE(error_with_edit(kModule, mode, by).find("f.case:"), std::string::npos) << by;
  EXPECT_NE(error_with_edit(kModule, "case 3", "case 7").find("reads versions 1 to 6"),
            std::string::npos);
  EXPECT_EQ(error_with_edit(kModule, mode, "Net().train()"), "");
}

TEST(Training, EveryOracleTakesSuchCases) {
  Case c = parse_case(kModule, "f.case");
  for (const char* by :
       {"ring", "differential", "frontends", "deterministic", "profile", "threads"}) {
    for (const char* plan : {"vm", "vm/o2,fuse(loopnest,interp)", "jit/o2"}) {
      c.plans = parse_plans({plan});
      const Verdict v = oracle(by).judge(c);
      EXPECT_EQ(v.kind, VerdictKind::Ok) << by << " " << plan << ": " << v.reason << v.detail;
    }
  }
}

TEST(Training, SequencesThatFlipItAreDrawn) {
  int flips = 0, modules = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices(77, i);
    const Case c = generate_case(choices, {.policy = "source_tensors"});
    if (c.self.is_none() || !has_training(c.self)) continue;
    ++modules;
    for (const Call& call : c.calls) flips += !mode_text(c.self, call.inputs[0]).empty();
    EXPECT_EQ(print(parse_case(print(c), "f.case")), print(c)) << i;
  }
  EXPECT_GT(modules, 10);
  EXPECT_GT(flips, modules / 2);
}

Case graph_case(const std::string& body) {
  return parse_case("fusillade case 1\nprogram:\n  graph(%x : Tensor, %y : Tensor):\n" + body +
                        "call:\n    x = f32[3] {1, 2, 3}\n    y = f32[3] {4, 5, 6}\ncall:\n    x = "
                        "f32[3] {0, 2, 1}\n    y = f32[3] {1, 1, 2}\nend\n",
                    "f");
}

const char* const kSum =
    "    %one : int = prim::Constant[value=1]()\n    %a : Tensor = aten::sub(%x, %y, %one)\n    %b "
    ": Tensor = aten::mul(%a, %y)\n    return (%b)\n";

TEST(Programs, SiblingsDifferByOneThing) {
  const Case c = graph_case(kSum);
  const auto siblings = siblings_of(*c.program);
  ASSERT_EQ(siblings.size(), 3u);
  std::set<std::string> texts{print(*c.program)};
  for (const auto& s : siblings) texts.insert(print(*s));
  EXPECT_EQ(texts.size(), 4u);
  EXPECT_TRUE(siblings_of(*graph_case("    return (%x)\n").program).empty());
  Case loops;
  set_script(loops,
             "import torch\ndef main(x):\n    while bool((x < 3).all()):\n        x = x + 1\n    "
             "return x\n",
             "<test>");
  EXPECT_TRUE(siblings_of(*loops.program).empty()) << "with x - 1 it would never end";
}

TEST(Programs, SiblingOperatorsHaveOneSchema) {
  int lines = 0;
  for (const Entry& e : entries()) {
    const EntryLine* line = e.line(LineKind::Sibling);
    if (!line) continue;
    ++lines;
    const Schema& sibling = operator_named(line->text).schema;
    for (const std::string_view name : e.names) {
      const Schema& own = operator_named(name).schema;
      ASSERT_EQ(own.args.size(), sibling.args.size()) << e.place(line->number);
      for (size_t i = 0; i < own.args.size(); ++i)
        EXPECT_TRUE(own.args[i].type == sibling.args[i].type) << e.place(line->number);
      EXPECT_EQ(own.results.size(), sibling.results.size()) << e.place(line->number);
      EXPECT_EQ(own.writes(), sibling.writes()) << e.place(line->number);
    }
  }
  EXPECT_GE(lines, 10);
}

TEST(Programs, TheyKnowNothingOfEachOther) {
  Case c = graph_case(kSum);
  c.oracle = "programs";
  for (const char* plan : {"vm", "vm/o2,fuse(loopnest,interp)", "jit/o2", "eager"}) {
    c.plans = parse_plans({plan});
    const Verdict v = oracle("programs").judge(c);
    EXPECT_EQ(v.kind, VerdictKind::Ok) << plan << v.reason << v.detail;
  }
}

// An engine that keeps the first program it was given, whatever it is called.
class Confused : public Executable {
 public:
  explicit Confused(std::shared_ptr<const Graph> g) : graph_(std::move(g)) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    return prepare(*graph_, parse_plan("vm"))->run(inputs);
  }

 private:
  std::shared_ptr<const Graph> graph_;
};

std::unique_ptr<Executable> prepare_confused(const ProgramView& program, const Plan&,
                                             std::unique_ptr<Graph>) {
  static std::shared_ptr<const Graph> first;
  if (!first) first = program.graph.clone();
  return std::make_unique<Confused>(first);
}

// One whose calls share what they count.
class Shared : public Executable {
 public:
  explicit Shared(std::shared_ptr<const Graph> g) : graph_(std::move(g)) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    const int mine = ++calls_;
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    std::vector<IValue> out = prepare(*graph_, parse_plan("vm"))->run(inputs);
    if (calls_ != mine) out[0] = IValue(Tensor::zeros({3}, DType::F32));
    return out;
  }

 private:
  std::shared_ptr<const Graph> graph_;
  mutable std::atomic<int> calls_{0};
};

std::unique_ptr<Executable> prepare_shared(const ProgramView& program, const Plan&,
                                           std::unique_ptr<Graph>) {
  return std::make_unique<Shared>(program.graph.clone());
}

const Engine& kConfused =
    Table<Engine>::instance().add({.name = "test_confused",
                                   .summary = "for tests: one for all",
                                   .prepare = &prepare_confused,
                                   .runs_passes = false});  // no bare plan of other tests' cases
const Engine& kShared = Table<Engine>::instance().add({.name = "test_shared",
                                                       .summary = "for tests: shares its calls",
                                                       .prepare = &prepare_shared,
                                                       .runs_passes = false});

TEST(Programs, ACacheThatTakesOneForAnotherIsSeen) {
  Case c = graph_case(kSum);
  c.plans = parse_plans({"test_confused"});
  EXPECT_EQ(oracle("programs").judge(c).kind, VerdictKind::Mismatch);
  EXPECT_EQ(oracle("ring").judge(c).kind, VerdictKind::Ok) << "one alone shows nothing";
}

TEST(Threads, CallsThatMeetAreSeen) {
  Case c = graph_case(kSum);
  c.plans = parse_plans({"test_shared"});
  const Verdict v = oracle("threads").judge(c);
  EXPECT_EQ(v.kind, VerdictKind::Mismatch);
  EXPECT_EQ(v.reason, "at once: value");
  EXPECT_EQ(oracle("ring").judge(c).kind, VerdictKind::Ok);
  c.plans = parse_plans({"vm", "vm/o2,fuse(loopnest,interp)", "jit/o2"});
  EXPECT_EQ(oracle("threads").judge(c).kind, VerdictKind::Ok);
}

}  // namespace
}  // namespace fusillade::fuzz

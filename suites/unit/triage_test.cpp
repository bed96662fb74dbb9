// From a case to a finding, where the failure is a refusal, never ends, or is an engine's behind
// passes. The wrong passes are oracle_test.cpp's.
#include "fuzz/triage/triage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/run/plan.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/judge/judge.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/triage/join.h"
#include "fuzz/triage/triage_progress.h"
#include "fuzz/verdict/refusal.h"

namespace fusillade::fuzz {
namespace {

// A script around one line that the front end refuses.
Case refused_at(const std::string& line) {
  Case c;
  c.oracle = "frontends";
  set_script(c,
             "def f0(a: int, b: str) -> int:\n    return a\n"
             "def main(x: int, s: str) -> int:\n    t = x + 1\n    if t > 3:\n        t = t * 2\n"
             "    for i in range(3):\n        t = t + i\n    w = 0\n    while w < 2:\n"
             "        w += 1\n    " +
                 line + "\n    v = len(s)\n    return v\n",
             "<script>");
  return c;
}

const char* const kNoSuchKeyword = "u = f0(c=x, b=s)";
const char* const kWrongType = "u = f0(b=x, a=x)";
const char* const kUnpacking = "p, q = (x, x, x)";

TEST(Refusal, IsComparedWithoutPlaces) {
  Case c = refused_at(kNoSuchKeyword);
  EXPECT_EQ(refusal_of(c).find("<script>"), std::string::npos);
  EXPECT_FALSE(refusal_of(c).empty());
  Case accepted = refused_at("u = f0(b=s, a=x)");
  EXPECT_EQ(refusal_of(accepted), "");
  EXPECT_FALSE(refused_alike(accepted, c));
  EXPECT_FALSE(refused_alike(refused_at(kUnpacking), c));
}

TEST(Refusal, IsTheSameWhateverTheFileIsCalled) {
  Case c;
  const auto refusal_with = [&](const std::string& message) {
    c.refused = message;
    return refusal_of(c);
  };
  const char* of = "v1 is not defined (of )";
  EXPECT_EQ(refusal_with("a b/7.case:40:4: v1 is not defined (of a b/7.case:26:7)\n  v1"), of);
  EXPECT_EQ(refusal_with("<reduced>:3:12: v1 is not defined (of <reduced>:1:2)"), of);
  EXPECT_EQ(refusal_with("<script>:3:12: v1 is none"), "v1 is none");
  EXPECT_EQ(refusal_with("no place: 3:4 of v1"), "no place: 3:4 of v1");
}

// As campaigns meet it: read from a file.
TEST(Refusal, ReducesInACaseThatWasRead) {
  Case c = parse_case(print(refused_at(kNoSuchKeyword)), "some/where/1.case");
  Reduced r = reduce(c, {}, 900);
  EXPECT_LE(std::count(r.smallest.script.begin(), r.smallest.script.end(), '\n'), 6)
      << r.smallest.script;
}

TEST(Refusal, OfALostBindingIsAnother) {
  Case c = refused_at("u = y");
  Case bound_elsewhere = refused_at("u = y\n    y = 3");
  EXPECT_EQ(refusal_of(c), refusal_of(bound_elsewhere));
  EXPECT_FALSE(refused_alike(c, bound_elsewhere));
  EXPECT_TRUE(refused_alike(c, c));
  const auto without = [&](const std::string& line) {
    Case smaller = c.clone();
    smaller.script.erase(smaller.script.find(line), line.size());
    return smaller;
  };
  EXPECT_TRUE(refused_alike(without("    w = 0\n    while w < 2:\n        w += 1\n"), c));
  EXPECT_FALSE(refused_alike(without("        t = t * 2\n"), c));  // t is used
  EXPECT_FALSE(refused_alike(without("    return v\n"), c));
  EXPECT_FALSE(refused_alike(without("    v = len(s)\n"), c));
}

TEST(Triage, ReducesARefusalToTheLinesThatItNeeds) {
  Triaged t = triage(refused_at(kNoSuchKeyword), {}, 900);
  EXPECT_EQ(print(t.blame), "front end");
  EXPECT_EQ(t.verdict.kind, VerdictKind::Bug);
  EXPECT_LE(std::count(t.reduced.script.begin(), t.reduced.script.end(), '\n'), 6)
      << t.reduced.script;
  EXPECT_EQ(refusal_of(t.reduced), refusal_of(refused_at(kNoSuchKeyword)));
  EXPECT_EQ(t.cause.ops, (std::set<std::string>{"keyword"}));
}

TEST(Triage, RefusalsOfOneConstructAreOneCauseWhateverTheySay) {
  Triaged first = triage(refused_at(kNoSuchKeyword), {}, 900);
  const std::vector<KnownCause> known = {{first.bucket, first.cause}};
  Triaged second = triage(refused_at(kWrongType), {}, 900, known);
  EXPECT_NE(first.cause.message, second.cause.message);
  EXPECT_EQ(second.bucket, first.bucket);
}

TEST(Triage, TwoFaultsOfOneFrontEndAreTwoCauses) {
  Triaged first = triage(refused_at(kNoSuchKeyword), {}, 900);
  const std::vector<KnownCause> known = {{first.bucket, first.cause}};
  Triaged second = triage(refused_at(kUnpacking), {}, 900, known);
  EXPECT_EQ(second.cause.part, first.cause.part);
  EXPECT_NE(second.bucket, first.bucket);
  EXPECT_EQ(second.cause.ops, (std::set<std::string>{"unpacking"}));
}

TEST(Cause, OperatorsOfAScriptAreOneConstruct) {
  const auto words = [](const std::string& expression) {
    Case c;
    set_script(c, "def f(x: int):\n    return " + expression + "\n", "<script>");
    return words_of(c, read_culprit("front end"));
  };
  EXPECT_EQ(words("x - 1 - 2"), words("x * 1 // 3"));
  EXPECT_NE(words("x - 1 - 2"), words("x - 1"));
  EXPECT_NE(words("x - 1"), words("not x"));
  EXPECT_EQ(words("{'a': '\\t'}"), (std::set<std::string>{"escape"}));
  EXPECT_EQ(words("x if x > 2 else len([1])"), (std::set<std::string>{"control"}));
}

// Runs a program correctly, and fails on what passes produced from it.
class Forgets : public Executable {
 public:
  Forgets(const Graph& graph, bool after_passes)
      : inner_(prepare(graph, reference_plan())), after_passes_(after_passes) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    if (after_passes_) fail("a register is empty");
    return inner_->run(inputs);
  }

 private:
  std::unique_ptr<Executable> inner_;
  bool after_passes_;
};

std::unique_ptr<Executable> prepare_forgets(const ProgramView& program, const Plan& plan,
                                            std::unique_ptr<Graph> optimised) {
  return std::make_unique<Forgets>(optimised ? *optimised : program.graph, !plan.pipeline.empty());
}

const Engine& kForgets = Table<Engine>::instance().add(
    {.name = "stumbles", .summary = "wrong behind passes", .prepare = &prepare_forgets});

Case sigmoid_under(const std::string& plan) {
  Case c = parse_case(
      "fusillade case 1\nprogram:\n  graph(%x : Tensor):\n    %a : Tensor = aten::exp(%x)\n    %b "
      ": Tensor = aten::sigmoid(%a)\n    return (%b)\ncall:\n    x = f32[2] {1, 2}\nend\n",
      "t");
  c.oracle = "differential";
  c.plans = parse_plans({plan});
  return c;
}

TEST(Bisect, WhatTheReferenceRunsRightBehindThePassesIsTheEngines) {
  EXPECT_EQ(print(bisect(sigmoid_under("stumbles/inline,dce"), {}, 900).who), "stumbles");
  EXPECT_EQ(print(bisect(sigmoid_under("vm/inline,test_wrong_value"), {}, 900).who),
            "test_wrong_value/break");
}

TEST(Bisect, SaysWhenItsTimeRanOut) {
  Blame b = bisect(sigmoid_under("vm/inline,test_wrong_value"), {}, 0);
  EXPECT_FALSE(b.complete);
  EXPECT_TRUE(bisect(sigmoid_under("vm/test_wrong_value"), {}, 900).complete);
}

TEST(Triage, AHangIsConfirmedOnceAndItsTrialsAreShort) {
  Limits limits;
  limits.seconds = 4;
  Triaged t = triage(sigmoid_under("vm/inline,test_wrong_hang,dce"), limits, 900);
  EXPECT_EQ(t.verdict.kind, VerdictKind::Hang);
  EXPECT_EQ(t.tried, 1);
  EXPECT_EQ(print(t.blame), "test_wrong_hang");
  EXPECT_EQ(t.nodes, 1);
}

TEST(Triage, OneThatWasCutShortGoesOnWhereItWas) {
  const std::string path = fmt::format("/tmp/fusillade_begun_{}", getpid());
  const Case given = sigmoid_under("vm/inline,test_wrong_value,dce");
  auto save_progress = [&](const std::string& plan) {
    Triaged t;
    t.tried = t.reproduced = 3;
    t.blame = read_culprit("somebody");
    t.reduced = parse_case(
        "fusillade case 1\nprogram:\n  graph(%x : Tensor):\n    %a : Tensor = aten::sigmoid(%x)\n  "
        "  "
        "return (%a)\ncall:\n    x = f32[1] {1}\nend\n",
        "t");
    t.reduced.oracle = "differential";
    t.reduced.plans = parse_plans({plan});
    TriageProgress(path).keep(t);
  };
  auto went_on = [&] { return triage(given, {}, 0, {}, false, path); };
  save_progress("vm/test_wrong_value");
  Triaged t = went_on();
  EXPECT_EQ(print(t.blame), "somebody");
  EXPECT_EQ(t.reproduced, 3);
  EXPECT_EQ(t.nodes, 1);
  EXPECT_EQ(t.verdict.kind, VerdictKind::Mismatch);
  save_progress("eager");  // mended meanwhile
  EXPECT_NE(print(went_on().blame), "somebody");
  write_atomically(path, "{");
  EXPECT_NE(print(went_on().blame), "somebody");
  t = triage(given, {}, 900, {}, false, path);
  EXPECT_EQ(print(t.blame), "test_wrong_value/break");
  const std::optional<Triaged> left = TriageProgress(path).read();
  ASSERT_TRUE(left);
  EXPECT_EQ(print(*left->reduced.program), print(*t.reduced.program));
  EXPECT_EQ(left->blame, t.blame);
  unlink(path.c_str());
}

// The op that complains does not identify what an executor mixed up; the program's contents do.
TEST(Cause, TwoFaultsOfOneExecutorAreTwoCauses) {
  auto of = [](const std::string& body, const std::string& message) {
    Case c = parse_case("fusillade case 1\nprogram:\n  graph(%x : int, %c : bool):\n" + body +
                            "call:\n    x = 1\n    c = True\nend\n",
                        "t");
    Verdict v;
    v.kind = VerdictKind::Bug;
    v.detail = message;
    return cause_of(v, read_culprit("vm"), c);
  };
  const std::string branch =
      "    %r : int = prim::If(%c)\n      block0():\n        %a : int = aten::neg(%x)\n        -> "
      "(%a)\n      block1():\n        -> (%x)\n    return (%r)\n";
  const std::string loop =
      "    %r : int = prim::Loop(%x, %c, %x)\n      block0(%i : int, %k : int):\n        -> (%c, "
      "%i)\n    return (%r)\n";
  Cause none = of(branch, "internal error at engine/ops/ivalue.cpp:12: expected a list, got None");
  Cause object =
      of(branch, "internal error at engine/ops/ivalue.cpp:40: expected an object, got 3");
  EXPECT_TRUE(same_cause(none, object));
  EXPECT_FALSE(same_cause(none, of(loop, "internal error at engine/ops/ivalue.cpp:12: expected")));
  EXPECT_FALSE(same_cause(none, of(branch, "internal error at engine/run/vm.cpp:12: empty")));
}

}  // namespace
}  // namespace fusillade::fuzz

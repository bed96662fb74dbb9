// The oracles, bisection and reduction on passes that are wrong on purpose: each oracle sees what
// it claims to see and stays quiet on right programs; blame names the pass and the rewrite; the
// reduced case is small.
//
// The wrong passes are registered here, called test_*, and act on aten::sigmoid nodes only.
#include "fuzz/oracle/oracle.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "engine/ir/visit.h"
#include "engine/passes/pass.h"
#include "fuzz/bisect/bisect.h"
#include "fuzz/case/against.h"
#include "fuzz/judge/judge.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/triage/triage.h"

namespace fusillade {
namespace {

std::vector<Node*> sigmoids(const Block* block) {
  std::vector<Node*> out;
  each_node(block, [&](Node* n) {
    if (n->op().name == "aten::sigmoid") out.push_back(n);
  });
  return out;
}

PASS(test_wrong_value, kExact, "makes sigmoid a negation") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) n->set_op(operator_named("aten::neg"));
  }
}

PASS(test_wrong_slightly, kExact, "makes sigmoid one that is off by 1 in 2^18") {
  for (Node* n : sigmoids(graph.block())) {
    if (!rewriter.allow("break", n)) continue;
    Node* scaled = graph.create(operator_named("aten::mul.Scalar"), {n->output()});
    scaled->insert_before(n->next());
    n->output()->replace_all_uses_with(scaled->output());
    scaled->set_input(0, n->output());
    scaled->add_input(graph.constant(IValue(1 + 0x1p-18), scaled));
    infer_types(scaled);
  }
}

PASS(test_wrong_third, kNoPromise,
     "makes sigmoid a negation, from the third that a process meets") {
  static int met = 0;
  for (Node* n : sigmoids(graph.block()))
    if (++met > 2 && rewriter.allow("break", n)) n->set_op(operator_named("aten::neg"));
}

PASS(test_wrong_type, kExact, "says that sigmoid gives f64") {
  for (Node* n : sigmoids(graph.block())) {
    TensorInfo info = n->output()->type().info();
    info.dtype = DType::F64;
    info.has_dtype = true;
    if (rewriter.allow("break", n)) n->output()->set_type(Type::tensor(info));
  }
}

PASS(test_drops_raises, kExact, "makes a reshape that cannot be an alias") {
  for (Node* n : graph.block()->nodes()) {
    if (n->op().name != "aten::reshape" || !rewriter.allow("break", n)) continue;
    n->set_op(operator_named("aten::alias"));
    n->remove_input(1);
  }
}

PASS(test_wrong_alias, kExact, "makes sigmoid return its operand's memory") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) n->set_op(operator_named("aten::alias"));
  }
}

PASS(test_wrong_each_time, kNoPromise, "multiplies by another number at each preparation") {
  static int times = 0;
  for (Node* n : sigmoids(graph.block())) {
    if (!rewriter.allow("break", n)) continue;
    Node* scaled = graph.create(operator_named("aten::mul.Scalar"), {n->output()});
    scaled->insert_before(n->next());
    n->output()->replace_all_uses_with(scaled->output());
    scaled->set_input(0, n->output());
    scaled->add_input(graph.constant(IValue(static_cast<int64_t>(++times)), scaled));
    infer_types(scaled);
  }
}

PASS(test_wrong_name, kExact, "gives a value a name that no parser reads") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) n->output()->set_name("a b");
  }
}

PASS(test_wrong_raise, kNoPromise, "raises an error") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) fail("no sigmoid today");
  }
}

PASS(test_wrong_bug, kNoPromise, "breaks an invariant") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) FUS_BUG("sigmoid met");
  }
}

PASS(test_wrong_crash, kNoPromise, "dies") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) raise(SIGSEGV);
  }
}

PASS(test_wrong_hang, kNoPromise, "never ends") {
  for (Node* n : sigmoids(graph.block())) {
    while (rewriter.allow("break", n)) usleep(1000);
  }
}

PASS(test_wrong_memory, kNoPromise, "takes too much memory") {
  for (Node* n : sigmoids(graph.block())) {
    if (rewriter.allow("break", n)) Storage::allocate(size_t{1} << 31);
  }
}

}  // namespace

namespace fuzz {
namespace {

constexpr const char* kProgram = R"(fusillade case 1
program:
  graph(%x : Float(2, 3),
        %y : Float(3),
        %k : int):
    %1 : int = prim::Constant[value=1]()
    %t : bool = prim::Constant[value=1]()
    %a : Tensor = aten::add(%x, %y, %1)
    %b : Tensor = aten::exp(%y)
    %c : Tensor = aten::mul(%a, %b)
    %s : Tensor = aten::sigmoid(%c)
    %d : Tensor = aten::sub(%s, %a, %1)
    %l : Tensor = prim::Loop(%k, %t, %d)
      block0(%i : int, %e : Tensor):
        %f : Tensor = aten::tanh(%e)
        -> (%t, %f)
    %h : Tensor = aten::relu(%b)
    return (%l, %h, %s, %c)
call:
    x = f32[2, 3] {1, -2, 3, 0.5, 0.25, -0.125}
    y = f32[3] {0.5, -1, 0.75}
    k = 2
call:
    x = f32[2, 3] {1, 2, 3, 4, 5, 6}
    y = f32[3] {-1, 1, 0}
    k = 0
end
)";

Case sample(const std::string& oracle, const std::string& plan) {
  Case c = parse_case(kProgram, "sample");
  c.oracle = oracle;
  c.plans = parse_plans({"vm/o2", plan});
  return c;
}

Verdict verdict_of(const std::string& oracle_name, const std::string& plan) {
  return oracle(oracle_name).judge(sample(oracle_name, plan));
}

TEST(Oracles, AreQuietOnRightPlans) {
  for (const Oracle* o : Table<Oracle>::instance().by_name()) {
    if (o->form == Form::Script || o->form == Form::PlainScript || o->about) continue;
    if (o->name == kAgainst) continue;  // another build is wanted: suites/python/test_against.py
    if (o->asked) continue;             // it measures time: scaling_test, speed_test
    for (const char* plan :
         {"eager", "vm", "vm/o2,fuse(loopnest,interp)", "vm/o2,fuse(loopnest,llvm)"}) {
      Verdict v = verdict_of(o->name, plan);
      EXPECT_FALSE(is_finding(v.kind))
          << o->name << " " << plan << ": " << v.reason << " " << v.detail;
      bool fuses = std::string(plan).find("fuse") != std::string::npos;
      if (o->name == "kernels" && !fuses) continue;
      EXPECT_EQ(v.kind, VerdictKind::Ok) << o->name << " " << plan << ": " << v.reason;
      EXPECT_GT(v.elements.compared, 0u) << o->name;
    }
  }
}

void expect_seen(const std::string& oracle, const std::string& pass, const std::string& reason) {
  Verdict v = verdict_of(oracle, "vm/" + pass);
  EXPECT_EQ(v.kind, VerdictKind::Mismatch)
      << oracle << " on " << pass << ": " << name_of(v.kind) << " " << v.reason;
  EXPECT_EQ(v.reason, reason) << oracle << " on " << pass;
  EXPECT_EQ(v.plan.text, "vm/" + pass);
}

TEST(Oracles, WrongValuesAreSeen) {
  expect_seen("differential", "test_wrong_value", "value");
  expect_seen("exact", "test_wrong_value", "value");
  expect_seen("ring", "test_wrong_value", "value");
}

TEST(Oracles, SmallErrorsAreSeen) {
  expect_seen("differential", "test_wrong_slightly", "value");
  expect_seen("exact", "test_wrong_slightly", "value");
}

TEST(Oracles, BrokenPromisesAreSeen) { expect_seen("shapes", "test_wrong_type", "dtype"); }
TEST(Oracles, WrongAliasingIsSeen) { expect_seen("shapes", "test_wrong_alias", "aliasing"); }
TEST(Oracles, ChangingResultsAreSeen) {
  expect_seen("deterministic", "test_wrong_each_time", "value");
}
TEST(Oracles, UnreadableTextIsSeen) { expect_seen("roundtrip", "test_wrong_name", "unreadable"); }

// %bad raises; `result` says what the program needs of it.
Case raising(const std::string& result) {
  Case c = parse_case(R"(fusillade case 1
program:
  graph(%x : Tensor, %k : int):
    %t : bool = prim::Constant[value=1]()
    %size : int = prim::Constant[value=4]()
    %sizes : int[] = prim::ListConstruct(%size)
    %bad : Tensor = aten::reshape(%x, %sizes)
    %a : Tensor, %b : Tensor = prim::Loop(%k, %t, %x, %bad)
      block0(%i : int, %p : Tensor, %q : Tensor):
        %r : Tensor = aten::exp(%q)
        -> (%t, %p, %r)
    return ()" + result + R"()
call:
    x = f32[3] {1, 2, 3}
    k = 2
end
)",
                      "raising");
  return c;
}

// Dropping `i += 1` keeps the hang, but then it is the program's own.
TEST(Reduction, OfAHangLeavesAProgramThatEnds) {
  Case c = parse_case(R"(fusillade case 2
oracle: differential
verdict: hang
plan: vm/test_wrong_hang
script:
  import torch
  def main(x, k: int):
      i = 0
      while i < k:
          i += 1
          x = torch.sigmoid(x)
      return x
call:
    x = f32[1] {1}
    k = 2
end
)",
                      "hang");
  Limits limits;
  limits.seconds = 0.5;
  ASSERT_EQ(judge_isolated(c, limits).kind, VerdictKind::Hang);
  Case smallest = reduce(c, limits, 20).smallest;
  EXPECT_LT(smallest.script.size(), c.script.size());
  EXPECT_EQ(judge_isolated(smallest, limits).kind, VerdictKind::Hang);
  smallest.plans = parse_plans({"eager"});
  EXPECT_NE(judge_isolated(smallest, limits).kind, VerdictKind::Hang) << print(smallest);
}

// Residues of an input that was given a range lie in it: where an op checks it, there is still
// something to compare.
TEST(Oracles, TheRingKeepsTheRangesThatNamesPromise) {
  for (const char* name : {"from_0_to_1_n2", "other"}) {
    const std::string x = name;
    Case c = parse_case("fusillade case 1\nprogram:\n  graph(%" + x + R"( : Tensor, %t : Tensor):
    %none : NoneType = prim::Constant()
    %one : int = prim::Constant[value=1]()
    %r : Tensor = aten::binary_cross_entropy(%)" +
                            x + R"(, %t, %none, %one)
    return (%r)
call:
    )" + x + R"( = f32[2] {0, 0.5}
    t = f32[2] {0, 1}
end
)",
                        "ranges");
    c.plans = parse_plans({"vm/o2"});
    EXPECT_EQ(oracle("ring").judge(c).kind, VerdictKind::Ok) << x;
    EXPECT_EQ(oracle("ring").judge(c).raises, x == "other") << x;
  }
}

TEST(Oracles, AMissingErrorIsSeen) {
  for (const char* o : {"differential", "ring"}) {
    for (const char* result : {"%b", "%a"}) {
      Case c = raising(result);
      bool needed = std::string(result) == "%b";
      c.oracle = o;
      c.plans = parse_plans({"vm/test_drops_raises"});
      Verdict v = oracle(o).judge(c);
      EXPECT_EQ(v.kind, needed ? VerdictKind::Mismatch : VerdictKind::Skip)
          << o << " " << result << ": " << v.detail;
      if (needed) EXPECT_EQ(v.reason.substr(0, 13), "missing error") << o << ": " << v.reason;
      c.plans = parse_plans({"vm/dce"});
      EXPECT_EQ(oracle(o).judge(c).kind, needed ? VerdictKind::Ok : VerdictKind::Skip)
          << o << " " << result;
    }
  }
}

TEST(Oracles, ErrorsAndBugsOfAPlanAreSeen) {
  for (const char* o : {"differential", "exact", "ring"}) {
    if (std::string(o) != "exact") {
      Verdict v = verdict_of(o, "vm/test_wrong_raise");
      EXPECT_EQ(v.kind, VerdictKind::Mismatch) << o;
      EXPECT_EQ(v.reason.substr(0, 5), "error") << o;
      EXPECT_EQ(verdict_of(o, "vm/test_wrong_bug").kind, VerdictKind::Bug) << o;
    }
  }
}

TEST(Oracles, InvalidProgramsAreSeen) {
  Case c = parse_case(
      "fusillade case 1\nprogram:\n  graph(%x : Tensor, %y : Tensor):\n    %m : Tensor = "
      "aten::mm(%x, %y)\n"
      "    return (%m)\ncall:\n    x = f32[2, 3] {1, 2, 3, 4, 5, 6}\n    y = f32[2, 1] {1, "
      "2}\nend\n",
      "f");
  c.oracle = "valid";
  EXPECT_EQ(oracle("valid").judge(c).kind, VerdictKind::Bug);
  c.plans = parse_plans({"vm"});
  Verdict v = oracle("differential").judge(c);
  EXPECT_EQ(v.kind, VerdictKind::Ok) << "both raise, and nothing was written";
  EXPECT_TRUE(v.raises);
}

TEST(Oracles, APlanOnADeviceThatIsNotThereIsSkipped) {
  for (const char* o : {"differential", "exact", "ring", "deterministic", "kernels"}) {
    for (const char* plan : {"vm@cuda/o2,fuse(loopnest,interp)", "eager@cuda:1"}) {
      Case c = sample(o, plan);
      c.plans = parse_plans({plan});
      Verdict v = oracle(o).judge(c);
      bool fuses = std::string(plan).find("fuse") != std::string::npos;
      EXPECT_EQ(v.kind, VerdictKind::Skip) << o << ": " << v.reason;
      if (fuses || o != std::string_view("kernels"))
        EXPECT_EQ(v.reason.find("declined: no such device"), 0u) << o << ": " << v.reason;
    }
  }
}

TEST(Oracles, UnknownNameIsAnError) { EXPECT_THROW(oracle("diferential"), Error); }

TEST(Isolation, EndsOfAChildAreVerdicts) {
  Limits limits;
  limits.seconds = 2;
  limits.megabytes = 1000;
  auto kind = [&](const char* plan) {
    Verdict v = judge_isolated(sample("differential", plan), limits);
    EXPECT_EQ(v.oracle, "differential");
    return v.kind;
  };
  EXPECT_EQ(kind("vm"), VerdictKind::Ok);
  EXPECT_EQ(kind("vm/test_wrong_value"), VerdictKind::Mismatch);
  EXPECT_EQ(kind("vm/test_wrong_crash"), VerdictKind::Crash);
  EXPECT_EQ(kind("vm/test_wrong_hang"), VerdictKind::Hang);
  EXPECT_EQ(kind("vm/test_wrong_memory"), VerdictKind::Memory);
  EXPECT_EQ(kind("vm/test_wrong_bug"), VerdictKind::Bug);
}

struct Guilty {
  const char* oracle;
  const char* plan;
  const char* who;
};

TEST(Bisect, NamesThePassAndTheRewrite) {
  for (const Guilty& g :
       {Guilty{"differential", "vm/dce,test_wrong_value,cse", "test_wrong_value/break"},
        Guilty{"exact", "vm/test_wrong_slightly,peephole", "test_wrong_slightly/break"},
        Guilty{"ring", "vm/inline,cse,test_wrong_value", "test_wrong_value/break"},
        Guilty{"shapes", "vm/cse,test_wrong_type", "test_wrong_type/break"},
        Guilty{"differential", "jit/cse,test_wrong_value", "test_wrong_value/break"},
        Guilty{"profile", "vm/cse,test_wrong_value,dce", "test_wrong_value/break"},
        Guilty{"differential", "vm/cse,test_wrong_bug,dce", "test_wrong_bug"},
        Guilty{"differential", "vm/cse,test_wrong_crash,dce", "test_wrong_crash"}}) {
    Case c = sample(g.oracle, g.plan);
    c.plans = parse_plans({g.plan});
    Blame b = bisect(c, {}, 900);
    EXPECT_EQ(print(b.who), g.who) << g.plan;
    std::string pass = std::string(g.who).substr(0, std::string(g.who).find('/'));
    EXPECT_EQ(b.plan.text, "vm/" + pass) << g.plan;
    if (std::string(g.who).find('/') != std::string::npos) {
      EXPECT_EQ(b.rewrite, 1) << g.plan;
      EXPECT_NE(b.node.find("aten::sigmoid"), std::string::npos) << b.node;
    }
  }
}

TEST(Bisect, BlamesTheOperatorWhenEagerFails) {
  Case c = parse_case(
      "fusillade case 1\nprogram:\n  graph(%x : Tensor, %y : Tensor):\n    %m : Tensor = "
      "aten::mm(%x, %y)\n"
      "    return (%m)\ncall:\n    x = f32[2, 3] {1, 2, 3, 4, 5, 6}\n    y = f32[2, 1] {1, "
      "2}\nend\n",
      "f");
  c.oracle = "valid";
  EXPECT_EQ(print(bisect(c, {}, 900).who), "operator aten::mm");
}

TEST(Bisect, SaysWhenNothingFails) {
  Case c = sample("differential", "vm/o2");
  c.plans = parse_plans({"vm/o2"});
  EXPECT_EQ(print(bisect(c, {}, 900).who), "not reproduced");
}

// Trials share a process; what those before one left there is none of the case.
TEST(Reduce, WhatIsKeptFailsByItself) {
  const Case c = parse_case(
      "fusillade case 1\noracle: differential\nplan: vm/test_wrong_third\nprogram:\n"
      "  graph(%x : Tensor):\n    %a : Tensor = aten::sigmoid(%x)\n"
      "    %b : Tensor = aten::sigmoid(%a)\n    %c : Tensor = aten::sigmoid(%b)\n"
      "    %d : Tensor = aten::exp(%c)\n    return (%d)\ncall:\n    x = f32[2] {1, 2}\nend\n",
      "third");
  const Reduced r = reduce(c, {}, 900);
  EXPECT_TRUE(same_failure(judge_isolated(r.smallest, {}), judge_isolated(c, {})));
  EXPECT_EQ(program_nodes(*r.smallest.program), 3) << print(r.smallest);
}

TEST(Reduce, ToTheGuiltyNode) {
  for (const Guilty& g :
       {Guilty{"differential", "vm/test_wrong_value", ""},
        Guilty{"ring", "vm/test_wrong_value", ""}, Guilty{"exact", "vm/test_wrong_slightly", ""},
        Guilty{"shapes", "vm/test_wrong_type", ""},
        Guilty{"differential", "vm/test_wrong_crash", ""},
        Guilty{"roundtrip", "vm/test_wrong_name", ""}}) {
    Case c = sample(g.oracle, g.plan);
    c.plans = parse_plans({g.plan});
    Verdict before = judge_isolated(c, {});
    ASSERT_TRUE(is_finding(before.kind)) << g.plan;
    Reduced r = reduce(c, {}, 900);
    EXPECT_TRUE(same_failure(r.verdict, before)) << g.plan;
    EXPECT_TRUE(same_failure(judge_isolated(r.smallest, {}), before)) << g.plan;
    EXPECT_EQ(program_nodes(*r.smallest.program), 1) << g.oracle << " " << g.plan << "\n"
                                                     << print(r.smallest);
    EXPECT_EQ(r.smallest.calls.size(), 1u);
    EXPECT_LE(r.smallest.program->inputs().size(), 1u);
    verify(*r.smallest.program);
    std::string text = print(r.smallest);
    EXPECT_EQ(print(parse_case(text, "r")), text);
  }
}

TEST(Triage, ConfirmsBlamesReducesAndNames) {
  Case c = sample("differential", "vm/cse,test_wrong_value,dce");
  c.plans = parse_plans({"vm/cse,test_wrong_value,dce"});
  Triaged t = triage(c, {}, 900);
  EXPECT_EQ(t.reproduced, t.tried);
  EXPECT_EQ(print(t.blame), "test_wrong_value/break");
  EXPECT_EQ(t.nodes, 1);
  EXPECT_EQ(t.bucket.substr(0, 32), "mismatch-test-wrong-value-break-");
  EXPECT_EQ(t.reduced.plans, parse_plans({"vm/test_wrong_value"}));
  Triaged again = triage(t.reduced, {}, 900);
  EXPECT_EQ(again.bucket, t.bucket);  // the same culprit from another case
}

}  // namespace
}  // namespace fuzz
}  // namespace fusillade

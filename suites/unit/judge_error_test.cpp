// Programs that raise: which errors are sure to come, and what a plan may leave behind.
#include "fuzz/run/judge_error.h"

#include <gtest/gtest.h>

#include "engine/passes/pass.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/error_class.h"
#include "fuzz/run/missing_error.h"

namespace fusillade {
namespace {

// Writes behind a branch, of constants, come in front of it.
PASS(test_writes_first, kNoPromise, "for tests: moves writes in front of a branch") {
  Node* branch = nullptr;
  std::vector<Node*> late;
  for (Node* n : graph.block()->nodes()) {
    if (!branch && n->is(prim::if_())) branch = n;
    else if (branch && (n->op().in_place || n->is(prim::constant()))) late.push_back(n);
  }
  for (Node* n : late)
    if (rewriter.allow("first", n)) n->move_before(branch);
}

PASS(test_other_class, kNoPromise, "for tests: what is raised is a KeyError") {
  std::vector<Node*> all;
  for (Node* n : graph.block()->nodes())
    for (Block* b : n->blocks())
      for (Node* inner : b->nodes())
        if (inner->is(prim::raise())) all.push_back(inner);
  for (Node* n : all)
    if (rewriter.allow("class", n))
      n->set_input(0, graph.constant(IValue::str("KeyError: another"), n));
}

}  // namespace
}  // namespace fusillade

namespace fusillade::fuzz {
namespace {

Case script(const std::string& body, int64_t n) {
  Case c;
  set_script(c, "import torch\ndef main(x, y, n: int):\n" + body, "<test>");
  c.calls.push_back({{IValue(Tensor::zeros({3}, DType::F32)),
                      IValue(Tensor::zeros({3}, DType::F32)), IValue(n)}});
  return c;
}

ErrorFacts facts(const std::string& body, int64_t n = 7) {
  Case c = script(body, n);
  return errors_of(*c.program, c.calls[0]);
}

TEST(ErrorsOf, TheFirstErrorIsCertainWhereItIsNeeded) {
  for (const char* body : {
           "    x.add_(1)\n    return x.reshape([n])\n",
           "    z = x.reshape([n])\n    x.add_(1)\n    return z\n",
           "    x.add_(1)\n    if n > 3:\n        raise ValueError(\"big\")\n    return x\n",
           "    x[n] = 1.0\n    return y\n",
           "    x.add_(1)\n    x[n].mul_(2)\n    return y\n",
           "    z = x.reshape([n])\n    x[0].add_(z.sum())\n    return y\n",
           "    x.add_(torch.zeros([n]))\n    return y\n",
           "    print(n)\n    return x.reshape([n])\n",
       }) {
    EXPECT_NE(facts(body).needed, "") << body;
    EXPECT_TRUE(facts(body).certain) << body;
  }
}

TEST(ErrorsOf, WhatNothingNeedsMayGoAndAnotherComes) {
  for (const char* body : {
           "    z = x.reshape([n])\n    x.add_(1)\n    return y.reshape([n])\n",
           "    z = x.reshape([n])\n    if n > 3:\n        raise ValueError(\"big\")\n    return "
           "z\n",
       }) {
    EXPECT_NE(facts(body).needed, "") << body;
    EXPECT_FALSE(facts(body).certain) << body;
  }
  EXPECT_EQ(facts("    z = x.reshape([n])\n    x.add_(1)\n    return y\n").needed, "");
  EXPECT_EQ(facts("    z = torch.zeros([3])\n    z.add_(x.reshape([n]))\n    return y\n").needed,
            "")
      << "nobody sees z";
}

TEST(ErrorsOf, ClassesAreThoseBeforeTheNextEffect) {
  using Set = std::set<std::string>;
  EXPECT_EQ(facts("    a = [1][n]\n    b = n // (n - 7)\n    return (a, b)\n").classes,
            (Set{"IndexError", "ZeroDivisionError"}));
  EXPECT_EQ(
      facts("    a = [1][n]\n    x.add_(1)\n    b = n // (n - 7)\n    return (a, b)\n").classes,
      Set{"IndexError"});
  EXPECT_EQ(raised_class("sizes do not meet"), "RuntimeError");
  EXPECT_EQ(raised_class("f.py:2 in f: MyError: stop\nmore"), "MyError");
}

Verdict verdict_of(const std::string& body, const std::string& plan,
                   const char* by = "differential", int64_t n = 7) {
  Case c = script(body, n);
  c.oracle = by;
  c.plans = parse_plans({plan});
  return oracle(by).judge(c);
}

const char* const kStops =
    "    x.sub_(1)\n    if n > 3:\n        raise ValueError(\"big\")\n    y.add_(1)\n    return "
    "x\n";

TEST(JudgeError, AnErrorThatAgreesIsCompared) {
  for (const char* by : {"differential", "ring", "deterministic", "profile"}) {
    for (const char* plan : {"vm", "vm/o2", "vm/o2,fuse(loopnest,interp)", "jit/o2"}) {
      Verdict v = verdict_of(kStops, plan, by);
      EXPECT_EQ(v.kind, VerdictKind::Ok) << by << " " << plan << ": " << v.reason << v.detail;
      EXPECT_GT(v.elements.compared, 0u) << by << " " << plan;
    }
  }
}

TEST(JudgeError, AnEffectThatCameBeforeItIsSeen) {
  for (const char* by : {"differential", "ring"}) {
    Verdict v = verdict_of(kStops, "vm/test_writes_first", by);
    EXPECT_EQ(v.kind, VerdictKind::Mismatch) << by;
    EXPECT_EQ(v.reason, "before the error: value") << by << ": " << v.detail;
    EXPECT_EQ(verdict_of(kStops, "vm/test_writes_first", by, 1).kind, VerdictKind::Ok);
  }
}

TEST(JudgeError, AnotherClassIsSeen) {
  for (const char* by : {"differential", "ring"}) {
    Verdict v = verdict_of(kStops, "vm/test_other_class", by);
    EXPECT_EQ(v.kind, VerdictKind::Mismatch) << by;
    EXPECT_EQ(v.reason, "another error: KeyError for ValueError") << by;
  }
}

// What may raise stays in front of a write that the caller sees, and of a statement that raises.
TEST(JudgeError, GroupsAreNotMadeAcrossEffects) {
  const std::string chain = "    p = torch.sin(x) * torch.zeros([n])\n";
  const char* plan = "vm/o2,fuse(loopnest,interp)";
  for (const std::string& between :
       {std::string("    y.add_(1)\n"), std::string("    print(n)\n"),
        std::string("    if n > 3:\n        raise KeyError(\"later\")\n")}) {
    Verdict v = verdict_of(chain + between + "    return torch.relu(p)\n", plan);
    EXPECT_EQ(v.kind, VerdictKind::Ok) << between << v.reason << "\n" << v.detail;
    EXPECT_TRUE(v.raises) << between;
  }
}

}  // namespace
}  // namespace fusillade::fuzz

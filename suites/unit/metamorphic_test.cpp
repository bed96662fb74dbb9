// Equivalents and the oracle that runs them: each kind writes what it says, and shows a pass that
// is wrong only about what that kind writes, which no other oracle sees in the program itself.
#include <gtest/gtest.h>

#include "engine/ir/visit.h"
#include "engine/passes/pass.h"
#include "fuzz/oracle/equivalents.h"
#include "fuzz/oracle/oracle.h"

namespace fusillade {
namespace {

std::vector<Node*> all_of(const Block* block, const char* name) {
  std::vector<Node*> out;
  each_node_inside_out(block, [&](Node* n) {
    if (n->op().name == name) out.push_back(n);
  });
  return out;
}

PASS(test_wrong_dead, kExact, "makes a sigmoid that nothing reads the negation of all") {
  std::vector<Node*> found = all_of(graph.block(), "aten::sigmoid");
  bool dead = false;
  for (const Node* n : found) dead |= n->output()->is_unused();
  for (Node* n : found) {
    if (dead && rewriter.allow("break", n)) n->set_op(operator_named("aten::neg"));
  }
}

PASS(test_wrong_branch, kExact, "makes a branch what it never takes") {
  for (Node* n : all_of(graph.block(), "prim::If")) {
    if (rewriter.allow("break", n)) n->set_input(0, graph.constant(IValue(false), n));
  }
}

PASS(test_wrong_loops, kExact, "runs a loop of one iteration not at all") {
  for (Node* n : all_of(graph.block(), "prim::Loop")) {
    const Node* trip_count = n->input(0)->node();
    bool once = trip_count->is(prim::constant()) && trip_count->constant().as_int() == 1;
    if (once && rewriter.allow("break", n)) n->set_input(0, graph.constant(IValue(0), n));
  }
}

PASS(test_wrong_views, kExact, "takes what is turned twice for what is turned once") {
  for (Node* n : all_of(graph.block(), "aten::transpose.int")) {
    Node* before = n->input()->node();
    bool twice = before->op().name == "aten::transpose.int";
    if (twice && rewriter.allow("break", n)) n->set_input(0, before->input());
  }
}

PASS(test_wrong_chain, kExact, "takes the tanh of a tanh for one") {
  for (Node* n : all_of(graph.block(), "aten::tanh")) {
    Node* before = n->input()->node();
    bool twice = before->op().name == "aten::tanh";
    if (twice && rewriter.allow("break", n)) n->set_input(0, before->input());
  }
}

PASS(test_wrong_quotient, kExact, "takes a quotient by one for that by two") {
  for (Node* n : all_of(graph.block(), "aten::div.Scalar")) {
    const Node* divisor = n->input(1)->node();
    bool one = divisor->is(prim::constant()) && divisor->constant().is_int();
    if (one && rewriter.allow("break", n)) n->set_input(1, graph.constant(IValue(2), n));
  }
}

}  // namespace

namespace fuzz {
namespace {

constexpr const char* kProgram = R"(fusillade case 1
program:
  graph(%x : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):
    %two : int = prim::Constant[value=2]()
    %t : bool = prim::Constant[value=1]()
    %s : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = aten::sigmoid(%x)
    %l : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = prim::Loop(%two, %t, %s)
      block0(%i : int, %e : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):
        %f : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu) = aten::tanh(%e)
        -> (%t, %f)
    return (%l)
call:
    x = f32[2, 3] {1, -2, 3, 0.5, 0.25, -0.125}
end
)";

Verdict verdict_of(const char* by, const char* plan) {
  Case c = parse_case(kProgram, "sample");
  c.plans = parse_plans({plan});
  return oracle(by).judge(c);
}

std::string equivalent_text(const char* kind) {
  Case c = parse_case(kProgram, "sample");
  for (const EquivalenceKind& k : equivalence_kinds()) {
    if (std::string(k.name) != kind) continue;
    std::unique_ptr<Graph> variant = equivalent_of(*c.program, k);
    return variant ? print(*variant) : "";
  }
  return "no such kind";
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Metamorphic, KindsWriteWhatTheySay) {
  EXPECT_EQ(count(equivalent_text("dead-code"), "aten::sigmoid"), 2u);
  EXPECT_EQ(count(equivalent_text("true-branch"), "prim::If"), 2u);
  EXPECT_EQ(count(equivalent_text("true-branch"), "prim::RaiseException"), 2u);
  EXPECT_EQ(count(equivalent_text("one-iteration"), "prim::Loop"), 3u);
  EXPECT_EQ(count(equivalent_text("double-transpose"), "aten::transpose"), 4u);
  EXPECT_EQ(count(equivalent_text("unrolled-by-hand"), "prim::Loop"), 0u);
  EXPECT_EQ(count(equivalent_text("unrolled-by-hand"), "aten::tanh"), 2u);
  EXPECT_EQ(count(equivalent_text("rules-backwards"), "aten::div("), 1u);
  EXPECT_EQ(count(equivalent_text("rules-backwards"), "aten::add("), 1u);
}

TEST(Metamorphic, AKindWithoutAPlaceMakesNoVariant) {
  std::unique_ptr<Graph> empty = parse_graph("graph(%x : Tensor):\n  return (%x)\n");
  for (const EquivalenceKind& k : equivalence_kinds())
    EXPECT_EQ(equivalent_of(*empty, k), nullptr) << k.name;
}

TEST(Metamorphic, SeesWhatTheProgramItselfDoesNotShow) {
  const std::pair<const char*, const char*> wrong[] = {
      {"dead-code", "test_wrong_dead"},         {"true-branch", "test_wrong_branch"},
      {"one-iteration", "test_wrong_loops"},    {"double-transpose", "test_wrong_views"},
      {"unrolled-by-hand", "test_wrong_chain"}, {"rules-backwards", "test_wrong_quotient"}};
  for (const auto& [kind, pass] : wrong) {
    const std::string plan = std::string("vm/") + pass;
    EXPECT_EQ(verdict_of("differential", plan.c_str()).kind, VerdictKind::Ok) << kind;
    Verdict v = verdict_of("metamorphic", plan.c_str());
    EXPECT_TRUE(is_finding(v.kind)) << kind << ": " << name_of(v.kind);
    EXPECT_EQ(v.reason.substr(0, v.reason.find(':')), kind) << v.detail;
    EXPECT_EQ(v.plan.text, plan);
  }
}

}  // namespace
}  // namespace fuzz
}  // namespace fusillade

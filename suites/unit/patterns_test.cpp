// Steps that give passes what they must leave alone: each is drawn often enough to be met within
// seconds of a campaign.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {
namespace {

bool is(const Node* n, const char* op) { return n->op().schema.name == op; }

// Programs of a policy out of 3,000 that have such a node.
template <class F>
int programs_with(const char* policy, F f) {
  int found = 0;
  for (uint64_t i = 0; i < 3000; ++i) {
    Choices choices(1717, i);
    GenerateOptions options;
    options.policy = policy;
    options.calls = 1;
    found += any_node(generate_case(choices, options).program->block(), f);
  }
  return found;
}

bool within_loop(const Node* n) {
  const Node* owner = n->block()->owner();
  return owner && owner->is(prim::loop());
}

bool uses_after(const Value* v, const Node* at, const auto& f) {
  return std::ranges::any_of(v->uses(), [&](const Use& use) {
    return use.user->block() == at->block() && at->before(use.user) && f(use.user);
  });
}

TEST(Patterns, AnErrorOfConstantsInALoopThatNeverRuns) {
  EXPECT_GE(programs_with("control",
                          [](const Node* n) {
                            return is(n, "aten::floordiv") && within_loop(n) &&
                                   constant_of(n->input(0)) && constant_of(n->input(1));
                          }),
            10);
}

TEST(Patterns, AListChangedInABranch) {
  EXPECT_GE(programs_with("mixed",
                          [](const Node* n) {
                            const Node* owner = n->block()->owner();
                            return is(n, "aten::reverse") && owner && owner->is(prim::if_()) &&
                                   n->input(0)->node()->block() != n->block();
                          }),
            10);
}

TEST(Patterns, AProductReadAsOneLine) {
  EXPECT_GE(programs_with("matrix",
                          [](const Node* n) {
                            return is(n, "aten::view") &&
                                   n->input(0)->node()->kind() == OpKind::Contract;
                          }),
            100);
}

TEST(Patterns, ATensorCreatedInEachIterationAndWritten) {
  EXPECT_GE(programs_with("control",
                          [](const Node* n) {
                            return is(n, "aten::zeros_like") && within_loop(n) &&
                                   n->input(0)->node()->block() != n->block() &&
                                   uses_after(n->output(), n, [](const Node* user) {
                                     return user->op().schema.writes();
                                   });
                          }),
            30);
}

TEST(Patterns, AnIndexOfManyIterationsAddedToATensor) {
  EXPECT_GE(programs_with("control",
                          [](const Node* n) {
                            const Node* owner = n->block()->owner();
                            if (!is(n, "aten::add") || !owner || !owner->is(prim::loop()))
                              return false;
                            const IValue* trip_count = constant_of(owner->input(0));
                            return n->input(1) == n->block()->params()[0] && trip_count &&
                                   trip_count->as_int() > 8;
                          }),
            10);
}

TEST(Patterns, APartWrittenAfterItsCat) {
  EXPECT_GE(programs_with("views",
                          [](const Node* n) {
                            if (!is(n, "aten::cat")) return false;
                            const List<Value*>& parts = n->input(0)->node()->inputs();
                            return std::ranges::any_of(parts, [&](const Value* part) {
                              return uses_after(part, n, [](const Node* user) {
                                return user->op().schema.writes();
                              });
                            });
                          }),
            30);
}

// Of a rule that asks for equal operands, and of one for the argument that is left out.
TEST(Patterns, LeftSidesOfRulesWithAConditionBroken) {
  EXPECT_GE(programs_with("integers",
                          [](const Node* n) {
                            return is(n, "aten::logical_and") && n->input(0) != n->input(1) &&
                                   n->input(0)->type() == n->input(1)->type();
                          }),
            3);
  EXPECT_GE(programs_with("integers",
                          [](const Node* n) {
                            if (!is(n, "aten::add") || n->inputs().size() != 3) return false;
                            const IValue* alpha = constant_of(n->input(2));
                            return is(n->input(1)->node(), "aten::neg") && alpha &&
                                   alpha->is_number() && alpha->as_double() != 1;
                          }),
            2);
}

}  // namespace
}  // namespace fusillade::fuzz

// Steps that are one operator each, drawn among the operators of one kind.
#include "fuzz/gen/graph_state.h"

namespace fusillade::fuzz {
namespace {

using Operators = std::vector<const Operator*>;

const Operators& element_wise(GraphState& g) {
  return g.choices.chance(g.policy.in_place) ? g.menu->in_place : g.menu->pointwise;
}

template <Operators Menu::* kind>
const Operators& of_menu(GraphState& g) {
  return g.menu.get()->*kind;
}

Production row(const char* name, const char* summary, double weight,
               const Operators& (*operators)(GraphState&), Make::Step step = nullptr) {
  return {.name = name, .summary = summary, .weight = weight, .make = step, .operators = operators};
}

// Now and then of a fresh input.
void scalar_step(GraphState& g, int) {
  const Operators& operators = g.menu->scalar;
  if (operators.empty()) return;
  if (g.scalars.empty() || g.choices.chance(0.3)) {
    if (g.graph->inputs().size() >= g.policy.max_inputs) return;
    TypeKind kinds[] = {TypeKind::Int, TypeKind::Float, TypeKind::Bool};
    g.scalars.push_back(g.graph->add_input(kinds[g.choices.below(3)]));
  }
  draw_of(g, operators);
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Step, 0,
    {row("pointwise", "an element-wise operator, in place or not", 10, element_wise),
     row("reduce", "a reduction or a scan", 2, of_menu<&Menu::reduce>),
     row("view", "a view", 3, of_menu<&Menu::view>),
     row("contract", "a product or a convolution", 0, of_menu<&Menu::contract>),
     row("movement", "an operator that moves data", 1, of_menu<&Menu::movement>),
     row("create", "a fresh tensor", 1, of_menu<&Menu::create>),
     row("composite", "an operator made of others", 1, of_menu<&Menu::composite>),
     row("scalar", "an operator on numbers", 1, of_menu<&Menu::scalar>, scalar_step)});

}  // namespace
}  // namespace fusillade::fuzz

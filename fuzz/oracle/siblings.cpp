// See siblings.h.
#include "fuzz/oracle/siblings.h"

#include <map>

#include "engine/ir/prims.h"
#include "engine/ir/visit.h"
#include "engine/ops/entry.h"

namespace fusillade::fuzz {
namespace {

// What the `sibling` lines of entries name, both ways.
const std::map<const Operator*, const Operator*>& siblings() {
  static const std::map<const Operator*, const Operator*> all = [] {
    std::map<const Operator*, const Operator*> out;
    for (const Entry& e : entries()) {
      const EntryLine* line = e.line(LineKind::Sibling);
      if (!line) continue;
      const Operator& other = operator_named(line->text);
      for (const std::string_view name : e.names) {
        FUS_CHECK(out.emplace(&operator_named(name), &other).second &&
                      out.emplace(&other, &operator_named(name)).second,
                  "{}: one sibling each", e.place(line->number));
      }
    }
    return out;
  }();
  return all;
}

using Change = bool (*)(Node* node);

// A number that an operator of elements is given.
bool other_constant(Node* node) {
  if (node->kind() != OpKind::Pointwise || node->inputs().size() < 2) return false;
  for (int i = 1; i < static_cast<int>(node->inputs().size()); ++i) {
    const Node* from = node->input(i)->node();
    const std::vector<SchemaArg>& args = node->op().schema.args;
    if (static_cast<size_t>(i) >= args.size() ||
        !args[static_cast<size_t>(i)].type.is(TypeKind::Number))
      continue;  // a dtype, which the types say
    if (!from->is(prim::constant())) continue;
    const IValue& was = from->constant();
    if (!was.is_int() && !was.is_float()) continue;
    const IValue now = was.is_int() ? IValue(was.as_int() + 1) : IValue(was.as_double() + 1);
    node->set_input(i, node->graph().constant(now, node));
    return true;
  }
  return false;
}

bool other_op(Node* node) {
  const auto other = siblings().find(&node->op());
  if (other == siblings().end()) return false;
  Node* now = node->graph().create(*other->second, node->inputs());
  now->range = node->range;
  now->output()->set_type(node->output()->type());
  now->insert_before(node);
  node->output()->replace_all_uses_with(now->output());
  node->destroy();
  return true;
}

bool swap_operands(Node* node) {
  if (node->kind() != OpKind::Pointwise || node->op().in_place || node->inputs().size() < 2)
    return false;
  Value* a = node->input(0);
  Value* b = node->input(1);
  if (a == b || !a->type().is_tensor() || !(a->type() == b->type())) return false;
  node->set_input(0, b);
  node->set_input(1, a);
  return true;
}

// May a change of values keep a loop from ending?
bool loops_by_values(const Block* block) {
  constexpr int64_t kFew = 1000;
  return any_node<Within::Callees>(block, [](const Node* n) {
    if (!n->is(prim::loop())) return false;
    const Node* trips = n->input(0)->node();
    const bool few = trips->is(prim::constant()) && trips->constant().as_int() <= kFew;
    const bool given = trips == n->graph().block()->param_node();
    return !few && !given;
  });
}

}  // namespace

std::vector<std::shared_ptr<Graph>> siblings_of(const Graph& program) {
  std::vector<std::shared_ptr<Graph>> out;
  if (loops_by_values(program.block())) return out;
  for (Change change : {Change(&other_constant), Change(&other_op), Change(&swap_operands)}) {
    std::shared_ptr<Graph> sibling = program.clone();
    if (any_node(sibling->block(), change)) out.push_back(std::move(sibling));
  }
  return out;
}

}  // namespace fusillade::fuzz

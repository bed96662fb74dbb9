// Removal of list mutation: a list that is built and changed in one block becomes a new list per
// change.
//
//   %l : Tensor[] = prim::ListConstruct()             %m : Tensor[] = prim::ListConstruct(%a, %b)
//   %m : Tensor[] = aten::append(%l, %a)       ==>    %s : Tensor = aten::stack(%m, %0)
//   %n : Tensor[] = aten::append(%m, %b)
//   %s : Tensor = aten::stack(%l, %0)
//
// The change must be in the block of the construct, and every use before it must be a read that
// keeps nothing of the list but its items: any other holder of the list would see the change. Uses
// after it become uses of a new construct. Changes: append, extend and += of a list built for them,
// setting an item, insert, pop, del, reverse, clear; indices out of range stay, to raise. What was
// appended is no longer in written memory, and can be fused. (law: rules name ops)
#include <algorithm>
#include <optional>

#include "engine/ir/visit.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

using Items = std::vector<Value*>;

// The items after a change, and what the change gave besides the list.
struct Changed {
  Items items;
  Value* given = nullptr;  // the result of pop
};

bool plain(const Value* v) {
  const Type& t = v->type();
  return t.is_tensor() || t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool) ||
         t.is(TypeKind::Str);
}

// Does the user read the list and keep nothing of it?
bool only_reads(const Node* user) {
  if (user->is(prim::return_()) || !user->blocks().empty() || user->has_attr("Subgraph"))
    return false;
  if (has_side_effect(user) || writes_memory(user)) return false;
  return std::all_of(user->outputs().begin(), user->outputs().end(), plain);
}

// The node of `block` that is the user or holds it.
const Node* in_block(const Node* user, const Block* block) {
  while (user->block() != block) user = user->block()->owner();
  return user;
}

// The index in a list of `count` items.
std::optional<size_t> index_in(const Value* at, size_t count) {
  const IValue* constant = constant_of(at);
  if (!constant || !constant->is_int()) return std::nullopt;
  const auto n = static_cast<int64_t>(count);
  const int64_t i = constant->as_int() < 0 ? constant->as_int() + n : constant->as_int();
  return i >= 0 && i < n ? std::optional(static_cast<size_t>(i)) : std::nullopt;
}

std::optional<Changed> extend(Items items, const Value* other) {
  if (!other->node()->is(prim::list_construct()) || other->uses().size() != 1) return std::nullopt;
  for (Value* v : other->node()->inputs()) items.push_back(v);
  return Changed{std::move(items)};
}

// What `node`, which writes the list that is its first operand, makes of the items.
std::optional<Changed> change(const Node* node, Items items) {
  const std::string& op = node->op().schema.name;
  if (op == "aten::append") {
    items.push_back(node->input(1));
    return Changed{std::move(items)};
  }
  if (op == "aten::extend" || op == "aten::add_") return extend(std::move(items), node->input(1));
  if (op == "aten::reverse") {
    std::reverse(items.begin(), items.end());
    return Changed{std::move(items)};
  }
  if (op == "aten::clear") return Changed{};
  if (op == "aten::insert") {
    const std::optional<size_t> at = index_in(node->input(1), items.size());
    if (!at) return std::nullopt;
    items.insert(items.begin() + static_cast<long>(*at), node->input(2));
    return Changed{std::move(items)};
  }
  const bool sets = op == "aten::_set_item";
  const bool pops = op == "aten::pop" || op == "aten::Delete";
  if ((!sets && !pops) || node->inputs().size() < 2) return std::nullopt;
  const std::optional<size_t> at = index_in(node->input(1), items.size());
  if (!at) return std::nullopt;
  Changed out{std::move(items)};
  if (sets) {
    out.items[*at] = node->input(2);
  } else {
    out.given = out.items[*at];
    out.items.erase(out.items.begin() + static_cast<long>(*at));
  }
  return out;
}

class Remover {
 public:
  explicit Remover(Rewriter& rewriter) : rewriter_(rewriter) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* node) {
      if (node->block() && writes_first_operand(node)) remove(node);
    });
  }

 private:
  static bool writes_first_operand(const Node* node) {
    const std::vector<SchemaArg>& args = node->op().schema.args;
    return !node->inputs().empty() && !args.empty() && args[0].written && node->blocks().empty() &&
           node->input()->node()->is(prim::list_construct());
  }

  void remove(Node* node) {
    Value* list = node->input();
    Node* producer = list->node();
    if (producer->block() != node->block() || !only_read_before(node)) return;
    const std::optional<Changed> changed = change(node, producer->inputs());
    if (!changed || !rewriter_.allow("change", node)) return;
    Node* now = node->graph().create(prim::list_construct(), changed->items);
    now->range = node->range;
    now->output()->set_type(list->type());
    now->insert_before(node);
    std::vector<Use> uses = list->uses();
    for (const Use& use : uses)
      if (use.user != node && node->before(use.user)) use.user->set_input(use.index, now->output());
    for (Value* out : node->outputs())
      out->replace_all_uses_with(changed->given ? changed->given : now->output());
    node->destroy();
  }

  // Of every use of the list before the node: does it keep nothing of the list?
  static bool only_read_before(const Node* node) {
    const List<Use>& uses = node->input()->uses();
    return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
      if (use.user == node) return use.index == 0;
      const Node* at = in_block(use.user, node->block());
      return node->before(at) || only_reads(use.user);
    });
  }

  Rewriter& rewriter_;
};

}  // namespace

PASS(remove_list_mutation, kExact | kIdempotent | kKeepsTape,
     "replace a change of a list by a new list, in the block that made it", changes_list) {
  Remover(rewriter).run(graph.block());
}

}  // namespace fusillade

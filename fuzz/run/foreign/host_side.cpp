// See host_side.h. Lists stay what they are, for they have identity; what they hold is known where
// nobody writes them.
#include "fuzz/run/foreign/host_side.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/ir/composite.h"
#include "engine/ops/call.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostText = 1 << 16;

bool is_plain(const IValue& v) {
  if (v.tag() == IValue::Tag::Str) return v.as_str().size() <= kMostText;
  return v.is_none() || v.is_number() || v.tag() == IValue::Tag::Device;
}

bool is_plain_list(const IValue& v) {
  return v.tag() == IValue::Tag::List && std::ranges::all_of(v.items(), is_plain);
}

class HostSide {
 public:
  explicit HostSide(Graph& graph) : effects_(graph) {}

  void run(Block* block) {
    std::vector<Node*> nodes;
    for (Node* n : block->nodes()) nodes.push_back(n);
    for (Node* n : nodes) visit(n);
  }

  // Removes what only evaluated nodes needed: from the end, so that operands follow their users.
  void sweep(Block* block) {
    std::vector<Node*> nodes;
    for (Node* n : block->nodes()) nodes.push_back(n);
    for (size_t i = nodes.size(); i-- > 0;) {
      for (Block* inner : nodes[i]->blocks()) sweep(inner);
      if (is_dead(nodes[i])) nodes[i]->destroy();
    }
  }

 private:
  void visit(Node* n) {
    const std::string& name = n->op().schema.name;
    if (name == "prim::Print" || name == "aten::warn") return destroy(n);
    if (n->is(prim::if_()) && choose(n)) return;
    for (Block* inner : n->blocks()) run(inner);
    if (n->is(prim::raise())) return shorten(n);
    if (name == "prim::device" && n->outputs().size() == 1) return become(n, IValue(Device{}));
    evaluate(n);
  }

  // Its operands may be needed no more.
  void touch(const Node* n) {
    for (const Value* v : n->inputs()) touched_.insert(v->node());
  }
  void destroy(Node* n) {
    touch(n);
    n->destroy();
  }

  bool choose(Node* n) {
    const IValue* condition = constant_of(n->input());
    if (!condition || !condition->is_bool()) return false;
    Block* taken = n->blocks()[condition->as_bool() ? 0 : 1];
    std::vector<Node*> moved;
    for (Node* inner : taken->nodes()) moved.push_back(inner);
    for (Node* inner : moved) inner->move_before(n);
    for (size_t k = 0; k < n->outputs().size(); ++k)
      n->outputs()[k]->replace_all_uses_with(taken->results()[k]);
    destroy(n);
    for (Node* inner : moved) visit(inner);
    return true;
  }

  // The text's first constant: of "{} dims".format(n), of "dims: " + str(n).
  void shorten(Node* n) {
    const Value* text = n->input(0);
    while (!constant_of(text) && text->node()->inputs().size() > 0 &&
           text->node()->input(0)->type().is(TypeKind::Str))
      text = text->node()->input(0);
    const IValue* known = constant_of(text);
    if (known == constant_of(n->input(0)) && known) return;
    touch(n);
    const bool plain = known && known->tag() == IValue::Tag::Str;
    n->set_input(0, n->graph().constant(plain ? *known : IValue::str("an error"), n));
  }

  std::optional<IValue> known_value(const Value* v) const {
    if (const IValue* c = constant_of(v)) {
      const bool legal = is_plain(*c) || (is_plain_list(*c) && !effects_.is_written(v));
      return legal ? std::optional(*c) : std::nullopt;
    }
    auto it = lists_.find(v);
    return it == lists_.end() ? std::nullopt : std::optional(it->second);
  }

  bool may_evaluate(const Node* n) const {
    const bool host = n->op().kind == OpKind::Scalar || n->is(prim::list_construct());
    return host && n->outputs().size() == 1 && n->blocks().empty() && n->attrs().empty() &&
           (n->op().run || n->op().run_at) && !has_side_effect(n) && !is_nondeterministic(n) &&
           !writes_memory(n) && !effects_.is_written(n->output());
  }

  void evaluate(Node* n) {
    if (!may_evaluate(n)) return;
    std::vector<IValue> args, results;
    for (const Value* in : n->inputs()) {
      std::optional<IValue> v = known_value(in);
      if (!v) return;
      args.push_back(std::move(*v));
    }
    for (const SchemaArg& a : missing_arguments(n)) args.push_back(a.default_value);
    try {
      call(n->op(), site_of(n), args, results);
    } catch (const Error&) {  // raised when it is run, or never
      return;
    } catch (const Unsupported&) {
      return;
    }
    if (results.size() != 1) return;
    const IValue& v = results[0];
    if (v.tag() == IValue::Tag::List) {
      if (is_plain_list(v)) lists_.insert({n->output(), v});
    } else if (is_plain(v) && v.type().subtype_of(n->output()->type().without_shapes())) {
      become(n, v);
    }
  }

  void become(Node* n, const IValue& v) {
    n->output()->replace_all_uses_with(n->graph().constant(v, n));
    destroy(n);
  }

  bool is_dead(Node* n) {
    if (touched_.count(n) == 0 || has_side_effect(n) || writes_memory(n) || !n->blocks().empty())
      return false;
    const bool host = n->op().kind == OpKind::Scalar || n->is(prim::list_construct()) ||
                      n->is(prim::constant()) || n->is(prim::tuple_construct());
    for (const Value* out : n->outputs())
      if (!host || !out->is_unused()) return false;
    touch(n);
    return host;
  }

  Effects effects_;
  std::unordered_map<const Value*, IValue> lists_;
  std::set<const Node*> touched_;
};

}  // namespace

void evaluate_host_side(Graph& graph) {
  HostSide host(graph);
  host.run(graph.block());
  host.sweep(graph.block());
}

}  // namespace fusillade::fuzz

// Constant propagation: run at compile time what does not depend on inputs.
//
//   %2 : int = aten::mul(%k, %k)     (%k = 3)      %2 : int = prim::Constant[value=9]()
//   %c : bool = aten::gt(%2, %k)                   %y : Tensor = aten::relu(%x)
//   %y : Tensor = prim::If(%c)               ==>   return (%y)
//     block0(): %p = aten::relu(%x) -> (%p)
//     block1(): -> (%x)
//
// A query for an object's class folds where the types give the answer. Also: a Loop that certainly
// runs no iteration becomes its initial values, and a result of an If on which both branches agree,
// or a Loop slot that never changes, becomes that value.
//
// Not folded: side effects, nondeterminism, writes, results larger than kMaxElements, and tensors
// or lists that are written or leave the function (each call must return fresh ones). A node that
// throws stays, to throw at run time or never. Tensors are folded in the current domain: prepare a
// plan in the domain it will run in.
#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/ir/composite.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

constexpr int64_t kMaxElements = 1 << 16;

// Is the object of one of the classes that isinstance asks for? Nothing where its type leaves that
// open.
std::optional<bool> known_by_type(const Node* node) {
  if (node->op().schema.name != "prim::isinstance") return std::nullopt;
  const Type& type = node->input()->type();
  std::vector<std::string> asked;
  for (const std::string& part : split_outside_brackets(site_of(node).name, '|'))
    asked.emplace_back(trim(part));
  auto fits = [&](const Type& t) {
    return std::find(asked.begin(), asked.end(), t.text()) != asked.end();
  };
  const std::vector<Type> options =
      type.is(TypeKind::Union) ? type.elements() : std::vector<Type>{type};
  const auto of_class = [](const Type& t) { return t.is(TypeKind::Class); };
  if (!std::all_of(options.begin(), options.end(), of_class)) return std::nullopt;
  if (std::all_of(options.begin(), options.end(), fits)) return true;
  return std::none_of(options.begin(), options.end(), fits) ? std::optional(false) : std::nullopt;
}

class Propagator {
 public:
  Propagator(Graph& graph, Rewriter& rewriter) : effects_(graph), rewriter_(rewriter) {}

  void run(Block* block) {
    for (Node* node : block->nodes()) visit(node);
  }

 private:
  void visit(Node* node) {
    if (node->is(prim::if_()) && fold_if(node)) return;
    if (node->is(prim::loop()) && fold_loop(node)) return;
    if (node->is(prim::loop())) join_loop_slots(node);
    for (Block* inner : node->blocks()) run(inner);
    if (node->is(prim::if_())) join_if_results(node);
    if (std::optional<bool> known = known_by_type(node)) return become(node, {IValue(*known)});
    if (foldable(node)) fold(node);
  }

  // --- nodes without blocks

  bool foldable(const Node* node) const {
    if (!node->blocks().empty() || node->is(prim::constant()) || node->outputs().empty())
      return false;
    if (!node->attrs().empty() || has_side_effect(node) || is_nondeterministic(node) ||
        writes_memory(node))
      return false;
    bool list = node->is(prim::list_construct());
    if (!node->op().run && !node->op().run_at) return false;
    for (const Value* in : node->inputs()) {
      const IValue* constant = constant_of(in);
      if (!constant || (list && is_mutable(*constant))) return false;
    }
    for (const Value* out : node->outputs())
      if (effects_.is_written(out) || effects_.escapes(out)) return false;
    return true;
  }

  void fold(Node* node) {
    std::vector<IValue> args, results;
    for (const Value* in : node->inputs()) args.push_back(*constant_of(in));
    for (const SchemaArg& a : missing_arguments(node)) args.push_back(a.default_value);
    try {
      call(node->op(), site_of(node), args, results);
    } catch (const Error&) {
      return;
    } catch (const Unsupported&) {
      return;
    }
    if (results.size() != node->outputs().size())
      return;  // a list of another length, unpacked: an error when run
    for (size_t i = 0; i < results.size(); ++i) {
      // A cast in a branch that is never taken may hold a value of another type.
      bool fits = results[i].type().without_shapes().subtype_of(
          node->outputs()[i]->type().without_shapes());
      if (!fits || !may_be_constant(results[i])) return;
    }
    become(node, results);
  }

  void become(Node* node, const std::vector<IValue>& results) {
    if (!rewriter_.allow("fold", node)) return;
    for (size_t i = 0; i < results.size(); ++i) {
      Value* folded = node->graph().constant(results[i], node);
      take_over(node->outputs()[i], folded);
    }
    node->destroy();
  }

  static bool may_be_constant(const IValue& v) {
    if (v.is_tensor()) return v.as_tensor().is_defined() && v.as_tensor().numel() <= kMaxElements;
    if (v.tag() >= IValue::Tag::Tuple) return false;
    if (v.tag() == IValue::Tag::Str) return static_cast<int64_t>(v.as_str().size()) <= kMaxElements;
    if (v.tag() != IValue::Tag::List) return true;
    for (const IValue& item : v.items())
      if (!item.is_number()) return false;
    return static_cast<int64_t>(v.items().size()) <= kMaxElements;
  }

  // --- If

  bool fold_if(Node* node) {
    const IValue* condition = constant_of(node->input());
    if (!condition || !rewriter_.allow("if-constant", node)) return false;
    Block* taken = node->blocks()[condition->as_bool() ? 0 : 1];
    std::vector<Node*> moved;
    for (Node* inner : taken->nodes()) moved.push_back(inner);
    for (Node* inner : moved) inner->move_before(node);
    for (size_t k = 0; k < node->outputs().size(); ++k)
      take_over(node->outputs()[k], taken->results()[k]);
    node->destroy();
    for (Node* inner : moved) visit(inner);
    return true;
  }

  // A result defined outside the If that both branches give.
  void join_if_results(Node* node) {
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      Value* a = node->blocks()[0]->results()[k];
      Value* b = node->blocks()[1]->results()[k];
      Value* out = node->outputs()[k];
      if (out->is_unused()) continue;
      if (!a->type().subtype_of(out->type())) continue;
      if (a == b && rewriter_.allow("if-same-result", node)) take_over(out, a);
      const IValue* x = constant_of(a);
      const IValue* y = constant_of(b);
      if (a == b || !x || !y || is_mutable(*x) || !same_constant(*x, *y)) continue;
      if (rewriter_.allow("if-same-constant", node))
        take_over(out, node->graph().constant(*x, node));
    }
  }

  // --- Loop

  static bool never_runs(const Node* node) {
    const IValue* trips = constant_of(node->input(0));
    const IValue* condition = constant_of(node->input(1));
    return (trips && trips->as_int() <= 0) || (condition && !condition->as_bool());
  }

  bool fold_loop(Node* node) {
    if (!never_runs(node) || !rewriter_.allow("loop-never-runs", node)) return false;
    for (size_t k = 0; k < node->outputs().size(); ++k)
      take_over(node->outputs()[k], node->inputs()[k + 2]);
    node->destroy();
    return true;
  }

  // A slot whose every iteration hands on what it was given is its initial value.
  void join_loop_slots(Node* node) {
    Block* body = node->blocks()[0];
    for (size_t k = 0; k < node->outputs().size(); ++k) {
      Value* param = body->params()[k + 1];
      Value* initial = node->inputs()[k + 2];
      Value* result = body->results()[k + 1];
      if (result != param && result != initial) continue;
      if (!initial->type().subtype_of(param->type())) continue;
      bool inside_used = param->uses().size() > (result == param ? 1u : 0u);
      if (!inside_used && node->outputs()[k]->is_unused()) continue;
      if (!rewriter_.allow("loop-unchanged-slot", node)) return;
      take_over(node->outputs()[k], initial);
      take_over(param, initial);
    }
  }

  void take_over(Value* out, Value* by) {
    effects_.add_value(by, nullptr);
    out->replace_all_uses_with(by);
    effects_.replace_value(out, by);
  }

  Effects effects_;
  Rewriter& rewriter_;
};

}  // namespace

PASS(constant_propagation, kExact | kMerges,
     "evaluate what depends only on constants; fold If and Loop") {
  Propagator(graph, rewriter).run(graph.block());
}

}  // namespace fusillade

// Lowers results that go into tensors of other calls (`out=`, front/out_form.h), where types show
// that no tensor changes its sizes, or that nobody sees it.
//
//   %y : Float(2, 3) = prim::into(%out, %sum, ...)   ->   aten::copy_(%out, %sum)
//   %out = aten::empty(...)                          ->   %y = aten::to(%sum, dtype)
//   %y = prim::into(%out, %sum, ...)
//
// A program with prim::into left in it may change sizes, so no later pass looks at it. Types are
// inferred as if no size changed. That holds if all calls are found to fit: the first one that did
// not would be detected. Hence all are lowered together, or none.
#include <algorithm>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/ir/types.h"
#include "engine/ir/visit.h"
#include "engine/passes/insert.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

using Found = std::vector<ArgInfo>;

const TensorInfo& info(const Found& found, const Value* v) {
  return found[static_cast<size_t>(v->id())].type.info();
}

bool same_sizes(const TensorInfo& a, const TensorInfo& b) {
  if (!a.rank_known || !b.rank_known || a.sizes.rank() != b.sizes.rank()) return false;
  for (int i = 0; i < a.sizes.rank(); ++i)
    if (a.sizes[i] != b.sizes[i] || a.sizes[i] == -1) return false;
  return true;
}

// Is the result cast without an error, as far as is known?
bool goes_into(const Node* n, const Found& found) {
  const TensorInfo &out = info(found, n->inputs()[0]), &result = info(found, n->inputs()[1]);
  const Node* exact = n->inputs()[3]->node();
  if (!out.has_dtype || !result.has_dtype || !exact->is(prim::constant())) return false;
  if (exact->constant().as_bool()) return out.dtype == result.dtype;
  return category_of(result.dtype) <= category_of(out.dtype);
}

void collect(const Block* block, std::vector<Node*>& into, bool& others) {
  each_node(block, [&](Node* n) {
    if (fits_out(n->op())) into.push_back(n);
    else others = others || reshapes_in_place(n->op());
    if (const Graph* callee = subgraph_of(n)) others = others || changes_sizes(*callee);
  });
}

// Is the tensor unused between the call that created it and `n`, in the same block?
bool unseen_before(const Node* n) {
  const Value* out = n->inputs()[0];
  const Node* maker = out->node();
  if (maker->kind() != OpKind::Create || maker->block() != n->block()) return false;
  for (const Node* between = maker->next(); between != n; between = between->next())
    for (const Use& use : out->uses()) {
      const Node* user = use.user;
      while (user->block() != n->block()) user = user->block()->owner();
      if (user == between) return false;
    }
  return n->inputs()[1] != out && !n->inputs()[1]->node()->op().schema.aliases();
}

// The result, in the dtype of the tensor that it takes the place of, and laid out as one.
Value* in_place_of(const Value* out, Value* result, const Found& found, Node* before) {
  const DType dtype = info(found, out).dtype;
  if (info(found, result).dtype != dtype) {
    Value* code = int_constant(row_of(dtype).aten_code, before);
    result = insert_op("aten::to.dtype", {result, code}, before);
  }
  return insert_op("aten::contiguous", {result}, before);
}

}  // namespace

PASS(lower_outs, kExact | kIdempotent | kReshapes,
     "replace out= by a copy if no tensor changes its sizes, and by the result if nothing used the "
     "tensor before") {
  for (;;) {
    std::vector<Node*> into;
    bool others = false;
    collect(graph.block(), into, others);
    if (into.empty() || others) return;
    const Found found = types_if_outs_fit(graph);
    if (std::ranges::any_of(into, [&](const Node* n) { return !goes_into(n, found); })) return;
    const auto misfit = std::ranges::find_if(into, [&](const Node* n) {
      return !same_sizes(info(found, n->inputs()[0]), info(found, n->inputs()[1]));
    });
    const bool fits = misfit == into.end();
    if (!fits && !unseen_before(*misfit)) return;
    for (Node* n : fits ? into : std::vector<Node*>{*misfit}) {
      if (!rewriter.allow(fits ? "fits" : "new", n)) return;
      Value *out = n->inputs()[0], *result = n->inputs()[1];
      Value* by =
          fits ? insert_op("aten::copy_", {out, result}, n) : in_place_of(out, result, found, n);
      n->output()->replace_all_uses_with(by);
      n->destroy();
      if (!fits) out->replace_all_uses_with(by);
    }
    if (fits) return;
  }
}

[[maybe_unused]] static const bool kFormerName =
    Table<Pass>::instance().add_former_name("settle_outs", "lower_outs");

}  // namespace fusillade

// fuse(FUSER,BACKEND): collects nodes that a fuser accepts into prim::TensorExprGroup nodes
// (grouping.h), each of which the executor runs as one kernel. A third word, wide: with others that
// compute element by element, of the same sizes, so that many results are one kernel, and what
// groups hand to each other is computed again where that is little (recompute.h).
#include <algorithm>

#include "engine/fuse/fuser.h"
#include "engine/fuse/joins.h"
#include "engine/passes/grouping.h"
#include "engine/passes/recompute.h"

namespace fusillade {
namespace {

using Joins = GroupKind::Joins;

Joins joins(const fuse::Fuser& fuser, const Node* n) {
  if (fuser.can_join(n)) return Joins::Member;
  const Node* reader = fuse::reader_of_part(n);
  return reader && fuser.can_join(reader) ? Joins::Part : Joins::Outside;
}

bool written(const Effects& effects, const Value* v) {
  return v->type().is_tensor() && effects.written(v);
}

void check_words(const std::vector<std::string>& args) {
  const bool wide = args.size() == 3 && args[2] == "wide";
  if (args.size() != 2 && !wide)
    fail("fuse takes a fuser and a back end, as in fuse(loopnest,llvm), and wide; got {} words",
         args.size());
  fuse::fuser(args[0]);
  kernel::prepare(kernel::backend(args[1]));
}

// Element by element, of sizes that are known.
const Dims* sizes_of(const Node* n) {
  if (n->row().kind != OpKind::Pointwise || n->outputs().size() != 1) return nullptr;
  const Type& type = n->output()->type();
  if (!type.is_tensor() || !type.info().rank_known) return nullptr;
  const Dims& sizes = type.info().sizes;
  return std::ranges::all_of(sizes, [](int64_t s) { return s >= 0; }) ? &sizes : nullptr;
}

bool beside(const Node* seed, const Node* n) {
  const Dims* a = sizes_of(seed);
  const Dims* b = sizes_of(n);
  return a && b && *a == *b;
}

}  // namespace

PASS_WITH_WORDS(fuse, kNoPromise,
                "collect nodes into groups: fuse(FUSER,BACKEND), fuse(FUSER,BACKEND,wide)",
                check_words) {
  const fuse::Fuser& fuser = fuse::fuser(args[0]);
  make_groups(
      graph, rewriter,
      {.row = prim::fusion_group(),
       .joins = [&](const Node* n) { return joins(fuser, n); },
       .stays_inside = [](const Node* n) { return fuse::hands_on_memory(n); },
       .written = &written,
       .stretch = [](const Node*) { return 0; },
       .beside = args.size() == 3 ? &beside : nullptr,
       .min_members = fuser.min_nodes,
       .attributes = {{"fuser", IValue::str(fuser.name)}, {"backend", IValue::str(args[1])}}});
  if (args.size() == 3) recompute_between(graph, rewriter, prim::fusion_group());
}

}  // namespace fusillade

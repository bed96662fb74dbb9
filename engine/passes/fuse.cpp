// fuse(FUSER,BACKEND): collects nodes that a fuser accepts into prim::TensorExprGroup nodes
// (grouping.h), each of which the executor runs as one kernel.
#include "engine/fuse/fuser.h"
#include "engine/passes/grouping.h"

namespace fusillade {
namespace {

using Joins = GroupKind::Joins;

bool written(const Effects& effects, const Value* v) {
  return v->type().is_tensor() && effects.written(v);
}

void check_words(const std::vector<std::string>& args) {
  if (args.size() != 2)
    fail("fuse takes a fuser and a back end, as in fuse(loopnest,llvm); got {} words", args.size());
  fuse::fuser(args[0]);
  kernel::backend(args[1]);
}

}  // namespace

PASS_WITH_WORDS(fuse, kNoPromise, "collect nodes into groups: fuse(FUSER,BACKEND)", check_words) {
  const fuse::Fuser& fuser = fuse::fuser(args[0]);
  make_groups(
      graph, rewriter,
      {.row = prim::fusion_group(),
       .joins = [&](const Node* n) { return fuser.can_join(n) ? Joins::Member : Joins::Outside; },
       .stays_inside = [](const Node* n) { return n->row().schema.aliases(); },
       .written = &written,
       .stretch = [](const Node*) { return 0; },
       .min_members = fuser.min_nodes,
       .attributes = {{"fuser", IValue::str(fuser.name)}, {"backend", IValue::str(args[1])}}});
}

}  // namespace fusillade

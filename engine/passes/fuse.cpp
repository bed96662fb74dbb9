// fuse(FUSER,BACKEND): collects nodes that a fuser accepts into prim::TensorExprGroup nodes
// (grouping.h), each of which the executor runs as one kernel, where that costs less than the
// operators. A third word, wide: with siblings that walk the same elements, so that many results
// are one kernel, and what groups hand to each other is computed again where that is little
// (recompute.h). Or no_products: matrix products and convolutions stay outside, whatever their
// sizes; with wide, unless they are known to be small.
#include <algorithm>
#include <map>

#include "engine/fuse/fuser.h"
#include "engine/fuse/may_fuse.h"
#include "engine/fuse/products.h"
#include "engine/ir/visit.h"
#include "engine/passes/grouping.h"
#include "engine/passes/pure_norms.h"
#include "engine/passes/recompute.h"

namespace fusillade {
namespace {

using MayFuse = GroupKind::MayFuse;

// Which products may fuse. Where groups are not rebuilt if one turns out large: KnownSmall.
enum class Products : uint8_t { Small, KnownSmall, Separate };

MayFuse may_fuse(const fuse::Fuser& fuser, const Node* n, Products products) {
  if (products != Products::Small && fuse::computes_product(n->op())) {
    const bool small = fuse::fit_of_product(n) == fuse::ProductFit::Small;
    if (products == Products::Separate || !small) return MayFuse::Outside;
  }
  if (fuser.may_fuse_with(n, {})) return MayFuse::Member;
  const Node* reader = fuse::reader_of_part(n);
  return reader && fuser.may_fuse_with(reader, {}) ? MayFuse::Part : MayFuse::Outside;
}

// Of a list that belongs to a node its reader was asked.
bool may_fuse_with(const fuse::Fuser& fuser, const Node* n, fuse::Members group) {
  return fuse::reader_of_part(n) || fuser.may_fuse_with(n, group);
}

bool is_written(const Effects& effects, const Value* v) {
  return v->type().is_tensor() && effects.is_written(v);
}

constexpr const char* kFormerWord = "apart";  // of no_products

void check_words(const std::vector<std::string>& args) {
  if (args.size() < 2 || args.size() > 3)
    fail(
        "fuse takes a fuser and a back end, as in fuse(loopnest,llvm), and wide or no_products; "
        "got {} "
        "words",
        args.size());
  if (args.size() == 3 && args[2] != "wide" && args[2] != "no_products" && args[2] != kFormerWord)
    fail("fuse's third word is wide or no_products; got '{}'", args[2]);
  fuse::fuser(args[0]);
  kernel::prepare(kernel::backend(args[1]));
}

std::vector<Node*> dtypes_of(Block* block) {
  std::vector<Node*> found;
  each_node(block, [&](Node* n) {
    if (fuse::knows_dtype(n)) found.push_back(n);
  });
  return found;
}

// A dtype for each node that reads it, in front of that, so that a group can take it along.
void hand_out_dtypes(Graph& graph) {
  const std::vector<Node*> dtypes = dtypes_of(graph.block());
  if (dtypes.empty()) return;
  const Effects effects(graph);
  for (Node* dtype : dtypes) {
    if (is_written(effects, dtype->input(0))) continue;
    const std::vector<Use> uses = dtype->output()->uses();
    for (size_t i = 1; i < uses.size(); ++i) {
      Node* user = uses[i].user;
      if (user->kind() == OpKind::Prim || user->block() != dtype->block()) continue;
      ValueMap map;
      for (Value* v : dtype->inputs()) map[v] = v;
      user->set_input(uses[i].index, clone_node(dtype, graph, user, map)->output());
    }
  }
}

// Of dtypes of one tensor that are left in a block, one is.
void share_dtypes(Graph& graph) {
  std::map<std::pair<const Block*, const Value*>, Value*> first;
  for (Node* dtype : dtypes_of(graph.block())) {
    const auto [known, is_first] =
        first.emplace(std::pair(dtype->block(), dtype->input(0)), dtype->output());
    if (is_first) continue;
    dtype->output()->replace_all_uses_with(known->second);
    dtype->destroy();
  }
}

}  // namespace

PASS_WITH_WORDS(
    fuse, kNoPromise,
    "collect nodes into groups: fuse(FUSER,BACKEND), fuse(FUSER,BACKEND,wide|no_products)",
    check_words) {
  const fuse::Fuser& fuser = fuse::fuser(args[0]);
  const bool wide = args.size() == 3 && args[2] == "wide";
  const bool separate = args.size() == 3 && (args[2] == "no_products" || args[2] == kFormerWord);
  const Products products = separate ? Products::Separate
                            : wide   ? Products::KnownSmall
                                     : Products::Small;
  norms_without_writes(graph);
  hand_out_dtypes(graph);
  GroupKind kind{
      .op = prim::fusion_group(),
      .may_fuse = [&](const Node* n) { return may_fuse(fuser, n, products); },
      .stays_inside = [](const Node* n) { return fuse::hands_on_memory(n); },
      .written = &is_written,
      .stretch = [](const Node*) { return 0; },
      .may_fuse_with = [&](const Node* n,
                           fuse::Members group) { return may_fuse_with(fuser, n, group); },
      .pays =
          [&](fuse::Members group) {
            return fuse::pays(fuser.cost(group), fuse::cost_by_operators(group));
          },
      .attributes = {{"fuser", IValue::str(fuser.name)}, {"backend", IValue::str(args[1])}}};
  if (wide) kind.fuses_horizontally = fuser.fuses_horizontally;
  make_groups(graph, rewriter, kind);
  share_dtypes(graph);
  if (wide) recompute_between(graph, rewriter, prim::fusion_group());
}

}  // namespace fusillade

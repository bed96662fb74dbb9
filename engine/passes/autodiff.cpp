// autodiff: collects nodes with known gradients into prim::DifferentiableGraph nodes (grouping.h).
//
//   %a = aten::mul(%x, %w)         %b = prim::DifferentiableGraph_0[keeps="mincut"](%x, %w)
//   %b = aten::tanh(%a)       =>   with prim::DifferentiableGraph_0 = graph(%x, %w):
//                                    %a = aten::mul(%x, %w) ...
//
// The executor builds a forward and a backward graph of each (differentiate.h, partition.h) when a
// tape records it. Words, in any order: `mincut` or `save` (what is kept for the backward pass), a
// number (how many operators with gradients make a group, 2), a fuser with its back end for the
// graphs that are built, `whole` (the function is one group where it can be, whole_function.h).
//
// A node joins when its operator has formulas, or a body of such operators; with it what it needs
// that no gradient flows through: comparisons, sizes, lists. Nothing that writes, draws random
// numbers or has other effects; no views but between members. Nodes are not moved past effects,
// among which the switch of recording and whatever makes a leaf are.
#include <algorithm>
#include <mutex>
#include <optional>
#include <set>

#include "engine/base/text.h"
#include "engine/fuse/fuser.h"
#include "engine/ir/composite.h"
#include "engine/ir/visit.h"
#include "engine/ops/gradient.h"
#include "engine/passes/grouping.h"
#include "engine/passes/whole_function.h"

namespace fusillade {
namespace {

using MayFuse = GroupKind::MayFuse;

bool is_pure(const Node* n) {
  const Operator& op = n->op();
  return !op.in_place && !is_nondeterministic(n) && !op.side_effect && !op.asks_gradients &&
         !op.schema.writes() && op.schema.requires_grad < 0;
}

// Hands its operand on as what it certainly is.
bool is_cast(const Operator& op) {
  static const Operator& cast = fusillade::operator_named("prim::unchecked_cast");
  return &op == &cast;
}

bool reads_history(const Operator& op) { return op.family == "tape"; }

MayFuse may_fuse(const Node* n);

// Does the body consist of operators that may fuse? Answered once per operator. What draws random
// numbers in a branch is not reached: a call that may draw does not fuse.
bool body_may_fuse(const Operator& op) {
  static std::recursive_mutex mutex;  // a body may hold others
  static auto* answers = new std::unordered_map<const Operator*, bool>;
  std::lock_guard lock(mutex);
  if (auto known = answers->find(&op); known != answers->end()) return known->second;
  // What draws numbers within a branch or a loop is let be, with all that lies in it.
  std::function<bool(const Block*)> all = [&](const Block* block) {
    for (const Node* n : block->nodes()) {
      if (n->is(prim::constant())) continue;
      if (block->owner() && draws_numbers(n)) continue;
      if (n->blocks().empty() && !n->op().side_effect && may_fuse(n) == MayFuse::Outside)
        return false;
      for (const Block* inner : n->blocks())
        if (!all(inner)) return false;
    }
    return true;
  };
  const bool answer = all(composite_body(op).block());
  return answers->emplace(&op, answer).first->second;
}

MayFuse may_fuse(const Node* n) {
  const Operator& op = n->op();
  if (!n->blocks().empty() || n->is(prim::constant()) || !is_pure(n)) return MayFuse::Outside;
  if (n->is(prim::list_construct()) || n->is(prim::list_unpack()) || is_cast(op))
    return MayFuse::Helper;
  if (!n->attrs().empty() || n->outputs().empty() || reads_history(op)) return MayFuse::Outside;
  if (const Gradient* g = gradient_of(op)) {
    if (g->unknown) return MayFuse::Outside;
    return g->formulas.empty() ? MayFuse::Helper : MayFuse::Member;
  }
  if (is_composite(op)) return body_may_fuse(op) ? MayFuse::Member : MayFuse::Outside;
  const bool computes = op.kind == OpKind::Pointwise || op.kind == OpKind::Reduce;
  const bool scalar =
      op.kind == OpKind::Scalar && op.run &&
      std::ranges::none_of(n->outputs(), [](const Value* v) { return is_memory(v->type()); });
  return computes || scalar ? MayFuse::Helper : MayFuse::Outside;
}

bool stays_inside(const Node* n) {
  if (n->op().schema.aliases() || n->kind() == OpKind::View || n->kind() == OpKind::Prim ||
      is_cast(n->op()))
    return true;
  return std::ranges::any_of(n->outputs(),
                             [](const Value* v) { return v->type().is(TypeKind::List); });
}

// requires_grad_ and its like write what the tape knows of a tensor, not its memory.
bool writes_history(const Node* n) { return n->op().family == "tape" && n->op().schema.writes(); }

// Whose memory is written; asked before the graph is edited.
class Written {
 public:
  bool operator()(const Effects& effects, const Value* v) {
    if (!classes_) find(effects);
    const int c = effects.class_of(v);
    return c >= 0 && std::ranges::find(*classes_, c) != classes_->end();
  }

 private:
  void find(const Effects& effects) {
    classes_.emplace();
    for (const Node* writer : effects.writers()) {
      if (writes_history(writer)) continue;
      const std::vector<int> written = effects.written_classes(writer);
      classes_->insert(classes_->end(), written.begin(), written.end());
    }
  }

  std::optional<std::vector<int>> classes_;
};

// Numbers the nodes of each block by how many effects come before them.
class Stretches {
 public:
  explicit Stretches(const Block* block) { number(block); }
  int of(const Node* n) const { return number_.at(n); }

 private:
  void number(const Block* block) {
    for (const Node* n : block->nodes()) {
      const bool effect =
          has_side_effect(n) || writes_history(n) || (!n->blocks().empty() && writes_memory(n));
      if (effect) ++at_;
      number_[n] = at_;
      for (const Block* inner : n->blocks()) number(inner);
      if (effect) ++at_;
    }
  }

  int at_ = 0;
  std::unordered_map<const Node*, int> number_;
};

struct Words {
  std::string keeps = "mincut";
  int64_t min_members = 2;
  bool whole = false;
  std::vector<std::string> fused{};  // fuser and back end; none: as operators
};

Words read(const std::vector<std::string>& args) {
  Words out;
  std::set<std::string> kinds;
  for (const std::string& word : args) {
    int64_t number = 0;
    const bool keeps = word == "mincut" || word == "save", counts = parse_int(word, &number);
    if ((keeps || counts || word == "whole") &&
        !kinds.insert(keeps    ? "keeps"
                      : counts ? "counts"
                               : word)
             .second)
      fail("'{}' says again what a word before it said", word);
    if (keeps) {
      out.keeps = word;
    } else if (word == "whole") {
      out.whole = true;
    } else if (counts) {
      if (number < 1) fail("a group has at least 1 operator, not {}", number);
      out.min_members = number;
    } else {
      out.fused.push_back(word);
    }
  }
  if (out.fused.empty()) return out;
  if (out.fused.size() != 2)
    fail(
        "it takes mincut or save, a number, whole, and a fuser with its back end, as in "
        "autodiff(save,2,loopnest,llvm); got '{}'",
        join(out.fused, ","));
  fuse::fuser(out.fused[0]);
  kernel::prepare(kernel::backend(out.fused[1]));
  return out;
}

void check_words(const std::vector<std::string>& args) { read(args); }

std::vector<std::pair<std::string, Attribute>> attributes_of(const Words& words) {
  std::vector<std::pair<std::string, Attribute>> out = {{"keeps", IValue::str(words.keeps)}};
  if (words.fused.empty()) return out;
  out.emplace_back("fuser", IValue::str(words.fused[0]));
  out.emplace_back("backend", IValue::str(words.fused[1]));
  return out;
}

// What a whole function falls back on: the same words for groups of it.
std::vector<std::pair<std::string, Attribute>> attributes_of_whole(const Words& words) {
  std::vector<std::pair<std::string, Attribute>> out = attributes_of(words);
  std::string groups = fmt::format("autodiff({},{}", words.keeps, words.min_members);
  if (!words.fused.empty()) groups += "," + join(words.fused, ",");
  out.emplace_back("groups", IValue::str(groups + ")"));
  return out;
}

}  // namespace

PASS_WITH_WORDS(autodiff, kKeepsTape | kSaves,
                "collect nodes with gradients: autodiff(mincut|save,N,FUSER,BACKEND,whole)",
                check_words) {
  const Words words = read(args);
  const auto is_member = [](const Node* n) { return may_fuse(n) == MayFuse::Member; };
  if (words.whole && static_cast<int>(count_nodes(graph.block(), is_member)) >= words.min_members &&
      make_whole(graph, rewriter, attributes_of_whole(words)))
    return;
  const Stretches stretches(graph.block());
  GroupKind kind{.op = prim::differentiable(),
                 .may_fuse = &may_fuse,
                 .stays_inside = &stays_inside,
                 .written = Written(),
                 .stretch = [&](const Node* n) { return stretches.of(n); },
                 .pays = [&](auto members) { return std::ssize(members) >= words.min_members; },
                 .attributes = attributes_of(words)};
  make_groups(graph, rewriter, kind);
}

}  // namespace fusillade

// In-place updates of slices of a fresh tensor become one store of the final value.
//
//   %o = aten::zeros(%s, ...)                     %o = aten::zeros(%s, ...)
//   %v = aten::select(%o, %1, %i)                 %v = aten::select(%o, %1, %i)
//   %a = aten::add_(%v, %p, %one)          ==>    %t = aten::add(%p, %zero, %one)
//   %w = aten::select(%o, %1, %i)                 %u = aten::mul(%t, %q)
//   %b = aten::mul_(%w, %q)                       %b = aten::copy_(%w, %u, %no)
//
// The tensor is created in the same block, by an op whose result shares no memory. The geometry of
// a view determines which of its elements the view holds. Updates of the same elements are one
// chain as long as nothing between them may read or write any of these elements; two views are
// known to be disjoint when they are at different offsets of the memory, or of each step of the
// largest stride. Any other use of the tensor ends all chains. Each update's functional equivalent
// must give the dtype and sizes that were written. The first one reads the tensor, unless that is
// zeros there: then a sum is its other operand plus 0, which keeps the sign of no zero, as the sum
// did not. The values of a chain share no memory, so they can be fused.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/aten/named.h"
#include "engine/ops/infer.h"
#include "engine/passes/constants.h"
#include "engine/passes/effects.h"
#include "engine/passes/insert.h"
#include "engine/passes/pass.h"

namespace fusillade {
namespace {

// Elements of the tensor's memory.
struct Region {
  int64_t offset = 0;
  Dims sizes;
  Dims strides;
  bool operator==(const Region&) const = default;
};

int64_t last_of(const Region& r, int64_t below) {
  int64_t last = 0;
  for (int d = 0; d < r.sizes.rank(); ++d)
    if (r.strides[d] < below) last += (r.sizes[d] - 1) * r.strides[d];
  return last;
}

int64_t largest_stride(const Region& r) {
  int64_t most = 0;
  for (int d = 0; d < r.sizes.rank(); ++d)
    if (r.sizes[d] > 1) most = std::max(most, r.strides[d]);
  return most;
}

bool ranges_disjoint(int64_t a, int64_t a_last, int64_t b, int64_t b_last) {
  return a + a_last < b || b + b_last < a;
}

bool are_disjoint(const Region& a, const Region& b) {
  if (numel_of(a.sizes) == 0 || numel_of(b.sizes) == 0) return true;
  if (ranges_disjoint(a.offset, last_of(a, INT64_MAX), b.offset, last_of(b, INT64_MAX)))
    return true;
  const int64_t step = largest_stride(a);
  if (step < 2 || step != largest_stride(b)) return false;
  const int64_t x = a.offset % step, y = b.offset % step;
  const int64_t x_last = last_of(a, step), y_last = last_of(b, step);
  return x + x_last < step && y + y_last < step && ranges_disjoint(x, x_last, y, y_last);
}

bool makes(const Node* node) {
  const bool kind = node->kind() == OpKind::Create || node->kind() == OpKind::Pointwise ||
                    node->kind() == OpKind::Reduce || node->kind() == OpKind::Contract;
  return kind && node->outputs().size() == 1 && !node->op().schema.aliases() &&
         !writes_memory(node) && node->output()->type().is_tensor() &&
         node->output()->type().info().complete();
}

// Does it read elements of its operands and keep nothing of them?
bool computes(const Node* node) {
  const bool kind = node->kind() == OpKind::Pointwise || node->kind() == OpKind::Reduce ||
                    node->kind() == OpKind::Contract;
  return kind && !node->op().schema.aliases() && !writes_memory(node);
}

bool updates(const Node* node) {
  return node->op().in_place && node->op().functional && node->kind() == OpKind::Pointwise &&
         node->outputs().size() == 1;
}

// Does the functional equivalent give what was written, but for its layout?
bool gives_as_much(const Node* node) {
  std::vector<Type> types;
  try {
    infer_results(*node->op().functional, arg_infos(node), types);
  } catch (const Exception&) {
    return false;
  }
  const Type& self = node->input()->type();
  if (types.size() != 1 || !types[0].is_tensor() || !self.info().complete()) return false;
  const TensorInfo& result = types[0].info();
  return result.complete() && result.dtype == self.info().dtype &&
         result.sizes == self.info().sizes;
}

struct Chain {
  Region region;
  std::vector<Node*> writes;
  bool zeros = false;  // nothing was stored there before
};

// The chains of one tensor.
class Tracker {
 public:
  // `last`: nothing behind it touches the tensor's memory; null: that is not known.
  Tracker(Node* creator, const Node* last, Effects& effects, Rewriter& rewriter)
      : creator_(creator),
        last_(last),
        effects_(effects),
        rewriter_(rewriter),
        zeros_(creator->op().schema.name == "aten::zeros") {
    const TensorInfo& info = creator->output()->type().info();
    regions_[creator->output()] = {0, info.sizes, info.strides};
  }

  void run() {
    // Once it is lost there is nothing more to find.
    for (Node *node = creator_->next(), *next = nullptr; node && !regions_.empty(); node = next) {
      next = node == last_ ? nullptr : node->next();
      if (touches(node)) meet(node);
    }
    finish([](const Chain&) { return true; });
  }

 private:
  bool in_class(const Value* v) const {
    return effects_.class_of(v) == effects_.class_of(creator_->output());
  }

  bool touches(const Node* node) const {
    auto here = [&](const Value* v) { return in_class(v); };
    if (std::any_of(node->inputs().begin(), node->inputs().end(), here)) return true;
    if (std::any_of(node->outputs().begin(), node->outputs().end(), here)) return true;
    for (const Block* inner : node->blocks()) {
      if (std::any_of(inner->results().begin(), inner->results().end(), here)) return true;
      for (const Node* n : inner->nodes())
        if (touches(n)) return true;
    }
    return false;
  }

  void meet(Node* node) {
    if (node->kind() == OpKind::View && view(node)) return;
    if (updates(node) && regions_.count(node->input())) return update(node);
    if (computes(node) && read(node, 0)) return;
    lose();
  }

  // From here on others may hold the tensor.
  void lose() {
    finish([](const Chain&) { return true; });
    regions_.clear();
  }

  // Records a view's region; false: it is not known.
  bool view(Node* node) {
    auto of = regions_.find(node->input());
    if (of == regions_.end() || node->outputs().size() != 1 || !shares_operand(node)) return false;
    const TensorInfo& info = node->input()->type().info();
    const std::vector<ViewGeometry> g =
        node->op().view(node->op(), arg_infos(node), info.sizes, info.strides);
    if (g.size() != 1) return false;
    regions_[node->output()] = {of->second.offset + g[0].offset, g[0].sizes, g[0].strides};
    return true;
  }

  // Operands from `from` on are read: chains of these elements end. False: it is not known which.
  bool read(const Node* node, int from) {
    std::vector<Region> read;
    for (int i = from; i < static_cast<int>(node->inputs().size()); ++i) {
      if (!in_class(node->input(i))) continue;
      auto of = regions_.find(node->input(i));
      if (of == regions_.end()) return false;
      read.push_back(of->second);
    }
    for (const Region& r : read) finish([&](const Chain& c) { return !are_disjoint(c.region, r); });
    return true;
  }

  void update(Node* node) {
    const Region region = regions_.at(node->input());
    regions_[node->output()] = region;
    if (!read(node, 1)) return lose();
    finish(
        [&](const Chain& c) { return !(c.region == region) && !are_disjoint(c.region, region); });
    auto chain = std::find_if(chains_.begin(), chains_.end(),
                              [&](const Chain& c) { return c.region == region; });
    const bool zeros = zeros_ && std::all_of(stored_.begin(), stored_.end(), [&](const Region& r) {
                         return are_disjoint(r, region);
                       });
    stored_.push_back(region);
    if (!gives_as_much(node)) {
      if (chain != chains_.end()) finish([&](const Chain& c) { return c.region == region; });
      return;
    }
    if (chain == chains_.end()) chain = chains_.insert(chain, {region, {}, zeros});
    chain->writes.push_back(node);
  }

  template <class Which>
  void finish(Which which) {
    for (size_t i = 0; i < chains_.size();) {
      if (!which(chains_[i])) {
        ++i;
        continue;
      }
      const Chain chain = std::move(chains_[i]);
      chains_.erase(chains_.begin() + static_cast<long>(i));
      if (chain.writes.size() >= 2 && rewriter_.allow("store", chain.writes.back())) rewrite(chain);
    }
  }

  void rewrite(const Chain& chain) {
    Value* now = chain.writes[0]->input();
    for (Node* write : chain.writes) {
      const bool first = write == chain.writes[0];
      now = first && chain.zeros && adds(write) ? of_zeros(write) : out_of_place(write, now);
    }
    Node* last = chain.writes.back();
    Value* no = last->graph().constant(IValue(false), last);
    Value* store = insert_op(aten::copy_(), {last->input(), now, no}, last);
    effects_.add_value(store, creator_->output());
    for (Node* write : chain.writes) {
      write->output()->replace_all_uses_with(write->input());
      write->destroy();
    }
  }

  // x += y, where y is of x's type and its factor 1?
  static bool adds(const Node* write) {
    const Value* self = write->input();
    const Value* other = write->input(1);
    if (write->op().functional->schema.name != "aten::add" || !other->type().is_tensor() ||
        !other->type().info().complete())
      return false;
    const IValue* factor = write->inputs().size() > 2 ? constant_of(write->input(2)) : nullptr;
    return factor && factor->is_int() && factor->as_int() == 1 &&
           self->type().info().dtype != DType::Bool &&
           self->type().info().dtype == other->type().info().dtype &&
           self->type().info().sizes == other->type().info().sizes;
  }

  Value* of_zeros(Node* write) {
    return insert_op(aten::add_scalar(), {write->input(1), int_constant(0, write), write->input(2)},
                     write, effects_);
  }

  Value* out_of_place(Node* write, Value* self) {
    std::vector<Value*> inputs = write->inputs();
    inputs[0] = self;
    Value* result = insert_op(*write->op().functional, inputs, write);
    effects_.add_value(result, nullptr);
    return result;
  }

  Node* creator_;
  const Node* last_;
  Effects& effects_;
  Rewriter& rewriter_;
  bool zeros_;
  std::unordered_map<const Value*, Region> regions_;
  std::vector<Region> stored_;  // since the tensor was created
  std::vector<Chain> chains_;
};

// Of each class of memory the last node of a block that touches it, itself or within it.
using LastTouch = std::unordered_map<int, const Node*>;

void note_touches(const Node* node, const Node* outer, const Effects& effects, LastTouch& last) {
  const auto note = [&](const auto& values) {
    for (const Value* v : values) last[effects.class_of(v)] = outer;
  };
  note(node->inputs());
  note(node->outputs());
  for (const Block* inner : node->blocks()) {
    note(inner->params());
    note(inner->results());
    for (const Node* n : inner->nodes()) note_touches(n, outer, effects, last);
  }
}

void run(Block* block, Effects& effects, Rewriter& rewriter) {
  std::vector<Node*> nodes;
  LastTouch last;
  for (Node* node : block->nodes()) {
    nodes.push_back(node);
    note_touches(node, node, effects, last);
  }
  for (Node* node : nodes) {
    if (!node->block()) continue;  // gone with a chain
    for (Block* inner : node->blocks()) run(inner, effects, rewriter);
    if (!makes(node) || !effects.is_written(node->output())) continue;
    const auto at = last.find(effects.class_of(node->output()));
    Tracker(node, at == last.end() ? nullptr : at->second, effects, rewriter).run();
  }
}

}  // namespace

PASS(final_stores, kExact | kIdempotent,
     "replace in-place updates of slices of a new tensor by one store", writes_tensor) {
  Effects effects(graph);
  run(graph.block(), effects, rewriter);
}

}  // namespace fusillade

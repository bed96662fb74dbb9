// See dynamic_sizes.h.
#include "fuzz/gen/dynamic_sizes.h"

#include <algorithm>
#include <map>

#include "engine/ir/interpret.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/tried.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTries = 3;
constexpr int64_t kMostElements = 6000;

bool calls_functions(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (n->is(prim::call_function())) return true;
    for (const Block* inner : n->blocks())
      if (calls_functions(inner)) return true;
  }
  return false;
}

void forget_sizes(Block* block) {
  for (Value* v : block->params()) v->set_type(v->type().without_shapes());
  for (Node* n : block->nodes()) {
    for (Value* v : n->outputs()) v->set_type(v->type().without_shapes());
    for (Block* inner : n->blocks()) forget_sizes(inner);
  }
}

Type with_unknown_sizes(const Type& type) {
  if (!type.is_tensor()) return type;
  TensorInfo info = type.info();
  info.strides_known = false;
  info.strides = Dims();
  for (int64_t& s : info.sizes) s = -1;
  return Type::tensor(info);
}

}  // namespace

bool dynamic_sizes(Graph& graph) {
  if (calls_functions(graph.block())) return false;
  std::vector<Type> inputs;
  for (const Value* v : graph.inputs()) inputs.push_back(with_unknown_sizes(v->type()));
  forget_sizes(graph.block());
  for (size_t i = 0; i < inputs.size(); ++i) graph.inputs()[i]->set_type(inputs[i]);
  return true;
}

void make_dynamic(Graph& graph) {
  for (Value* v : graph.inputs()) v->set_type(v->type().without_shapes());
}

namespace {

using NamedTypes = std::vector<std::pair<std::string, Type>>;

// Replaces each size by another one, the same wherever it occurs, except now and then by a 1 or a
// size of its own. False when they are too large.
bool draw_sizes(Choices& choices, NamedTypes& types) {
  std::map<int64_t, int64_t> other;
  bool small = true;
  for (auto& [name, type] : types) {
    if (!type.is_tensor()) continue;
    TensorInfo& info = type.info();
    for (int64_t& s : info.sizes) {
      if (s < 2) continue;
      auto [known, fresh] = other.try_emplace(s, 0);
      if (fresh) known->second = choices.between(1, 2 * std::min<int64_t>(s, 40));
      s = known->second;
    }
    if (info.sizes.rank() > 0 && choices.chance(0.2)) {
      int64_t& size =
          info.sizes[static_cast<int>(choices.below(static_cast<uint64_t>(info.sizes.rank())))];
      size = choices.chance(0.5) ? 1 : choices.between(1, 2 * std::clamp<int64_t>(size, 1, 40));
    }
    small = small && numel_of(info.sizes) <= kMostElements;
    info.strides = draw_strides(choices, info.sizes, choices.chance(0.7));
  }
  return small;
}

void draw_looks(Choices& choices, NamedTypes& types) {
  for (auto& [name, type] : types) {
    if (!type.is_tensor()) continue;
    TensorInfo& info = type.info();
    if (!is_range_name(name) && choices.chance(0.2))
      info.dtype = static_cast<DType>(choices.below(kNumDTypes));
    info.strides = draw_strides(choices, info.sizes, choices.chance(0.7));
  }
}

// One input becomes another, or a view of it.
void draw_alias(Choices& choices, Call& call, const NamedTypes& types) {
  std::vector<size_t> plain;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (call.inputs[i].is_tensor() && !is_range_name(types[i].first)) plain.push_back(i);
  if (plain.size() < 2) return;
  const IValue& from = call.inputs[choices.pick(plain)];
  IValue& to = call.inputs[choices.pick(plain)];
  const Tensor a = from.as_tensor(), b = to.as_tensor();
  if (a.same(b) || a.dtype() != b.dtype() || !(a.sizes() == b.sizes())) return;
  to = choices.chance(0.5) ? from : IValue(Tensor::view_of(a, a.offset(), a.sizes(), a.strides()));
}

}  // namespace

Call call_of_other_sizes(Choices& choices, const Graph& graph, const NamedTypes& types) {
  for (int i = 0; i < kTries; ++i) {
    NamedTypes drawn = types;
    if (!draw_sizes(choices, drawn)) continue;
    Call call = generate_call(choices, drawn);
    if (runs([&] { return interpret(graph, copy_call(call).inputs); })) return call;
  }
  return generate_call(choices, types);
}

Call call_of_other_looks(Choices& choices, const Graph& graph, const NamedTypes& types) {
  for (int i = 0; i < kTries; ++i) {
    NamedTypes drawn = types;
    if (choices.chance(0.5) && !draw_sizes(choices, drawn)) continue;
    draw_looks(choices, drawn);
    Call call = generate_call(choices, drawn);
    if (choices.chance(0.3)) draw_alias(choices, call, drawn);
    if (runs([&] { return interpret(graph, copy_call(call).inputs); })) return call;
  }
  return generate_call(choices, types);
}

}  // namespace fusillade::fuzz

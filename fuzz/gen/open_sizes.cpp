// See open_sizes.h.
#include "fuzz/gen/open_sizes.h"

#include <algorithm>
#include <map>

#include "engine/ir/interpret.h"
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
  for (Value* v : block->params()) v->set_type(v->type().unshaped());
  for (Node* n : block->nodes()) {
    for (Value* v : n->outputs()) v->set_type(v->type().unshaped());
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

bool open_sizes(Graph& graph) {
  if (calls_functions(graph.block())) return false;
  std::vector<Type> inputs;
  for (const Value* v : graph.inputs()) inputs.push_back(with_unknown_sizes(v->type()));
  forget_sizes(graph.block());
  for (size_t i = 0; i < inputs.size(); ++i) graph.inputs()[i]->set_type(inputs[i]);
  return true;
}

Call call_of_other_sizes(Choices& choices, const Graph& graph,
                         const std::vector<std::pair<std::string, Type>>& types) {
  for (int i = 0; i < kTries; ++i) {
    std::map<int64_t, int64_t> other;
    std::vector<std::pair<std::string, Type>> drawn = types;
    bool small = true;
    for (auto& [name, type] : drawn) {
      if (!type.is_tensor()) continue;
      TensorInfo& info = type.info();
      for (int64_t& s : info.sizes) {
        if (s < 2) continue;
        auto [known, fresh] = other.try_emplace(s, 0);
        if (fresh) known->second = choices.between(1, 2 * std::min<int64_t>(s, 40));
        s = known->second;
      }
      small = small && numel_of(info.sizes) <= kMostElements;
      info.strides = draw_strides(choices, info.sizes, choices.chance(0.7));
    }
    if (!small) continue;
    Call call = generate_call(choices, drawn);
    if (runs([&] { return interpret(graph, copy_call(call).inputs); })) return call;
  }
  return generate_call(choices, types);
}

}  // namespace fusillade::fuzz

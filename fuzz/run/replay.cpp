// See replay.h.
#include "fuzz/run/replay.h"

#include <functional>

#include "engine/run/plan.h"

namespace fusillade::fuzz {
namespace {

using eager::Any;

class Replay {
 public:
  explicit Replay(const Graph& graph) : frame_(static_cast<size_t>(graph.id_limit())) {}

  Any& at(const Value* v) { return frame_[static_cast<size_t>(v->id())]; }

  void run(const Block* block) {
    for (const Node* n : block->nodes()) step(n);
  }

  std::vector<Any> values(const List<Value*>& list) {
    std::vector<Any> out;
    for (const Value* v : list) out.push_back(at(v));
    return out;
  }

 private:
  void step(const Node* n) {
    if (n->is(prim::constant())) {
      at(n->output()) = n->constant();
    } else if (n->is(prim::if_())) {
      const Block* taken = n->blocks()[at(n->input()).value().as_bool() ? 0 : 1];
      run(taken);
      store(n->outputs(), values(taken->results()));
    } else if (n->is(prim::loop())) {
      loop(n);
    } else {
      store(n->outputs(), results(n));
    }
  }

  void store(const List<Value*>& to, const std::vector<Any>& from) {
    if (to.size() != from.size()) fail("{} values to unpack, {} wanted", from.size(), to.size());
    for (size_t i = 0; i < from.size(); ++i) at(to[i]) = from[i];
  }

  void loop(const Node* n) {
    const Block* body = n->blocks()[0];
    std::vector<Any> carried = values(n->inputs());
    int64_t trips = carried[0].value().as_int();
    bool go_on = carried[1].value().as_bool();
    carried.erase(carried.begin(), carried.begin() + 2);
    for (int64_t i = 0; i < trips && go_on; ++i) {
      std::vector<Any> params = carried;
      params.insert(params.begin(), Any(i));
      store(body->params(), params);
      run(body);
      carried = values(body->results());
      go_on = carried[0].value().as_bool();
      carried.erase(carried.begin());
    }
    store(n->outputs(), carried);
  }

  std::vector<Any> results(const Node* n) {
    std::vector<Any> args = values(n->inputs());
    if (n->is(prim::list_construct())) return {Any::list(std::move(args), n->output()->type().element())};
    if (n->is(prim::tuple_construct())) return {Any::tuple(std::move(args))};
    if (n->is(prim::list_unpack()) || n->is(prim::tuple_unpack())) return args[0].items();
    if (n->is(prim::raise())) fail("{}", args[0].value().as_str());
    if (n->is(prim::call_function())) {
      Any result = called(n, std::move(args));
      return n->outputs().size() == 1 ? std::vector<Any>{result} : result.items();
    }
    if (n->row().run_at) decline("{} is not replayed", n->row().name);
    for (const SchemaArg& a : n->row().schema.args) {
      const Type& type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
      if (a.written && !type.is_tensor()) decline("{} writes a container", n->row().name);
    }
    return eager::call(n->row(), std::move(args));
  }

  // As a user would: a function with control flow compiled and called, another one called as C++.
  Any called(const Node* n, std::vector<Any> args) {
    const Graph& callee = n->subgraph();
    if (!has_control_flow(callee)) return replay_of(callee)(args);
    return eager::call_graph(callee, callee.name, std::move(args), [&](const std::vector<IValue>& values) {
      std::vector<IValue> outputs = prepare(callee, parse_plan("eager"))->run(values);
      return outputs.size() == 1 ? std::move(outputs[0]) : IValue::tuple(std::move(outputs));
    });
  }

  std::vector<Any> frame_;
};

bool flows(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (!n->blocks().empty() || (n->attr("Subgraph") && has_control_flow(n->subgraph()))) return true;
  }
  return false;
}

}  // namespace

TraceFunction replay_of(const Graph& graph) {
  return [&graph](const std::vector<Any>& args) {
    Replay replay(graph);
    for (size_t i = 0; i < args.size(); ++i) replay.at(graph.inputs()[i]) = args[i];
    replay.run(graph.block());
    std::vector<Any> outputs = replay.values(graph.outputs());
    return outputs.size() == 1 ? outputs[0] : Any::tuple(std::move(outputs));
  };
}

bool has_control_flow(const Graph& graph) { return flows(graph.block()); }

}  // namespace fusillade::fuzz

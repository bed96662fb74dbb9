// See replay.h.
#include "fuzz/run/replay.h"

#include <functional>

#include "engine/ir/composite.h"
#include "engine/run/frame.h"
#include "engine/run/plan.h"

namespace fusillade::fuzz {
namespace {

using eager::Any;

bool writes_container(const Node* n) {
  for (const SchemaArg& a : n->row().schema.args) {
    const Type& type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    if (a.written && !type.is_tensor()) return true;
  }
  return false;
}

bool stores(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (writes_container(n) || n->row().run_at) return true;
    for (const Value* v : n->outputs()) {
      if (v->type().is(TypeKind::Dict)) return true;
    }
    for (const Block* inner : n->blocks()) {
      if (stores(inner)) return true;
    }
    if (n->attr("Subgraph") && stores(n->subgraph().block())) return true;
  }
  return false;
}

class Replay {
 public:
  // `stores`: lists are written somewhere, so that each is one thing, not a value.
  Replay(const Graph& graph, bool stores)
      : frame_(static_cast<size_t>(graph.id_limit())), stores_(stores) {}

  Any whole(const Graph& graph, const std::vector<Any>& args) {
    for (size_t i = 0; i < args.size(); ++i) at(graph.inputs()[i]) = args[i];
    run(graph.block());
    std::vector<Any> outputs = values(graph.outputs());
    return outputs.size() == 1 ? outputs[0] : Any::tuple(std::move(outputs));
  }

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
    if (n->is(prim::list_construct())) {
      Any list = Any::list(std::move(args), n->output()->type().element());
      return {stores_ ? Any::marked(list.value(), 0) : list};
    }
    if (n->is(prim::tuple_construct())) return {Any::tuple(std::move(args))};
    if (n->is(prim::list_unpack()) || n->is(prim::tuple_unpack())) return args[0].items();
    if (n->is(prim::raise())) fail("{}", args[0].value().as_str());
    if (n->is(prim::call_function())) {
      Any result = called(n, std::move(args));
      return n->outputs().size() == 1 ? std::vector<Any>{result} : result.items();
    }
    return is_held(n, args) ? directly(n, args) : eager::call(n->row(), std::move(args));
  }

  // No values of a trace; what they hold is, by its identity.
  static bool is_held(const Node* n, const std::vector<Any>& args) {
    bool held = n->row().run_at || writes_container(n);
    for (const Any& a : args) held = held || is_store(a.value());
    for (const Value* v : n->outputs())
      held = held || v->type().is(TypeKind::Dict) || v->type().is(TypeKind::Class);
    return held;
  }

  static bool is_store(const IValue& v) {
    return v.tag() == IValue::Tag::Dict || v.tag() == IValue::Tag::Object;
  }

  static std::vector<Any> directly(const Node* n, const std::vector<Any>& args) {
    std::vector<IValue> given;
    std::vector<IValue> results;
    for (const Any& a : args) {
      if (a.value().is_sequence() && a.mark())
        decline("{} takes a list that an op made", n->row().name);
      given.push_back(a.value());
    }
    for (IValue& v : missing_arguments(n)) given.push_back(std::move(v));
    if (n->row().run_at) n->row().run_at(n->row(), site_of(n), given, results);
    else results = call(n->row(), given);
    std::vector<Any> out;
    for (IValue& v : results) out.push_back(Any::marked(std::move(v), 0));
    return out;
  }

  // As a user would: a function with control flow compiled and called, another one called as C++.
  Any called(const Node* n, std::vector<Any> args) {
    const Graph& callee = n->subgraph();
    bool shares = false;  // what the function writes in them is seen here
    for (const Any& a : args)
      shares = shares || is_store(a.value()) || a.value().tag() == IValue::Tag::List;
    if (!has_control_flow(callee) || (stores_ && shares))
      return Replay(callee, stores_).whole(callee, args);
    return eager::call_graph(
        callee, callee.name, std::move(args), [&](const std::vector<IValue>& values) {
          std::vector<IValue> outputs = prepare(callee, parse_plan("eager"))->run(values);
          return outputs.size() == 1 ? std::move(outputs[0]) : IValue::tuple(std::move(outputs));
        });
  }

  std::vector<Any> frame_;
  bool stores_;
};

bool flows(const Block* block) {
  for (const Node* n : block->nodes()) {
    if (!n->blocks().empty() || (n->attr("Subgraph") && has_control_flow(n->subgraph())))
      return true;
  }
  return false;
}

}  // namespace

TraceFunction replay_of(const Graph& graph) {
  return [&graph](const std::vector<Any>& args) {
    bool stores = has_stores(graph);
    if (!stores) return Replay(graph, false).whole(graph, args);
    std::vector<Any> own;  // lists given are things as well
    for (const Any& a : args) {
      if (a.value().tag() == IValue::Tag::List && a.mark())
        decline("a list that is an input is written");
      own.push_back(a.value().tag() == IValue::Tag::List ? Any::marked(a.value(), 0) : a);
    }
    return Replay(graph, true).whole(graph, own);
  };
}

bool has_control_flow(const Graph& graph) { return flows(graph.block()); }
bool has_stores(const Graph& graph) { return stores(graph.block()); }

}  // namespace fusillade::fuzz

// See replay.h.
#include "fuzz/run/replay.h"

#include <functional>

#include "engine/ir/interpret.h"
#include "engine/ir/visit.h"
#include "engine/ops/extent.h"
#include "engine/run/plan.h"

namespace fusillade::fuzz {
namespace {

using eager::Any;

bool writes_container(const Node* n) {
  for (const SchemaArg& a : n->op().schema.args) {
    const Type& type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    if (a.written && !type.is_tensor()) return true;
  }
  return false;
}

// Construction and unpacking of lists and tuples: values of a trace.
bool is_sequence(const Node* n) {
  return n->is(prim::list_construct()) || n->is(prim::tuple_construct()) ||
         n->is(prim::list_unpack()) || n->is(prim::tuple_unpack());
}

bool stores(const Block* block) {
  return any_node<Within::Callees>(block, [](const Node* n) {
    if (writes_container(n) || (n->op().run_at && !is_sequence(n))) return true;
    const auto is_dict = [](const Value* v) { return v->type().is(TypeKind::Dict); };
    return std::any_of(n->outputs().begin(), n->outputs().end(), is_dict);
  });
}

class Replay : public DomainOf<Any> {
 public:
  using In = Interpreter<Replay>;
  // `stores`: lists are written somewhere, so that each is one thing, not a value.
  explicit Replay(bool stores) : stores_(stores) {}

  Any constant(const IValue& v, const Type&) { return v; }
  std::optional<bool> truth(const Any& a) { return a.value().as_bool(); }
  std::optional<int64_t> count(const Any& a) { return a.value().as_int(); }
  const Graph* callee(const Node* n) {
    return n->is(prim::call_function()) ? &n->subgraph() : nullptr;  // ops are one call each
  }

  // As a user would: a function with control flow compiled and called, another one called as C++.
  void enter(In& in, const Node*, const Graph& callee, std::vector<Any>& args,
             std::vector<Any>& results) {
    bool shares = false;  // what the function writes in them is seen here
    for (const Any& a : args)
      shares = shares || is_store(a.value()) || a.value().tag() == IValue::Tag::List;
    if (!has_control_flow(callee) || (stores_ && shares)) {
      results = in.run(callee, std::move(args));
      return;
    }
    Any result = eager::call_graph(
        callee, callee.name, std::move(args), [&](const std::vector<IValue>& values) {
          std::vector<IValue> outputs = prepare(callee, reference_plan())->run(values);
          return outputs.size() == 1 ? std::move(outputs[0]) : IValue::tuple(std::move(outputs));
        });
    results = callee.outputs().size() == 1 ? std::vector<Any>{result} : result.items();
  }

  void apply(In&, const Node* n, std::vector<Any>& args, std::vector<Any>& results) {
    if (n->is(prim::list_construct()) || n->is(prim::tuple_construct())) check_extent(args);
    if (n->is(prim::list_construct())) {
      Any list = Any::list(std::move(args), n->output()->type().element());
      results.push_back(stores_ ? Any::with_mark(list.value(), 0) : list);
    } else if (n->is(prim::tuple_construct())) {
      results.push_back(Any::tuple(std::move(args)));
    } else if (n->is(prim::list_unpack()) || n->is(prim::tuple_unpack())) {
      results = args[0].items();
      if (results.size() != n->outputs().size())
        fail("{} values to unpack, {} wanted", results.size(), n->outputs().size());
    } else if (runs_directly(n, args)) {
      directly(n, args, results);
    } else {
      args.resize(n->inputs().size());  // a user leaves defaults out
      results = eager::call(n->op(), std::move(args));
    }
  }

 private:
  // No values of a trace; what they hold is, by its identity.
  static bool runs_directly(const Node* n, const std::vector<Any>& args) {
    bool direct = n->op().run_at || writes_container(n);
    for (const Any& a : args) direct = direct || is_store(a.value());
    for (const Value* v : n->outputs())
      direct = direct || v->type().is(TypeKind::Dict) || v->type().is(TypeKind::Class);
    return direct;
  }

  static bool is_store(const IValue& v) {
    return v.tag() == IValue::Tag::Dict || v.tag() == IValue::Tag::Object;
  }

  // A list of the eager API holds its items, and not references to them.
  static void check_extent(const std::vector<Any>& items) {
    constexpr uint64_t kMost = 100'000;
    std::vector<IValue> nested;
    for (const Any& a : items)
      if (a.value().is_sequence()) nested.push_back(a.value());
    if (!nested.empty() && extent(nested).values > kMost)
      decline("a list that, written out, is more than {} values", kMost);
  }

  static void directly(const Node* n, const std::vector<Any>& args, std::vector<Any>& results) {
    std::vector<IValue> given, out;
    for (const Any& a : args) {
      if (a.value().is_sequence() && a.mark())
        decline("{} takes a list that an op made", n->op().name);
      given.push_back(a.value());
    }
    call(n->op(), site_of(n), given, out);
    for (IValue& v : out) results.push_back(Any::with_mark(std::move(v), 0));
  }

  bool stores_;
};

Any replay_graph(const Graph& graph, const std::vector<Any>& args, bool stores) {
  Replay calls(stores);
  std::vector<Any> outputs = Interpreter(calls).run(graph, args);
  return outputs.size() == 1 ? outputs[0] : Any::tuple(std::move(outputs));
}

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
    if (!stores) return replay_graph(graph, args, false);
    std::vector<Any> own;  // lists given are things as well
    for (const Any& a : args) {
      if (a.value().tag() == IValue::Tag::List && a.mark())
        decline("a list that is an input is written");
      own.push_back(a.value().tag() == IValue::Tag::List ? Any::with_mark(a.value(), 0) : a);
    }
    return replay_graph(graph, own, true);
  };
}

bool has_control_flow(const Graph& graph) { return flows(graph.block()); }
bool has_stores(const Graph& graph) { return stores(graph.block()); }

}  // namespace fusillade::fuzz

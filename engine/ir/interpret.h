// The one interpreter of graphs, over what a value is.
//
// A domain defines what represents a value (its Datum: a value, a value's type, a value that may be
// lost, a recorded operand) and what an operator computes from these. The interpreter owns the
// rest: frames, constants, If and Loop, functions, groups and composites decomposed, defaults, how
// many results a node has. A domain whose conditions or counts may be unknown handles these by
// running blocks and iterations itself. `in` is the current interpreter:
//
//   constant(v, type)                      the datum of a constant or default
//   truth(x), count(x)                     a condition, a trip count; nullopt: not known
//   apply(in, node, args, results)         an operator on complete arguments; appends its results
//
// and, where it differs from DomainOf:
//
//   callee(node)                           what the node runs in place of its operator, or null
//   enter(in, node, graph, args, results)  runs it
//   unknown_branch(in, node)               an If of unknown condition: sets the node's results
//   unknown_loop(in, node, turn, more, carried)  a Loop of unknown or many iterations: runs what is
//                                          left, from this turn on
//   on_node(node), on_value(v, x)          before each node and iteration; after each value is set
//   too_deep(), on_error(error, node)      calls nest too deep; within the handler of an Error
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "engine/ir/composite.h"
#include "engine/ir/loop_watch.h"
#include "engine/ops/native.h"
#include "engine/ops/tape.h"

namespace fusillade {

// Nesting of calls beyond which a program is refused, by whoever compiles, inlines or runs it
// (option max_call_depth).
int max_call_depth();
std::string too_deep_text();
[[noreturn]] void calls_nest_too_deep();

template <class D>
concept GraphDomain = requires(D d, const IValue& v, const Type& t, const typename D::Datum& x) {
  { d.constant(v, t) } -> std::convertible_to<typename D::Datum>;
  { d.truth(x) } -> std::same_as<std::optional<bool>>;
  { d.count(x) } -> std::same_as<std::optional<int64_t>>;
};

template <class D>
class Interpreter {
 public:
  using Datum = typename D::Datum;
  explicit Interpreter(D& domain) : domain_(domain) { static_assert(GraphDomain<D>); }

  // The results of a graph on these inputs; throws what the domain throws.
  std::vector<Datum> run(const Graph& graph, std::vector<Datum> inputs) {
    FUS_CHECK(inputs.size() == graph.inputs().size(), "{} takes {} inputs, got {}", graph.name,
              graph.inputs().size(), inputs.size());
    if (depth_ > max_call_depth()) domain_.too_deep();
    Scope scope(*this, graph);
    for (size_t i = 0; i < inputs.size(); ++i) set(graph.inputs()[i], std::move(inputs[i]));
    try {
      block(graph.block());
    } catch (const Error& e) {
      domain_.on_error(e, at_work_);
    }
    return all(graph.outputs());
  }

  // --- for domains, within run(): the graph at work

  Datum& at(const Value* v) { return frame_[static_cast<size_t>(v->id())]; }
  std::vector<Datum>& frame() { return frame_; }  // by value id

  std::vector<Datum> all(const List<Value*>& values) {
    std::vector<Datum> out;
    out.reserve(values.size());
    for (const Value* v : values) out.push_back(at(v));
    return out;
  }

  void set(const Value* v, Datum x) {
    at(v) = std::move(x);
    domain_.on_value(v, at(v));
  }

  void block(const Block* b) {
    for (const Node* node : b->nodes()) step(node);
  }

  // One iteration of a loop; replaces the condition and what is carried.
  void iteration(const Node* loop, Datum index, Datum& more, std::vector<Datum>& carried) {
    domain_.on_node(loop);
    count_iteration(loop);
    const Block* body = loop->blocks()[0];
    set(body->params()[0], std::move(index));
    for (size_t k = 0; k < carried.size(); ++k) set(body->params()[k + 1], std::move(carried[k]));
    block(body);
    more = at(body->results()[0]);
    for (size_t k = 0; k < carried.size(); ++k) carried[k] = at(body->results()[k + 1]);
  }

 private:
  // A frame of its own for one graph.
  struct Scope {
    Scope(Interpreter& in, const Graph& graph)
        : in_(in), frame_(static_cast<size_t>(graph.id_limit())), at_work_(in.at_work_) {
      std::swap(in_.frame_, frame_);
      ++in_.depth_;
    }
    ~Scope() {
      std::swap(in_.frame_, frame_);
      in_.at_work_ = at_work_;
      --in_.depth_;
    }
    Interpreter& in_;
    std::vector<Datum> frame_;
    const Node* at_work_;
  };

  void step(const Node* node) {
    at_work_ = node;
    domain_.on_node(node);
    if (node->is(prim::constant())) {
      set(node->output(), domain_.constant(node->constant(), node->output()->type()));
    } else if (node->is(prim::if_())) {
      branch(node);
    } else if (node->is(prim::loop())) {
      loop(node);
    } else {
      plain(node);
    }
  }

  void branch(const Node* node) {
    std::optional<bool> condition = domain_.truth(at(node->input()));
    if (!condition) return domain_.unknown_branch(*this, node);
    const Block* taken = node->blocks()[*condition ? 0 : 1];
    block(taken);
    for (size_t k = 0; k < node->outputs().size(); ++k)
      set(node->outputs()[k], at(taken->results()[k]));
  }

  // Both the trip count and the condition are checked before every iteration.
  void loop(const Node* node) {
    const Datum trips = at(node->input(0));
    std::vector<Datum> carried = all(node->inputs());
    Datum more = std::move(carried[1]);
    carried.erase(carried.begin(), carried.begin() + 2);
    const std::optional<int64_t> count = domain_.count(trips);
    for (int64_t i = 0;; ++i) {
      std::optional<bool> go_on = domain_.truth(more);
      if ((count && i >= *count) || (go_on && !*go_on)) break;
      if (!count || !go_on || i == D::kMaxIterations) {
        domain_.unknown_loop(*this, node, i, more, carried);
        break;
      }
      iteration(node, domain_.constant(IValue(i), TypeKind::Int), more, carried);
    }
    for (size_t k = 0; k < carried.size(); ++k) set(node->outputs()[k], std::move(carried[k]));
  }

  void plain(const Node* node) {
    std::span<const SchemaArg> missing = missing_arguments(node);
    std::vector<Datum> args, results;
    args.reserve(node->inputs().size() + missing.size());
    for (const Value* in : node->inputs()) args.push_back(at(in));
    for (const SchemaArg& a : missing) args.push_back(domain_.constant(a.default_value, a.type));
    if (const Graph* callee = domain_.callee(node)) enter(node, *callee, args, results);
    else domain_.apply(*this, node, args, results);
    FUS_CHECK(results.size() == node->outputs().size(), "{} gave {} results, its node has {}",
              node->op().name, results.size(), node->outputs().size());
    for (size_t k = 0; k < results.size(); ++k) set(node->outputs()[k], std::move(results[k]));
  }

  // A task's error waits for whoever waits for the task.
  void enter(const Node* node, const Graph& callee, std::vector<Datum>& args,
             std::vector<Datum>& results) {
    if constexpr (std::same_as<Datum, IValue>) {
      if (is_task(node)) {
        const RecordsAsBefore own;
        try {
          domain_.enter(*this, node, callee, args, results);
        } catch (const Error&) {
          results = {IValue::failed_task(std::current_exception())};
        }
        return;
      }
    }
    domain_.enter(*this, node, callee, args, results);
  }

  D& domain_;
  std::vector<Datum> frame_;
  const Node* at_work_ = nullptr;
  int depth_ = 0;
};

// What most domains leave as it is.
template <class T>
struct DomainOf {
  using Datum = T;
  static constexpr int64_t kMaxIterations = INT64_MAX;
  void on_node(const Node*) {}
  void on_value(const Value*, const T&) {}
  const Graph* callee(const Node* node) { return callee_of(node); }
  template <class In>
  void enter(In& in, const Node*, const Graph& callee, std::vector<T>& args,
             std::vector<T>& results) {
    results = in.run(callee, std::move(args));
  }
  template <class In>
  void unknown_branch(In&, const Node*) {
    FUS_BUG("an If of unknown condition");
  }
  template <class In>
  void unknown_loop(In&, const Node*, int64_t, T&, std::vector<T>&) {
    FUS_BUG("a Loop of unknown iterations");
  }
  [[noreturn]] void too_deep() { calls_nest_too_deep(); }
  [[noreturn]] void on_error(const Error&, const Node*) { throw; }
};

// Values themselves: what a program computes.
struct ValueDomain : DomainOf<IValue> {
  // A graph that replaces an operator counts as a run of it. An operator that runs natively is
  // called.
  const Graph* callee(const Node* node) {
    if (native_of(node->op()) || is_recorded_whole(node->op())) return nullptr;
    const Graph* body = callee_of(node);
    if (body && operator_runs) count_run(node->op());
    return body;
  }
  const IValue& constant(const IValue& v, const Type&) { return v; }
  std::optional<bool> truth(const IValue& v) { return v.as_bool(); }
  std::optional<int64_t> count(const IValue& v) { return v.as_int(); }
  template <class In>
  void apply(In&, const Node* node, std::vector<IValue>& args, std::vector<IValue>& results) {
    call(node->op(), site_of(node), args, results);
  }
};

// Runs a graph on values, without an executor's checks and error locations.
std::vector<IValue> interpret(const Graph& graph, std::span<const IValue> inputs);

}  // namespace fusillade

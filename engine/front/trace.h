// Tracing: a C++ function over tensors, run once in eager mode, becomes a graph.
//
// The idea: `eager::call` reports each call to the trace of its thread. Tensors are identified by
// their handles, other results by marks (eager::Int). In-place calls and views are recorded as such
// and in order. A tensor that is neither input nor result becomes a constant, and so does every
// number that did not come from an op: control flow is flattened to what this run did, which
// `warnings` report. Calls of compiled functions stay calls (prim::CallFunction), with their
// control flow. Types are recorded without shapes, so that the graph may be run on others; nodes
// carry the caller's file, line and column. Not handled: gradients; calls that bypass eager.h.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "engine/front/eager.h"
#include "engine/ir/graph.h"
#include "engine/ops/call.h"

namespace fusillade {

// What a trace could not keep.
struct TraceWarning {
  enum class Kind : uint8_t {
    ToBool,            // a tensor or a size became a C++ bool: a branch was chosen
    ToInt,             // became a C++ integer
    ToFloat,           // became a C++ double
    Iterating,         // over a tensor: as many iterations as it had rows
    ConstantData,      // a tensor created from C++ data is a constant
    AliasedInPlace,    // memory was written that another input or a constant shares
    Nondeterministic,  // the graph holds such a node: checking compares no values
  };
  Kind kind;
  std::string message;
  std::string file;
  uint32_t line = 0;
  std::string text() const;  // "file.cpp:12: [to bool] ..."
};
const char* name_of(TraceWarning::Kind kind);

struct Traced {
  std::shared_ptr<Graph> graph;        // one output; a tuple or list when the function returned one
  std::vector<TraceWarning> warnings;  // by first occurrence, each place once
  bool training = false;               // the mode that was recorded
};

using TraceFunction = std::function<eager::Any(const std::vector<eager::Any>&)>;

// Runs `fn` once on these inputs and returns what it did. The inputs (tensors; tuples and lists of
// tensors) are used, not copied. Throws Error on other inputs, when a trace records already on this
// thread, and what `fn` throws.
Traced record(const TraceFunction& fn, const std::vector<IValue>& inputs, const std::string& name,
              bool training);

// The recording half of eager::call, and the mode that is in force while it records; one per
// record(). It is eager::call that records and lifts the mode while the operator runs: only there
// is it known which numbers are sizes of the trace, and the caller's line. What else calls
// operators is unrecorded.
class Tracer : public Mode {
 public:
  // Of this thread; null when none records, or the mode is lifted.
  static Tracer* current();
  void call(const Operator& op, const Site& site, std::span<const IValue> args,
            std::vector<IValue>& results) override {
    fusillade::call(op, site, args, results);
  }

  Tracer(std::string name, bool training);
  ~Tracer() override;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  eager::Any add_input(const IValue& value);
  // The operands' values; created before the operator runs, since running may write them.
  std::vector<Value*> operands(const std::vector<eager::Any>& args, eager::Where at);
  // Appends the node and binds its results, which replace `results` where a handle needs an
  // identity of its own.
  void calls(const Operator& op, const std::vector<Value*>& operands,
             const std::vector<eager::Any>& args, std::vector<eager::Any>& results,
             eager::Where at);
  void calls_graph(const Graph& callee, const std::string& name,
                   const std::vector<Value*>& operands, const std::vector<eager::Any>& args,
                   eager::Any& result, eager::Where at);
  // The items of a recorded list or tuple; empty when it is not one.
  std::vector<eager::Any> unpack(const eager::Any& packed);
  void warn(TraceWarning::Kind kind, std::string message, eager::Where at);
  bool knows(uint64_t mark) const { return marked_.count(mark) != 0; }
  Traced finish(const eager::Any& result);

 private:
  Value* value_of(const eager::Any& any);
  Value* value_of(const Tensor& tensor);
  Value* constant(const IValue& value);
  Node* append(const Operator& op, const std::vector<Value*>& inputs,
               const std::vector<Type>& results);
  eager::Any bind(Value* value, const IValue& result);
  void bind_tensor(Value* value, const Tensor& tensor);
  void locate(eager::Where at);
  void note_writes(const Operator& op, const std::vector<eager::Any>& args, eager::Where at);
  Tensor own_handle(const Tensor& result) const;

  std::shared_ptr<Graph> graph_;
  bool training_;
  std::unordered_map<const TensorImpl*, Value*> tensors_;
  std::unordered_map<uint64_t, Value*> marked_;
  std::unordered_map<uint64_t, std::vector<eager::Any>> unpacked_;
  struct Source {
    int count = 0;  // inputs and constants of one storage
    bool constant = false;
  };
  std::unordered_map<const Storage*, Source> sources_;
  std::vector<Tensor> kept_;  // so that no identity is used twice
  std::vector<TraceWarning> warnings_;
  std::unordered_map<std::string, std::shared_ptr<const fusillade::Source>> files_;
  SourceRange range_;  // of the call being recorded
  ModeScope in_force_{ModeKind::Trace, *this};
};

namespace eager {

// Calls a compiled function: `run` computes it on plain values, a tuple when `callee` has not one
// output; a trace records the call, not what is within.
Any call_graph(const Graph& callee, const std::string& name, std::vector<Any> args,
               const std::function<IValue(const std::vector<IValue>&)>& run,
               Where at = Where::current());

// Any from and to the types of a C++ function's parameters and result.
template <class T>
struct Convert {
  static T from(const Any& a) { return a; }
};
template <>
struct Convert<Tensor> {
  static Tensor from(const Any& a) { return a.tensor(); }
};
template <>
struct Convert<std::vector<Tensor>> {
  static std::vector<Tensor> from(const Any& a) { return a.tensors(); }
};
template <class... T>
struct Convert<std::tuple<T...>> {
  static std::tuple<T...> from(const Any& a) {
    std::vector<Any> items = a.items();
    if (items.size() != sizeof...(T))
      fail("a tuple of {} items, given {}", sizeof...(T), describe(a.value()));
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::tuple<T...>(Convert<T>::from(items[I])...);
    }(std::index_sequence_for<T...>());
  }
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  static constexpr size_t kArity = sizeof...(A);
  template <class F>
  static Any invoke(F& fn, const std::vector<Any>& args) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return Any(fn(Convert<std::decay_t<A>>::from(args[I])...));
    }(std::index_sequence_for<A...>());
  }
};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};

// `fn`: a function or lambda over Tensor, std::vector<Tensor> and std::tuple of them, returning one
// of them; or a TraceFunction itself.
template <class F>
TraceFunction as_trace_function(F fn) {
  if constexpr (std::is_invocable_r_v<Any, F, const std::vector<Any>&> &&
                !std::is_invocable_v<F, const std::vector<Tensor>&>) {
    return fn;
  } else {
    return [fn](const std::vector<Any>& args) mutable {
      using S = Signature<F>;
      if (args.size() != S::kArity)
        fail("the function takes {} inputs, given {}", S::kArity, args.size());
      return S::invoke(fn, args);
    };
  }
}

}  // namespace eager
}  // namespace fusillade

// See trace_ways.h.
#include "fuzz/oracle/trace_ways.h"

#include <functional>
#include <new>
#include <optional>

#include "engine/front/autograd.h"
#include "engine/ir/composite.h"
#include "engine/run/gradients.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

using eager::Any;

// What a trace takes as an input; other values are fixed.
bool is_traceable(const IValue& v) {
  if (v.is_tensor()) return true;
  if (!v.is_sequence() || (v.items().empty() && v.tag() == IValue::Tag::List)) return false;
  for (const IValue& item : v.items()) {
    bool fits = v.tag() == IValue::Tag::List ? item.is_tensor() : is_traceable(item);
    if (!fits) return false;
  }
  return true;
}

std::vector<IValue> traceable(const std::vector<IValue>& inputs, const Call& like) {
  std::vector<IValue> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_traceable(like.inputs[i])) out.push_back(inputs[i]);
  }
  return out;
}

// Each slot of a module that holds a tensor, those of its submodules included.
void each_tensor(const IValue& module, const std::function<void(IValue&)>& visit) {
  for (IValue& slot : module.as_object().slots) {
    if (slot.is_tensor()) visit(slot);
    if (slot.tag() == IValue::Tag::Object) each_tensor(slot, visit);
  }
}

// Of the modules among the inputs.
std::vector<IValue> state_of(const std::vector<IValue>& inputs) {
  std::vector<IValue> out;
  for (const IValue& v : inputs) {
    if (v.tag() == IValue::Tag::Object) each_tensor(v, [&](IValue& slot) { out.push_back(slot); });
  }
  return out;
}

std::vector<IValue> inputs_of_trace(const std::vector<IValue>& inputs, const Call& like) {
  std::vector<IValue> out = state_of(inputs);
  for (IValue& v : traceable(inputs, like)) out.push_back(std::move(v));
  return out;
}

// What tensors hold, to be given back to them.
class TensorBackup {
 public:
  void hold(const IValue& v) {
    if (v.is_tensor()) {
      const Tensor& t = v.as_tensor();
      if (!t.is_defined()) return;
      // Handles of its own: a program may give the tensor other sizes in its place.
      saved_.emplace_back(Tensor::view_of(t, t.offset(), t.sizes(), t.strides()),
                          contiguous(t, true));
    } else if (v.is_sequence()) {
      for (const IValue& item : v.items()) hold(item);
    } else if (v.tag() == IValue::Tag::Dict) {
      for (const auto& [key, value] : v.as_dict().items()) hold(value);
    } else if (v.tag() == IValue::Tag::Object) {
      // Tensors of modules are inputs of the trace: what it fixes may hold them as they are after.
      for (const IValue& slot : v.as_object().slots)
        if (!slot.is_tensor()) hold(slot);
    }
  }
  void give_back() const {
    for (const auto& [tensor, elements] : saved_) copy_into(tensor, elements);
  }

 private:
  std::vector<std::pair<Tensor, Tensor>> saved_;
};

std::vector<IValue> outputs_of(const Graph& program, const IValue& value) {
  return program.outputs().size() == 1 ? std::vector<IValue>{value} : value.items();
}

// `run` as an outcome; Unsupported passes through.
template <class F>
Outcome outcome_of(F run) {
  Outcome out;
  try {
    run(out);
  } catch (const Error& e) {
    out.kind = Outcome::Kind::Error;
    out.message = e.what();
  } catch (const Bug& e) {
    out.kind = Outcome::Kind::Bug;
    out.message = e.what();
  } catch (const std::bad_alloc&) {
    out.kind = Outcome::Kind::Memory;
  }
  return out;
}

}  // namespace

TraceWays::TraceWays(const Case& c) : case_(c), program_(*c.program), fn_(replay_of(program_)) {}

// A replay calls what is forked, so that errors of tasks come elsewhere.
bool TraceWays::takes(const Call& call) const {
  if (inputs_of_trace(call.inputs, call).empty()) return false;
  return !has_tasks(program_.block()) || eagerly(call).kind != Outcome::Kind::Error;
}

Outcome TraceWays::expected_outcome(const Outcome& walked, const Call& call) const {
  Outcome out = walked;
  if (walked.kind != Outcome::Kind::Values) return out;
  for (IValue& v : state_of(walked.inputs)) out.outputs.push_back(std::move(v));
  out.inputs = traceable(walked.inputs, call);
  return out;
}

Outcome TraceWays::eagerly(const Call& call) const {
  Call copy = copy_call(call);
  return outcome_of([&](Outcome& out) {
    std::optional<eager::Gradients> tape;  // as engines run it
    if (asks_gradients(program_)) tape.emplace();
    const eager::GradMode kept(eager::records());
    out.outputs = outputs_of(program_, fn_({copy.inputs.begin(), copy.inputs.end()}).value());
    out.inputs = copy.inputs;
    out = expected_outcome(out, call);
  });
}

std::shared_ptr<Graph> TraceWays::record_trace(const Call& call, Outcome& out) const {
  if (asks_gradients(program_)) decline("a trace records no gradients");
  Call copy = copy_call(call);
  auto with_fixed = [&](const std::vector<Any>& given) {
    std::vector<Any> all;
    size_t next = 0;
    for (const IValue& v : copy.inputs) {
      if (v.tag() == IValue::Tag::Object)
        each_tensor(v, [&](IValue& slot) { slot = given[next++].value(); });
    }
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      all.push_back(is_traceable(call.inputs[i]) ? given[next++] : Any(copy.inputs[i]));
    }
    Any result = fn_(all);
    std::vector<IValue> state = state_of(copy.inputs);
    if (state.empty()) return result;
    std::vector<Any> results =
        program_.outputs().size() == 1 ? std::vector<Any>{result} : result.items();
    results.insert(results.end(), state.begin(), state.end());
    return Any::tuple(std::move(results));
  };
  // A fixed tensor is a constant of the trace, which writes it where the recording did.
  TensorBackup fixed;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (!is_traceable(call.inputs[i])) fixed.hold(copy.inputs[i]);
  std::shared_ptr<Graph> graph;
  out = outcome_of([&](Outcome&) {
    graph = record(with_fixed, inputs_of_trace(copy.inputs, call), "traced", false).graph;
  });
  fixed.give_back();
  return graph;
}

Outcome TraceWays::run(const Graph& traced, const Call& call) const {
  std::vector<IValue> state = state_of(call.inputs);
  Outcome out =
      Prepared::of_graph(traced, reference_plan()).run({inputs_of_trace(call.inputs, call)});
  if (out.kind != Outcome::Kind::Values) return out;
  out.outputs = state.empty() ? outputs_of(program_, out.outputs[0]) : out.outputs[0].items();
  out.inputs.erase(out.inputs.begin(), out.inputs.begin() + static_cast<long>(state.size()));
  return out;
}

bool TraceWays::general() const {
  for (const Call& call : case_.calls) {
    for (const IValue& v : call.inputs) {
      if (!is_traceable(v)) return false;
    }
  }
  return !has_control_flow(program_) && !has_stores(program_);
}

Verdict compare_way(const Outcome& expected, const Outcome& observed, const char* which) {
  Verdict step;
  if (!classify(expected, observed, step)) bitwise_equal(expected, observed, step);
  if (!is_finding(step.kind)) return step;
  step.part = which == std::string_view("eager API") ? "eager API" : "tracer";
  step.reason = std::string(which) + ": " + step.reason;
  return step;
}

}  // namespace fusillade::fuzz

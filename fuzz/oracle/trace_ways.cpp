// See trace_ways.h.
#include "fuzz/oracle/trace_ways.h"

#include <new>

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

std::vector<IValue> traceable(const std::vector<IValue>& inputs, const Call& like) {
  std::vector<IValue> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_traceable(like.inputs[i])) out.push_back(inputs[i]);
  }
  return out;
}

TraceWays::TraceWays(const Case& c) : case_(c), program_(*c.program), fn_(replay_of(program_)) {}

Outcome TraceWays::eagerly(const Call& call) const {
  Call copy = copy_call(call);
  return outcome_of([&](Outcome& out) {
    out.outputs = outputs_of(program_, fn_({copy.inputs.begin(), copy.inputs.end()}).value());
    out.inputs = traceable(copy.inputs, call);
  });
}

std::shared_ptr<Graph> TraceWays::recorded(const Call& call, Outcome& out) const {
  Call copy = copy_call(call);
  auto with_fixed = [&](const std::vector<Any>& given) {
    std::vector<Any> all;
    size_t next = 0;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      all.push_back(is_traceable(call.inputs[i]) ? given[next++] : Any(copy.inputs[i]));
    }
    return fn_(all);
  };
  std::shared_ptr<Graph> graph;
  out = outcome_of([&](Outcome&) {
    graph = record(with_fixed, traceable(copy.inputs, call), "traced", false).graph;
  });
  return graph;
}

Outcome TraceWays::run(const Graph& traced, const Call& call) const {
  Outcome out = Prepared(traced, "eager").run({traceable(call.inputs, call)});
  if (out.kind == Outcome::Kind::Values) out.outputs = outputs_of(program_, out.outputs[0]);
  return out;
}

bool TraceWays::general() const {
  for (const Call& call : case_.calls) {
    for (const IValue& v : call.inputs) {
      if (!is_traceable(v)) return false;
    }
  }
  return !has_control_flow(program_);
}

Verdict compare_way(const Outcome& expected, const Outcome& observed, const char* which) {
  Verdict step;
  if (!settle(expected, observed, step)) bitwise_equal(expected, observed, step);
  if (is_finding(step.kind)) step.reason = std::string(which) + ": " + step.reason;
  return step;
}

}  // namespace fusillade::fuzz

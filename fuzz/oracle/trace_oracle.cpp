// Claim: a program written as C++ over tensors computes what its graph computes, and its trace does so too.
//
// The program is replayed through the eager API, plainly and recorded. The recorded graph must give the bits of the
// program on the call it was recorded on, in outputs and in what the inputs are afterwards; where the program has no
// control flow and takes only tensors, also on the other calls.
#include "engine/passes/effects.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/run/replay.h"

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

class Ways {
 public:
  explicit Ways(const Case& c) : case_(c), program_(*c.program), fn_(replay_of(program_)) {}

  Outcome eagerly(const Call& call) const {
    Call copy = copy_call(call);
    return outcome_of([&](Outcome& out) {
      out.outputs = outputs_of(program_, fn_({copy.inputs.begin(), copy.inputs.end()}).value());
      out.inputs = traceable(copy.inputs, call);
    });
  }

  // Records on `call`; the graph is null where recording ended otherwise, as `out` says.
  std::shared_ptr<Graph> recorded(const Call& call, Outcome& out) const {
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

  Outcome run(const Graph& traced, const Call& call) const {
    Outcome out = Prepared(traced, "eager").run({traceable(call.inputs, call)});
    if (out.kind == Outcome::Kind::Values) out.outputs = outputs_of(program_, out.outputs[0]);
    return out;
  }

  // Does a trace of one call stand for the others?
  bool general() const {
    for (const Call& call : case_.calls) {
      for (const IValue& v : call.inputs) {
        if (!is_traceable(v)) return false;
      }
    }
    return !has_control_flow(program_);
  }

 private:
  const Case& case_;
  const Graph& program_;
  TraceFunction fn_;
};

Verdict compare(const Outcome& expected, const Outcome& observed, const char* which) {
  Verdict step;
  if (!settle(expected, observed, step)) bitwise_equal(expected, observed, step);
  if (is_finding(step.kind)) step.reason = std::string(which) + ": " + step.reason;
  return step;
}

Verdict skip(const std::string& reason) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = reason;
  return v;
}

Verdict judge_ways(const Case& c) {
  Judging judging;
  Ways ways(c);
  Prepared walked(*c.program, "eager");
  std::shared_ptr<Graph> first;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Call& call = c.calls[i];
    int at = static_cast<int>(i);
    Outcome expected = walked.run(call);
    expected.inputs = traceable(expected.inputs, call);
    judging.executed(2);
    if (judging.add(compare(expected, ways.eagerly(call), "eager API"), "eager", at)) break;
    Outcome ended;
    std::shared_ptr<Graph> traced = ways.recorded(call, ended);
    judging.executed(traced ? 2 : 1);
    if (!traced) {
      if (judging.add(compare(expected, ended, "recording"), "eager", at)) break;
      continue;
    }
    if (judging.add(compare(expected, ways.run(*traced, call), "trace"), "eager", at)) break;
    bool other = first && ways.general();
    if (other && judging.add(compare(expected, ways.run(*first, call), "trace of another call"), "eager", at)) break;
    if (!first) first = traced;
  }
  return judging.verdict();
}

Verdict judge(const Case& c) {
  if (!c.refused.empty()) return skip("no graph");
  for (const Node* n : c.program->block()->nodes()) {
    if (is_nondeterministic(n)) return skip("random");
  }
  try {
    return judge_ways(c);
  } catch (const Unsupported& e) {
    return skip(stable_phrase(e.what()));
  }
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"trace", "the program through the eager API, and what a trace records of it, give the program's bits", &judge});

}  // namespace
}  // namespace fusillade::fuzz

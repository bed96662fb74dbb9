// Claim: a program is the same by whatever way it came in. A script is accepted; its graph and the
// graph that is read back from the printed one give the same bits, or the same error, walked and on
// the VM. What a generated script is certain of holds. Of a program that takes tensors so do its
// calls of the eager API and what the tracer records of them, run on the call it was recorded on.
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/nan_signs.h"
#include "fuzz/oracle/trace_ways.h"
#include "fuzz/verdict/certain.h"
#include "fuzz/verdict/refusal.h"

namespace fusillade::fuzz {
namespace {

// The first line of an error, without the place: the graph that was read back has other lines.
std::string phrase(const Outcome& o) { return stable_phrase(o.message); }

Verdict compare(const Outcome& expected, const Outcome& observed) {
  Verdict step;
  bool both = expected.kind == Outcome::Kind::Error && observed.kind == Outcome::Kind::Error;
  if (both) {
    step.elements = {1, 1, 0};
    if (phrase(expected) == phrase(observed)) {
      if (!inputs_equal(expected, observed, step)) step.reason = "before the error: " + step.reason;
      return step;
    }
    step.kind = VerdictKind::Mismatch;
    step.reason = "error";
    step.detail = fmt::format("got: {}\nexpected: {}", observed.message, expected.message);
    return step;
  }
  if (expected.kind == Outcome::Kind::Error && observed.kind == Outcome::Kind::Values) {
    step.kind = VerdictKind::Mismatch;
    step.reason = "missing error: " + phrase(expected);
    step.detail = "eager raises: " + expected.message;
    return step;
  }
  if (!classify(expected, observed, step)) bitwise_equal(expected, observed, step);
  return step;
}

Verdict refusal(const Case& c) {
  Verdict v;
  v.kind = VerdictKind::Bug;
  v.reason = "refused: " + stable_phrase(refusal_of(c));
  v.detail = c.refused;
  return v;
}

// An assertion that the generator knows to hold failed: all engines give the same wrong answer.
Verdict certainty_verdict(const Outcome& outcome) {
  Verdict v;
  if (outcome.kind != Outcome::Kind::Error || failed_certainty(outcome.message).empty()) return v;
  v.kind = VerdictKind::Bug;
  v.reason = "what is certain does not hold";
  v.detail = outcome.message;
  return v;
}

// True: a finding. `untraced` says why there is no trace of the program.
bool judge_traces(const Case& c, const std::vector<Outcome>& expected, Judging& judging,
                  std::string& untraced) {
  TraceWays ways(c);
  for (size_t i = 0; i < c.calls.size(); ++i) {
    const Call& call = c.calls[i];
    if (!ways.takes(call)) continue;
    Outcome wanted = ways.expected_outcome(expected[i], call);
    int at = static_cast<int>(i);
    try {
      judging.count_runs();
      if (judging.add(compare_way(wanted, ways.eagerly(call), "eager API"), reference_plan(), at))
        return true;
      Outcome ended;
      std::shared_ptr<Graph> traced = ways.record_trace(call, ended);
      judging.count_runs(traced ? 2 : 1);
      Outcome last = traced ? ways.run(*traced, call) : ended;
      if (judging.add(compare_way(wanted, last, traced ? "trace" : "recording"), reference_plan(),
                      at))
        return true;
    } catch (const Unsupported& e) {
      untraced = e.what();
      return false;
    }
  }
  return false;
}

// Each engine on the program (the reference gave what is expected), then on what was read back; an
// engine that the case does not ask for takes no part, or each of its faults would be blamed on
// what comes before it. True: a finding.
bool judge_ways(const Case& c, const Graph& back, const std::vector<Outcome>& expected,
                Judging& judging) {
  for (bool read : {false, true}) {
    for (const Plan& plan : bare_plans(c)) {
      if (!read && plan == reference_plan()) continue;
      Prepared prepared = read ? Prepared::of_graph(back, plan) : Prepared(c, plan);
      for (size_t i = 0; i < c.calls.size(); ++i) {
        judging.count_runs();
        const Outcome observed = prepared.run(c.calls[i]);
        Verdict step = compare(expected[i], observed);
        unless_nan_signs_decide(*c.program, c.calls[i], expected[i], observed, step);
        if (read && is_finding(step.kind)) {
          step.reason = "read back: " + step.reason;
          step.part = "text";
        }
        if (judging.add(std::move(step), plan, static_cast<int>(i))) return true;
      }
    }
  }
  return false;
}

Verdict judge(const Case& c) {
  Judging judging;
  if (!has_form(c, Form::Script)) {
    Verdict none;
    none.kind = VerdictKind::Skip;
    none.reason = "no script";
    return none;
  }
  if (!c.refused.empty()) {
    judging.add(refusal(c), {}, -1);
    return judging.verdict();
  }
  std::unique_ptr<Graph> back;
  try {
    ClassTable classes = classes_in(*c.program);
    back = parse_graph(print(*c.program), "<ir>", &classes);
  } catch (const Exception& e) {
    Verdict unreadable;
    unreadable.kind = VerdictKind::Mismatch;
    unreadable.reason = "unreadable";
    unreadable.part = "text";
    unreadable.detail = std::string(e.what()) + "\n" + print(*c.program);
    judging.add(unreadable, {}, -1);
    return judging.verdict();
  }
  Prepared wanted(c, reference_plan());
  std::vector<Outcome> expected;
  for (const Call& call : c.calls) {
    expected.push_back(wanted.run(call));
    Verdict wrong = certainty_verdict(expected.back());
    if (is_finding(wrong.kind)) {
      judging.add(wrong, {}, static_cast<int>(expected.size()) - 1);
      return judging.verdict();
    }
  }
  if (judge_ways(c, *back, expected, judging)) return judging.verdict();
  std::string untraced;
  bool found = judge_traces(c, expected, judging, untraced);
  Verdict v = judging.verdict();
  if (!found && !untraced.empty() && v.kind == VerdictKind::Ok)
    v.reason = "not traced: " + untraced;
  return v;
}

const Oracle& registered =
    Table<Oracle>::instance().add({.name = "frontends",
                                   .summary = "a script, its graph's text and its trace give the "
                                              "same results, interpreted and on the VM",
                                   .judge = &judge,
                                   .form = Form::Script,
                                   .part = "front end"});

}  // namespace
}  // namespace fusillade::fuzz

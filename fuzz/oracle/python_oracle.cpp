// Claim: a script without tensors does under CPython what it does here: equal results (floats bit
// for bit, NaNs alike), equal arguments afterwards, or an error of an equal class; and of an equal
// message, of which the first line counts, where a statement of the script raises it, and where it
// is the key that a dict does not have.
//
// Ints are 64 bits here and unbounded there. Where the two disagree, the script runs once more in
// Python with arithmetic of 64 bits as the engine documents it (fuzz/run/python/worker.py);
// agreement there is agreement, counted under a reason of its own. Passes take no part: engines run
// the script as it was compiled.
#include "fuzz/oracle/judging.h"
#include "fuzz/run/error_class.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

// One answer of the worker, decomposed.
struct Answer {
  std::string kind;  // value, raised, error, limit, refused
  std::string rest;
};

Answer split_answer(const std::string& answer) {
  size_t blank = std::min(answer.find(' '), answer.size());
  return {answer.substr(0, blank), answer.substr(std::min(blank + 1, answer.size()))};
}

std::string values_text(const Outcome& o) {
  IValue result = o.outputs.size() == 1 ? o.outputs[0] : IValue::tuple(o.outputs);
  return python_text(result) + " " + python_text(IValue::list(o.inputs, TypeKind::Any));
}

Verdict compare_errors(const Answer& python, const std::string& ours) {
  auto [wanted, message] = split_answer(python.rest);
  message = message.substr(0, message.find('\n'));
  std::string own_message;
  std::string own = error_class(ours, &own_message);
  std::string detail = fmt::format("Python raises {}: {}\nhere: {}", wanted, message, ours);
  if (own != wanted) {
    return mismatch(
        fmt::format("error class: {} for {}", own.empty() ? stable_phrase(ours) : own, wanted),
        detail);
  }
  bool has_message = python.kind == "raised" || wanted == "KeyError";
  return has_message && own_message != message ? mismatch("error message", detail) : Verdict();
}

Verdict compare(const Answer& python, const Outcome& ours) {
  Verdict step;
  if (ours.kind == Outcome::Kind::Bug || ours.kind == Outcome::Kind::Declined ||
      ours.kind == Outcome::Kind::Memory) {
    classify(ours, ours, step);
    return step;
  }
  bool raised = ours.kind == Outcome::Kind::Error;
  if (python.kind == "limit") {
    step.kind = VerdictKind::Skip;
    step.reason = "Python's limit: " + python.rest;
    return step;
  }
  if (python.kind == "refused") return mismatch("Python refuses the script", python.rest);
  if (python.kind == "error" || python.kind == "raised") {
    if (raised) step = compare_errors(python, ours.message);
    else
      step = mismatch("missing error: " + python.rest.substr(0, python.rest.find(' ')),
                      "Python raises " + python.rest);
  } else if (raised) {
    step = mismatch("error: " + stable_phrase(ours.message),
                    ours.message + "\nPython gives " + python.rest);
  } else if (std::string text = values_text(ours); text != python.rest) {
    step = mismatch("value", fmt::format("got      {}\nexpected {}", text, python.rest));
  }
  step.elements = {1, 1, 0};
  return step;
}

std::vector<std::string> argument_texts(const Case& c) {
  std::vector<std::string> out;
  for (const Call& call : c.calls) out.push_back(python_text(IValue::tuple(call.inputs)));
  return out;
}

// What Python says of each call, in one mode; asked for once.
class Answers {
 public:
  Answers(const Case& c, const char* mode) : case_(c), mode_(mode) {}
  Answer of(size_t call) {
    if (answers_.empty())
      answers_ = PythonWorker::instance().ask(case_.script, mode_, argument_texts(case_));
    return split_answer(answers_[call]);
  }

 private:
  const Case& case_;
  const char* mode_;
  std::vector<std::string> answers_;
};

Verdict judge_plans(const Case& c) {
  Judging judging;
  Answers plain(c, "plain");
  Answers int64(c, "int64");
  bool narrow = false;
  for (const Plan& plan : bare_plans(c)) {
    Prepared prepared(c, plan);
    for (size_t i = 0; i < c.calls.size(); ++i) {
      Outcome ours = prepared.run(c.calls[i]);
      judging.count_runs();
      Verdict step = compare(plain.of(i), ours);
      if (step.kind == VerdictKind::Mismatch) {
        Verdict again = compare(int64.of(i), ours);
        bool agrees = !is_finding(again.kind);
        narrow = narrow || agrees;
        if (agrees) step = again;
      }
      // What the reference gets wrong is the front end's, or an operator's: no plan is to blame.
      const Plan at_fault = plan == reference_plan() ? Plan() : plan;
      if (judging.add(std::move(step), at_fault, static_cast<int>(i))) return judging.verdict();
    }
  }
  Verdict v = judging.verdict();
  if (narrow && v.kind == VerdictKind::Ok) v.reason = "agrees with Python in ints of 64 bits";
  return v;
}

Verdict skip(const std::string& reason) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = reason;
  return v;
}

// Most programs are asked about in plain Python, and only there.
void ahead(std::span<const Case* const> cases) {
  std::vector<PythonWorker::Question> questions;
  for (const Case* c : cases)
    if (c->refused.empty() && has_form(*c, Form::PlainScript))
      questions.push_back({c->script, "plain", argument_texts(*c)});
  try {
    PythonWorker::instance().ahead(questions);
  } catch (const Exception&) {  // judge() meets it, too, and says so
  }
}

Verdict judge(const Case& c) {
  if (!has_form(c, Form::Script)) return skip("no script");
  if (!c.refused.empty()) return skip("the front end refuses the script");
  if (!has_form(c, Form::PlainScript)) return skip("Python knows no tensors");
  try {
    return judge_plans(c);
  } catch (const Unsupported& e) {
    return skip(e.what());
  }
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "python",
     .summary = "a script without tensors does the same under CPython",
     .judge = &judge,
     .form = Form::PlainScript,
     .ahead = &ahead,
     .part = "front end",
     .blaming = {.trusts_eager = false, .alone = Alone::Script}});

}  // namespace
}  // namespace fusillade::fuzz

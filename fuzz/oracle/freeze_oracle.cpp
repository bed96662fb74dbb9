// Claim: freezing keeps results. A module that holds a call's inputs gives the same bits frozen and
// not, at the first run and at the second, when whatever the first one wrote to a constant would
// show; and so does the frozen module once saved and loaded. An error that something needs
// (missing_error.h) stays an error. What fold_conv does to frozen modules is judged besides
// (fold_in_ring.h).
#include "engine/ir/composite.h"
#include "engine/run/archive/archive.h"
#include "engine/run/freeze.h"
#include "fuzz/oracle/fold_in_ring.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/nan_signs.h"
#include "fuzz/run/judge_error.h"
#include "fuzz/run/stateful_module.h"

namespace fusillade::fuzz {
namespace {

constexpr int kRuns = 2;
constexpr const char* kFreeze = "freeze";
constexpr const char* kArchive = "archive";

// Each run gets a copy of what the module holds; only outputs count, since frozen state is smaller.
std::vector<Outcome> runs_of(const Module& module) {
  Prepared forward = Prepared::of_graph(*method_of(module, "forward").graph, reference_plan());
  std::vector<Outcome> out;
  for (int i = 0; i < kRuns; ++i) {
    out.push_back(forward.run({{module.self}}));
    out.back().inputs.clear();
  }
  return out;
}

// True when judging must stop. `what` ran instead of the module that holds the inputs of call
// number `call`.
bool compare(const Case& c, int call, const std::vector<Outcome>& wanted,
             const std::vector<Outcome>& found, const char* what, const char* part,
             Judging& judging) {
  judging.count_runs(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    Verdict step;
    const bool error =
        wanted[i].kind == Outcome::Kind::Error || found[i].kind == Outcome::Kind::Error;
    if (error && has_tasks(c.program->block())) continue;  // those of tasks come elsewhere
    if (!classify(wanted[i], found[i], step)) bitwise_equal(wanted[i], found[i], step);
    if (step.raises || is_finding(step.kind)) {
      // Its modes may be others than the call's.
      const Module module = holding(*c.program, copy_call(c.calls[static_cast<size_t>(call)]));
      const Graph& forward = *method_of(module, "forward").graph;
      judge_error(forward, {{module.self}}, wanted[i], found[i], step);
      if (is_finding(step.kind))
        unless_nan_signs_decide(forward, {{module.self}}, wanted[i], found[i], step);
    }
    if (is_finding(step.kind)) {
      step.reason = fmt::format("{}: {}", what, step.reason);
      step.detail = fmt::format("{}, run {}: {}", what, i, step.detail);
      step.part = part;
    }
    if (judging.add(std::move(step), reference_plan(), call)) return true;
  }
  return false;
}

Verdict judge(const Case& c) {
  Judging judging;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    int call = static_cast<int>(i);
    Verdict step;
    const char* part = kFreeze;
    try {
      std::vector<Outcome> wanted = runs_of(holding(*c.program, copy_call(c.calls[i])));
      Module frozen = freeze(holding(*c.program, copy_call(c.calls[i])));
      // Before it runs, which may write what it holds.
      part = kArchive;
      std::string bytes = save_archive(frozen);
      if (compare(c, call, wanted, runs_of(frozen), "frozen", kFreeze, judging)) break;
      if (compare(c, call, wanted, runs_of(load_archive(bytes, "frozen")), "frozen and saved",
                  kArchive, judging))
        break;
    } catch (const Error& e) {
      const char* when = part == kArchive ? "saved: error: " : "error: ";
      step = mismatch(when + stable_phrase(e.what()), e.what());
      step.part = part;
    } catch (const Unsupported& e) {
      step.kind = VerdictKind::Skip;
      step.reason = "no such module can be held or saved";
      step.detail = e.what();
    }
    if (judging.add(std::move(step), reference_plan(), call)) return judging.verdict();
  }
  judge_folding(c, judging);
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "freeze",
     .summary = "a module with the inputs as attributes computes the same bits when it is frozen",
     .judge = &judge,
     .part = "freeze"});

}  // namespace
}  // namespace fusillade::fuzz

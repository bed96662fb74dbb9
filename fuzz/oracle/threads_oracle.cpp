// Claim: calls of one executor from several threads at once give what each gives alone.
//
// The case's calls run in order on one executor and are what the reference gives; then on a fresh
// one, from some threads at once, each in an order of its own, some times over. In the ring, bit
// for bit, errors and inputs afterwards included. What is wrong in order too is other oracles'
// claim.
#include <system_error>
#include <thread>

#include "engine/base/lack.h"
#include "engine/tensor/largest_storage.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/residues.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kThreads = 4;
constexpr size_t kRounds = 3;

Verdict compare_outcomes(const Case& c, size_t i, const Outcome& expected,
                         const Outcome& observed) {
  Verdict step;
  if (!classify(expected, observed, step)) bitwise_equal(expected, observed, step);
  judge_error(*c.program, c.calls[i], expected, observed, step);
  return step;
}

// Each thread's outcomes, of the calls in its order.
std::vector<std::vector<Outcome>> at_once(const Case& c, const Prepared& ready) {
  const size_t n = c.calls.size();
  std::vector<std::vector<Outcome>> out(kThreads, std::vector<Outcome>(n * kRounds));
  const size_t largest = LargestStorage::now();
  std::vector<std::jthread> threads;
  const auto run = [&](size_t t) {
    const DomainScope ring(Domain::Ring);
    const LargestStorage limit(largest);
    for (size_t k = 0; k < n * kRounds; ++k) out[t][k] = ready.run(c.calls[(k + t) % n]);
  };
  try {
    for (size_t t = 0; t < kThreads; ++t) threads.emplace_back(run, t);
  } catch (const std::system_error& e) {
    note_lack("cannot start a thread", e.code().value());
    throw;
  }
  threads.clear();
  return out;
}

Verdict judge(const Case& given) {
  DomainScope ring(Domain::Ring);
  const Case c = with_residues(given);
  Judging judging;
  Prepared wanted(c, reference_plan());
  std::vector<Outcome> expected;
  for (const Call& call : c.calls) expected.push_back(wanted.run(call));
  for (const Plan& plan : c.plans) {
    if (!engine_of(plan).ring || c.calls.empty()) continue;
    const Prepared in_order(c, plan);
    bool right = true;
    for (size_t i = 0; i < c.calls.size(); ++i)
      right =
          right && !is_finding(compare_outcomes(c, i, expected[i], in_order.run(c.calls[i])).kind);
    if (!right) continue;
    const Prepared fresh(c, plan);
    const auto outcomes = at_once(c, fresh);
    for (size_t t = 0; t < outcomes.size(); ++t) {
      for (size_t k = 0; k < outcomes[t].size(); ++k) {
        const size_t i = (k + t) % c.calls.size();
        judging.count_runs();
        Verdict step = compare_outcomes(c, i, expected[i], outcomes[t][k]);
        if (is_finding(step.kind)) step.reason = "at once: " + step.reason;
        if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
      }
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"threads",
     "concurrent calls of one compiled program give the same results as calls one by one", &judge});

}  // namespace
}  // namespace fusillade::fuzz

// Claim: several programs in one process know nothing of each other.
//
// The program and its siblings (siblings.h), which differ from it by little, are prepared under one
// plan and called in turn, twice; each gives what the reference gives of it. In the ring, bit for
// bit. A cache that takes one for the other shows.
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/residues.h"
#include "fuzz/oracle/siblings.h"
#include "fuzz/run/judge_error.h"

namespace fusillade::fuzz {
namespace {

constexpr int kRounds = 2;

struct OfProgram {
  std::shared_ptr<const Graph> graph;
  std::vector<Outcome> expected;
};

Verdict judge(const Case& given) {
  DomainScope ring(Domain::Ring);
  const Case c = with_residues(given);
  Judging judging;
  std::vector<OfProgram> programs;
  programs.push_back({std::shared_ptr<const Graph>(c.program->clone()), {}});
  for (auto& sibling : siblings_of(*c.program)) programs.push_back({std::move(sibling), {}});
  for (OfProgram& p : programs) {
    Prepared wanted = Prepared::of_graph(*p.graph, reference_plan());
    for (const Call& call : c.calls) p.expected.push_back(wanted.run(call));
    judging.count_runs(c.calls.size());
  }
  for (const Plan& plan : c.plans) {
    if (!engine_of(plan).ring || programs.size() == 1) continue;
    std::vector<Prepared> ready;
    for (const OfProgram& p : programs) ready.push_back(Prepared::of_graph(*p.graph, plan));
    for (int round = 0; round < kRounds; ++round) {
      for (size_t i = 0; i < c.calls.size(); ++i) {
        for (size_t k = 0; k < programs.size(); ++k) {
          const Outcome observed = ready[k].run(c.calls[i]);
          judging.count_runs();
          const Outcome& expected = programs[k].expected[i];
          Verdict step;
          if (!classify(expected, observed, step)) bitwise_equal(expected, observed, step);
          judge_error(*programs[k].graph, c.calls[i], expected, observed, step);
          if (is_finding(step.kind))
            step.detail = fmt::format("program {} of {}: {}", k, programs.size(), step.detail);
          if (judging.add(std::move(step), plan, static_cast<int>(i))) return judging.verdict();
        }
      }
    }
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"programs",
     "programs that differ only a little are not confused with each other in one process", &judge});

}  // namespace
}  // namespace fusillade::fuzz

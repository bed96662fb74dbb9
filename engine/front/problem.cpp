// See problem.h.
#include "engine/front/problem.h"

#include <algorithm>

namespace fusillade::front {

void add_problem(Problems& to, Problem problem) {
  auto same =
      std::find_if(to.begin(), to.end(), [&](const Problem& p) { return p.text == problem.text; });
  if (same == to.end()) to.push_back(std::move(problem));
  else if (same->chain.size() < problem.chain.size()) same->chain = std::move(problem.chain);
}

std::string summary_of(const Problems& problems) {
  std::string out;
  size_t shown = std::min(problems.size(), kReportedProblems);
  for (size_t i = 0; i < shown; ++i) {
    bool again = i + 1 < shown && problems[i + 1].chain == problems[i].chain;
    out += (i ? "\n" : "") + problems[i].text + (again ? "" : problems[i].chain);
  }
  if (problems.size() > kReportedProblems)
    out += fmt::format("\nand {} more errors", problems.size() - kReportedProblems);
  return out;
}

Problems problems_of(const Error& error) {
  if (const auto* failed = dynamic_cast<const Failed*>(&error)) return failed->problems();
  if (dynamic_cast<const Unknown*>(&error)) return {};
  return {{error.what(), ""}};
}

}  // namespace fusillade::front

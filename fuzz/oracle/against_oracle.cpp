// Claim: no plan costs more than in the other build that the case names (fuzz/run/static_cost.h:
// what is counted, and which count decides). Both builds are given the same text. Of a plan that
// either does not take, or a program that raises, nothing is said.
#include "fuzz/case/against.h"
#include "fuzz/case/packed.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/run/other_build.h"

namespace fusillade::fuzz {
namespace {

Verdict skip(const std::string& why) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = why;
  return v;
}

// Where the graphs part, for people: "nodes after cse: 9, was 7".
std::string first_difference(const StaticCost& before, const StaticCost& after) {
  for (size_t i = 0; i < std::min(before.nodes.size(), after.nodes.size()); ++i) {
    if (before.nodes[i] == after.nodes[i] || before.nodes[i].first != after.nodes[i].first)
      continue;
    return fmt::format("\nnodes after {}: {}, was {}", after.nodes[i].first, after.nodes[i].second,
                       before.nodes[i].second);
  }
  return "";
}

Verdict compare(const StaticCost& before, const StaticCost& after) {
  if (!after.why_not.empty()) return skip(stable_phrase(after.why_not));
  if (!before.why_not.empty()) return skip(stable_phrase(before.why_not));
  const std::optional<Growth> grown = growth(before, after);
  Verdict v;
  v.elements.compared = v.elements.tight = after.counts.size();
  if (!grown) return v;
  v.kind = VerdictKind::Slow;
  v.reason = grown->what;
  v.detail = fmt::format("{}: {}, was {}", grown->what, grown->after, grown->before) +
             first_difference(before, after);
  return v;
}

Verdict judge(const Case& c) {
  if (against_of(c).empty()) return skip("no other build is named");
  if (!c.refused.empty()) return skip("the front end refuses the script");
  const std::string text = print_unpacked(c);
  std::optional<Case> same;
  std::vector<StaticCost> before;
  try {
    same = parse_case(text, "<case>");
    before = OtherBuild::of(against_of(c)).ask(text);
  } catch (const Unsupported& e) {
    return skip(stable_phrase(e.what()));
  } catch (const Error&) {
    return skip("the case's text cannot say it");
  }
  FUS_CHECK(before.size() == c.plans.size(), "{} plans, {} answers", c.plans.size(), before.size());
  Judging judging;
  for (size_t i = 0; i < c.plans.size(); ++i) {
    const StaticCost after = static_cost(*same, c.plans[i]);
    judging.count_runs(c.calls.size());
    if (judging.add(compare(before[i], after), c.plans[i], -1)) break;
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {kAgainst, "no plan costs more than in another build (fuzz --against)", &judge});

}  // namespace
}  // namespace fusillade::fuzz

// fusillade rules: are both sides of each rewrite rule one value? Proved for integers, met with all
// values where they are few, drawn where not. And what nearly is a rule's left side, is it left
// alone, or changed into what computes the same?
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/rules/exhaust.h"
#include "fuzz/rules/near_misses.h"
#include "fuzz/rules/smt.h"

namespace fusillade::cli {
namespace {

using namespace fuzz;

struct Given {
  std::vector<std::string> only;
  uint64_t seed = 1;
  bool pairs = false;
  bool json = false;
};

struct Known {
  std::vector<std::string> proved, exhausted, drawn, wrong;  // types of claims
  uint64_t values = 0;
  NearMisses near_misses;
};

void meet_claims(const Given& g, const std::vector<RuleInstance>& claims, Known& known) {
  for (const RuleInstance& claim : claims) {
    Reach reach = reach_of(claim);
    if (reach == Reach::Pairs && !g.pairs) reach = Reach::Some;
    const Met met = meet(claim, reach, g.seed);
    known.values += met.values;
    if (!met.counterexample.empty()) known.wrong.push_back(claim.types + ": " + met.counterexample);
    else (reach == Reach::Some ? known.drawn : known.exhausted).push_back(claim.types);
  }
}

// What is proved need not be met.
void prove_claims(const std::vector<RuleInstance>& claims, Known& known) {
  std::vector<std::string> questions, types;
  for (const RuleInstance& claim : claims) {
    std::optional<std::string> question = smt_of(claim);
    if (!question) continue;
    questions.push_back(*question);
    types.push_back(claim.types);
  }
  std::optional<std::vector<Proof>> proofs = ask_z3(questions);
  if (!proofs) return;
  for (size_t i = 0; i < types.size(); ++i) {
    if ((*proofs)[i] == Proof::Refuted)
      known.wrong.push_back(types[i] + ": Z3 has values for which the sides differ");
    if ((*proofs)[i] != Proof::Proved) continue;
    known.proved.push_back(types[i]);
    std::erase(known.drawn, types[i]);
  }
}

nlohmann::ordered_json entry_of(const Rule& rule, const Known& known) {
  return {{"rule", rule.name},
          {"left", rule.lhs},
          {"right", rule.rhs},
          {"proved", known.proved},
          {"all_values", known.exhausted},
          {"drawn", known.drawn},
          {"wrong", known.wrong},
          {"values", known.values},
          {"near_misses",
           {{"left_alone", known.near_misses.left_alone},
            {"changed", known.near_misses.changed},
            {"wrong", known.near_misses.wrong}}}};
}

std::string line_of(const Rule& rule, const Known& known) {
  std::string text = fmt::format("{:<22} {} = {}\n", rule.name, rule.lhs, rule.rhs);
  if (rule.flags & kSameMemory) text += "    about memory: campaigns draw it\n";
  auto part = [&](const char* how, const std::vector<std::string>& types) {
    if (!types.empty())
      text += fmt::format("    {} for {} choice(s) of types: {}\n", how, types.size(),
                          join(types, "; "));
  };
  part("proved", known.proved);
  part("all values", known.exhausted);
  part("drawn", known.drawn);
  part("WRONG", known.wrong);
  text += fmt::format("    near misses: {} left alone, {} changed and the same\n",
                      known.near_misses.left_alone, known.near_misses.changed);
  for (const std::string& wrong : known.near_misses.wrong)
    text += "    WRONG near miss: " + wrong + "\n";
  return text;
}

int run(const Given& g) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  size_t wrong = 0, met = 0;
  for (const std::string& name : g.only) {
    bool known = false;
    for (const Rule& rule : peephole_rules()) known |= name == rule.name;
    if (!known) fail("there is no rule '{}'; `fusillade list rules` names them", name);
  }
  for (const Rule& rule : peephole_rules()) {
    if (!g.only.empty() && std::find(g.only.begin(), g.only.end(), rule.name) == g.only.end())
      continue;
    const std::vector<RuleInstance> claims = instances_of(rule);
    Known known;
    meet_claims(g, claims, known);
    prove_claims(claims, known);
    known.near_misses = meet_near_misses(rule, g.seed);
    wrong += known.wrong.size() + known.near_misses.wrong.size();
    ++met;
    if (g.json) all.push_back(entry_of(rule, known));
    else fmt::print("{}", line_of(rule, known));
    std::fflush(stdout);
  }
  if (g.json) fmt::print("{}\n", all.dump(2));
  else fmt::print("\n{} rules, {} wrong claim(s)\n", met, wrong);
  return wrong ? kFindings : kOk;
}

VERB(rules,
     "check that both sides of each rewrite rule give the same value, and that near misses are "
     "left alone or rewritten correctly") {
  auto g = std::make_shared<Given>();
  app.add_option("rule", g->only, "names of rules (default: all)");
  app.add_option("--seed", g->seed, "seed of random values")->check(kWhole);
  app.add_flag("--pairs", g->pairs,
               "try all 2^32 pairs of two 16-bit variables, a minute for each choice of types");
  app.add_flag("--json", g->json, "as a JSON array");
  app.footer("\"proved\" means by Z3 over bit-vectors, if Debian's package z3 is installed");
  return [g]() -> int { return run(*g); };
}

}  // namespace
}  // namespace fusillade::cli

// See replay.h.
#include "fuzz/campaign/replay.h"

#include <algorithm>

#include "engine/ir/visit.h"
#include "fuzz/case/against.h"
#include "fuzz/given/from_case.h"
#include "fuzz/given/mutate.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kReplayStream = 0x7265706c'61790000;
constexpr double kCostly = 0.05;  // as most policies have it

// The judgement that the case was kept with, where it is one of this campaign.
std::optional<Judgement> own_judgement(const CampaignOptions& options, const Case& c) {
  if (!options.plans.empty()) return {};
  const bool ours =
      std::ranges::none_of(c.plans, [](const Plan& plan) { return is_outside(plan.engine); });
  for (const Oracle* o : chosen_oracles(options))
    if (o->name == c.oracle && ours && !o->about && !o->generated_only && takes(*o, c))
      return Judgement{o, c.plans};
  return {};
}

}  // namespace

Trial make_replay(const CampaignOptions& options, uint64_t index) {
  const CorpusCase& kept = options.kept->cases.at(index - kReplays);
  Trial trial{{}, {}, false};
  if (kept.text.empty()) return trial;
  trial.program = parse_case(kept.text, kept.name);
  const std::optional<Judgement> own = own_judgement(options, trial.program);
  trial.program.origin = "corpus " + kept.name;
  trial.program.verdict = "ok";
  trial.program.blame.clear();
  trial.program.notes.clear();
  trial.program.plans.clear();
  set_against(trial.program, options.against);
  if (own) {
    trial.judgements.push_back(*own);
    return trial;
  }
  Choices choices(options.seed ^ kReplayStream, index);
  trial = with_judgements(options, index, std::move(trial), choices, kCostly);
  // External engines take graphs alone.
  if (!trial.program.script.empty())
    std::erase_if(trial.judgements, [](const Judgement& j) { return j.oracle->about != nullptr; });
  return trial;
}

std::optional<Case> mutant_of_corpus(Choices& choices, const CampaignOptions& options,
                                     const std::function<bool(const Operator&)>& operators) {
  if (!options.kept || options.kept->cases.empty() || !choices.chance(kCorpusMutants)) return {};
  const CorpusCase& kept = choices.pick(options.kept->cases);
  if (kept.text.empty()) return {};
  try {
    Given given = given_of(parse_case(kept.text, kept.name), kept.name);
    as_one_graph(given);
    if (!unfit(given).empty()) return {};
    if (operators && any_node(given.program.program->block(),
                              [&](const Node* n) { return !operators(n->op()); }))
      return {};
    Case c = mutant(choices, given, {options.calls, operators});
    c.origin = "mutant of corpus " + kept.name;
    return c;
  } catch (const Exception&) {  // of what the case is: no values are drawn for it, or no graph
    return {};
  }
}

}  // namespace fusillade::fuzz

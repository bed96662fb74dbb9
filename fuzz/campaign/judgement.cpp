// Every graph is judged by the differential oracle under a few plans, and by one more oracle drawn
// per program; a cheap claim that few programs show judges a share of the others, too. Which plans
// those are the engines say (DrawnPlans); the costly ones are for a share of the programs, which
// the policy sets. With explicit plans every program meets all of them. Plans of external engines
// are never drawn; asked for, the oracles that are about them judge them.
//
// Of the plans that are there for every program (DrawnPlans::all) it meets two: another program
// shows more than the same one under the next such plan.
//
// Each program is run under one more plan: a few passes in any order, including those in no named
// pipeline. Streams of their own draw this plan, and which programs are mutants of given ones or,
// over external engines, equivalents of drawn ones. So the other programs are those of a campaign
// without these draws.
#include "fuzz/campaign/judgement.h"

#include <algorithm>

#include "engine/ir/visit.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/replay.h"
#include "fuzz/case/against.h"
#include "fuzz/gen/policy_mix.h"
#include "fuzz/given/mutate.h"
#include "fuzz/given/plain_calls.h"
#include "fuzz/oracle/equivalents.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::fuzz {
namespace {

// What DrawnPlans of an engine says, parsed once.
struct Drawn {
  std::vector<Plan> one_of, all, costly;
};

const std::vector<Drawn>& drawn_by_engine() {
  static const std::vector<Drawn> drawn = [] {
    std::vector<Drawn> out;
    for (const Engine* e : engines()) {
      if (!e->drawn) continue;
      const DrawnPlans texts = e->drawn();
      out.push_back({parse_plans(texts.one_of), parse_plans(texts.all), parse_plans(texts.costly)});
    }
    return out;
  }();
  return drawn;
}

std::vector<Plan> draw_plans(Choices& choices, double costly) {
  std::vector<Plan> plans;
  for (const Drawn& engine : drawn_by_engine()) {
    if (!engine.one_of.empty()) plans.push_back(choices.pick(engine.one_of));
    plans.insert(plans.end(), engine.all.begin(), engine.all.end());
    if (!engine.costly.empty() && choices.chance(costly))
      plans.push_back(choices.pick(engine.costly));
  }
  return plans;
}

constexpr std::string_view kMain = "differential";
constexpr uint64_t kPassStream = 0x70617373'65730000;
constexpr uint64_t kWordStream = 0x776f7264'73000000;
constexpr double kWorded = 0.15;  // of the orders of passes

// Passes with words that no other plan gives them.
constexpr const char* kWordedPasses[] = {"cse(views)",
                                         "peephole(structural)",
                                         "fuse(loopnest,interp,wide)",
                                         "fuse(loopnest,interp,no_products)",
                                         "fuse(tile,interp,wide)",
                                         "fuse(tile,interp,no_products)"};

// Passes that need no words.
std::vector<std::string> plain_passes() {
  std::vector<std::string> out;
  for (const Pass* pass : Table<Pass>::instance().by_name()) {
    try {
      parse_pipeline(pass->name);
    } catch (const Error&) {
      continue;
    }
    out.push_back(pass->name);
  }
  return out;
}

// Engines that run our passes and that campaigns draw plans of.
std::vector<std::string> engines_with_passes() {
  std::vector<std::string> out;
  for (const Engine* e : engines())
    if (e->runs_passes && e->drawn && !e->outside && !e->reference) out.push_back(e->name);
  return out;
}

// Most orders end with passes that the program has something for: some of them, or all.
std::string draw_pass_order(const CampaignOptions& options, uint64_t index, const Case& c) {
  static const std::vector<std::string> passes = plain_passes();
  static const std::vector<std::string> with_passes = engines_with_passes();
  Choices choices(options.seed ^ kPassStream, index), words(options.seed ^ kWordStream, index);
  std::string out = choices.pick(with_passes) + "/inline,types,lower_tuples";
  if (words.chance(kWorded))
    out += std::string(",") + kWordedPasses[words.below(std::size(kWordedPasses))];
  for (int64_t n = choices.between(1, 4); n > 0; --n) out += "," + choices.pick(passes);
  std::vector<const Pass*> fitting;
  if (c.program) fitting = passes_looking_for(*c.program);
  if (choices.chance(0.5)) {
    for (size_t i = 0; i < fitting.size(); ++i) {
      std::swap(fitting[i], fitting[i + choices.below(fitting.size() - i)]);
      out += "," + fitting[i]->name;
    }
    return out;
  }
  for (int i = 0; i < 2; ++i)
    if (!fitting.empty() && choices.chance(0.7)) out += "," + choices.pick(fitting)->name;
  return out;
}

}  // namespace

std::vector<const Oracle*> chosen_oracles(const CampaignOptions& options) {
  std::vector<const Oracle*> out;
  for (const Oracle* o : Table<Oracle>::instance().by_name()) {
    bool named =
        std::find(options.oracles.begin(), options.oracles.end(), o->name) != options.oracles.end();
    const bool can_judge = !o->asked && (o->name != kAgainst || !options.against.empty());
    bool wanted = named || (options.oracles.empty() && can_judge);
    if (wanted) out.push_back(o);
  }
  return out;
}

namespace {

// So many programs in turn have the same options of external engines: they may be one pack.
constexpr uint64_t kSameOptions = 64;
constexpr uint64_t kOptionStream = 0x6f707469'6f6e0000;
constexpr uint64_t kSomeStream = 0x736f6d65'00000000;

constexpr size_t kOfAll = 2;

// Without some of the plans that engines have for every program (DrawnPlans::all); each is as
// likely to stay.
std::vector<Plan> draw_some(Choices& choices, std::vector<Plan> plans) {
  std::vector<size_t> at;
  for (size_t i = 0; i < plans.size(); ++i) {
    const bool of_all = std::ranges::any_of(drawn_by_engine(), [&](const Drawn& engine) {
      return std::ranges::find(engine.all, plans[i]) != engine.all.end();
    });
    if (of_all) at.push_back(i);
  }
  while (at.size() > kOfAll) {
    const size_t k = choices.below(at.size());
    plans[at[k]] = {};
    at.erase(at.begin() + static_cast<ptrdiff_t>(k));
  }
  std::erase(plans, Plan());
  return plans;
}

// Plans of external engines, and those of ours.
std::pair<std::vector<Plan>, std::vector<Plan>> by_side(const std::vector<Plan>& plans) {
  std::pair<std::vector<Plan>, std::vector<Plan>> out;
  for (const Plan& plan : plans) (engine_of(plan).outside ? out.first : out.second).push_back(plan);
  return out;
}

// The claims about scripts hold of every script; one claim about any program is drawn. A script
// that is refused meets the one that says so.
Trial judge_script(Trial trial, const std::vector<const Oracle*>& oracles,
                   const std::vector<Plan>& plans, Choices& choices) {
  std::vector<const Oracle*> others;
  for (const Oracle* o : oracles) {
    if (o->form != Form::Any) trial.judgements.push_back({o, {}});
    else if (trial.program.refused.empty()) others.push_back(o);
  }
  if (!others.empty()) trial.judgements.push_back({choices.pick(others), plans});
  return trial;
}

constexpr uint64_t kMutantStream = 0x6d757461'6e740000;
constexpr double kMutants = 0.5;  // of the programs of a campaign with seeds

// A mutant, or nothing.
std::optional<Case> draw_mutant(Choices& choices, const CampaignOptions& options,
                                const std::function<bool(const Operator&)>& operators) {
  if (options.given.empty() || !choices.chance(kMutants)) return {};
  const Given& seed = *choices.pick(options.given);
  Case c = mutant(choices, seed, {options.calls, operators});
  c.origin = "mutant of " + seed.file;
  return c;
}

constexpr uint64_t kEquivalentStream = 0x7477696e'00000000;
constexpr double kEquivalents = 0.25;  // of the programs of a campaign over external engines

bool takes_all(const std::function<bool(const Operator&)>& operators, const Block* block) {
  return !any_node(block, [&](const Node* n) { return !operators(n->op()); });
}

// Puts an equivalent of the program (oracle/equivalents.h) in its place, now and then, where the
// engines have all that the equivalent is written with: what their eager mode gives of either is
// the same.
void draw_equivalent(const CampaignOptions& options, uint64_t index,
                     const std::function<bool(const Operator&)>& operators, Case& c) {
  Choices choices(options.seed ^ kEquivalentStream, index);
  if (!c.program || !choices.chance(kEquivalents)) return;
  const std::span<const EquivalenceKind> kinds = equivalence_kinds();
  const EquivalenceKind& kind =
      kinds[static_cast<size_t>(choices.between(0, static_cast<int64_t>(kinds.size()) - 1))];
  std::unique_ptr<Graph> equivalent = equivalent_of(*c.program, kind);
  if (!equivalent || !takes_all(operators, equivalent->block())) return;
  c.program = std::move(equivalent);
  c.origin += fmt::format(" equivalent={}", kind.name);
}

// What judges a given program: every oracle that takes its form, but for what is claimed of
// generated ones alone.
std::vector<Judgement> judgements_of(const CampaignOptions& options, const Given& given) {
  const std::vector<Plan>& plans = options.plans.empty() ? default_plans() : options.plans;
  auto [outside, ours] = by_side(plans);
  std::vector<Judgement> out;
  for (const Oracle* o : chosen_oracles(options)) {
    if (o->generated_only || !takes(*o, given.program)) continue;
    std::vector<Plan> theirs = o->about ? plans_for(*o, outside) : ours;
    if (!theirs.empty()) out.push_back({o, theirs});
  }
  return out;
}

struct Checked {
  size_t program;
  uint64_t round;  // which draw of inputs
  Judgement judgement;
};

// Index `i` is one judgement of one draw of inputs: of all programs in turn, then of the next draw.
Checked checked_at(const CampaignOptions& options, uint64_t index) {
  uint64_t total = 0;
  for (const auto& g : options.given) total += judgements_of(options, *g).size();
  FUS_CHECK(total > 0, "a check without judgements");
  uint64_t at = index % total;
  for (size_t p = 0; p < options.given.size(); ++p) {
    std::vector<Judgement> judgements = judgements_of(options, *options.given[p]);
    if (at < judgements.size()) return {p, index / total, std::move(judgements[at])};
    at -= judgements.size();
  }
  FUS_BUG("no judgement {}", index);
}

constexpr uint64_t kRounds = 3;  // of dtypes, that the calls of one draw share out
// Of the inputs of one program: with large ones it has fewer calls, so that making, copying and
// saving them stays within its limits.
constexpr size_t kMostInputs = size_t{128} << 20;  // bytes
// Which calls of a round that an external engine meets are large ones: it runs them in no time.
constexpr uint64_t kEveryLarge = 4;

Trial make_check(const CampaignOptions& options, uint64_t index) {
  const Checked what = checked_at(options, index);
  const Given& given = *options.given[what.program];
  Trial trial{given.program.clone(), {}, false, true};
  if (options.left_out.count(what.program)) return trial;
  if (options.refused.count(what.program) && !what.judgement.oracle->errors) return trial;
  trial.judgements.push_back(what.judgement);
  trial.program.origin = fmt::format("{} seed={} draw={}", given.file, options.seed, what.round);
  if (what.round > 0) trial.program.calls.clear();
  Choices choices(options.seed, what.round * options.given.size() + what.program);
  // Which errors an external engine raises where eager mode refuses is nobody's claim.
  const bool refused = what.judgement.oracle->about == nullptr;
  const auto asked = static_cast<uint64_t>(options.calls);
  const uint64_t rounds = std::min(kRounds, asked);
  uint64_t round = what.round * rounds, call = 0;
  InputTypes types = draw_input_types(choices, given, round, refused);
  std::vector<Call>& calls = trial.program.calls;
  while (calls.size() < asked && (calls.empty() || input_bytes(trial.program) < kMostInputs)) {
    const uint64_t at = calls.size();
    if (!refused && !given.large.empty() && at % kEveryLarge == kEveryLarge - 1) {
      const uint64_t number = (what.round * asked + at) / kEveryLarge;
      const InputTypes& large = given.large[number % given.large.size()];
      calls.push_back(draw_call(choices, given, large));
      continue;
    }
    calls.push_back(given.program.plain
                        ? draw_plain_call(choices, given, types, what.round, at)
                        : draw_call(choices, given, types, pattern_due(given, round, call++)));
    const uint64_t next = what.round * rounds + std::min((at + 1) * rounds / asked, rounds - 1);
    if (next == round) continue;
    types = draw_input_types(choices, given, round = next, refused);
    call = 0;
  }
  return trial;
}

}  // namespace

size_t input_bytes(const Case& c) {
  size_t out = 0;
  for (const Call& call : c.calls)
    for (const IValue& v : call.inputs)
      if (v.is_tensor())
        out += static_cast<size_t>(v.as_tensor().numel()) * size_of(v.as_tensor().dtype());
  return out;
}

uint64_t trials_of_check(const CampaignOptions& options, uint64_t inputs) {
  const auto calls = static_cast<uint64_t>(options.calls);
  uint64_t rounds = (inputs + calls - 1) / calls, total = 0;
  for (const auto& g : options.given) total += judgements_of(options, *g).size();
  return rounds * total;
}

bool judges_errors(const CampaignOptions& options, const Given& given) {
  return std::ranges::any_of(judgements_of(options, given),
                             [](const Judgement& j) { return j.oracle->errors; });
}

size_t program_of_check(const CampaignOptions& options, uint64_t index) {
  return checked_at(options, index).program;
}

std::vector<Plan> default_plans() {
  std::vector<Plan> out;
  for (const Drawn& engine : drawn_by_engine()) {
    for (const auto* some : {&engine.one_of, &engine.all, &engine.costly})
      out.insert(out.end(), some->begin(), some->end());
  }
  return out;
}

// Where oracles are named, one of them has to be about one of the plans.
void require_judges(const CampaignOptions& options) {
  const std::vector<Plan> plans = options.plans.empty() ? default_plans() : options.plans;
  const auto judges = [&](const std::string& name) {
    const Oracle& o = oracle(name);
    return !o.about || std::ranges::any_of(plans, o.about);
  };
  if (options.oracles.empty() || std::ranges::any_of(options.oracles, judges)) return;
  fail(
      "--oracle {}: it judges none of these plans; it is about external engines, as in --plan "
      "torch:compile",
      options.oracles[0]);
}

void validate(const CampaignOptions& options) {
  for (const Plan& p : options.plans) engine_of(p);
  for (const std::string& o : options.oracles) {
    oracle(o);
    if (o == kAgainst && options.against.empty())
      fail("the oracle '{}' compares with another build: --against names it", o);
  }
  const PolicyMix mix(options.policy);  // an error where a policy weighs what is no production
  const bool outside =
      std::ranges::any_of(options.plans, [](const Plan& p) { return engine_of(p).outside; });
  if (const Policy* python = mix.whole_python(); python && !outside)
    fail(
        "the policy '{}' makes programs that external engines alone run; name a plan of one: "
        "--plan torch:dynamo",
        python->name);
  require_judges(options);
  const auto of_files = std::ranges::find_if(
      options.oracles, [](const std::string& name) { return oracle(name).plain; });
  if (of_files != options.oracles.end() && options.use == Use::Seeds && options.given.empty())
    fail("--oracle {}: it judges Python files that `check` is given, and no drawn programs",
         *of_files);
}

namespace {

bool names_script_oracles(const CampaignOptions& options) {
  return !options.oracles.empty() && std::ranges::all_of(options.oracles, [](const auto& name) {
    return oracle(name).form == Form::Script;
  });
}

Trial draw_trial(const CampaignOptions& options, uint64_t index) {
  if (options.use == Use::Check) return make_check(options, index);
  Choices choices(options.seed, index);
  GenerateOptions generate;
  auto [outside, ours] = by_side(options.plans);
  bool only_outside = ours.empty() && !outside.empty();
  const PolicyMix mix(options.policy);
  // External engines take graphs alone, but for oracles that judge scripts.
  const bool scripts = names_script_oracles(options);
  const bool both = mix.has_graphs() && mix.has_scripts();
  const Policy* drawn = nullptr;
  do drawn = &mix.draw(choices);
  while (only_outside && both && drawn->source != scripts);
  const Policy& chosen = *drawn;
  generate.policy = chosen.name;
  generate.calls = options.calls;
  if (only_outside) generate.operators = operator_filter(outside);
  for (const Plan& plan : outside)
    for (std::string& name : rewriting_compilers(plan.engine))
      generate.compilers.push_back(std::move(name));
  generate.sizes = draw_sizes(options.seed, index, only_outside);
  Choices mutating(options.seed ^ kMutantStream, index);
  std::optional<Case> mutated = draw_mutant(mutating, options, generate.operators);
  if (!mutated) mutated = mutant_of_corpus(mutating, options, generate.operators);
  Trial trial{mutated ? std::move(*mutated) : generate_case(choices, generate), {}, !mutated};
  trial.productions = (mutated ? mutating : choices).productions();
  trial.program.origin =
      fmt::format("seed={} index={} {}", options.seed, index, trial.program.origin);
  if (only_outside) draw_equivalent(options, index, generate.operators, trial.program);
  set_against(trial.program, options.against);
  return with_judgements(options, index, std::move(trial), choices, chosen.compiled);
}

}  // namespace

Trial with_judgements(const CampaignOptions& options, uint64_t index, Trial trial, Choices& choices,
                      double costly) {
  auto [outside, ours] = by_side(options.plans);
  const bool only_outside = ours.empty() && !outside.empty();
  std::vector<Plan> plans = options.plans.empty() ? draw_plans(choices, costly) : ours;
  if (options.plans.empty())
    plans.push_back(parse_plan(draw_pass_order(options, index, trial.program)));
  std::vector<const Oracle*> oracles = chosen_oracles(options);
  for (const Oracle* o : oracles) {
    std::vector<Plan> theirs = o->about ? plans_for(*o, outside) : outside;
    if (o->about && !theirs.empty() && takes(*o, trial.program))
      trial.judgements.push_back({o, theirs});
  }
  if (only_outside) return trial;
  std::erase_if(oracles, [&](const Oracle* o) {
    return o->about != nullptr || (o->generated_only && !trial.generated);
  });
  std::erase_if(oracles, [&](const Oracle* o) { return !takes(*o, trial.program); });
  if (options.plans.empty()) {
    Choices fewer(options.seed ^ kSomeStream, index);
    plans = draw_some(fewer, plans);
  }
  if (!trial.program.script.empty()) return judge_script(std::move(trial), oracles, plans, choices);
  const Oracle* main = nullptr;
  for (const Oracle* o : oracles) {
    if (o->name == kMain) main = o;
  }
  if (main) trial.judgements.push_back({main, plans});
  std::erase(oracles, main);
  if (oracles.empty()) return trial;
  const Oracle* one = choices.pick(oracles);
  trial.judgements.push_back({one, plans});
  for (const Oracle* o : oracles)
    if (o != one && o->share > 0 && choices.chance(o->share))
      trial.judgements.push_back({o, plans});
  return trial;
}

Trial make_trial(const CampaignOptions& options, uint64_t index) {
  Trial trial = is_replay(index) ? make_replay(options, index) : draw_trial(options, index);
  for (Judgement& judgement : trial.judgements) {
    Choices choices(options.seed ^ kOptionStream, index / kSameOptions);  // for each claim
    draw_options(judgement.plans, choices);
  }
  return trial;
}

}  // namespace fusillade::fuzz

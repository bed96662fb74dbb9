// How far generated programs reach: which operators they run.
//
// The share asked of 100,000 programs of the default campaign, 95 % of all operators, is asked here
// of fewer, and of eager runs alone: reach only grows, so what holds of the first 60,000 holds of
// all.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/ops/call.h"
#include "engine/ops/entry.h"
#include "engine/ops/gradient.h"
#include "engine/run/plan.h"
#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"
#include "fuzz/gen/undrawn.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kPrograms = 60'000;

// Names behind "torch.ops.prim." in a text.
std::vector<std::string> prims_in(std::string_view text) {
  constexpr std::string_view kPrefix = "torch.ops.prim.";
  std::vector<std::string> out;
  for (size_t at = 0; (at = text.find(kPrefix, at)) != text.npos;) {
    at += kPrefix.size();
    out.push_back("prim::" + std::string(text.substr(at, text.find('(', at) - at)));
  }
  return out;
}

// Operators that formulas of gradients name, and no body but those of such operators.
std::set<std::string> steps_of_gradients() {
  std::set<std::string> out, elsewhere;
  for (const Gradient& g : gradients())
    for (const Gradient::Formula& f : g.formulas)
      for (std::string& name : prims_in(f.body)) out.insert(std::move(name));
  size_t before = 0;
  while (before != out.size()) {
    before = out.size();
    for (const Entry& e : entries())
      if (!e.schema.empty() && out.contains(std::string(e.names[0])))
        for (std::string& name : prims_in(e.body)) out.insert(std::move(name));
  }
  for (const Entry& e : entries())
    if (!e.schema.empty() && !out.contains(std::string(e.names[0])))
      for (std::string& name : prims_in(e.body)) elsewhere.insert(std::move(name));
  std::erase_if(out, [&](const std::string& name) { return elsewhere.contains(name); });
  return out;
}

bool of_gradients(const Operator& op) {
  static const std::set<std::string> steps = steps_of_gradients();
  return op.asks_gradients || op.family == "gradient" || steps.contains(op.name);
}

struct Runs {
  std::vector<uint64_t> of = std::vector<uint64_t>(OperatorTable::instance().size());
  void count(const Case& c) {
    Prepared eager(c, reference_plan());
    operator_runs = of.data();
    for (const Call& call : c.calls) eager.run(call);
    operator_runs = nullptr;
  }
  // Of the operators that tests have not added, without those of gradients (steps of the walk back,
  // and the calls that ask for one, which no generated program makes) and names in whose place
  // other operators run.
  std::vector<std::string> missing() const {
    std::vector<std::string> names;
    for (const Operator* r : OperatorTable::instance().by_name())
      if (!of[r->number] && !r->name.starts_with("test") && !of_gradients(*r) &&
          why_undrawn(*r) != "replaced")
        names.push_back(r->name);
    return names;
  }
};

TEST(Reach, NineteenOfTwentyOperatorsRunInTheDefaultCampaign) {
  Runs runs;
  const size_t all = runs.missing().size();
  const size_t may_miss = all / 20;
  for (uint64_t i = 0; i < kPrograms && runs.missing().size() > may_miss; i += 1000) {
    for (uint64_t k = i; k < i + 1000; ++k) {
      Choices choices(1, k);
      GenerateOptions options;
      options.calls = 1;
      Case c = generate_case(choices, options);
      if (c.refused.empty()) runs.count(c);
    }
  }
  EXPECT_GE(all, 1400u);
  EXPECT_LE(runs.missing().size(), may_miss) << "missing: " << join(runs.missing(), " ");
}

TEST(Reach, ProgramsOfOneOpAreValidOnEveryCall) {
  for (uint64_t i = 0; i < 3000; ++i) {
    Choices choices(2, i);
    GenerateOptions options;
    options.policy = "rows";
    Case c = generate_case(choices, options);
    ASSERT_FALSE(c.calls.empty()) << i;
    Prepared eager(c, reference_plan());
    for (const Call& call : c.calls) {
      Outcome o = eager.run(call);
      ASSERT_EQ(o.kind, Outcome::Kind::Values) << i << ": " << o.message << print(c);
    }
  }
}

TEST(Reach, LaterCallsHaveOtherSizes) {
  int differ = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    Choices choices(3, i);
    GenerateOptions options;
    options.policy = "rows";
    Case c = generate_case(choices, options);
    for (size_t k = 0; k < c.calls.size(); ++k) {
      for (size_t at = 0; at < c.calls[k].inputs.size(); ++at) {
        const IValue& first = c.calls[0].inputs[at];
        const IValue& later = c.calls[k].inputs[at];
        if (first.is_tensor() && !(first.as_tensor().sizes() == later.as_tensor().sizes()))
          ++differ;
      }
    }
  }
  EXPECT_GE(differ, 40);
}

TEST(Reach, OperatorsThatAreNotDrawnSayWhy) {
  const std::string words = undrawn_words();
  size_t undrawn = 0, rows = 0;
  for (const Operator* r : OperatorTable::instance().by_name()) {
    std::string_view why = why_undrawn(*r);
    rows += why != "replaced";
    if (why.empty() || of_gradients(*r)) continue;
    undrawn += why != "replaced";
    EXPECT_NE(words.find(std::string(why) + " ("), std::string::npos) << r->name << ": " << why;
  }
  EXPECT_GT(undrawn, 0u);
  EXPECT_LT(undrawn, rows / 8);
}

}  // namespace
}  // namespace fusillade::fuzz

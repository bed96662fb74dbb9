// find_inputs: what of a program's inputs eager mode takes, asked in children.
//
// First come blind draws; where few are accepted, a search (search.h), or that alone where examples
// are given. Then, of what was accepted, draws with one size beyond 2^15 or 2^16: they must not run
// many more operators (no loop over that size) nor take much memory, so that every oracle can judge
// them. Last, two inputs of one memory.
#include "fuzz/given/try.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "engine/ops/call.h"
#include "fuzz/case/input_range.h"
#include "fuzz/given/large.h"
#include "fuzz/given/memory.h"
#include "fuzz/given/operators_run.h"
#include "fuzz/given/search.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr uint64_t kTryStream = 0x67697665'6e747279;
constexpr uint64_t kLargeValues = 0x67697665'6e6c7661;
constexpr uint64_t kAliasStream = 0x67697665'6e616c69;

constexpr uint64_t kBatch = 32;  // tried in one child
constexpr size_t kEnough = 40;   // draws that were accepted
constexpr size_t kFew = 4;       // so few need a search
constexpr int kMostLostBatches = 2;
constexpr uint64_t kLeastLarge = 8, kMostLarge = 128;  // tried, by the inputs asked for
constexpr uint64_t kLargeTries = 8;
constexpr uint64_t kAliasTries = 8;
constexpr size_t kMostBytes = size_t{96} << 20;  // that live while it runs
constexpr size_t kMostMessage = 300;
constexpr size_t kMostMessages = 3;

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), kMostMessage));
}

// A child's answer; null where it died.
json run_in_child(const std::function<json()>& job, const Limits& limits,
                  std::string* why = nullptr) {
  const ChildResult r = run_isolated(
      [&] { return job().dump(-1, ' ', false, json::error_handler_t::replace); }, limits);
  if (r.kind == ChildResult::Kind::Done && !r.output.empty()) return json::parse(r.output);
  if (why) *why = "eager mode " + r.how_lost();
  return nullptr;
}

// Of each draw of the batch why it was refused; null: accepted.
json try_batch(const Given& given, uint64_t first) {
  json out = json::array();
  Prepared eager(given.program, reference_plan());
  for (uint64_t k = first; k < first + kBatch; ++k) {
    // More than once: values alone may be just what an index needs, all zero or none.
    constexpr uint64_t kDraws = 3;
    json refused = nullptr;
    for (uint64_t draw = 0; draw < kDraws && refused.is_null(); ++draw) {
      Choices choices(kTryStream + draw, k);
      const Outcome o = eager.run(draw_call(choices, given, input_types(given, k)));
      if (o.kind != Outcome::Kind::Values) refused = first_line(o.message);
    }
    out.push_back(std::move(refused));
  }
  return out;
}

// How refusals ended, by what they have in common.
class Refusals {
 public:
  void add(const std::string& message) {
    auto& [count, shown] = by_phrase_[stable_phrase(message)];
    if (count++ == 0) shown = message;
  }

  std::string text() const {
    std::vector<std::pair<int, std::string>> all;
    for (const auto& [phrase, of] : by_phrase_) all.push_back(of);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.first > b.first || (a.first == b.first && a.second < b.second);
    });
    std::string out;
    for (size_t i = 0; i < all.size() && i < kMostMessages; ++i)
      out += fmt::format("\n  {} times: {}", all[i].first, all[i].second);
    if (all.size() > kMostMessages)
      out += fmt::format("\n  and {} other errors", all.size() - kMostMessages);
    return out;
  }

 private:
  std::map<std::string, std::pair<int, std::string>> by_phrase_;
};

// Of each of some large draws: 0 refused or too much, 1 taken, 2 taken with its sizes as they were.
json try_large(const Given& given, const LargeDraws& draws, uint64_t first) {
  json out = json::array();
  Prepared eager(given.program, reference_plan());
  OperatorsRun operators;
  auto count = [&](const InputTypes& types, uint64_t* ran) {
    Choices choices(kLargeValues, first);
    operators.clear();
    heartbeat();
    const Outcome o = eager.run(draw_call(choices, given, types));
    *ran = operators.sum();
    return o.kind == Outcome::Kind::Values;
  };
  uint64_t usual = 0, ran = 0;
  const InputTypes one =
      given.accepted.empty() ? given.found[0] : input_types(given, given.accepted[0]);
  count(one, &usual);
  Storage::set_budget(Storage::live_bytes() + kMostBytes);
  for (uint64_t k = first; k < first + kLargeTries; ++k) {
    int taken = 0;
    for (bool own : {false, true}) {
      const InputTypes types = draws.at(k, own);
      if (taken == 0 && !types.empty() && count(types, &ran) && ran <= 2 * usual + 64)
        taken = own ? 2 : 1;
    }
    out.push_back(taken);
  }
  return out;
}

void find_large(Given& given, const Limits& limits, const DrawsAsked& asked_for) {
  const LargeDraws draws(given, asked_for.seed);
  const uint64_t tries = std::clamp(asked_for.inputs / 2, kLeastLarge, kMostLarge);
  for (uint64_t first = 0; draws.any() && first < tries; first += kLargeTries) {
    const json taken = run_in_child([&] { return try_large(given, draws, first); }, limits);
    if (taken.is_null()) return;
    for (uint64_t k = 0; k < kLargeTries; ++k)
      if (taken[k] != 0) given.large.push_back(draws.at(first + k, taken[k] == 2));
  }
}

// Does eager mode take inputs of one memory?
bool take_aliases(const Given& given, const Limits& limits) {
  const json all = run_in_child(
      [&]() -> json {
        Prepared eager(given.program, reference_plan());
        int shared = 0;
        for (uint64_t k = 0; k < kAliasTries; ++k) {
          Choices choices(kAliasStream, k);
          const InputTypes types = draw_input_types(choices, given, k, false);
          Call call = draw_call(choices, given, types);
          if (!share_memory(choices, given, types, call)) continue;
          ++shared;
          heartbeat();
          if (eager.run(call).kind != Outcome::Kind::Values) return false;
        }
        return shared > 0;
      },
      limits);
  return all.is_boolean() && all;
}

std::vector<InputTypes> examples_of(const Given& given) {
  InputTypes types = input_types(given, 0);
  bool any = false;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const std::optional<IValue>& example = given.inputs[i].example;
    if (!example) continue;
    any = true;
    types[i].second = example->type();
    const Tensor t = example->as_tensor();
    if (is_float(t.dtype()) || t.dtype() == DType::Bool || t.numel() == 0) continue;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t e = 0; e < t.numel(); ++e) {
      low = std::min(low, element_as_int(t, e));
      high = std::max(high, element_as_int(t, e));
    }
    types[i].first = fmt::format("from_{}_to_{}_n{}", low == INT64_MIN ? INT64_MAX : -low, high, i);
  }
  return any ? std::vector<InputTypes>{types} : std::vector<InputTypes>();
}

bool has_unknown_tensor(const Given& given) {
  return std::any_of(given.inputs.begin(), given.inputs.end(), [](const GivenInput& in) {
    const bool list = in.type.is(TypeKind::List) && in.type.element().is_tensor();
    const bool free = in.type.is_tensor() && (!in.type.info().complete() || has_free_range(in));
    return !in.fixed && (list || free);
  });
}

bool all_given(const Given& given) {
  return std::ranges::all_of(given.inputs,
                             [](const GivenInput& in) { return in.fixed.has_value(); });
}

// find_inputs without its time.
std::string seek_inputs(Given& given, const Limits& limits, const DrawsAsked& asked_for) {
  given.accepted.clear();
  given.found.clear();
  given.large.clear();
  given.aliases = given.dies = false;
  const std::vector<InputTypes> examples = examples_of(given);
  Refusals refusals;
  std::string lost;
  uint64_t tried = 0;
  int lost_batches = 0;
  for (uint64_t first = 0; examples.empty() && first < kTries && given.accepted.size() < kEnough;
       first += kBatch) {
    const json answers = run_in_child([&] { return try_batch(given, first); }, limits, &lost);
    if (answers.is_null()) {
      if (++lost_batches == kMostLostBatches) break;
      continue;
    }
    tried += kBatch;
    // Each draw is the same.
    if (all_given(given) && !answers[0].is_null())
      return "the inputs given are refused\n  " + answers[0].get<std::string>();
    for (uint64_t k = 0; k < kBatch; ++k) {
      if (answers[k].is_null()) given.accepted.push_back(first + k);
      else refusals.add(answers[k].get<std::string>());
    }
  }
  Searched searched;
  const bool few = given.accepted.size() < kFew && lost.empty() && has_unknown_tensor(given);
  if (few || !examples.empty()) {
    searched = search_inputs(given, examples, limits);
    given.found = searched.found;
    if (lost.empty() && given.accepted.empty()) lost = searched.lost;
  }
  if (given.takes_any()) {
    find_large(given, limits, asked_for);
    given.aliases = take_aliases(given, limits);
    return "";
  }
  given.dies = !lost.empty();
  std::string why = lost.empty() ? "" : lost + "; ";
  if (!examples.empty()) why += "the example inputs beside it are refused";
  else why += fmt::format("{} draws of dtypes, sizes and values are refused", tried);
  if (searched.tried) why += fmt::format(", and {} led by the errors", searched.tried);
  why += refusals.text();
  if (!searched.furthest.empty()) why += "\n  the one that came furthest: " + searched.furthest;
  return why;
}

}  // namespace

std::string find_inputs(Given& given, const Limits& limits, const DrawsAsked& asked_for) {
  const int64_t began = now_us();
  std::string why = seek_inputs(given, limits, asked_for);
  given.seconds = static_cast<double>(now_us() - began) / 1e6;
  return why;
}

}  // namespace fusillade::fuzz

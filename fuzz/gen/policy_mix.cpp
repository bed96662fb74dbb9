// See policy_mix.h.
#include "fuzz/gen/policy_mix.h"

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

using Weights = std::vector<std::pair<const Policy*, uint64_t>>;

Weights own_weights() {
  Weights out;
  for (const Policy& p : policies())
    if (p.weight > 0) out.emplace_back(&p, static_cast<uint64_t>(p.weight));
  return out;
}

uint64_t read_weight(const std::string& word, const std::string& text) {
  int64_t out = 0;
  if (!parse_int(word, &out) || out < 1 || out > kMostWeight)
    fail("--policy {}: '{}' is no weight: whole numbers from 1 to {} are", text, word, kMostWeight);
  return static_cast<uint64_t>(out);
}

Weights read_weights(const std::string& text) {
  Weights out;
  for (const std::string& part : split_outside_brackets(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == part.npos)
      fail("--policy {}: '{}' has no weight; several policies are written as in chains=3,large=1",
           text, part);
    const Policy& named = policy(part.substr(0, equals));
    if (std::ranges::any_of(out, [&](const auto& row) { return row.first == &named; }))
      fail("--policy {}: '{}' is there twice", text, named.name);
    out.emplace_back(&named, read_weight(part.substr(equals + 1), text));
  }
  return out;
}

}  // namespace

PolicyMix::PolicyMix(const std::string& text) {
  if (text.empty()) weights_ = own_weights();
  else if (text.find_first_of("=,") == text.npos) weights_ = {{&policy(text), 1}};
  else weights_ = read_weights(text);
}

const Policy& PolicyMix::draw(Choices& choices) const {
  if (is_one()) return *weights_[0].first;
  const uint64_t sum = std::accumulate(weights_.begin(), weights_.end(), uint64_t{0},
                                       [](uint64_t n, const auto& row) { return n + row.second; });
  uint64_t at = choices.below(sum);
  size_t i = 0;
  while (at >= weights_[i].second) at -= weights_[i++].second;
  return *weights_[i].first;
}

const Policy* PolicyMix::whole_python() const {
  for (const auto& [policy, weight] : weights_)
    if (policy->python) return policy;
  return nullptr;
}

bool PolicyMix::has_graphs() const {
  return std::ranges::any_of(weights_, [](const auto& row) { return !row.first->source; });
}

bool PolicyMix::has_scripts() const {
  return std::ranges::any_of(weights_, [](const auto& row) { return row.first->source; });
}

std::string print(const Weights& weights) {
  std::vector<std::string> out;
  for (const auto& [named, weight] : weights)
    out.push_back(fmt::format("{}={}", named->name, weight));
  return join(out, ",");
}

}  // namespace fusillade::fuzz

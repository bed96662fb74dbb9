// Which policies a campaign draws, and how often each: all of them by their own weights, one, or
// those that a text names with weights, "chains=3,large=1".
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/gen/generate.h"
#include "fuzz/gen/policy.h"

namespace fusillade::fuzz {

inline constexpr int64_t kMostWeight = 1'000'000;  // of one policy

class PolicyMix {
 public:
  // "": all by their own weights. Throws Error on an unknown name, a name that is there twice, and
  // a weight that is no whole number of at least 1.
  explicit PolicyMix(const std::string& text);

  // No decision is taken where there is but one.
  const Policy& draw(Choices& choices) const;
  // Those that can be drawn, each with a weight of at least 1.
  const std::vector<std::pair<const Policy*, uint64_t>>& weights() const { return weights_; }
  bool is_one() const { return weights_.size() == 1; }
  // Is any of them of graphs, which external engines take?
  bool has_graphs() const;
  bool has_scripts() const;
  // One of those that are whole Python, which external engines alone run; null: there is none.
  const Policy* whole_python() const;

 private:
  std::vector<std::pair<const Policy*, uint64_t>> weights_;
};

// The text of a mix.
std::string print(const std::vector<std::pair<const Policy*, uint64_t>>& weights);

}  // namespace fusillade::fuzz

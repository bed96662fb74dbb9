// Random programs: one decision stream in, one valid Case out. Pure: the same decisions give the
// same case.
//
// Choices draws from a counter-based RNG (seed, index) or from fuzz bytes (exhausted bytes give
// zeros, which lead to the smallest program). Everything generated is valid; an invalid program is
// a Bug.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/case/case.h"

namespace fusillade::fuzz {

class Choices {
 public:
  Choices(uint64_t seed, uint64_t index);            // Philox stream
  explicit Choices(std::span<const uint8_t> bytes);  // fuzz bytes
  uint64_t bits();
  uint64_t below(uint64_t n);  // uniform in [0, n), n >= 1
  int64_t between(int64_t lo, int64_t hi);
  bool chance(double p);
  double unit();  // [0, 1)
  template <class T>
  const T& pick(const std::vector<T>& v) {
    return v[below(v.size())];
  }
  template <class Items>
  void shuffle(Items& items) {
    for (size_t i = std::size(items); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }
  // How often each production (production.h) was applied, by its number; past the end: never.
  void count(size_t production);
  const std::vector<uint32_t>& productions() const { return productions_; }

 private:
  uint64_t take(int bytes);
  std::span<const uint8_t> bytes_;
  bool from_bytes_ = false;
  size_t at_ = 0;
  uint64_t seed_ = 0, index_ = 0, counter_ = 0;
  uint64_t pool_[2] = {0, 0};
  int left_ = 0;  // bytes in the pool
  std::vector<uint32_t> productions_;
};

struct Policy;

// How large the tensors of a graph are.
enum class Sizes {
  Small,     // up to 4 dims, a few hundred elements
  ManyDims,  // 5 to 8 dims
  Large      // about 2^15 or 2^16 elements, now and then 2^20; of operators of linear time
};
// Most programs have small ones; of costly plans more have large ones. Of a stream of its own.
Sizes draw_sizes(uint64_t seed, uint64_t index, bool costly);

struct GenerateOptions {
  std::string policy;                                   // empty: drawn per program
  int calls = 4;                                        // draws per program
  int max_nodes = 0;                                    // 0: drawn around 10
  std::function<bool(const Operator&)> operators = {};  // that graphs may have; empty: all
  Sizes sizes = Sizes::Small;
  // Compilers that it is for ("inductor"): what they rewrite is drawn more often.
  std::vector<std::string> compilers = {};
};

// Program and policy name only (no inputs); of a policy for graphs unless one is named.
std::unique_ptr<Graph> generate_graph(Choices& choices, const GenerateOptions& options,
                                      std::string* policy_used);
// A script whose last function is the program, and that function's inputs, tensors with complete
// types.
struct GeneratedScript {
  std::string text;
  std::vector<std::pair<std::string, Type>> inputs;
};
GeneratedScript generate_script(Choices& choices, const std::string& policy);
// Inputs for one call (types of tensors are complete).
Call generate_call(Choices& choices, const std::vector<std::pair<std::string, Type>>& inputs);
// The policy of one program, by the weights of all.
const Policy& draw_policy(Choices& choices);
// Program plus calls; `oracle` and `plans` are left to the caller.
Case generate_case(Choices& choices, const GenerateOptions& options);
std::vector<std::string> policy_names();

}  // namespace fusillade::fuzz

// What a campaign's programs reached, by what ran: operators, rewrites that fired, guards and
// kernels' events; and the productions of the generator that they use. Each with its count.
//
// An operator with several names counts once. Whatever runs an operator in a judgement counts, the
// shadow's and other oracles' runs too; what a generator tries does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/campaign/slot.h"

namespace fusillade::fuzz {

struct Reach {
  std::map<std::string, uint64_t> operators;
  std::map<std::string, uint64_t> rewrites;  // "peephole/mul-one"
  std::map<std::string, uint64_t> guards;    // "guard/mul-one": refused; "fuse/fallback"
  std::map<std::string, uint64_t> productions;

  void add(const Slot& slot);
  void add(const Reach& other);
  std::string text() const;  // JSON, which reads back
  static Reach parse(const std::string& text);
  // "operators 1,412 of 1,472, rewrites 96, guards 31, productions 70 of 82"
  std::string line() const;
  std::vector<std::string> missing_operators() const;
  std::vector<std::string> missing_productions() const;
  std::vector<std::string> missing_rules() const;  // rewrite rules of peephole that did not fire
};

}  // namespace fusillade::fuzz

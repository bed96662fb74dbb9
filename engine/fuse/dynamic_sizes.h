// Which sizes of a group's arguments its kernel shall not depend on, and what depends on them.
//
// A dynamic size is a symbol, one symbol for all that must be equal. It is at least 2, since a size
// of 1 decides what broadcasts. A group is lowered with a prime in place of each symbol. Operators
// and lowering may only compare, multiply and pass on such a size. So every size, stride and count
// they produce is a Product, identified by its prime factors. Anything else (a slice of 3, half a
// size, the size as a number) differs for other primes or for the least sizes. Lowering for those
// too detects it (lower_group.cpp).
//
// Strides are products as well: in order of memory each is a multiple of the one below it times
// that one's size, or fixed with all below it; other strides decline. So the order of strides, and
// whether there are gaps between them, is the same for all values of the symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/tensor/device.h"
#include "engine/tensor/shape.h"

namespace fusillade::fuse {

// The concrete form of a group's argument or result at one specialisation.
struct ArgSpec {
  bool is_tensor = false;
  DType dtype = DType::F32;  // scalar: Bool, I64 or F64
  Dims sizes;
  Dims strides;
  Device device = {};
  bool aligned = false;  // element 0 lies at a multiple of kernel::kWideBytes, as a kernel may need
};

// factor * the product of some symbols.
struct Product {
  int64_t factor = 1;
  std::vector<int> symbols = {};  // ascending
  bool dynamic() const { return !symbols.empty(); }
  // False past int64.
  bool at(const std::vector<int64_t>& values, int64_t* out) const;
  int64_t at(const std::vector<int64_t>& values) const;  // throws Error
  int64_t least() const { return factor << symbols.size(); }
  bool operator==(const Product&) const = default;
};

// Of a product the parts of `by` elements each.
struct Extent {
  Product product;
  int64_t by = 1;
  bool whole = false;  // no last part of fewer
  int64_t of(int64_t n) const { return n / by + (!whole && n % by != 0); }
  bool at(const std::vector<int64_t>& values, int64_t* out) const;  // false past int64
  bool operator==(const Extent&) const = default;
};

// The primes that replace the symbols while a group is lowered, and the symbols' values in the
// arguments that it is lowered for.
struct StandIns {
  std::vector<int64_t> primes;
  std::vector<int64_t> seen;
};

// Which product of `stand_ins`, which are primes, a number is.
Product read_product(int64_t number, const std::vector<int64_t>& stand_ins);

class DynamicSizes {
 public:
  // The pattern of these arguments. A size that the type of the group's input states is fixed, one
  // that it names by a symbol is that symbol; sizes that it does not know are one symbol where they
  // are equal. `by_value`: so are those of symbols. Throws Unsupported.
  DynamicSizes(const Graph& group, const std::vector<ArgSpec>& args, bool by_value);

  bool any() const { return !values_.empty(); }
  size_t count() const { return values_.size(); }
  // The values of the symbols, 0 at first, at which arguments have these sizes and strides; false
  // where the pattern is another.
  bool match(size_t arg, const Dims& sizes, std::vector<int64_t>& values) const;
  bool match_strides(size_t arg, const Dims& strides, const std::vector<int64_t>& values) const;

  // Candidate values of the symbols: primes, others in another order, and the least they can be.
  StandIns primes() const;
  StandIns other_primes() const;
  std::vector<int64_t> least() const { return std::vector<int64_t>(values_.size(), 2); }
  std::vector<ArgSpec> at(const std::vector<ArgSpec>& args,
                          const std::vector<int64_t>& stand_ins) const;

 private:
  struct Pattern {
    std::vector<Product> sizes;
    std::vector<Product> strides;
  };
  int symbol(int64_t named, int64_t size, bool by_value);
  void read_strides(const ArgSpec& arg, Pattern& pattern) const;
  void choose_primes(const std::vector<ArgSpec>& args);

  std::vector<Pattern> patterns_;  // per argument; scalars: empty
  std::vector<int64_t> values_;    // of each symbol, in the arguments given
  std::vector<int64_t> names_;     // in the types of the inputs, -1: in none
  std::vector<int64_t> primes_;
};

}  // namespace fusillade::fuse

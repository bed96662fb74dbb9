// See dynamic_sizes.h.
#include "engine/fuse/dynamic_sizes.h"

#include <algorithm>
#include <numeric>

namespace fusillade::fuse {
namespace {

constexpr int64_t kFirstPrime = 4099;
constexpr size_t kMostSymbols = 16;

bool is_prime(int64_t n) {
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

Product times(const Product& a, const Product& b) {
  Product out{a.factor * std::max<int64_t>(b.factor, 1), a.symbols};
  out.symbols.insert(out.symbols.end(), b.symbols.begin(), b.symbols.end());
  std::sort(out.symbols.begin(), out.symbols.end());
  return out;
}

}  // namespace

bool Product::at(const std::vector<int64_t>& values, int64_t* out) const {
  *out = factor;
  for (int s : symbols)
    if (__builtin_mul_overflow(*out, values[static_cast<size_t>(s)], out)) return false;
  return true;
}

int64_t Product::at(const std::vector<int64_t>& values) const {
  int64_t out = 0;
  if (!at(values, &out)) fail("a tensor of so many elements is too large");
  return out;
}

bool Extent::at(const std::vector<int64_t>& values, int64_t* out) const {
  if (!product.at(values, out)) return false;
  *out = of(*out);
  return true;
}

DynamicSizes::DynamicSizes(const Graph& group, const std::vector<ArgSpec>& args, bool by_value) {
  for (size_t i = 0; i < args.size(); ++i) {
    Pattern pattern;
    const Type& type = group.inputs()[i]->type();
    const bool typed = type.is_tensor() && type.info().rank_known &&
                       type.info().sizes.rank() == args[i].sizes.rank();
    for (int d = 0; args[i].is_tensor && d < args[i].sizes.rank(); ++d) {
      const int64_t size = args[i].sizes[d];
      const int64_t stated = typed ? type.info().sizes[d] : -1;
      if (size < 2 || stated >= 0) pattern.sizes.push_back({size, {}});
      else pattern.sizes.push_back({1, {symbol(stated, size, by_value)}});
    }
    patterns_.push_back(std::move(pattern));
  }
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].is_tensor) read_strides(args[i], patterns_[i]);
  choose_primes(args);
}

int DynamicSizes::symbol(int64_t named, int64_t size, bool by_value) {
  for (size_t s = 0; s < values_.size(); ++s) {
    const bool same = named == -1 || by_value ? values_[s] == size : names_[s] == named;
    if (same) return static_cast<int>(s);
  }
  if (values_.size() == kMostSymbols) decline("more than {} dynamic sizes", kMostSymbols);
  values_.push_back(size);
  names_.push_back(named);
  return static_cast<int>(values_.size()) - 1;
}

void DynamicSizes::read_strides(const ArgSpec& arg, Pattern& pattern) const {
  std::vector<int> order(static_cast<size_t>(arg.sizes.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    if (arg.strides[a] != arg.strides[b]) return arg.strides[a] < arg.strides[b];
    const bool one_a = arg.sizes[a] == 1, one_b = arg.sizes[b] == 1;
    return one_a != one_b ? one_a : a > b;
  });
  pattern.strides.resize(order.size());
  bool fixed_below = true;
  int below = -1;
  for (int d : order) {
    const int64_t stride = arg.strides[d];
    Product& out = pattern.strides[static_cast<size_t>(d)];
    if (stride == 0) {
      out.factor = 0;
      continue;
    }
    if (fixed_below) {
      out.factor = stride;
    } else {
      const int64_t reach = arg.strides[below] * std::max<int64_t>(arg.sizes[below], 1);
      if (stride != arg.strides[below] || arg.sizes[below] != 1) {
        if (stride % reach != 0) decline("strides of dynamic sizes that no product gives");
        out = times(pattern.strides[static_cast<size_t>(below)],
                    pattern.sizes[static_cast<size_t>(below)]);
        out.factor *= stride / reach;
      } else {
        out = pattern.strides[static_cast<size_t>(below)];
      }
    }
    fixed_below = fixed_below && !pattern.sizes[static_cast<size_t>(d)].dynamic();
    below = d;
  }
}

// Large enough to be no number of the program, small enough that the elements of five
// dynamic dimensions can be counted.
void DynamicSizes::choose_primes(const std::vector<ArgSpec>& args) {
  const auto divides = [&](int64_t p) {
    const auto in = [&](const Dims& all) {
      return std::any_of(all.begin(), all.end(), [&](int64_t n) { return n && n % p == 0; });
    };
    return std::any_of(args.begin(), args.end(),
                       [&](const ArgSpec& a) { return in(a.sizes) || in(a.strides); });
  };
  for (int64_t p = kFirstPrime; primes_.size() < 2 * values_.size(); p += 2)
    if (is_prime(p) && !divides(p)) primes_.push_back(p);
  for (const Pattern& p : patterns_) {
    Product all;
    for (const Product& size : p.sizes) all = times(all, size);
    int64_t count = std::max<int64_t>(all.factor, 1);
    for (size_t s = 0; s < all.symbols.size(); ++s)
      if (__builtin_mul_overflow(count, primes_.back(), &count))
        decline("too many dynamic dimensions in one tensor");
  }
}

bool DynamicSizes::match(size_t arg, const Dims& sizes, std::vector<int64_t>& values) const {
  const std::vector<Product>& wanted = patterns_[arg].sizes;
  if (static_cast<size_t>(sizes.rank()) != wanted.size()) return false;
  for (size_t d = 0; d < wanted.size(); ++d) {
    const int64_t size = sizes[static_cast<int>(d)];
    if (!wanted[d].dynamic()) {
      if (size != wanted[d].factor) return false;
      continue;
    }
    int64_t& value = values[static_cast<size_t>(wanted[d].symbols[0])];
    if (size < 2) return false;  // broadcasts, or is empty
    if (value != 0 && value != size) return false;
    value = size;
  }
  return true;
}

bool DynamicSizes::match_strides(size_t arg, const Dims& strides,
                                 const std::vector<int64_t>& values) const {
  const std::vector<Product>& wanted = patterns_[arg].strides;
  for (size_t d = 0; d < wanted.size(); ++d)
    if (int64_t stride = 0;
        !wanted[d].at(values, &stride) || stride != strides[static_cast<int>(d)])
      return false;
  return true;
}

StandIns DynamicSizes::primes() const {
  const auto count = static_cast<std::ptrdiff_t>(values_.size());
  return {{primes_.begin(), primes_.begin() + count}, values_};
}

StandIns DynamicSizes::other_primes() const {
  const auto count = static_cast<std::ptrdiff_t>(values_.size());
  return {{primes_.rbegin(), primes_.rbegin() + count}, values_};
}

std::vector<ArgSpec> DynamicSizes::at(const std::vector<ArgSpec>& args,
                                      const std::vector<int64_t>& stand_ins) const {
  std::vector<ArgSpec> out = args;
  for (size_t i = 0; i < out.size(); ++i) {
    for (size_t d = 0; d < patterns_[i].sizes.size(); ++d) {
      out[i].sizes[static_cast<int>(d)] = patterns_[i].sizes[d].at(stand_ins);
      out[i].strides[static_cast<int>(d)] = patterns_[i].strides[d].at(stand_ins);
    }
  }
  return out;
}

Product read_product(int64_t number, const std::vector<int64_t>& stand_ins) {
  Product out{number, {}};
  for (size_t s = 0; number != 0 && s < stand_ins.size(); ++s) {
    for (; out.factor % stand_ins[s] == 0; out.factor /= stand_ins[s])
      out.symbols.push_back(static_cast<int>(s));
  }
  return out;
}

}  // namespace fusillade::fuse

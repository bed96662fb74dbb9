// See dynamic_numbers.h.
#include "engine/fuse/dynamic_numbers.h"

#include <algorithm>

#include "engine/base/options.h"
#include "engine/base/text.h"
#include "engine/fuse/statements.h"

namespace fusillade::fuse {
namespace {

const Option<int64_t> kMostDynamic(
    "dynamic_most", INT32_MAX,
    "kernels for many sizes: the first kernel accepts up to this many elements, the second "
    "2147483647, the third any number",
    "1..");
[[maybe_unused]] const bool kFormerName =
    Table<OptionRow>::instance().add_former_name("open_most", "dynamic_most");

// A range that has what was seen, and as few bits as that allows.
int64_t range_around(int64_t seen) {
  for (int64_t most : {kMostDynamic.get(), int64_t{INT32_MAX}})
    if (seen <= most) return most;
  return kernel::kUnlimited;
}

}  // namespace

Product DynamicNumbers::product(int64_t n) const {
  return stand_ins_ ? read_product(n, stand_ins_->primes) : Product{n, {}};
}

Extent DynamicNumbers::extent_of(int64_t n) const {
  return kernel::is_dynamic(n) ? extents_[kernel::scalar_of(n) - first_] : Extent{product(n)};
}

int64_t DynamicNumbers::add(const Extent& extent) {
  if (!extent.product.dynamic()) return extent.of(extent.product.factor);
  const auto at = std::find(extents_.begin(), extents_.end(), extent);
  if (at != extents_.end())
    return kernel::dynamic_number(first_ + static_cast<size_t>(at - extents_.begin()));
  int64_t most = range_around(extent.product.at(stand_ins_->seen));
  for (size_t i = 0; i < extents_.size(); ++i)
    if (extents_[i] == Extent{extent.product}) most = kernel_.scalars[first_ + i].most;
  if (most != kernel::kUnlimited) most = extent.of(most);
  else if (extent.by > 1) most = INT32_MAX;  // of blocks there are no more
  if (extents_.empty()) first_ = kernel_.scalars.size();
  extents_.push_back(extent);
  kernel_.scalars.push_back(
      {kernel_.num_vars++, Model::I64, extent.of(extent.product.least()), most});
  return kernel::dynamic_number(kernel_.scalars.size() - 1);
}

int64_t DynamicNumbers::extent(int64_t n) { return kernel::is_dynamic(n) ? n : add({product(n)}); }

int64_t DynamicNumbers::divide(int64_t n, int64_t by, bool whole) {
  Extent e = extent_of(n);
  if (e.by == 1 && e.product.factor % by == 0) {
    e.product.factor /= by;
    return add(e);
  }
  FUS_CHECK(!whole || e.by == 1, "whole parts of parts");
  e.by *= by;
  e.whole = whole;
  return add(e);
}

int64_t DynamicNumbers::ceil_div(int64_t n, int64_t by) { return divide(n, by, false); }
int64_t DynamicNumbers::whole(int64_t n, int64_t by) { return divide(n, by, true); }

Expr DynamicNumbers::value(int64_t n) {
  const int64_t known = extent(n);
  return kernel::is_dynamic(known) ? write::index_var(kernel_.scalars[kernel::scalar_of(known)].var)
                                   : write::number(known);
}

std::string DynamicNumbers::text(int64_t n) const {
  const Extent e = extent_of(n);
  if (!e.product.dynamic()) return std::to_string(e.of(e.product.factor));
  std::vector<std::string> factors;
  if (e.product.factor != 1) factors.push_back(std::to_string(e.product.factor));
  for (int s : e.product.symbols) factors.push_back(fmt::format("n{}", s));
  std::string out = join(factors, "*");
  return e.by == 1 ? out : fmt::format("{}({}/{})", e.whole ? "floor" : "ceil", out, e.by);
}

int64_t DynamicNumbers::size_hint(int64_t n) const {
  const Extent e = extent_of(n);
  return e.of(stand_ins_ ? e.product.at(stand_ins_->seen) : e.product.factor);
}

void DynamicNumbers::limit(int64_t n, int64_t most) {
  const int64_t known = extent(n);
  if (!kernel::is_dynamic(known)) return;
  FUS_CHECK(size_hint(n) <= most, "a kernel for {} elements is made for {} at most", size_hint(n),
            most);
  int64_t& stated = kernel_.scalars[kernel::scalar_of(known)].most;
  stated = std::min(stated, most);
}

int64_t DynamicNumbers::reach() const {
  int64_t far = 0;
  for (const kernel::Buffer& b : kernel_.buffers) {
    int64_t last = 0;
    for (int d = 0; d < b.sizes.rank(); ++d)
      last += (size_hint(b.sizes[d]) - 1) * size_hint(b.strides[d]);
    far = std::max(far, last + 1);
  }
  return range_around(far);
}

}  // namespace fusillade::fuse

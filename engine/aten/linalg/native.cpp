// The operators of ops.py and of elimination natively: each matrix of a batch is brought
// into doubles, column by column, decomposed (tensor/factor.h) and stored.
//
// Empty matrices, singular ones, other dtypes, infinities and NaNs are the bodies'. Singular
// values, eigenvectors, least squares and what triangles are solved for come from other algorithms
// than the bodies'; such vectors may have other signs.
#include "engine/ops/native.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/block.h"
#include "engine/tensor/factor.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// A tensor as a batch of matrices.
class Batch {
 public:
  explicit Batch(const Tensor& t) : t_(t) {
    int r = t.rank();
    rows_ = t.sizes()[r - 2], columns_ = t.sizes()[r - 1];
    Dims sizes, strides;
    for (int d = 0; d + 2 < r; ++d) {
      sizes.push_back(t.sizes()[d]);
      strides.push_back(t.strides()[d]);
    }
    for_each_element(sizes, strides, t.offset(), [&](int64_t at) { offsets_.push_back(at); });
  }
  size_t size() const { return offsets_.size(); }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  Columns load(size_t i) const {
    Columns out(rows_, columns_);
    Tensor lines = contiguous(transpose_of(i));
    load_block<double>(t_.dtype(), lines.raw(), 1, lines.numel(), out.data.data());
    return out;
  }
  // The first rows, as many as there are here.
  void store(size_t i, const Columns& from) const {
    Tensor lines = Tensor::empty(Dims{columns_, rows_}, t_.dtype());
    size_t size = size_of(t_.dtype());
    for (int64_t j = 0; j < columns_; ++j) {
      store_block<double>(t_.dtype(), lines.raw() + static_cast<size_t>(j * rows_) * size, 1, rows_,
                          from.data.data() + j * from.rows);
    }
    copy_into(transpose_of(i), lines);
  }

 private:
  // Matrix i with its columns as rows.
  Tensor transpose_of(size_t i) const {
    int r = t_.rank();
    return Tensor::view_of(t_, offsets_[i], Dims{columns_, rows_},
                           Dims{t_.strides()[r - 1], t_.strides()[r - 2]});
  }

  const Tensor t_;
  int64_t rows_ = 0, columns_ = 0;
  std::vector<int64_t> offsets_;
};

bool all_finite(const Columns& c) {
  bool all = true;
  for (double v : c.data) all &= std::fabs(v) <= std::numeric_limits<double>::max();
  return all;
}

bool is_real(const Tensor& t) { return t.dtype() == DType::F32 || t.dtype() == DType::F64; }

bool suits(const Tensor& t, bool square) {
  if (t.rank() < 2 || !is_real(t) || t.numel() == 0) return false;
  return !square || t.sizes()[t.rank() - 1] == t.sizes()[t.rank() - 2];
}

// The sizes of the batch, then these.
Dims batch_sizes(const Tensor& t, std::initializer_list<int64_t> last) {
  Dims out;
  for (int d = 0; d + 2 < t.rank(); ++d) out.push_back(t.sizes()[d]);
  for (int64_t s : last) out.push_back(s);
  return out;
}

// One number for each matrix, or one line of numbers.
void store_line(const Tensor& to, size_t i, const std::vector<double>& line) {
  size_t n = line.size();
  store_block<double>(to.dtype(), to.raw() + i * n * size_of(to.dtype()), 1,
                      static_cast<int64_t>(n), line.data());
}

bool run_eliminated(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor(), right = args[1].as_tensor();
  if (!suits(self, true) || !suits(right, false) || right.rank() != self.rank()) return false;
  if (!(batch_sizes(self, {}) == batch_sizes(right, {}))) return false;
  Batch a(self), b(right);
  if (a.rows() != b.rows()) return false;
  Tensor out = Tensor::empty(right.sizes(), self.dtype());
  Tensor dets = Tensor::empty(batch_sizes(self, {}), self.dtype());
  Batch solved(out);
  for (size_t i = 0; i < a.size(); ++i) {
    Columns matrix = a.load(i), sides = b.load(i);
    if (!all_finite(matrix) || !all_finite(sides)) return false;
    const std::optional<double> det = solve(matrix, sides);
    if (!det) return false;
    solved.store(i, sides);
    store_line(dets, i, {*det});
  }
  results.emplace_back(out);
  results.emplace_back(dets);
  results.emplace_back(false);
  return true;
}

bool run_det(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, true)) return false;
  Batch from(self);
  Tensor dets = Tensor::empty(batch_sizes(self, {}), self.dtype());
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i), none(from.rows(), 0);
    const std::optional<double> det = all_finite(a) ? solve(a, none) : std::nullopt;
    if (!det) return false;
    store_line(dets, i, {*det});
  }
  results.emplace_back(dets);
  return true;
}

// self, pivot
bool run_factored_lu(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, false) || !args[1].as_bool()) return false;
  Batch from(self);
  const int64_t steps = std::min(from.rows(), from.columns());
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  Tensor pivots = Tensor::empty(batch_sizes(self, {steps}), DType::I32);
  Batch to(out);
  std::vector<int32_t> swaps;
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i);
    if (!all_finite(a)) return false;
    split(a, swaps);
    if (!all_finite(a)) return false;
    to.store(i, a);
    std::ranges::copy(swaps, pivots.data<int32_t>() + static_cast<int64_t>(i) * steps);
  }
  results.emplace_back(out);
  results.emplace_back(pivots);
  return true;
}

// Of matrices that elimination would take to LAPACK, with the unit matrix as right sides.
bool run_inv(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, true) || self.sizes().back() <= kSteps) return false;
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  Batch from(self), to(out);
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i);
    if (!all_finite(a)) return false;
    if (!invert(a)) return false;
    to.store(i, a);
  }
  results.emplace_back(out);
  return true;
}

// self, B, upper, left, unitriangular
bool run_solve_triangular(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor(), right = args[1].as_tensor();
  if (!suits(self, true) || !suits(right, false) || right.dtype() != self.dtype()) return false;
  bool fits = right.rank() == self.rank() && batch_sizes(self, {}) == batch_sizes(right, {});
  if (!fits || !args[3].as_bool()) return false;
  Batch a(self), b(right);
  if (a.rows() != b.rows()) return false;
  Tensor out = Tensor::empty(right.sizes(), self.dtype());
  Batch solved(out);
  for (size_t i = 0; i < a.size(); ++i) {
    Columns matrix = a.load(i), sides = b.load(i);
    if (!all_finite(matrix) || !all_finite(sides)) return false;
    if (!substitute(matrix, sides, args[2].as_bool(), args[4].as_bool())) return false;
    solved.store(i, sides);
  }
  results.emplace_back(out);
  return true;
}

Tensor turned_round(const Tensor& t) {
  Dims sizes = t.sizes(), strides = t.strides();
  const int r = t.rank();
  std::swap(sizes[r - 2], sizes[r - 1]);
  std::swap(strides[r - 2], strides[r - 1]);
  return Tensor::view_of(t, t.offset(), sizes, strides);
}

// self, input2, upper: the factor's triangle, then that triangle turned round.
bool run_cholesky_solve(Values args, std::vector<IValue>& results) {
  const Tensor right = args[0].as_tensor(), factor = args[1].as_tensor();
  if (!suits(factor, true) || !suits(right, false) || right.dtype() != factor.dtype() ||
      right.rank() != factor.rank() || !(batch_sizes(factor, {}) == batch_sizes(right, {})))
    return false;
  const bool upper = args[2].as_bool();
  const Batch lower(upper ? turned_round(factor) : factor), b(right);
  const Batch other(upper ? factor : turned_round(factor));
  if (lower.rows() != b.rows()) return false;
  const Tensor out = Tensor::empty(right.sizes(), right.dtype());
  const Batch solved(out);
  for (size_t i = 0; i < b.size(); ++i) {
    Columns first = lower.load(i), second = other.load(i), sides = b.load(i);
    if (!all_finite(first) || !all_finite(sides)) return false;
    if (!substitute(first, sides, false, false) || !substitute(second, sides, true, false))
      return false;
    solved.store(i, sides);
  }
  results.emplace_back(out);
  return true;
}

// self, b, rcond, driver: by the driver that is taken where none is named.
bool run_lstsq(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  Tensor right = args[1].as_tensor();
  const bool named = !args[3].is_none() && args[3].as_str() != "gelsy";
  if (named || !args[2].is_none() || !suits(self, false) || right.dtype() != self.dtype())
    return false;
  Dims sizes = self.sizes();
  sizes.pop_back();
  const bool line = right.sizes() == sizes;
  if (line) {
    Dims strides = right.strides();
    sizes.push_back(1);
    strides.push_back(1);
    right = Tensor::view_of(right, right.offset(), sizes, strides);
  }
  if (!suits(right, false) || right.rank() != self.rank() ||
      !(batch_sizes(self, {}) == batch_sizes(right, {})))
    return false;
  const Batch a(self), b(right);
  const int64_t m = a.rows(), n = a.columns();
  if (b.rows() != m) return false;
  const double unit = self.dtype() == DType::F64 ? 0x1p-52 : 0x1p-23;
  const Tensor out = Tensor::empty(batch_sizes(self, {n, b.columns()}), self.dtype());
  const Tensor ranks = Tensor::empty(batch_sizes(self, {}), DType::I64);
  const Batch solved(out);
  for (size_t i = 0; i < a.size(); ++i) {
    Columns matrix = a.load(i), given = b.load(i), sides(std::max(m, n), b.columns());
    if (!all_finite(matrix) || !all_finite(given)) return false;
    for (int64_t j = 0; j < b.columns(); ++j) std::copy_n(given.column(j), m, sides.column(j));
    ranks.data<int64_t>()[i] =
        least_squares(matrix, sides, unit * static_cast<double>(std::max(m, n)));
    solved.store(i, sides);
  }
  const Tensor none = Tensor::empty({0}, self.dtype());
  Dims shown = out.sizes();
  if (line) shown.pop_back();
  results.emplace_back(line ? Tensor::view_of(out, 0, shown, contiguous_strides(shown)) : out);
  results.insert(results.end(), {IValue(none), IValue(ranks), IValue(none)});
  return true;
}

bool run_lower_factor(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, true)) return false;
  Tensor out = Tensor::empty(self.sizes(), self.dtype());
  Batch from(self), to(out);
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i);
    if (!all_finite(a) || !cholesky(a)) return false;
    to.store(i, a);
  }
  results.emplace_back(out);
  results.emplace_back(Tensor::zeros(batch_sizes(self, {}), DType::I32));
  return true;
}

// Q of as many columns as the body computes and shows: all of them lie in memory.
bool run_reflected(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, false)) return false;
  Batch from(self);
  int64_t m = from.rows(), n = from.columns(), k = args[1].as_bool() ? m : std::min(m, n);
  Tensor whole = Tensor::empty(batch_sizes(self, {m, m}), DType::F64);
  Tensor q = Tensor::view_of(whole, 0, batch_sizes(self, {m, k}), whole.strides());
  Tensor r = Tensor::empty(batch_sizes(self, {k, n}), DType::F64);
  if (k < m && self.rank() > 3) return false;  // the body's Q is then copied
  Batch qs(q), rs(r);
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i), vectors(m, k);
    if (!all_finite(a)) return false;
    reflect(a, vectors);
    qs.store(i, vectors);
    rs.store(i, a);
  }
  results.emplace_back(q);
  results.emplace_back(r);
  return true;
}

bool eigen_of(Values args, bool vectors, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  const std::string& word = args[1].as_str();
  bool upper = word == "U" || word == "u";
  if (!suits(self, true) || (!upper && word != "L" && word != "l")) return false;
  Batch from(self);
  Tensor values = Tensor::empty(batch_sizes(self, {from.rows()}), self.dtype());
  Tensor out = Tensor::empty(vectors ? self.sizes() : Dims{0, 0}, self.dtype());
  Batch to(out);
  std::vector<double> line(static_cast<size_t>(from.rows()));
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i);
    if (!all_finite(a) || !eigen(a, upper, line.data(), vectors)) return false;
    store_line(values, i, line);
    if (vectors) to.store(i, a);
  }
  results.emplace_back(values);
  if (vectors) results.emplace_back(out);
  return true;
}

bool run_eigh(Values args, std::vector<IValue>& results) { return eigen_of(args, true, results); }

bool run_eigvalsh(Values args, std::vector<IValue>& results) {
  return eigen_of(args, false, results);
}

bool run_svd(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, false)) return false;
  Batch from(self);
  int64_t m = from.rows(), n = from.columns(), least = std::min(m, n);
  bool full = args[1].as_bool();
  Tensor u = Tensor::empty(batch_sizes(self, {m, full ? m : least}), self.dtype());
  Tensor values = Tensor::empty(batch_sizes(self, {least}), self.dtype());
  Tensor vh = Tensor::empty(batch_sizes(self, {full ? n : least, n}), self.dtype());
  Batch us(u), vs(vh);
  std::vector<double> line(static_cast<size_t>(least));
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i), left(us.rows(), us.columns()), right(vs.rows(), vs.columns());
    if (!all_finite(a) || !singular(a, line.data(), left, right)) return false;
    us.store(i, left);
    store_line(values, i, line);
    vs.store(i, right);
  }
  results.insert(results.end(), {IValue(u), IValue(values), IValue(vh)});
  return true;
}

bool run_svdvals(Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (!suits(self, false)) return false;
  Batch from(self);
  Tensor values =
      Tensor::empty(batch_sizes(self, {std::min(from.rows(), from.columns())}), self.dtype());
  std::vector<double> line(static_cast<size_t>(values.sizes().back()));
  for (size_t i = 0; i < from.size(); ++i) {
    Columns a = from.load(i), none(from.rows(), 0), nor(0, from.columns());
    if (!all_finite(a) || !singular(a, line.data(), none, nor)) return false;
    store_line(values, i, line);
  }
  results.emplace_back(values);
  return true;
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"prim::eliminate", &run_eliminated});
  add_native({"aten::linalg_det", &run_det});
  add_native({"aten::linalg_inv", &run_inv});
  add_native({"prim::factor_lu", &run_factored_lu});
  add_native({"aten::linalg_solve_triangular", &run_solve_triangular, Likeness::Other});
  add_native({"aten::cholesky_solve", &run_cholesky_solve, Likeness::Other});
  add_native({"aten::linalg_lstsq", &run_lstsq, Likeness::Other});
  add_native({"prim::lower_factor", &run_lower_factor});
  add_native({"prim::householder_qr", &run_reflected});
  add_native({"aten::linalg_eigh", &run_eigh, Likeness::Other});
  add_native({"aten::linalg_eigvalsh", &run_eigvalsh, Likeness::Other});
  add_native({"aten::linalg_svd", &run_svd, Likeness::Other});
  add_native({"aten::linalg_svdvals", &run_svdvals, Likeness::Other});
  return true;
}();

}  // namespace
}  // namespace fusillade

// Products of each element with each, and with its neighbours, natively: kron, addr, linalg_cross.
// Bit by bit the bodies of ops.py. Contiguous operands of one dtype, floats or int64.
#include "engine/ops/native.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

// f with a null pointer to the type of the elements, if all are plain and of one dtype.
template <class F>
bool with_plain(std::initializer_list<Tensor> operands, F f) {
  const DType dtype = operands.begin()->dtype();
  for (const Tensor& t : operands)
    if (t.dtype() != dtype || !t.is_contiguous()) return false;
  if (dtype == DType::F32) return f(static_cast<float*>(nullptr));
  if (dtype == DType::F64) return f(static_cast<double*>(nullptr));
  return dtype == DType::I64 && f(static_cast<uint64_t*>(nullptr));
}

template <class T>
T* elements(const Tensor& t) {
  return reinterpret_cast<T*>(t.raw());
}

bool run_kron(Values args, std::vector<IValue>& results) {
  const Tensor a = args[0].as_tensor(), b = args[1].as_tensor();
  if (a.rank() != b.rank() || a.rank() < 1 || a.rank() > 2) return false;
  return with_plain({a, b}, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const bool lines = a.rank() == 1;
    const int64_t a_rows = lines ? 1 : a.sizes()[0], a_columns = a.sizes()[lines ? 0 : 1];
    const int64_t b_rows = lines ? 1 : b.sizes()[0], b_columns = b.sizes()[lines ? 0 : 1];
    Dims sizes(a.rank());
    for (int d = 0; d < a.rank(); ++d) sizes[d] = a.sizes()[d] * b.sizes()[d];
    Tensor out = Tensor::empty(sizes, a.dtype());
    T* to = elements<T>(out);
    for (int64_t i = 0; i < a_rows; ++i) {
      const T* from = elements<T>(a) + i * a_columns;
      for (int64_t k = 0; k < b_rows; ++k) {
        const T* other = elements<T>(b) + k * b_columns;
        for (int64_t j = 0; j < a_columns; ++j, to += b_columns)
          for (int64_t l = 0; l < b_columns; ++l) to[l] = from[j] * other[l];
      }
    }
    results.emplace_back(out);
    return true;
  });
}

// self, vec1, vec2, beta, alpha
bool run_addr(Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor(), x = args[1].as_tensor(), y = args[2].as_tensor();
  if (x.rank() != 1 || y.rank() != 1 || self.rank() != 2 || self.sizes()[0] != x.sizes()[0] ||
      self.sizes()[1] != y.sizes()[0])
    return false;
  return with_plain({self, x, y}, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const auto factor = [](const IValue& v, T& out) {
      if (v.is_int()) out = static_cast<T>(v.as_int());
      else if (v.is_float() && std::is_floating_point_v<T>) out = static_cast<T>(v.as_double());
      else return false;
      return true;
    };
    T beta, alpha;
    if (!factor(args[3], beta) || !factor(args[4], alpha)) return false;
    if (beta == T(0)) return false;
    Tensor out = Tensor::empty(self.sizes(), self.dtype());
    const T* right = elements<T>(y);
    const T* added = elements<T>(self);
    T* to = elements<T>(out);
    const int64_t columns = y.numel();
    for (int64_t i = 0; i < x.numel(); ++i, to += columns, added += columns) {
      const T left = elements<T>(x)[i] * alpha;
      for (int64_t j = 0; j < columns; ++j) to[j] = left * right[j] + added[j] * beta;
    }
    results.emplace_back(out);
    return true;
  });
}

// self, other, dim
bool run_cross(Values args, std::vector<IValue>& results) {
  const Tensor a = args[0].as_tensor(), b = args[1].as_tensor();
  const int64_t dim = args[2].as_int();
  if (!(a.sizes() == b.sizes()) || dim < -a.rank() || dim >= a.rank()) return false;
  const int d = static_cast<int>(dim < 0 ? dim + a.rank() : dim);
  if (a.sizes()[d] != 3) return false;
  return with_plain({a, b}, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    int64_t outer = 1, step = 1;
    for (int k = 0; k < d; ++k) outer *= a.sizes()[k];
    for (int k = d + 1; k < a.rank(); ++k) step *= a.sizes()[k];
    Tensor out = Tensor::empty(a.sizes(), a.dtype());
    const T *x = elements<T>(a), *y = elements<T>(b);
    T* to = elements<T>(out);
    for (int64_t o = 0; o < outer; ++o, x += 3 * step, y += 3 * step, to += 3 * step) {
      for (int64_t i = 0; i < step; ++i) {
        const T x0 = x[i], x1 = x[i + step], x2 = x[i + 2 * step];
        const T y0 = y[i], y1 = y[i + step], y2 = y[i + 2 * step];
        to[i] = x1 * y2 - x2 * y1;
        to[i + step] = x2 * y0 - x0 * y2;
        to[i + 2 * step] = x0 * y1 - x1 * y0;
      }
    }
    results.emplace_back(out);
    return true;
  });
}

[[maybe_unused]] const bool kRegistered = [] {
  add_native({"aten::kron", &run_kron});
  add_native({"aten::addr", &run_addr});
  add_native({"aten::linalg_cross", &run_cross});
  return true;
}();

}  // namespace
}  // namespace fusillade

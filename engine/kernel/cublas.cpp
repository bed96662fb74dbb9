// NVIDIA's matrix products, where they are: cuBLAS, looked up when the first product of tensors on
// "cuda" is asked for. Without it products are left to whoever asked.
//
// cuBLAS has matrices by columns: a product of rows, c = a b, is c^T = b^T a^T to it. An operand
// that lies by rows is its transpose there, one that lies by columns is itself; others, and those
// whose rows overlap, are declined. f16 and bf16 are summed in f32 and rounded once; f32 is summed
// in f32, never in fewer bits. Batches of one stride are one call, others one for each matrix.
#include <dlfcn.h>

#include <mutex>

#include "engine/base/options.h"
#include "engine/base/probe.h"
#include "engine/kernel/cuda_device.h"
#include "engine/kernel/device_products.h"
#include "engine/tensor/domain.h"

namespace fusillade::kernel::cuda {
namespace {

const Option<std::string> kLibrary("cublas", "", "cuBLAS's library; empty: looked for");

constexpr const char* kNames[] = {"libcublas.so.13", "libcublas.so.12"};
constexpr int kDefaultAlgorithm = -1;
constexpr int kSumsInFull = 16;  // of halves: parts of a sum are kept in f32

Probe probe_product("kernel/cublas");

using Handle = struct HandleTag*;

struct Cublas {
  Call<Handle*> create{"cublasCreate_v2"};
  Call<Handle, Stream> set_stream{"cublasSetStream_v2"};
  Call<Handle, int> set_mathematics{"cublasSetMathMode"};
  // handle, is a turned, is b, m, n, k, alpha, a, its type, its columns' distance, b, ..., beta, c,
  // ..., type that is computed in, algorithm
  Call<Handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
       const void*, void*, int, int, int, int>
      multiply{"cublasGemmEx"};
  // the same, with the distance of its matrices behind each operand's, and how many there are
  Call<Handle, int, int, int, int, int, const void*, const void*, int, int, long long, const void*,
       int, int, long long, const void*, void*, int, int, long long, int, int, int>
      multiply_batch{"cublasGemmStridedBatchedEx"};
  std::string library;
  std::mutex mutex;  // a handle is one thread's at a time
  Handle handle = nullptr;
};

// "": all are there.
std::string first_missing(Cublas& c, void* library) {
  std::string missing;
  const auto find = [&]<class... P>(Call<P...>& call) {
    call.address = reinterpret_cast<int (*)(P...)>(dlsym(library, call.name));
    if (!call.address && missing.empty()) missing = call.name;
  };
  find(c.create), find(c.set_stream), find(c.set_mathematics), find(c.multiply),
      find(c.multiply_batch);
  return missing;
}

// Throws Unsupported where it is not here, Error where a library that was named is none.
std::unique_ptr<Cublas> load() {
  const std::string named = kLibrary.get();
  auto out = std::make_unique<Cublas>();
  void* library = nullptr;
  if (!named.empty()) {
    out->library = named;
    library = dlopen(named.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("option cublas: {}", dlerror());
  }
  for (const char* name : kNames) {
    if (library) break;
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    out->library = name;
  }
  if (!library) decline("cuBLAS is not here: {}", dlerror());
  const std::string missing = first_missing(*out, library);
  if (!missing.empty()) decline("{} has no {}", out->library, missing);
  return out;
}

// Null: it is not here. Once loaded, it stays.
Cublas* cublas() {
  static Cublas* const loaded = []() -> Cublas* {
    try {
      return load().release();
    } catch (const Unsupported&) {
      return nullptr;
    }
  }();
  return loaded;
}

// As cuBLAS numbers them.
struct Kind {
  int type, computed;
  bool wide;  // alpha and beta are doubles
};
std::optional<Kind> kind_of(DType dtype) {
  constexpr int kIn32 = 68, kIn64 = 70;
  switch (dtype) {
    case DType::F32:
      return Kind{0, kIn32, false};
    case DType::F64:
      return Kind{1, kIn64, true};
    case DType::F16:
      return Kind{2, kIn32, false};
    case DType::BF16:
      return Kind{14, kIn32, false};
    default:
      return std::nullopt;
  }
}

// A row-major operand, as described to cuBLAS.
struct Operand {
  bool turned;  // it lies by columns
  int64_t distance;
};
std::optional<Operand> operand_of(int64_t rows, int64_t columns, int64_t row_stride,
                                  int64_t column_stride) {
  const int64_t by_rows = rows == 1 ? columns : row_stride;  // one row is never stepped over
  const int64_t by_columns = columns == 1 ? rows : column_stride;
  if ((column_stride == 1 || columns == 1) && by_rows >= columns) return Operand{false, by_rows};
  if ((row_stride == 1 || rows == 1) && by_columns >= rows) return Operand{true, by_columns};
  return std::nullopt;
}

// The matrices of a batch: where each begins, in elements from the first; of one stride where
// `even`.
struct Batch {
  std::vector<int64_t> at{0};
  bool even = true;
  int64_t stride() const { return at.size() > 1 ? at[1] - at[0] : 0; }
};
Batch batch_of(const Tensor& t, const Dims& sizes, const Dims& strides) {
  Batch out;
  for (int d = 0; d + 2 < sizes.rank(); ++d) {
    std::vector<int64_t> next;
    for (int64_t from : out.at)
      for (int64_t i = 0; i < sizes[d]; ++i) next.push_back(from + i * strides[d]);
    out.at = std::move(next);
  }
  for (size_t i = 1; i < out.at.size(); ++i)
    out.even = out.even && out.at[i] - out.at[i - 1] == out.at[1] - out.at[0];
  for (int64_t& a : out.at) a += t.offset();
  return out;
}

class Product {
 public:
  // False: it is declined.
  bool read(const ContractPlan& plan, const Tensor& out) {
    const Dims &sa = plan.a.sizes(), &sb = plan.b.sizes();
    const int r = sa.rank();
    m_ = sa[r - 2], k_ = sa[r - 1], n_ = sb[r - 1];
    constexpr int64_t kMost = INT32_MAX;
    if (m_ == 0 || n_ == 0 || k_ == 0 || m_ > kMost || n_ > kMost || k_ > kMost) return false;
    const std::optional<Kind> kind = kind_of(plan.a.dtype());
    left_ = operand_of(m_, k_, plan.a.strides()[r - 2], plan.a.strides()[r - 1]);
    right_ = operand_of(k_, n_, plan.b.strides()[r - 2], plan.b.strides()[r - 1]);
    if (!kind || !left_ || !right_ || left_->distance > kMost || right_->distance > kMost)
      return false;
    kind_ = *kind;
    a_ = batch_of(plan.a, sa, plan.a.strides());
    b_ = batch_of(plan.b, sb, plan.b.strides());
    if (a_.at.size() > static_cast<size_t>(kMost)) return false;
    alpha_ = plan.alpha, beta_ = plan.bias.is_defined() ? plan.beta : 0;
    alpha32_ = static_cast<float>(alpha_), beta32_ = static_cast<float>(beta_);
    out_ = &out, plan_ = &plan;
    return true;
  }

  void run(const Device& device, Cublas& blas) const {
    device.enter();
    std::lock_guard lock(blas.mutex);
    if (!blas.handle) {
      ask(blas.create, &blas.handle);
      ask(blas.set_mathematics, blas.handle, kSumsInFull);
    }
    ask(blas.set_stream, blas.handle, device.tensors());
    const size_t count = a_.at.size();
    if (count > 1 && a_.even && b_.even) return batch(blas, static_cast<int>(count));
    for (size_t i = 0; i < count; ++i) one(blas, i);
  }

 private:
  template <class... P, class... A>
  static void ask(const Call<P...>& call, A... args) {
    if (const int code = call.address(args...); code != 0)
      FUS_BUG("CUDA: {}: cuBLAS gives status {}", call.name, code);
  }

  const void* alpha() const {
    return kind_.wide ? static_cast<const void*>(&alpha_) : static_cast<const void*>(&alpha32_);
  }
  const void* beta() const {
    return kind_.wide ? static_cast<const void*>(&beta_) : static_cast<const void*>(&beta32_);
  }
  static const void* element(const Tensor& t, int64_t at) {
    return t.storage()->data() + at * static_cast<int64_t>(size_of(t.dtype()));
  }
  void* result(size_t i) const {
    const int64_t at = out_->offset() + static_cast<int64_t>(i) * m_ * n_;
    return const_cast<void*>(element(*out_, at));
  }

  void one(const Cublas& blas, size_t i) const {
    ask(blas.multiply, blas.handle, int{right_->turned}, int{left_->turned}, static_cast<int>(n_),
        static_cast<int>(m_), static_cast<int>(k_), alpha(), element(plan_->b, b_.at[i]),
        kind_.type, static_cast<int>(right_->distance), element(plan_->a, a_.at[i]), kind_.type,
        static_cast<int>(left_->distance), beta(), result(i), kind_.type, static_cast<int>(n_),
        kind_.computed, kDefaultAlgorithm);
  }
  void batch(const Cublas& blas, int count) const {
    ask(blas.multiply_batch, blas.handle, int{right_->turned}, int{left_->turned},
        static_cast<int>(n_), static_cast<int>(m_), static_cast<int>(k_), alpha(),
        element(plan_->b, b_.at[0]), kind_.type, static_cast<int>(right_->distance),
        static_cast<long long>(b_.stride()), element(plan_->a, a_.at[0]), kind_.type,
        static_cast<int>(left_->distance), static_cast<long long>(a_.stride()), beta(), result(0),
        kind_.type, static_cast<int>(n_), static_cast<long long>(m_ * n_), count, kind_.computed,
        kDefaultAlgorithm);
  }

  const ContractPlan* plan_ = nullptr;
  const Tensor* out_ = nullptr;
  int64_t m_ = 0, k_ = 0, n_ = 0;
  Kind kind_{};
  std::optional<Operand> left_, right_;
  Batch a_, b_;
  double alpha_ = 1, beta_ = 0;
  float alpha32_ = 1, beta32_ = 0;
};

bool multiply(const ContractPlan& plan, const Tensor& out) {
  Product product;
  if (current_domain() != Domain::Real || !product.read(plan, out)) return false;
  Cublas* blas = cublas();
  if (!blas) return false;
  product.run(this_device(), *blas);
  probe_product.hit();
  return true;
}

std::string needs() {
  try {
    const Cublas* blas = cublas();
    return "cuBLAS: " + (blas ? blas->library : "absent; products run on the cpu");
  } catch (const Error& e) {
    return std::string("cuBLAS: ") + e.what();
  }
}

[[maybe_unused]] const DeviceProducts& registered =
    Table<DeviceProducts>::instance().add({"cuda", &multiply, &needs});

}  // namespace
}  // namespace fusillade::kernel::cuda

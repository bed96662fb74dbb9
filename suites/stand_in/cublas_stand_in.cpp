// The matrix products of the stand-in: the calls that engine/kernel/cublas.cpp asks for, on the
// stand-in's device memory, in the order of a stream. It refuses what cuBLAS refuses: handles that
// are none, distances smaller than columns, types that do not go together.
//
// Matrices lie by columns. f16 and bf16 are summed in f32 and rounded once; a result that is not
// added to is not read.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "suites/stand_in/stand_in.h"

namespace fusillade::stand_in {
namespace {

enum Status : int { kSuccess = 0, kNotInitialised = 1, kIllegal = 7, kExecutionFailed = 13 };
enum Type : int { kF32 = 0, kF64 = 1, kF16 = 2, kBF16 = 14 };
enum Computed : int { kIn32 = 68, kIn64 = 70 };

struct Handle {
  void* stream = nullptr;
};
std::mutex mutex;
std::set<Handle*> handles;

float from_half(uint16_t h) {
  const uint32_t sign = uint32_t{h & 0x8000u} << 16, exponent = h >> 10 & 31, rest = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | rest << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | rest << 13);
  const float small = static_cast<float>(rest) * 0x1p-24f;
  return sign ? -small : small;
}

// To the nearest, ties to even.
uint16_t to_half(float v) { return std::bit_cast<uint16_t>(static_cast<_Float16>(v)); }
uint16_t to_brain(float v) {
  const auto bits = std::bit_cast<uint32_t>(v);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 64);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

size_t size_of(int type) { return type == kF64 ? 8 : type == kF32 ? 4 : 2; }

double load(const char* from, int type, int64_t at) {
  from += at * static_cast<int64_t>(size_of(type));
  if (type == kF64) return *reinterpret_cast<const double*>(from);
  if (type == kF32) return *reinterpret_cast<const float*>(from);
  const uint16_t bits = *reinterpret_cast<const uint16_t*>(from);
  return type == kF16 ? from_half(bits) : std::bit_cast<float>(uint32_t{bits} << 16);
}

void store(char* to, int type, int64_t at, double v) {
  to += at * static_cast<int64_t>(size_of(type));
  const auto narrow = static_cast<float>(v);
  if (type == kF64) *reinterpret_cast<double*>(to) = v;
  else if (type == kF32) *reinterpret_cast<float*>(to) = narrow;
  else *reinterpret_cast<uint16_t*>(to) = type == kF16 ? to_half(narrow) : to_brain(narrow);
}

struct Operand {
  char* data;
  int type, distance;
  int64_t stride;  // between matrices
  bool turned;
  int64_t at(int64_t row, int64_t column) const {
    return turned ? column + row * distance : row + column * distance;
  }
};

struct Asked {
  int m, n, k, count;
  double alpha, beta;
  Operand a, b, c;

  template <class T>
  void run() const {
    for (int batch = 0; batch < count; ++batch)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) element<T>(batch, i, j);
  }
  template <class T>
  void element(int batch, int i, int j) const {
    T sum = 0;
    for (int l = 0; l < k; ++l)
      sum += static_cast<T>(load(a.data, a.type, batch * a.stride + a.at(i, l))) *
             static_cast<T>(load(b.data, b.type, batch * b.stride + b.at(l, j)));
    const int64_t at = batch * c.stride + c.at(i, j);
    T out = static_cast<T>(alpha) * sum;
    if (beta != 0) out += static_cast<T>(beta) * static_cast<T>(load(c.data, c.type, at));
    store(c.data, c.type, at, static_cast<double>(out));
  }
};

// What an operand that lies by columns, so many rows and columns of it, takes.
Range range_of(const Operand& o, int rows, int columns, int count) {
  const int64_t last = (count - 1) * o.stride + int64_t{columns - 1} * o.distance + rows;
  return {reinterpret_cast<unsigned long long>(o.data),
          static_cast<size_t>(last) * size_of(o.type)};
}

double number(const void* at, int computed) {
  return computed == kIn64 ? *static_cast<const double*>(at) : *static_cast<const float*>(at);
}

int ask(Handle* handle, const Asked& given, int computed) {
  void* stream = nullptr;
  {
    std::lock_guard lock(mutex);
    if (handles.count(handle) == 0) return kNotInitialised;
    stream = handle->stream;
  }
  const Asked w = given;
  const bool wide = w.c.type == kF64;
  const bool known = wide || w.c.type == kF32 || w.c.type == kF16 || w.c.type == kBF16;
  if (!known || w.a.type != w.c.type || w.b.type != w.c.type) return kIllegal;
  if (computed != (wide ? kIn64 : kIn32) || w.m < 0 || w.n < 0 || w.k < 0 || w.count < 0)
    return kIllegal;
  const int a_rows = w.a.turned ? w.k : w.m, b_rows = w.b.turned ? w.n : w.k;
  if (w.a.distance < std::max(1, a_rows) || w.b.distance < std::max(1, b_rows) ||
      w.c.distance < std::max(1, w.m))
    return kIllegal;
  if (w.m == 0 || w.n == 0 || w.k == 0 || w.count == 0) return kSuccess;
  const std::vector<Range> ranges{range_of(w.a, a_rows, w.a.turned ? w.m : w.k, w.count),
                                  range_of(w.b, b_rows, w.b.turned ? w.k : w.n, w.count),
                                  range_of(w.c, w.m, w.n, w.count)};
  const int code =
      ask_on_stream(stream, ranges, [w, wide] { wide ? w.run<double>() : w.run<float>(); });
  return code == 0 ? kSuccess : kExecutionFailed;
}

char* bytes(const void* p) { return static_cast<char*>(const_cast<void*>(p)); }

}  // namespace
}  // namespace fusillade::stand_in

using namespace fusillade::stand_in;

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int cublasCreate_v2(Handle** handle) {
  std::lock_guard lock(fusillade::stand_in::mutex);
  *handle = *handles.insert(new Handle).first;
  return kSuccess;
}

EXPORTED int cublasSetStream_v2(Handle* handle, void* stream) {
  std::lock_guard lock(fusillade::stand_in::mutex);
  if (handles.count(handle) == 0) return kNotInitialised;
  handle->stream = stream;
  return kSuccess;
}

EXPORTED int cublasSetMathMode(Handle* handle, int mode) {
  std::lock_guard lock(fusillade::stand_in::mutex);
  if (handles.count(handle) == 0) return kNotInitialised;
  return mode == 0 || mode == 16 ? kSuccess : kIllegal;
}

EXPORTED int cublasGemmStridedBatchedEx(Handle* handle, int transpose_a, int transpose_b, int m,
                                        int n, int k, const void* alpha, const void* a, int a_type,
                                        int lda, long long a_stride, const void* b, int b_type,
                                        int ldb, long long b_stride, const void* beta, void* c,
                                        int c_type, int ldc, long long c_stride, int count,
                                        int computed, int algorithm) {
  if (transpose_a < 0 || transpose_a > 1 || transpose_b < 0 || transpose_b > 1 || algorithm != -1)
    return kIllegal;
  return ask(handle,
             {m,
              n,
              k,
              count,
              number(alpha, computed),
              number(beta, computed),
              {bytes(a), a_type, lda, a_stride, transpose_a == 1},
              {bytes(b), b_type, ldb, b_stride, transpose_b == 1},
              {static_cast<char*>(c), c_type, ldc, c_stride, false}},
             computed);
}

EXPORTED int cublasGemmEx(Handle* handle, int transpose_a, int transpose_b, int m, int n, int k,
                          const void* alpha, const void* a, int a_type, int lda, const void* b,
                          int b_type, int ldb, const void* beta, void* c, int c_type, int ldc,
                          int computed, int algorithm) {
  return cublasGemmStridedBatchedEx(handle, transpose_a, transpose_b, m, n, k, alpha, a, a_type,
                                    lda, 0, b, b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, computed,
                                    algorithm);
}

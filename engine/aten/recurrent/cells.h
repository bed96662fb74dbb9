// The cells of line.h, written once for registers of any size; a file for an instruction
// set includes this between the words that ask the compiler for it.
//
// exp and tanh are libmvec's for such registers where it has them, else each lane's of libm.
#pragma once

#include <cmath>
#include <cstring>

#include "engine/aten/recurrent/line.h"
#include "engine/scalar/libmvec.h"

namespace fusillade {
namespace {

template <class T, int kBytes>
struct Cells {
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));
  typedef T Vector __attribute__((vector_size(kBytes)));
  using Function = Vector (*)(Vector);
  using Line = CellLine<T>;

  // Where a register's worth of elements begins, and how many there are.
  struct Part {
    int64_t first, count;
  };
  static Vector load(const T* line, Part part) {
    Vector x{};
    if (part.count == kLanes) std::memcpy(&x, line + part.first, sizeof x);
    else std::memcpy(&x, line + part.first, static_cast<size_t>(part.count) * sizeof(T));
    return x;
  }
  static void store(T* line, Part part, Vector x) {
    if (part.count == kLanes) std::memcpy(line + part.first, &x, sizeof x);
    else std::memcpy(line + part.first, &x, static_cast<size_t>(part.count) * sizeof(T));
  }
  static Vector of_input(const Line& line, Part part, int gate) {
    return load(line.input + gate * line.width, part) +
           load(line.input_bias + gate * line.width, part);
  }
  static Vector of_state(const Line& line, Part part, int gate) {
    return load(line.state + gate * line.width, part) +
           load(line.state_bias + gate * line.width, part);
  }
  static Vector of_both(const Line& line, Part part, int gate) {
    return of_input(line, part, gate) + of_state(line, part, gate);
  }

  static Vector exponential(Vector x) {
    static const auto all =
        reinterpret_cast<Function>(vector_function("exp", sizeof(T) == 4, kLanes));
    if (all) return all(x);
    for (int64_t i = 0; i < kLanes; ++i) x[i] = std::exp(x[i]);
    return x;
  }
  static Vector tangent(Vector x) {
    static const auto all =
        reinterpret_cast<Function>(vector_function("tanh", sizeof(T) == 4, kLanes));
    if (all) return all(x);
    for (int64_t i = 0; i < kLanes; ++i) x[i] = std::tanh(x[i]);
    return x;
  }
  static Vector sigmoid(Vector x) { return T(1) / (T(1) + exponential(-x)); }

  static void lstm(const Line& line, Part part) {
    const Vector i = sigmoid(of_both(line, part, 0)), f = sigmoid(of_both(line, part, 1));
    const Vector g = tangent(of_both(line, part, 2)), o = sigmoid(of_both(line, part, 3));
    const Vector cell = f * load(line.c, part) + i * g;
    store(line.c, part, cell);
    store(line.h, part, o * tangent(cell));
  }
  static void gru(const Line& line, Part part) {
    const Vector reset = sigmoid(of_both(line, part, 0)), update = sigmoid(of_both(line, part, 1));
    const Vector fresh = tangent(of_input(line, part, 2) + reset * of_state(line, part, 2));
    store(line.h, part, (load(line.h, part) - fresh) * update + fresh);
  }
  static void tanh(const Line& line, Part part) {
    store(line.h, part, tangent(of_both(line, part, 0)));
  }
  static void relu(const Line& line, Part part) {
    const Vector x = of_both(line, part, 0);
    store(line.h, part, x < T(0) ? Vector{} : x);
  }

  template <void (*kCell)(const Line&, Part)>
  static void over(const Line& line) {
    int64_t i = 0;
    for (; i + kLanes <= line.width; i += kLanes) kCell(line, {i, kLanes});
    if (i < line.width) kCell(line, {i, line.width - i});
  }
  static constexpr CellKernels<T> kKernels = {&over<&lstm>, &over<&gru>, &over<&tanh>,
                                              &over<&relu>};
};

}  // namespace
}  // namespace fusillade

// The cells of recurrent layers, for one sequence at one step, by the machine's registers.
#pragma once

#include <cstdint>

namespace fusillade {

// The products of input and state for each gate, and their biases, `width` numbers a gate.
template <class T>
struct CellLine {
  const T *input, *state, *input_bias, *state_bias;
  T *h, *c;  // changed; c of LSTM alone
  int64_t width;
};

template <class T>
struct CellKernels {
  using Kernel = void (*)(const CellLine<T>&);
  Kernel lstm, gru, tanh, relu;
};

// To be called where the machine has AVX-512.
namespace avx512 {
extern const CellKernels<float> kFloatCells;
extern const CellKernels<double> kDoubleCells;
}  // namespace avx512

}  // namespace fusillade

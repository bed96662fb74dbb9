// See drawn_dtype.h.
#include "fuzz/gen/drawn_dtype.h"

#include <iterator>

namespace fusillade::fuzz {
namespace {

constexpr DType kInts[] = {DType::I64, DType::I64, DType::I32, DType::I32,  DType::I16,
                           DType::I8,  DType::U8,  DType::U8,  DType::Bool, DType::Bool};
constexpr DType kFloats[] = {DType::F32, DType::F32, DType::F32, DType::F32, DType::F32,
                             DType::F32, DType::F64, DType::F64, DType::F16, DType::BF16};

}  // namespace

DType drawn_integer(Choices& choices) { return kInts[choices.below(std::size(kInts))]; }
DType drawn_float(Choices& choices) { return kFloats[choices.below(std::size(kFloats))]; }

DType drawn_dtype(Choices& choices, double integers) {
  return choices.chance(integers) ? drawn_integer(choices) : drawn_float(choices);
}

}  // namespace fusillade::fuzz

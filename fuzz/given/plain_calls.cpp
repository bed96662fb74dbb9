// See plain_calls.h.
#include "fuzz/given/plain_calls.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "engine/tensor/shape.h"
#include "fuzz/case/input_range.h"

namespace fusillade::fuzz {
namespace {

constexpr Pattern kRare[] = {Pattern::Huge,      Pattern::NearOne,      Pattern::Negative,
                             Pattern::NotFinite, Pattern::Equal,        Pattern::Tiny,
                             Pattern::Whole,     Pattern::NegativeZero, Pattern::Extremes,
                             Pattern::Zero,      Pattern::Positive,     Pattern::Ascending};

// What becomes of a size at the calls that change one: general ones first.
constexpr struct {
  uint64_t call;
  int64_t times, plus;
} kOtherSizes[] = {{2, 1, 1}, {4, 2, 1}, {6, 0, 1}, {7, 0, 0}};
// At these calls all tensors have a pattern.
constexpr uint64_t kPatterned[] = {1, 3, 5};

// Dimensions that may have other sizes: none of a tensor that has a view among the inputs, or is
// one, for nobody said what a view of other sizes is. A complex number has two parts.
int free_rank(const Given& given, size_t input, const Type& type) {
  const GivenInput& in = given.inputs[input];
  const auto is_viewed = [&](const GivenInput& other) {
    return other.view_of == static_cast<int>(input);
  };
  if (std::ranges::any_of(given.inputs, is_viewed)) return 0;
  if (in.fixed || in.view_of >= 0 || in.offset > 0 || !type.is_tensor()) return 0;
  const TensorInfo& info = type.info();
  if (!info.complete() || info.strides != contiguous_strides(info.sizes)) return 0;
  return info.sizes.rank() - (in.pairs ? 1 : 0);
}

// The size in question: mostly the first tensor's first.
int64_t chosen_size(Choices& choices, const Given& given, const InputTypes& types) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < types.size(); ++i)
    for (int d = 0; d < free_rank(given, i, types[i].second); ++d)
      sizes.push_back(types[i].second.info().sizes[d]);
  if (sizes.empty()) return -1;
  return choices.chance(0.7) ? sizes[0] : choices.pick(sizes);
}

InputTypes with_size(const Given& given, const InputTypes& types, int64_t from, int64_t to) {
  InputTypes out = types;
  for (size_t i = 0; i < types.size(); ++i) {
    const int rank = free_rank(given, i, types[i].second);
    if (rank == 0) continue;
    TensorInfo info = types[i].second.info();
    for (int d = 0; d < rank; ++d)
      if (info.sizes[d] == from) info.sizes[d] = to;
    info.strides = contiguous_strides(info.sizes);
    out[i].second = Type::tensor(info);
  }
  return out;
}

// Integers that index any dimension of the other tensors: the program may use them so, and nobody
// said.
InputTypes with_indices(const Given& given, const InputTypes& types) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i].second.is_tensor() && !has_free_range(given.inputs[i]))
      for (int64_t n : types[i].second.info().sizes) least = std::min(least, n);
  InputTypes out = types;
  if (least < 1 || least == std::numeric_limits<int64_t>::max()) return out;
  for (size_t i = 0; i < types.size(); ++i)
    if (has_free_range(given.inputs[i]) && !given.inputs[i].any_bits &&
        !is_range_name(types[i].first))
      out[i].first = fmt::format("from_0_to_{}_n{}", least - 1, i);
  return out;
}

}  // namespace

Call draw_plain_call(Choices& choices, const Given& given, const InputTypes& types, uint64_t draw,
                     uint64_t call) {
  const InputTypes indices = (draw + call) % 2 ? types : with_indices(given, types);
  const int64_t size = chosen_size(choices, given, types);
  for (const auto& other : kOtherSizes)
    if (other.call == call && size >= 0)
      return draw_call(choices, given,
                       with_size(given, indices, size, size * other.times + other.plus));
  std::optional<Pattern> pattern;
  for (size_t i = 0; i < std::size(kPatterned); ++i)
    if (kPatterned[i] == call)
      pattern = kRare[(draw * std::size(kPatterned) + i) % std::size(kRare)];
  return draw_call(choices, given, indices, pattern);
}

}  // namespace fusillade::fuzz

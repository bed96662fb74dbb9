// See memory.h.
#include "fuzz/given/memory.h"

#include <algorithm>
#include <cstring>

#include "fuzz/case/input_range.h"

namespace fusillade::fuzz {
namespace {

constexpr double kOffset = 0.06;  // of calls
constexpr double kAlias = 0.06;
constexpr int64_t kMostOffset = 17;

int64_t memory_of(const Tensor& t) {
  return static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
}

// Copies elements [from, end) of the buffer of `t` to `base`, shifted by `by` elements.
void copy_memory(const Tensor& t, int64_t from, const Tensor& base, int64_t by) {
  const size_t size = size_of(t.dtype());
  const int64_t count = memory_of(t) - from;
  if (count <= 0) return;
  std::memcpy(base.storage()->data() + static_cast<size_t>(from + by) * size,
              t.storage()->data() + static_cast<size_t>(from) * size,
              static_cast<size_t>(count) * size);
}

// The same elements, shifted by `offset` elements in a larger buffer.
Tensor with_offset(const Tensor& t, int64_t offset) {
  const Tensor base = Tensor::zeros({memory_of(t) + offset}, t.dtype());
  copy_memory(t, 0, base, offset);
  return Tensor::view_of(base, t.offset() + offset, t.sizes(), t.strides());
}

std::vector<size_t> tensors_of_free_layout(const Given& given, const Call& call) {
  std::vector<size_t> out;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const GivenInput& in = given.inputs[i];
    if (!in.fixed && !in.laid_out && call.inputs[i].is_tensor()) out.push_back(i);
  }
  return out;
}

}  // namespace

void lay_out_as_given(const Given& given, const InputTypes& types, Call& call) {
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const GivenInput& in = given.inputs[i];
    if (in.fixed || !call.inputs[i].is_tensor()) continue;
    const TensorInfo& info = types[i].second.info();
    if (in.view_of >= 0) {
      const Tensor base = call.inputs[static_cast<size_t>(in.view_of)].as_tensor();
      call.inputs[i] = Tensor::view_of(base, in.offset, info.sizes, info.strides);
    } else if (in.offset > 0) {
      call.inputs[i] = with_offset(call.inputs[i].as_tensor(), in.offset);
    }
  }
}

void draw_layout(Choices& choices, const Given& given, const InputTypes& types, Call& call) {
  const bool offset = choices.chance(kOffset);
  const bool alias = given.aliases && choices.chance(kAlias);
  if (offset) {
    if (const std::vector<size_t> candidates = tensors_of_free_layout(given, call);
        !candidates.empty()) {
      IValue& v = call.inputs[choices.pick(candidates)];
      v = with_offset(v.as_tensor(), choices.between(1, kMostOffset));
    }
  }
  if (alias) share_memory(choices, given, types, call);
}

bool share_memory(Choices& choices, const Given& given, const InputTypes& types, Call& call) {
  std::vector<std::pair<size_t, size_t>> pairs;
  const std::vector<size_t> candidates = tensors_of_free_layout(given, call);
  for (size_t i : candidates) {
    for (size_t j : candidates) {
      const bool ranged = is_range_name(types[i].first) || is_range_name(types[j].first);
      if (i == j || ranged) continue;
      const Tensor a = call.inputs[i].as_tensor(), b = call.inputs[j].as_tensor();
      if (a.dtype() == b.dtype() && !a.shares_storage(b)) pairs.emplace_back(i, j);
    }
  }
  if (pairs.empty()) return false;
  const auto [i, j] = choices.pick(pairs);
  const Tensor a = call.inputs[i].as_tensor(), b = call.inputs[j].as_tensor();
  const int64_t by = std::max<int64_t>(0, choices.between(-2, 2));
  const Tensor base = Tensor::zeros({std::max(memory_of(a), memory_of(b) + by)}, a.dtype());
  copy_memory(b, 0, base, by);
  copy_memory(a, 0, base, 0);
  call.inputs[i] = Tensor::view_of(base, a.offset(), a.sizes(), a.strides());
  call.inputs[j] = Tensor::view_of(base, b.offset() + by, b.sizes(), b.strides());
  return true;
}

}  // namespace fusillade::fuzz

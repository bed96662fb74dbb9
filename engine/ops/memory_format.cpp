// See memory_format.h.
#include "engine/ops/memory_format.h"

namespace fusillade {
namespace {

constexpr int rank_of(MemoryFormat format) { return format == MemoryFormat::ChannelsLast ? 4 : 5; }

// The dims of channels_last from the innermost on: 1, then from the last to 2, then 0.
int channels_last_dim(int i, int rank) { return i == 0 ? 1 : i == rank - 1 ? 0 : rank - i; }

bool are_channels_last(const Dims& sizes, const Dims& strides) {
  int64_t expected = 1;
  for (int i = 0; i < sizes.rank(); ++i) {
    const int d = channels_last_dim(i, sizes.rank());
    if (sizes[d] == 1) continue;
    if (strides[d] != expected) return false;
    if (__builtin_mul_overflow(expected, sizes[d], &expected)) return false;
  }
  return true;
}

// Do the channels come first in the order of strides? Where both orders could be meant, they do
// not.
bool look_channels_last(const Dims& sizes, const Dims& strides) {
  if (strides[1] == 0) return false;
  int64_t least = 0;
  for (int i = 0; i < sizes.rank(); ++i) {
    const int d = channels_last_dim(i, sizes.rank());
    if (sizes[d] == 0 || strides[d] < least) return false;
    if (d == 0 && least == strides[1]) return false;
    least = strides[d];
    if (sizes[d] > 1 && __builtin_mul_overflow(least, sizes[d], &least)) return false;
  }
  return true;
}

}  // namespace

MemoryFormat memory_format(int64_t number) {
  if (number >= 0 && number <= 3) return static_cast<MemoryFormat>(number);
  fail(
      "{} is no memory format; they are 0 (contiguous_format), 1 (preserve_format), 2 "
      "(channels_last) and 3 (channels_last_3d)",
      number);
}

std::optional<MemoryFormat> asked_format(const Operator& op, std::span<const ArgInfo> args,
                                         MemoryFormat absent) {
  for (size_t i = 0; i < op.schema.args.size() && i < args.size(); ++i) {
    if (op.schema.args[i].name != "memory_format") continue;
    if (!args[i].known) return std::nullopt;
    if (args[i].value.is_none()) return absent;
    return memory_format(args[i].value.as_int());
  }
  return absent;
}

Dims strides_in(const Operator& op, MemoryFormat format, const Dims& sizes) {
  if (format == MemoryFormat::Contiguous) return contiguous_strides(sizes);
  if (format == MemoryFormat::Preserve)
    fail("{}: preserve_format needs a tensor whose format it preserves", op.schema.name);
  const int rank = rank_of(format);
  if (sizes.rank() != rank)
    fail("{}: required rank {} tensor to use {} format, got {}", op.schema.name, rank,
         rank == 4 ? "channels_last" : "channels_last_3d", to_string(sizes));
  return channels_last_strides(sizes);
}

Dims channels_last_strides(const Dims& sizes) {
  const int rank = sizes.rank();
  Dims out(rank);
  int64_t stride = 1;
  for (int i = 0; i < rank; ++i) {
    const int d = channels_last_dim(i, rank);
    out[d] = stride;
    if (__builtin_mul_overflow(stride, sizes[d], &stride))
      fail("{} is too large: its strides do not fit in 63 bits", to_string(sizes));
  }
  return out;
}

Dims strides_like(const Operator& op, MemoryFormat format, const Dims& sizes, const Dims& strides) {
  return format == MemoryFormat::Preserve ? preserved_strides(sizes, strides)
                                          : strides_in(op, format, sizes);
}

bool lies_in(MemoryFormat format, const Dims& sizes, const Dims& strides) {
  if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve)
    return is_contiguous(sizes, strides);
  return sizes.rank() == rank_of(format) && are_channels_last(sizes, strides);
}

MemoryFormat format_of(const Dims& sizes, const Dims& strides) {
  if (sizes.rank() == 4 && look_channels_last(sizes, strides)) return MemoryFormat::ChannelsLast;
  if (sizes.rank() == 5 && look_channels_last(sizes, strides)) return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

}  // namespace fusillade

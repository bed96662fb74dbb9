// Memory formats: the order in which a call asks for the dims of its result to lie in memory.
//
// `preserve` is the operand's own order, the channels_last formats make the channels of an image or
// a volume adjacent in memory. A format changes strides and no element.
#pragma once

#include <optional>
#include <span>

#include "engine/ops/operator.h"

namespace fusillade {

enum class MemoryFormat : uint8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };  // c10's

// That of one of c10's numbers; throws Error on any other.
MemoryFormat memory_format(int64_t number);
// The argument `memory_format`: None, or none at all, is `absent`. Empty if it is known only at run
// time.
std::optional<MemoryFormat> asked_format(const Operator& op, std::span<const ArgInfo> args,
                                         MemoryFormat absent = MemoryFormat::Preserve);
// Strides of a fresh tensor of these sizes. Throws Error when the format is not for that rank, or
// is `preserve`, which means nothing without an operand.
Dims strides_in(const Operator& op, MemoryFormat format, const Dims& sizes);
Dims channels_last_strides(const Dims& sizes);
// Strides of a fresh tensor like one of these: the same where its elements fill their memory, else
// their order.
Dims preserved_strides(const Dims& sizes, const Dims& strides);
// Strides of a fresh tensor like an operand of these.
Dims strides_like(const Operator& op, MemoryFormat format, const Dims& sizes, const Dims& strides);
// Do these strides lie in the format? `preserve` asks for the usual order.
bool lies_in(MemoryFormat format, const Dims& sizes, const Dims& strides);
// The format that strides imply where a call has nothing else to go by, as ATen guesses it.
MemoryFormat format_of(const Dims& sizes, const Dims& strides);

}  // namespace fusillade

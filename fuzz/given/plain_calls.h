// Inputs of plain Python, by the place of their call in a judgement. What is compiled is kept from
// call to call, so that sizes which change are seen to change, and it is compiled anew.
#pragma once

#include "fuzz/given/given.h"

namespace fusillade::fuzz {

// `draw`: the judgement's number. Some calls have one size replaced by another wherever it stands,
// some have tensors whose values have in common what values drawn one by one have not: magnitude,
// closeness to 1, no fraction, infinities. In every second call, integer tensors index the others.
Call draw_plain_call(Choices& choices, const Given& given, const InputTypes& types, uint64_t draw,
                     uint64_t call);

}  // namespace fusillade::fuzz

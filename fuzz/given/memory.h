// Where the tensors of a drawn call lie: as given, and now and then elsewhere than at the beginning
// of a buffer of their own.
#pragma once

#include "fuzz/given/given.h"

namespace fusillade::fuzz {

// What --rand gave: offsets, and inputs that are views of others.
void lay_out_as_given(const Given& given, const InputTypes& types, Call& call);

// Now and then, where nothing is given: an offset; one memory of two inputs where the program takes
// it.
void draw_layout(Choices& choices, const Given& given, const InputTypes& types, Call& call);

// Makes an input's memory that of another one, or a part that overlaps. False: no two may.
bool share_memory(Choices& choices, const Given& given, const InputTypes& types, Call& call);

}  // namespace fusillade::fuzz

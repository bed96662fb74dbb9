// libmvec: glibc's vector functions, which compute several lanes at once, at most 4 ulp off.
//
// Those named in `vector_function`'s list are within that by `fusillade ulps` (glibc 2.36), which
// asks all floats of those of one argument, and doubles drawn; none but two leave the range of
// their function. erff of 16 lanes comes within 0.001 of 4 ulp, close to 3.6533, and is left out.
#pragma once

#include <string_view>

namespace fusillade {

// The function `name` of number.h on `lanes` floats (single) or doubles in one register, as
// `V f(V)` or `V f(V, V)`; null where libmvec.so.1 is absent, has none that passed, or the machine
// lacks the registers.
void* vector_function(std::string_view name, bool single, int lanes);
// May its result be a unit in the last place beyond 1 or -1? So are cosines of four and eight
// doubles close to multiples of pi, one in 20,000, and sines of 78 floats of all, in registers of
// eight and sixteen. The caller clamps it to [-1, 1]: a cosine above 1 has no angle.
bool leaves_one(std::string_view name);

}  // namespace fusillade

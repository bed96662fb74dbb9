// libmvec: glibc's vector functions, which compute several lanes at once, at most 4 ulp off.
//
// Those named in `vector_function`'s list passed a check against a wider type on NaN, infinities,
// zeros, denormals and huge arguments (glibc 2.36; samples of at least 2^22 floats and 10^6 doubles
// a variant, so no proof: only logf on [0.5, 4), of 4 and 8 lanes, was asked for every float; 3.97
// ulp near 0.88 is the worst seen). erff of 16 lanes comes within 0.001 of 4 ulp on the sample,
// near 3.6533, and is left out.
#pragma once

#include <string_view>

namespace fusillade {

// The function `name` of number.h on `lanes` floats (single) or doubles in one register, as
// `V f(V)` or `V f(V, V)`; null where libmvec.so.1 is absent, has none that passed, or the machine
// lacks the registers.
void* vector_function(std::string_view name, bool single, int lanes);

}  // namespace fusillade

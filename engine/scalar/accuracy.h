// How far an implementation of a scalar function may be from the true value: ulps of the compute
// type, the largest over all back ends. Basic arithmetic, sqrt, rounding and fmod are correctly
// rounded everywhere.
//
// Sources: glibc 2.36's libm states at most 2 ulp for these functions ("Errors in Math Functions"
// of its manual) but for lgamma; its vector library libmvec states at most 4.
#pragma once

namespace fusillade::accuracy {

inline constexpr double kTranscendental = 4;
// lgamma cancels near its zeros at 1 and 2: ulps of max(1, |value|).
inline constexpr double kLgamma = 16;

}  // namespace fusillade::accuracy

// Python's format specifications: what follows ':' in "{:>8}".format(x) and f"{x:.2f}".
#pragma once

#include <string>

#include "engine/ops/ivalue.h"

namespace fusillade {

// format(v, spec) of Python for str, int, float and bool: [[fill]align][sign][#][0][width][, or
// _][.precision][type]. An empty spec takes every value. Throws Error (ValueError, TypeError) where
// Python does, for the type 'n', which depends on a locale, and for widths and precisions beyond a
// million.
std::string python_format_value(const IValue& v, const std::string& spec);

}  // namespace fusillade

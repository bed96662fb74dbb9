// Strings as Python sees them: sequences of code points; and values as Python writes them.
//
// Bytes that are not UTF-8 are preserved: they decode to 0xDC00 + byte and encode back to the byte.
#pragma once

#include <span>
#include <string>

#include "engine/ops/ivalue.h"

namespace fusillade {

std::u32string decode_utf8(const std::string& utf8);
std::string encode_utf8(std::u32string_view text);
// str(v) and repr(v) of Python for every value but objects, which are described. Lists, tuples and
// dicts show their items by repr, tensors their elements (tensor_text.h). Throws Unsupported where
// the text of a container is longer than kMostText.
constexpr size_t kMostText = size_t{1} << 24;  // bytes
std::string python_str(const IValue& v);
std::string python_repr(const IValue& v);
// float(text): blanks around, a sign, underscores between digits, inf and nan; beyond the range inf
// or 0. False: no float.
bool python_float(const std::string& text, double* value);
// "{} and {1!r} and {:>{}}".format(args...): fields in order or numbered, conversions !s and !r,
// specs (format_spec.h), which may hold fields; no names. Throws Error.
std::string python_format(const std::string& text, std::span<const IValue> args);
// "%d of %s" % (args...): %s %r %d %i %f %e %g %x %o %c %% with flags, width and precision. Throws
// Error.
std::string python_percent(const std::string& text, std::span<const IValue> args);

}  // namespace fusillade

// Elements of large tensors in case files: compressed by zlib, as base64.
//
// The bytes are those of the elements in row-major order, little-endian, a bool one byte. They
// come back bit for bit, NaNs with their payloads. Text comes from strangers: that it can hold so
// many bytes is seen before memory is taken for them, and what it unpacks to must be as many.
#pragma once

#include <string>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace fusillade::fuzz {

struct Case;

// The text of a tensor's elements.
std::string pack_elements(const Tensor& t);

// Why `text` cannot hold `bytes` bytes, judged by its length; or empty.
std::string unpackable(std::string_view text, size_t bytes);

// Fills the tensor's elements. Throws Error.
void unpack(std::string_view text, const Tensor& t);

// The text of a case with every element written out, for builds that read nothing newer than
// version 3.
std::string print_unpacked(const Case& c);

}  // namespace fusillade::fuzz

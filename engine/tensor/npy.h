// NumPy's .npy files, versions 1 to 3 (numpy.lib.format), little-endian.
//
// bf16, which NumPy lacks, is written as <V2, as ml_dtypes does. Fortran order is read and becomes
// contiguous. A file is not trusted: header, shape and length must agree before anything is
// allocated.
#pragma once

#include <string>
#include <string_view>

#include "engine/tensor/tensor.h"

namespace fusillade {

// Throws Error naming the file and what is wrong with it.
Tensor load_npy(const std::string& path);
// The same of a file's bytes; messages call the file `name`.
Tensor parse_npy(std::string_view bytes, const std::string& name);
void save_npy(const std::string& path, const Tensor& t);

}  // namespace fusillade

// The text of a tensor, as str(x) and print(x) give it in eager PyTorch.
#pragma once

#include <string>

#include "engine/tensor/tensor.h"

namespace fusillade {

// "tensor([[1.0000, 0.5000],\n        [2.0000, 3.0000]])", "tensor([], dtype=torch.int64)". Numbers
// with four digits after the point in one width, in scientific form where they spread too far;
// lines of 80 columns; of more than 1000 elements the first and last three of each dim. Source:
// torch.set_printoptions and its documented defaults; checked against PyTorch 1.13.1 by
// suites/python/test_format.py. A tensor that is not on the cpu names its device:
// "tensor([1.], device='cuda:0')".
std::string tensor_text(const Tensor& t);

}  // namespace fusillade

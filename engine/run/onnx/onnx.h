// ONNX models, read as modules: a graph of operators in a protocol buffer, with its tensors.
//
// The graph becomes `forward` of a module whose attributes are the initialisers. Dtypes and sizes
// of inputs are those that the model declares, so every run checks them; sizes that it names but
// leaves open stay open. Integers that only carry sizes (Shape, Gather, Concat to Reshape) are
// computed while the model is read. Nothing of the file is run.
#pragma once

#include <string>
#include <string_view>

#include "engine/ir/unit.h"

namespace fusillade::onnx {

// `folder`: where the model lies, with which files may hold its tensors; null: none do. Throws
// Error naming the label, the node and what is wrong.
Module read_model(std::string_view bytes, const std::string& label, const std::string* folder);

}  // namespace fusillade::onnx

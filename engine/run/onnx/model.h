// An ONNX model as its file has it: what of onnx.proto Fusillade reads. Views lie in the file's
// bytes. (onnx.ai/onnx/repo-docs/IR.html)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/run/onnx/wire.h"
#include "engine/tensor/tensor.h"

namespace fusillade::onnx {

// TensorProto.DataType
inline constexpr int64_t kString = 8;

struct GraphText;

struct AttributeText {
  std::string name;
  int64_t type = 0;
  float real = 0;
  int64_t integer = 0;
  std::string_view bytes;
  std::vector<float> reals;
  std::vector<int64_t> integers;
  std::vector<std::string> strings;
  std::optional<std::string_view> tensor;  // the message
  std::optional<std::string_view> graph;   // the message
};

struct NodeText {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<AttributeText> attributes;
  size_t number = 0;  // in its graph
};

// A size is a number, a symbol's name or neither.
struct SizeText {
  int64_t value = -1;
  std::string symbol;
};

struct ValueText {
  std::string name;
  int64_t data_type = 0;
  bool is_tensor = false, has_shape = false;
  std::vector<SizeText> sizes;
};

struct TensorText {
  std::string name;
  std::string_view message;
};

struct GraphText {
  std::string name;
  std::vector<NodeText> nodes;
  std::vector<TensorText> tensors;  // initialisers
  std::vector<ValueText> inputs, outputs;
};

struct ModelText {
  int64_t ir_version = 0;
  std::map<std::string, int64_t> opsets;  // by domain; "ai.onnx" is ""
  GraphText graph;
};

// Throws Error naming `label`, which must live as long as what is read.
ModelText read_text(std::string_view bytes, const std::string& label);
// `at`: how deep messages are nested there.
GraphText graph_text(Wire wire, const std::string& label);
GraphText graph_text(std::string_view message, const std::string& label);

// The files beside the model that hold elements of its tensors.
struct Beside {
  std::string folder;
  uint64_t left = kMaxFileBytes;  // bytes that may yet be read
};

// A tensor of the file; of other files where `beside` is not null. Throws Error naming the tensor.
Tensor tensor_of(std::string_view message, const std::string& label, Beside* beside = nullptr);
// Throws Error for those that Fusillade lacks: "uint64", "string".
DType dtype_of(int64_t data_type);

}  // namespace fusillade::onnx

// See model.h. Numbers of fields are those of onnx.proto.
#include "engine/run/onnx/model.h"

#include "engine/base/error.h"

namespace fusillade::onnx {
namespace {

constexpr size_t kMaxNodes = 1u << 20;  // of a graph

AttributeText attribute_of(Wire wire) {
  AttributeText out;
  while (wire.next()) {
    switch (wire.field()) {
      case 1:
        out.name = wire.text();
        break;
      case 2:
        out.real = wire.real();
        break;
      case 3:
        out.integer = wire.integer();
        break;
      case 4:
        out.bytes = wire.bytes();
        break;
      case 5:
        out.tensor = wire.bytes();
        break;
      case 6:
        out.graph = wire.bytes();
        break;
      case 7:
        wire.add_to(out.reals);
        break;
      case 8:
        wire.add_to(out.integers);
        break;
      case 9:
        out.strings.push_back(wire.text());
        break;
      case 20:
        out.type = wire.integer();
        break;
      default:
        break;
    }
  }
  return out;
}

NodeText node_of(Wire wire) {
  NodeText out;
  while (wire.next()) {
    switch (wire.field()) {
      case 1:
        out.inputs.push_back(wire.text());
        break;
      case 2:
        out.outputs.push_back(wire.text());
        break;
      case 3:
        out.name = wire.text();
        break;
      case 4:
        out.op = wire.text();
        break;
      case 5:
        out.attributes.push_back(attribute_of(wire.message()));
        break;
      case 7:
        out.domain = wire.text();
        break;
      default:
        break;
    }
  }
  if (out.domain == "ai.onnx") out.domain.clear();
  return out;
}

SizeText size_of_dimension(Wire wire) {
  SizeText out;
  while (wire.next()) {
    if (wire.field() == 1) out.value = wire.integer();
    else if (wire.field() == 2) out.symbol = wire.text();
  }
  return out;
}

void tensor_type(Wire wire, ValueText& out) {
  out.is_tensor = true;
  while (wire.next()) {
    if (wire.field() == 1) out.data_type = wire.integer();
    if (wire.field() != 2) continue;
    out.has_shape = true;
    for (Wire shape = wire.message(); shape.next();)
      if (shape.field() == 1) out.sizes.push_back(size_of_dimension(shape.message()));
  }
}

ValueText value_of(Wire wire) {
  ValueText out;
  while (wire.next()) {
    if (wire.field() == 1) out.name = wire.text();
    if (wire.field() != 2) continue;
    for (Wire type = wire.message(); type.next();)
      if (type.field() == 1) tensor_type(type.message(), out);
  }
  return out;
}

TensorText tensor_text(std::string_view message, const std::string& label) {
  TensorText out;
  out.message = message;
  for (Wire wire(message, label); wire.next();)
    if (wire.field() == 8) out.name = wire.text();
  return out;
}

void add_opset(Wire wire, ModelText& out) {
  std::string domain;
  int64_t version = 0;
  while (wire.next()) {
    if (wire.field() == 1) domain = wire.text();
    else if (wire.field() == 2) version = wire.integer();
  }
  out.opsets[domain == "ai.onnx" ? "" : domain] = version;
}

}  // namespace

GraphText graph_text(Wire wire, const std::string& label) {
  GraphText out;
  while (wire.next()) {
    switch (wire.field()) {
      case 1:
        if (out.nodes.size() == kMaxNodes) fail("'{}': more than {} nodes", label, kMaxNodes);
        out.nodes.push_back(node_of(wire.message()));
        out.nodes.back().number = out.nodes.size();
        break;
      case 2:
        out.name = wire.text();
        break;
      case 5:
        out.tensors.push_back(tensor_text(wire.bytes(), label));
        break;
      case 11:
        out.inputs.push_back(value_of(wire.message()));
        break;
      case 12:
        out.outputs.push_back(value_of(wire.message()));
        break;
      case 15:
        fail("'{}': sparse initialisers are not supported", label);
      default:
        break;
    }
  }
  return out;
}

GraphText graph_text(std::string_view message, const std::string& label) {
  return graph_text(Wire(message, label), label);
}

ModelText read_text(std::string_view bytes, const std::string& label) {
  ModelText out;
  std::optional<std::string_view> graph;
  std::string function;
  for (Wire wire(bytes, label); wire.next();) {
    switch (wire.field()) {
      case 1:
        out.ir_version = wire.integer();
        break;
      case 7:
        graph = wire.bytes();
        break;
      case 8:
        add_opset(wire.message(), out);
        break;
      case 20:
        fail("'{}': training information (training_info) is not supported", label);
      case 25:
        for (Wire inner = wire.message(); inner.next();)
          if (inner.field() == 1) function = inner.text();
        fail("'{}': functions of a model's own ('{}') are not supported; onnx.inliner inlines them",
             label, function);
      default:
        break;
    }
  }
  if (!graph) fail("'{}': no model: it has no graph", label);
  if (!out.opsets.count("")) fail("'{}': it imports no opset of ai.onnx", label);
  out.graph = graph_text(*graph, label);
  return out;
}

}  // namespace fusillade::onnx

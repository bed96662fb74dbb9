// See graph_text.h.
#include "engine/run/exported/graph_text.h"

#include "engine/base/error.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/meta.h"

namespace fusillade::exported {
namespace {

std::string sizes_text(const Dims& dims) {
  std::vector<std::string> out;
  for (const int64_t d : dims) out.push_back(only("as_int", std::to_string(d)));
  return array_text(out);
}

std::string object_text(const std::map<std::string, std::string>& values) {
  std::string out;
  for (const auto& [name, text] : values)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", quoted(name), text);
  return "{" + out + "}";
}

}  // namespace

std::string meta_text(const Tensor& tensor, bool requires_grad) {
  return fmt::format(
      "{{\"dtype\": {}, \"sizes\": {}, \"requires_grad\": {}, \"device\": {}, \"strides\": {}, "
      "\"storage_offset\": {{\"as_int\": {}}}, \"layout\": {}}}",
      code_of(tensor.dtype()), sizes_text(tensor.sizes()), flag_text(requires_grad),
      R"({"type": "cpu", "index": null})", sizes_text(tensor.strides()), tensor.offset(), kStrided);
}

void GraphText::add_node(const NodeText& node) {
  std::string metadata = "{}";
  if (!node.place.empty()) metadata = only("stack_trace", quoted(node.place));
  nodes_.push_back(
      fmt::format("{{\"target\": {}, \"inputs\": {}, \"outputs\": {}, \"metadata\": {}, "
                  "\"is_hop_single_tensor_return\": {}, \"name\": {}}}",
                  quoted(node.target), array_text(node.inputs), array_text(node.outputs), metadata,
                  node.higher_order ? "false" : "null", quoted(node.name)));
}

void GraphText::describe(const std::string& name, const Tensor& tensor, bool requires_grad) {
  tensors_[name] = meta_text(tensor, requires_grad);
}

void GraphText::describe(const std::string& name, const IValue& number, const std::string& symbol) {
  auto& values = number.is_int() ? ints_ : number.is_bool() ? bools_ : floats_;
  values[name] =
      only("as_expr", fmt::format("{{\"expr_str\": {}, \"hint\": null}}", quoted(symbol)));
}

std::string GraphText::finish(const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs, bool single) const {
  return fmt::format(
      "{{\"inputs\": {}, \"outputs\": {}, \"nodes\": {}, \"tensor_values\": {}, "
      "\"sym_int_values\": {}, \"sym_bool_values\": {}, \"is_single_tensor_return\": {}, "
      "\"custom_obj_values\": {{}}, \"sym_float_values\": {}}}",
      array_text(inputs), array_text(outputs), array_text(nodes_), object_text(tensors_),
      object_text(ints_), object_text(bools_), flag_text(single), object_text(floats_));
}

}  // namespace fusillade::exported

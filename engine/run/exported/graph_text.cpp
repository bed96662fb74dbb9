// See graph_text.h.
#include "engine/run/exported/graph_text.h"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "engine/base/error.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/meta.h"

namespace fusillade::exported {
namespace {

// Strides of elements that fill their memory are products of sizes, in whatever order.
std::vector<std::string> strides_of(const Tensor& tensor, const Dims& sizes,
                                    const SymbolTexts& symbols) {
  std::vector<int> order(static_cast<size_t>(tensor.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int d) { return std::pair(-tensor.strides()[d], d); });
  std::vector<std::string> out(order.size());
  std::vector<int64_t> within;
  int64_t filled = 1;
  for (const int d : std::views::reverse(order)) {
    const int64_t stride = tensor.strides()[d];
    const bool fills = stride == filled && tensor.sizes()[d] > 0;
    out[static_cast<size_t>(d)] = fills ? symbols.product_text(within) : symbols.size_text(stride);
    if (!fills) continue;
    filled *= tensor.sizes()[d];
    within.push_back(sizes[d]);
  }
  return out;
}

std::string object_text(const std::map<std::string, std::string>& values) {
  std::string out;
  for (const auto& [name, text] : values)
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", quote(name), text);
  return "{" + out + "}";
}

}  // namespace

std::string meta_text(const Tensor& tensor, bool requires_grad, const Dims& sizes,
                      const SymbolTexts& symbols) {
  std::vector<std::string> texts;
  for (const int64_t size : sizes) texts.push_back(symbols.size_text(size));
  return fmt::format(R"({{"dtype": {}, "sizes": {}, "requires_grad": {}, )"
                     R"("device": {{"type": "cpu", "index": null}}, "strides": {}, )"
                     R"("storage_offset": {{"as_int": {}}}, "layout": {}}})",
                     code_of(tensor.dtype()), array_text(texts), flag_text(requires_grad),
                     array_text(strides_of(tensor, sizes, symbols)), tensor.offset(), kStrided);
}

std::string meta_text(const Tensor& tensor, bool requires_grad) {
  return meta_text(tensor, requires_grad, tensor.sizes(), SymbolTexts());
}

void GraphText::add_node(const NodeText& node) {
  std::string metadata = "{}";
  if (!node.place.empty()) metadata = only("stack_trace", quote(node.place));
  nodes_.push_back(
      fmt::format("{{\"target\": {}, \"inputs\": {}, \"outputs\": {}, \"metadata\": {}, "
                  "\"is_hop_single_tensor_return\": {}, \"name\": {}}}",
                  quote(node.target), array_text(node.inputs), array_text(node.outputs), metadata,
                  node.higher_order ? "false" : "null", quote(node.name)));
}

void GraphText::describe_number(const std::string& name, const IValue& example,
                                const std::string& expression) {
  auto& values = example.is_int() ? ints_ : example.is_bool() ? bools_ : floats_;
  values[name] =
      only("as_expr", fmt::format("{{\"expr_str\": {}, \"hint\": null}}", quote(expression)));
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

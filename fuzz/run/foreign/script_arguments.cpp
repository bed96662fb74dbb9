// See script_arguments.h.
#include "fuzz/run/foreign/script_arguments.h"

#include "engine/base/text.h"
#include "fuzz/run/foreign/python_source.h"
#include "fuzz/run/python/worker.h"

namespace fusillade::fuzz {
namespace {

int sharing(const IValue& v, const Tensor& t) {
  if (v.is_tensor()) return v.as_tensor().shares_storage(t);
  int count = 0;
  if (v.is_sequence())
    for (const IValue& item : v.items()) count += sharing(item, t);
  return count;
}

void collect(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor()) return out.push_back(v.as_tensor());
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) collect(item, out);
}

}  // namespace

TorchArguments::TorchArguments(const Call& call, const std::vector<bool>& used, bool exact)
    : call_(call), exact_(exact), by_input_(call.inputs.size()) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!used[i]) continue;
    by_input_[i] = fmt::format("x{}", names.size());
    names.push_back(by_input_[i]);
    list.push_back(value(call.inputs[i]));
  }
}

const std::string& TorchArguments::name_of(size_t input) const { return by_input_.at(input); }

std::string TorchArguments::value(const IValue& v) {
  if (v.is_tensor()) return tensor(v.as_tensor());
  if (v.is_sequence()) {
    std::vector<std::string> items;
    for (const IValue& item : v.items()) items.push_back(value(item));
    if (v.tag() != IValue::Tag::Tuple) return "[" + join(items, ", ") + "]";
    return "(" + join(items, ", ") + (items.size() == 1 ? ",)" : ")");
  }
  if (v.is_float()) return number_text(v.as_double(), DType::F64, kTorchDialect);
  if (v.tag() == IValue::Tag::Device)
    return "torch.device(" + python_string(to_string(v.as_device())) + ")";
  if (v.tag() == IValue::Tag::Str) return python_string(v.as_str());
  if (v.is_none() || v.is_number()) return python_text(v);
  decline("no Python for a value\n{}", describe(v));
}

std::string TorchArguments::tensor(const Tensor& t) {
  int64_t count = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
  int users = 0;
  for (const IValue& v : call_.inputs) users += sharing(v, t);
  if (t.is_contiguous() && users == 1 && t.numel() == count) return array_text(t, kTorchDialect);
  size_t k = 0;
  while (k < memories_.size() && !memories_[k].shares_storage(t)) ++k;
  std::string memory = fmt::format("m{}", k);
  if (k == memories_.size()) {
    memories_.push_back(t);
    std::string all = array_text(Tensor::view_of(t, 0, {count}, {1}), kTorchDialect);
    if (users == 1 && !exact_) memory = all;
    else lines.push_back(memory + " = " + all);
  }
  std::string strides = sizes_text(t.strides());
  if (!exact_)
    return fmt::format("{}.as_strided({}, {}{})", memory, sizes_text(t.sizes()), strides,
                       t.offset() ? fmt::format(", {}", t.offset()) : "");
  return fmt::format("torch.empty(0, dtype=torch.{}).set_({}.storage(), {}, {}, {})",
                     python_name(t.dtype()), memory, t.offset(), sizes_text(t.sizes()), strides);
}

std::vector<std::string> dense_arguments(const Call& call, const Dialect& dialect) {
  std::vector<Tensor> tensors;
  for (const IValue& v : call.inputs) collect(v, tensors);
  std::vector<std::string> out;
  for (const Tensor& t : tensors) out.push_back(array_text(t, dialect));
  return out;
}

void add_array_indices(const IValue& v, const std::string& place, std::vector<std::string>& out) {
  if (v.is_tensor()) out.push_back(place);
  if (!v.is_sequence()) return;
  for (size_t i = 0; i < v.items().size(); ++i)
    add_array_indices(v.items()[i], fmt::format("{}[{}]", place, i), out);
}

}  // namespace fusillade::fuzz

// Devices (device.h), and what serialised modules ask of a tensor beside.
#include "engine/ops/device.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/ops/scalar_row.h"

namespace fusillade {
namespace {

constexpr std::array kTypes = {"cpu",    "cuda", "ipu",  "xpu",  "mkldnn",       "opengl", "opencl",
                               "ideep",  "hip",  "ve",   "fpga", "ort",          "xla",    "lazy",
                               "vulkan", "mps",  "meta", "hpu",  "privateuseone"};
constexpr size_t kDigits = 3;  // c10 holds an index in a byte

void infer_same(const Row&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  results.push_back(args[0].type);
}

void run_cuda(const Row&, std::span<const IValue>, std::vector<IValue>&) {
  fail("there is no device 'cuda' for Tensor.cuda(): tensors are on 'cpu'");
}

void add_cuda() {
  Row r;
  r.schema = parse_schema("aten::cuda(Tensor(a) self) -> Tensor(b|a)");
  r.name = r.schema.full_name();
  r.kind = OpKind::Opaque;
  r.family = "device";
  r.run = &run_cuda;
  r.infer = &infer_same;
  r.roles = {Role::Default};
  r.generate = false;
  r.metadata = true;
  RowTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions meta;
  meta.generate = false;
  meta.metadata = true;
  add_scalar(
      "prim::device(Tensor a) -> Device",
      [](std::span<const IValue>) { return IValue::str("cpu"); }, meta);
  ScalarOptions named;
  named.generate = false;
  add_scalar(
      "aten::device(str a) -> Device",
      [](std::span<const IValue> v) {
        const std::string& name = v[0].as_str();
        if (!is_device_name(name))
          fail("'{}' is no device: 'cpu' or 'cuda' are, and 'cpu:0' with an index", name);
        return v[0];
      },
      named);
  add_scalar(
      "aten::eq.device(Device a, Device b) -> bool",
      [](std::span<const IValue> v) { return IValue(v[0].as_str() == v[1].as_str()); }, named);
  add_scalar(
      "aten::ne.device(Device a, Device b) -> bool",
      [](std::span<const IValue> v) { return IValue(v[0].as_str() != v[1].as_str()); }, named);
  add_scalar(
      "prim::type(Device self) -> str",
      [](std::span<const IValue> v) {
        return IValue::str(std::string(device_type(v[0].as_str())));
      },
      named);
  add_scalar(
      "prim::index(Device self) -> int?",
      [](std::span<const IValue> v) { return device_index(v[0].as_str()); }, named);
  for (const char* name : {"is_cuda", "is_mps", "is_nested", "is_sparse", "is_quantized",
                           "requires_grad"})  // gradients are not tracked
    add_scalar(
        fmt::format("prim::{}(Tensor a) -> bool", name),
        [](std::span<const IValue>) { return IValue(false); }, meta);
  add_scalar(
      "prim::is_cpu(Tensor a) -> bool", [](std::span<const IValue>) { return IValue(true); }, meta);
  add_scalar(
      "aten::is_leaf(Tensor self) -> bool", [](std::span<const IValue>) { return IValue(true); },
      meta);
  add_cuda();
  return true;
}();

}  // namespace

std::string_view device_type(std::string_view name) { return name.substr(0, name.find(':')); }

IValue device_index(std::string_view name) {
  size_t colon = name.find(':');
  if (colon == std::string_view::npos) return IValue();
  int64_t index = 0;
  std::from_chars(name.data() + colon + 1, name.data() + name.size(), index);
  return IValue(index);
}

bool is_device_name(std::string_view name) {
  std::string_view type = device_type(name);
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) return false;
  if (type.size() == name.size()) return true;
  std::string_view digits = name.substr(type.size() + 1);
  if (digits.empty() || digits.size() > kDigits || (digits[0] == '0' && digits.size() > 1))
    return false;
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_cpu(std::string_view name) { return is_device_name(name) && device_type(name) == "cpu"; }

void check_on_cpu(const Row& row, std::span<const ArgInfo> args) {
  for (size_t i = 0; i < args.size() && i < row.schema.args.size(); ++i) {
    const IValue& v = args[i].value;
    bool device =
        row.schema.args[i].name == "device" && args[i].known && v.tag() == IValue::Tag::Str;
    if (device && !is_cpu(v.as_str()))
      fail("{}: there is no device '{}': tensors are on 'cpu'", row.schema.name, v.as_str());
  }
}

}  // namespace fusillade

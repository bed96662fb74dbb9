// See targets.h. (law: rules name ops)
#include "engine/run/exported/targets.h"

#include <string_view>

#include "engine/front/script.h"

namespace fusillade::exported {
namespace {

constexpr std::string_view kOps = "torch.ops.";
constexpr std::string_view kDefault = ".default";

// Python's operators on sizes, and what sizes are asked for. A name that ends in a dot is of
// whichever overload takes the arguments.
constexpr std::pair<std::string_view, const char*> kPython[] = {
    {"_operator.eq", "aten::eq."},
    {"_operator.ne", "aten::ne."},
    {"_operator.le", "aten::le."},
    {"_operator.ge", "aten::ge."},
    {"_operator.lt", "aten::lt."},
    {"_operator.gt", "aten::gt."},
    {"_operator.neg", "aten::neg."},
    {"_operator.add", "aten::add."},
    {"_operator.sub", "aten::sub."},
    {"_operator.mul", "aten::mul."},
    {"_operator.floordiv", "aten::floordiv."},
    {"_operator.truediv", "aten::div."},
    {"_operator.mod", "aten::remainder."},
    {"_operator.pow", "aten::pow."},
    {"_operator.and_", "aten::__and__."},
    {"_operator.or_", "aten::__or__."},
    {"_operator.lshift", "aten::__lshift__."},
    {"_operator.rshift", "aten::__rshift__."},
    {"torch.sym_not", "aten::__not__."},
    {"torch.sym_int", "aten::Int."},
    {"math.trunc", "aten::Int."},
    {"math.ceil", "aten::ceil."},
    {"math.floor", "aten::floor."},
    {"torch.sym_float", "aten::Float."},
    {"torch.sym_max", "prim::max."},
    {"torch.sym_min", "prim::min."},
    {"torch.sym_sqrt", "aten::sqrt."},
    {"torch.ops.aten.sym_size.int", "aten::size.int"},
    {"torch.ops.aten.sym_stride.int", "aten::stride.int"},
    {"torch.ops.aten.sym_numel.default", "aten::numel"},
    {"torch.ops.aten.sym_storage_offset.default", "aten::storage_offset"},
    {"torch.ops.aten._local_scalar_dense.default", "aten::item"},
    {"torch.ops.aten.lift_fresh_copy.default", "aten::clone"},
    {"torch.ops.aten.lift_fresh.default", "aten::alias"},
    {"torch.ops.aten.detach_.default", "aten::alias"},  // gradients are asked of nothing
    // What the program saw as a view, for operators' strides, may have other strides here.
    {"torch.ops.aten.view.default", "aten::reshape"},
};

// "torch.ops.aten._softmax.default": "aten__softmax".
std::string function_name(std::string_view target) {
  if (target.starts_with(kOps)) target.remove_prefix(kOps.size());
  if (target.ends_with(kDefault)) target.remove_suffix(kDefault.size());
  std::string out(target);
  for (char& c : out)
    if (c == '.') c = '_';
  return out;
}

}  // namespace

const Function* function_of_target(const std::string& target) {
  static const Script script = compile_script(kTargetsText, "<targets.py>");
  const std::string name = function_name(target);
  if (!script.find(name)) return nullptr;
  return &script.unit->functions.at(name);
}

std::string operator_of_target(const std::string& target) {
  for (const auto& [python, name] : kPython)
    if (python == target) return name;
  std::string_view rest = target;
  if (!rest.starts_with(kOps)) return "";
  rest.remove_prefix(kOps.size());
  if (rest.ends_with(kDefault)) rest.remove_suffix(kDefault.size());
  const size_t dot = rest.find('.');
  if (dot == rest.npos || rest.starts_with("prim.")) return "";  // prims are structure, not calls
  return std::string(rest.substr(0, dot)) + "::" + std::string(rest.substr(dot + 1));
}

std::string python_target(const std::string& base) {
  for (const auto& [python, name] : kPython)
    if (name == base + "." && !std::string_view(python).starts_with(kOps))
      return std::string(python);
  return "";
}

std::string base_of(const std::string& name) { return name.substr(0, name.find('.')); }

}  // namespace fusillade::exported

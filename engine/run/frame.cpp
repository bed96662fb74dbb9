// Shared pieces of the executors; see frame.h.
#include "engine/run/frame.h"

#include "engine/base/options.h"
#include "engine/ir/call_stack.h"

namespace fusillade {
namespace {

const Option<int64_t> kMaxCallDepth("max_call_depth", 256,
                                    "nesting of function calls beyond which a program is refused");

bool tensor_fits(const Tensor& t, const TensorInfo& info) {
  if (!t.defined()) return false;
  if (info.has_dtype && t.dtype() != info.dtype) return false;
  if (info.device && t.device() != *info.device) return false;
  if (info.requires_grad.value_or(false)) return false;
  if (!info.rank_known) return true;
  if (t.rank() != info.sizes.rank()) return false;
  for (int i = 0; i < t.rank(); ++i) {
    if (info.sizes[i] >= 0 && t.sizes()[i] != info.sizes[i]) return false;
    if (info.strides_known && info.strides[i] >= 0 && t.strides()[i] != info.strides[i])
      return false;
  }
  return true;
}

bool fits(const IValue& v, const Type& type) {
  switch (type.kind()) {
    case TypeKind::Tensor:
      return v.is_tensor() && tensor_fits(v.as_tensor(), type.info());
    case TypeKind::Int:
      return v.is_int();
    case TypeKind::Float:
      return v.is_float();
    case TypeKind::Bool:
      return v.is_bool();
    case TypeKind::Optional:
      return v.is_none() || fits(v, type.element());
    case TypeKind::List:
      if (v.tag() != IValue::Tag::List) return false;
      for (const IValue& item : v.items())
        if (!fits(item, type.element())) return false;
      return true;
    case TypeKind::Tuple:
      if (v.tag() != IValue::Tag::Tuple || v.items().size() != type.elements().size()) return false;
      for (size_t i = 0; i < v.items().size(); ++i)
        if (!fits(v.items()[i], type.elements()[i])) return false;
      return true;
    case TypeKind::Union:
      for (const Type& option : type.elements())
        if (fits(v, option)) return true;
      return false;
    case TypeKind::Dict:
      if (v.tag() != IValue::Tag::Dict) return false;
      for (const auto& [key, value] : v.as_dict().items())
        if (!fits(key, type.key()) || !fits(value, type.mapped())) return false;
      return true;
    default:
      return v.type().subtype_of(type);
  }
}

// What a declared type asks of tensors that none here can be.
std::string beyond_reach(const Type& type) {
  if (!type.is_tensor()) return "";
  const TensorInfo& info = type.info();
  if (info.requires_grad.value_or(false)) return ": gradients are not tracked";
  if (info.device && !find_device_row(info.device->type))
    return ": tensors are on " + registered_devices();
  return "";
}

}  // namespace

int max_call_depth() {
  static const int depth = static_cast<int>(kMaxCallDepth.get());
  return depth;
}

void check_inputs(const Graph& graph, const std::vector<IValue>& inputs) {
  const List<Value*>& params = graph.inputs();
  if (inputs.size() != params.size())
    fail("{} takes {} inputs, got {}", graph.name.empty() ? "the program" : graph.name,
         params.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (fits(inputs[i], params[i]->type())) continue;
    fail("input {}{} of {} is {} of type {}; declared is {}{}", i,
         params[i]->name().empty() ? "" : " (" + params[i]->name() + ")",
         graph.name.empty() ? "the program" : graph.name, describe(inputs[i]),
         inputs[i].type().text(), params[i]->type().text(), beyond_reach(params[i]->type()));
  }
}

std::vector<IValue> missing_arguments(const Node* node) {
  const std::vector<SchemaArg>& args = node->row().schema.args;
  std::vector<IValue> out;
  if (node->row().schema.varargs) return out;
  for (size_t i = node->inputs().size(); i < args.size(); ++i) {
    if (!args[i].has_default) fail("{}: argument '{}' is missing", node->row().name, args[i].name);
    out.push_back(args[i].default_value);
  }
  return out;
}

void rethrow_at(const Error& e, const Node* node) {
  std::string_view message = e.what();
  if (!node || !node->range.valid()) throw;
  bool told = message.find("<--- HERE") != std::string_view::npos;
  if (!told) throw Error(node->range.highlight(message) + callers_of(node->range));
  if (!node->is(prim::call_function())) throw;
  throw Error(e.what() + called_here(node));
}

}  // namespace fusillade

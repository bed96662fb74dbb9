// Shared pieces of the executors; see frame.h.
#include "engine/run/frame.h"

#include "engine/ir/call_stack.h"
#include "engine/tensor/device_access.h"

namespace fusillade {
namespace {

// What a declared type asks of tensors that none here can be.
std::string beyond_reach(const Type& type) {
  if (!type.is_tensor()) return "";
  const TensorInfo& info = type.info();
  if (info.device && !why_no_device(*info.device).empty())
    return ": tensors are on " + registered_devices();
  return "";
}

}  // namespace

bool fits(const IValue& v, const Type& type, SymbolSizes& bound) {
  switch (type.kind()) {
    case TypeKind::Tensor:
      return v.is_tensor() && tensor_fits(v.as_tensor(), type.info(), bound);
    case TypeKind::Int:
      return v.is_int();
    case TypeKind::Float:
      return v.is_float();
    case TypeKind::Bool:
      return v.is_bool();
    case TypeKind::Optional:
      return v.is_none() || fits(v, type.element(), bound);
    case TypeKind::List:
      if (v.tag() != IValue::Tag::List) return false;
      for (const IValue& item : v.items())
        if (!fits(item, type.element(), bound)) return false;
      return true;
    case TypeKind::Tuple:
      if (v.tag() != IValue::Tag::Tuple || v.items().size() != type.elements().size()) return false;
      for (size_t i = 0; i < v.items().size(); ++i)
        if (!fits(v.items()[i], type.elements()[i], bound)) return false;
      return true;
    case TypeKind::Union:
      for (const Type& option : type.elements())
        if (fits(v, option, bound)) return true;
      return false;
    case TypeKind::Dict:
      if (v.tag() != IValue::Tag::Dict) return false;
      for (const auto& [key, value] : v.as_dict().items())
        if (!fits(key, type.key(), bound) || !fits(value, type.value_type(), bound)) return false;
      return true;
    default:
      return v.type().subtype_of(type);
  }
}

void check_inputs(const Graph& graph, const std::vector<IValue>& inputs) {
  const List<Value*>& params = graph.inputs();
  if (inputs.size() != params.size())
    fail("{} takes {} inputs, got {}", graph.name.empty() ? "the program" : graph.name,
         params.size(), inputs.size());
  SymbolSizes bound;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (fits(inputs[i], params[i]->type(), bound)) continue;
    fail("input {}{} of {} is {} of type {}; declared is {}{}", i,
         params[i]->name().empty() ? "" : " (" + params[i]->name() + ")",
         graph.name.empty() ? "the program" : graph.name, describe(inputs[i]),
         inputs[i].type().text(), params[i]->type().text(), beyond_reach(params[i]->type()));
  }
}

void rethrow_at(const Error& e, const Node* node) {
  std::string_view message = e.what();
  if (!node || !node->range.valid()) throw;
  bool has_location = message.find("<--- HERE") != std::string_view::npos;
  if (!has_location) throw Error(node->range.highlight(message) + callers_of(node->range));
  if (!node->is(prim::call_function())) throw;
  throw Error(e.what() + called_here(node));
}

}  // namespace fusillade

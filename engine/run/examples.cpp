// See examples.h.
#include "engine/run/examples.h"

#include "engine/run/frame.h"

namespace fusillade {
namespace {

Type narrowed(const Type& declared, const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::List:
    case IValue::Tag::Dict:
    case IValue::Tag::Object:
      return declared;
    case IValue::Tag::Tuple: {
      if (!declared.is(TypeKind::Tuple) || declared.class_type()) return declared;
      std::vector<Type> items;
      for (size_t i = 0; i < v.items().size(); ++i)
        items.push_back(narrowed(declared.elements()[i], v.items()[i]));
      return Type::tuple(std::move(items));
    }
    default:
      return v.type();
  }
}

}  // namespace

std::vector<Type> example_types(const Graph& graph, const std::vector<IValue>& examples) {
  check_inputs(graph, examples);
  std::vector<Type> types;
  for (size_t i = 0; i < examples.size(); ++i)
    types.push_back(narrowed(graph.inputs()[i]->type(), examples[i]));
  return types;
}

}  // namespace fusillade

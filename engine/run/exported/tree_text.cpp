// See tree_text.h.
#include "engine/run/exported/tree_text.h"

#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/json_text.h"

namespace fusillade::exported {
namespace {

using Tag = IValue::Tag;

// `context`: what pytree keeps of a node besides its children, as JSON within a string.
std::string node_text(const char* type, const std::string& context,
                      const std::vector<std::string>& children) {
  return fmt::format(R"({{"type": "{}", "context": {}, "children_spec": {}}})", type,
                     quote(context), array_text(children));
}

}  // namespace

std::string tree_text(const IValue& value) {
  std::vector<std::string> children;
  switch (value.tag()) {
    case Tag::List:
    case Tag::Tuple:
      for (const IValue& v : value.items()) children.push_back(tree_text(v));
      return node_text(value.tag() == Tag::List ? "builtins.list" : "builtins.tuple", "null",
                       children);
    case Tag::Dict: {
      std::vector<std::string> keys;
      for (const auto& [key, v] : value.as_dict().items()) {
        if (key.tag() == Tag::Str) keys.push_back(quote(key.as_str()));
        else if (key.is_int()) keys.push_back(std::to_string(key.as_int()));
        else fail("a dict with a key of type {} cannot be written", key.type());
        children.push_back(tree_text(v));
      }
      return node_text("builtins.dict", array_text(keys), children);
    }
    case Tag::Object:
    case Tag::Enum:
    case Tag::Device:
      fail("a value of type {} cannot be written", value.type());
    default:
      return R"({"type": null, "context": null, "children_spec": []})";
  }
}

std::string arguments_tree(const std::vector<std::string>& trees) {
  return node_text(
      "builtins.tuple", "null",
      {node_text("builtins.tuple", "null", trees), node_text("builtins.dict", "[]", {})});
}

std::string whole_tree(const std::string& tree) { return "[1, " + tree + "]"; }

void each_leaf(const IValue& value, const std::function<void(const IValue&)>& f) {
  each_leaf(Recorded{value, {}}, [&](const Recorded& leaf) { f(leaf.value); });
}

void each_leaf(const Recorded& value, const std::function<void(const Recorded&)>& f) {
  const IValue& v = value.value;
  if (v.is_sequence()) {
    for (size_t i = 0; i < v.items().size(); ++i)
      each_leaf(value.items ? (*value.items)[i] : Recorded{v.items()[i], {}}, f);
  } else if (v.tag() == Tag::Dict) {
    for (const auto& [key, item] : v.as_dict().items()) each_leaf(Recorded{item, {}}, f);
  } else {
    f(value);
  }
}

}  // namespace fusillade::exported

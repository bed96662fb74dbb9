// See interfaces.h.
#include "engine/run/archive/interfaces.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::archive {
namespace {

// "x:Tensor,k:int)->float" of a method: what follows its first parameter, without spaces.
std::string signature_of(const DefinitionText& method) {
  const std::string& text = method.source->text;
  size_t open = text.find('(');
  if (open == std::string::npos) return "";
  std::string out;
  int depth = 0;
  bool first = true;
  for (size_t at = open; at < text.size(); ++at) {
    char c = text[at];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth == 0 && c == ':') break;
    if (first && depth == 1 && c == ',') first = false;
    else if (depth == 0) first = false;
    if (!first && c != ' ' && c != '\n') out += c;
  }
  return out.starts_with(",") ? out.substr(1) : out;
}

const DefinitionText* method_of(const ClassText& cls, const std::string& name) {
  auto it = std::find_if(cls.methods.begin(), cls.methods.end(),
                         [&](const DefinitionText& m) { return m.name == name; });
  return it == cls.methods.end() ? nullptr : &*it;
}

bool implements(const ClassText& cls, const ClassText& interface) {
  return std::all_of(interface.methods.begin(), interface.methods.end(),
                     [&](const DefinitionText& wanted) {
                       const DefinitionText* own = method_of(cls, wanted.name);
                       return own && signature_of(*own) == signature_of(wanted);
                     });
}

// "x, k" of "x:Tensor,k:int)->float"
std::string names_in(const std::string& signature) {
  std::string out;
  for (const std::string& part :
       split_outside_brackets(signature.substr(0, signature.find(")->")), ','))
    out += std::string(trim(part.substr(0, part.find(':')))) + ", ";
  return out == ", " ? "" : out;
}

// _FIRST is the field at place `at`, which lies in [first, last): by halves.
void pick(const std::vector<std::string>& fields, const std::string& type, size_t first,
          size_t last, const std::string& indent, std::string& out) {
  if (last - first == 1) {
    out += fmt::format("{}_{} : {} = getattr(self, \"{}\")\n", indent, first, type, fields[first]);
    return;
  }
  size_t middle = (first + last) / 2;
  out += fmt::format("{}if torch.lt(at, {}):\n", indent, middle);
  pick(fields, type, first, middle, indent + "  ", out);
  out += indent + "else:\n";
  pick(fields, type, middle, last, indent + "  ", out);
  out += fmt::format("{}  _{} = _{}\n", indent, first, middle);
}

}  // namespace

std::string class_name(const Pickled& global) {
  std::string name = global.text;
  size_t space = name.find(' ');
  if (space != std::string::npos) name[space] = '.';
  return name;
}

ObjectClasses object_classes(const Pickle& pickle) {
  ObjectClasses out;
  std::set<const Pickled*> seen;
  std::vector<const Pickled*> left{&pickle.root()};
  while (!left.empty()) {
    const Pickled& node = *left.back();
    left.pop_back();
    if (!seen.insert(&node).second) continue;
    left.insert(left.end(), node.items.begin(), node.items.end());
    if (!node.is(Pickled::Kind::Object) || node.items.empty()) continue;
    std::string name = class_name(*node.items[0]);
    out.classes.insert(name);
    if (node.items.size() < 2 || !node.items[1]->is(Pickled::Kind::Dict)) continue;
    const std::vector<const Pickled*>& state = node.items[1]->items;
    for (size_t i = 0; i + 1 < state.size(); i += 2) {
      const Pickled& value = *state[i + 1];
      if (value.is(Pickled::Kind::Object) && !value.items.empty())
        out.fields[name + "." + state[i]->text].insert(class_name(*value.items[0]));
    }
  }
  return out;
}

bool is_interface(const ClassText& text) {
  return text.base == "ModuleInterface" || text.base == "Interface";
}

std::vector<std::string> implementations(CodeIndex& code, const ClassText& interface,
                                         const ObjectClasses& objects) {
  bool of_modules = interface.base == "ModuleInterface";
  std::vector<std::string> out;
  for (const std::string& name : code.class_names()) {
    const ClassText& cls = *code.find_class(name);
    bool kind = of_modules ? cls.base == "Module" && objects.classes.count(name) : cls.base.empty();
    if (kind && implements(cls, interface)) out.push_back(name);
  }
  return out;
}

std::string union_text(const std::vector<std::string>& classes) {
  return classes.size() == 1 ? classes[0] : "Union[" + join(classes, ", ") + "]";
}

std::string dispatcher_text(const std::string& name, const DefinitionText& method,
                            const std::vector<std::string>& classes) {
  std::string signature = signature_of(method);
  std::string rest = signature.starts_with(")") ? signature : ", " + signature;
  std::string given = names_in(signature.starts_with(")") ? "" : signature);
  std::string out = fmt::format("def {}(self: {}{}:\n", name, union_text(classes), rest);
  std::string indent = "  ";
  for (size_t i = 0; i + 1 < classes.size(); ++i) {
    out += fmt::format(
        "{0}if isinstance(self, {1}):\n{0}  _{2} = (unchecked_cast({1}, "
        "self)).{3}({4})\n{0}else:\n",
        indent, classes[i], i, method.name, given);
    indent += "  ";
  }
  size_t last = classes.size() - 1;
  out += fmt::format("{}_{} = (unchecked_cast({}, self)).{}({})\n", indent, last, classes[last],
                     method.name, given);
  for (size_t i = last; i-- > 0;) {
    indent.resize(indent.size() - 2);
    out += fmt::format("{}  _{} = _{}\n", indent, i, i + 1);
  }
  return out + "  return _0\n";
}

std::string chooser_text(const std::string& name, const std::string& container,
                         const std::vector<std::string>& fields, bool keyed,
                         const std::string& type) {
  std::string out = fmt::format("def {}(self: {}, index: {}) -> {}:\n", name, container,
                                keyed ? "str" : "int", type);
  if (keyed) {
    out += "  at = -1\n";
    for (size_t i = 0; i < fields.size(); ++i)
      out += fmt::format("  if torch.eq(index, \"{}\"):\n    at = {}\n  else:\n    pass\n",
                         fields[i], i);
  } else {
    out += fmt::format(
        "  if torch.lt(index, 0):\n    at = torch.add(index, {})\n  else:\n    at = index\n",
        fields.size());
  }
  out += fmt::format(
      "  if torch.__and__(torch.ge(at, 0), torch.lt(at, {})):\n    pass\n  else:\n"
      "    ops.prim.RaiseException(\"{}\")\n",
      fields.size(), keyed ? "KeyError: no module of this name" : "IndexError: index out of range");
  pick(fields, type, 0, fields.size(), "  ", out);
  return out + "  return _0\n";
}

}  // namespace fusillade::archive

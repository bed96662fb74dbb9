// Methods of lists, dicts, tensors and modules in a constructor; see elaborate.h.
#include <algorithm>
#include <set>

#include "engine/front/elaborate.h"

namespace fusillade::front {
std::optional<Py> Elaborator::method(const Py& self, const std::string& name, const PyArgs& args,
                                     const Expr& e) {
  if (PySeq* seq = self.seq()) return list_method(*seq, name, args, e);
  if (PyDict* dict = self.dict()) return dict_method(*dict, name, args, e);
  if (self.is_tensor()) return tensor_method(self, name, args, e);
  if (Instance* object = self.instance(); object && object->module) {
    std::optional<Py> out = module_method(self, name, args, e);
    if (!out)
      wrong(e,
            fmt::format("'{}' has no attribute or method '{}'", object->place.syntax->name, name));
    return out;
  }
  return std::nullopt;
}

std::optional<Py> Elaborator::list_method(PySeq& self, const std::string& name, const PyArgs& args,
                                          const Expr& e) {
  size_t n = args.positional.size();
  if (n == 1 && (name == "index" || name == "count")) {
    int64_t found = 0;
    for (size_t i = 0; i < self.items.size(); ++i) {
      if (!equal(self.items[i], args.positional[0])) continue;
      if (name == "index") return Py(IValue(static_cast<int64_t>(i)));
      ++found;
    }
    if (name == "count") return Py(IValue(found));
    wrong(e, "the list has no such item");
  }
  if (!self.list) wrong(e, fmt::format("a tuple has no method '{}'", name));
  if (name == "append" && n == 1) {
    if (args.positional[0].seq() == &self) wrong(e, "a list cannot hold itself");
    self.items.push_back(args.positional[0]);
  } else if (name == "extend" && n == 1) {
    for (Py& item : iterate(args.positional[0], e)) self.items.push_back(item);
  } else if (name == "insert" && n == 2) {
    int64_t count = static_cast<int64_t>(self.items.size());
    int64_t at = integer(args.positional[0], e);
    at = std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
    self.items.insert(self.items.begin() + at, args.positional[1]);
  } else if (name == "reverse" && n == 0) {
    std::reverse(self.items.begin(), self.items.end());
  } else if (name == "pop" && n <= 1) {
    int64_t count = static_cast<int64_t>(self.items.size());
    int64_t at = n ? integer(args.positional[0], e) : -1;
    if (at < 0) at += count;
    if (at < 0 || at >= count) wrong(e, "pop from an empty list, or an index out of range");
    Py out = self.items[static_cast<size_t>(at)];
    self.items.erase(self.items.begin() + at);
    return out;
  } else {
    wrong(e, fmt::format("the list method '{}' with {} arguments is not supported in a constructor",
                         name, n));
  }
  if (self.items.size() > 1000000) wrong(e, "a list is too long");
  return Py(IValue());
}

std::optional<Py> Elaborator::dict_method(PyDict& self, const std::string& name, const PyArgs& args,
                                          const Expr& e) {
  std::vector<Py> out;
  if (name == "get" && !args.positional.empty()) {
    if (Py* found = self.find(value_of(args.positional[0], e))) return *found;
    return args.positional.size() > 1 ? args.positional[1] : Py(IValue());
  }
  if (name == "pop" && !args.positional.empty()) {
    const IValue key = value_of(args.positional[0], e);
    auto at = std::find_if(self.items.begin(), self.items.end(),
                           [&](const auto& item) { return &item.second == self.find(key); });
    if (at == self.items.end() && args.positional.size() < 2)
      wrong(e, "KeyError: the dict has no such key to pop");
    Py out = at == self.items.end() ? args.positional[1] : at->second;
    if (at != self.items.end()) self.items.erase(at);
    return out;
  }
  if (name == "update" && args.positional.size() == 1 && args.positional[0].dict()) {
    for (auto& [key, value] : args.positional[0].dict()->items) {
      if (Py* old = self.find(key)) *old = value;
      else self.items.emplace_back(key, value);
    }
    return Py(IValue());
  }
  for (auto& [key, value] : self.items) {
    if (name == "keys") out.emplace_back(key);
    if (name == "values") out.push_back(value);
    if (name == "items") out.push_back(pair_of(Py(key), value));
  }
  if (name == "keys" || name == "values" || name == "items") return sequence(std::move(out));
  wrong(e, fmt::format("the dict method '{}' is not supported in a constructor", name));
}

// Methods that fill the tensor; the others are operations.
std::optional<Py> Elaborator::tensor_method(const Py& self, const std::string& name,
                                            const PyArgs& args, const Expr& e) {
  Tensor t = self.value()->as_tensor();
  auto number = [&](size_t i, const char* key, double otherwise) {
    const Py* p = args.find(i, key);
    if (!p) return otherwise;
    if (!p->value() || !p->value()->is_number()) wrong(e, fmt::format("'{}' takes numbers", name));
    return p->value()->as_double();
  };
  if (name == "uniform_") {
    fill(t, false, number(0, "from", 0), number(1, "to", 1));
  } else if (name == "normal_") {
    fill(t, true, number(0, "mean", 0), number(1, "std", 1));
  } else if (name == "zero_" || name == "fill_") {
    double value = name == "zero_" ? 0 : number(0, "value", 0);
    for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, value);
  } else if (name == "copy_" && args.positional.size() == 1 && args.positional[0].is_tensor()) {
    copy_into(t, args.positional[0].value()->as_tensor());
  } else if (name == "requires_grad_") {
    const Py* wanted = args.find(0, "requires_grad");
    want_gradient(self, !wanted || truth(*wanted, e));
  } else if (name == "cuda" || name == "cpu" || name == "detach") {
    return name == "detach" ? Py(IValue(Tensor::view_of(t, t.offset(), t.sizes(), t.strides())))
                            : self;
  } else {
    return std::nullopt;
  }
  return self;
}

// Every module below, once, itself included: with dotted names.
void Elaborator::visit(const Py& module, const std::string& prefix,
                       std::vector<std::pair<std::string, Py>>& modules) {
  for (const auto& [name, seen] : modules) {
    if (seen.instance() == module.instance()) return;
  }
  modules.emplace_back(prefix, module);
  for (Instance::Attr& a : module.instance()->attrs) {
    if (a.kind == Field::Kind::Module && a.value.instance())
      visit(a.value, prefix.empty() ? a.name : prefix + "." + a.name, modules);
  }
}

// What the methods that list things take, in their order.
static const std::vector<std::string>* listing_parameters(const std::string& name) {
  static const std::map<std::string, std::vector<std::string>> known{
      {"parameters", {"recurse"}},
      {"named_parameters", {"prefix", "recurse"}},
      {"buffers", {"recurse"}},
      {"named_buffers", {"prefix", "recurse"}},
      {"children", {}},
      {"named_children", {}},
      {"modules", {}},
      {"named_modules", {"memo", "prefix", "remove_duplicate"}}};
  auto it = known.find(name);
  return it == known.end() ? nullptr : &it->second;
}

std::optional<Py> Elaborator::listing(const Py& self, const std::string& name, const PyArgs& args,
                                      const Expr& e) {
  const std::vector<std::string>* takes = listing_parameters(name);
  if (!takes) return std::nullopt;
  bool named = name.rfind("named_", 0) == 0;
  std::string what = named ? name.substr(6) : name;
  for (const auto& [word, value] : args.keywords)
    if (std::find(takes->begin(), takes->end(), word) == takes->end())
      wrong(e, fmt::format("'{}' takes no '{}'", name, word));
  if (args.positional.size() > takes->size())
    wrong(e, fmt::format("'{}' takes {} arguments, given {}", name, takes->size(),
                         args.positional.size()));
  auto find_argument = [&](const char* word) {
    auto it = std::find(takes->begin(), takes->end(), word);
    return it == takes->end() ? nullptr : args.find(static_cast<size_t>(it - takes->begin()), word);
  };
  const Py *prefix = find_argument("prefix"), *recurse = find_argument("recurse"),
           *memo = find_argument("memo"), *once = find_argument("remove_duplicate");
  if (prefix && !prefix->is_str()) wrong(e, fmt::format("the prefix of '{}' is a str", name));
  if ((memo && !(memo->value() && memo->value()->is_none())) || (once && !truth(*once, e)))
    wrong(e, "'named_modules' lists each module once, and without a memo");
  std::vector<Py> out;
  std::set<const void*> seen;  // what two names share is listed once
  auto add = [&](const std::string& key, const Py& value) {
    const void* one = value.is_tensor()
                          ? static_cast<const void*>(value.value()->as_tensor().impl())
                          : value.instance();
    if (!seen.insert(one).second) return;
    out.push_back(named ? pair_of(Py(IValue::str(key)), value) : value);
  };
  std::vector<std::pair<std::string, Py>> modules;
  visit(self, prefix ? prefix->value()->as_str() : "", modules);
  if (recurse && !truth(*recurse, e)) modules.resize(1);
  if (what == "modules") {
    for (auto& [key, m] : modules) add(key, m);
  } else if (what == "children") {
    for (Instance::Attr& a : self.instance()->attrs)
      if (a.kind == Field::Kind::Module && a.value.instance()) add(a.name, a.value);
  } else {
    Field::Kind kind = what == "parameters" ? Field::Kind::Parameter : Field::Kind::Buffer;
    for (auto& [key, m] : modules) {
      for (Instance::Attr& a : m.instance()->attrs) {
        if (a.kind == kind && a.value.is_tensor())
          add(key.empty() ? a.name : key + "." + a.name, a.value);
      }
    }
  }
  return sequence(std::move(out));
}

std::optional<Py> Elaborator::module_method(const Py& of, const std::string& name,
                                            const PyArgs& args, const Expr& e) {
  Instance& self = *of.instance();
  if (std::optional<Py> out = container_method(self, name, args, e)) return out;
  if (std::optional<Py> out = listing(of, name, args, e)) return out;
  bool by_name = args.positional.size() >= 1 && args.positional[0].is_str();
  if (by_name && (name == "register_buffer" || name == "register_parameter" ||
                  name == "add_module" || name == "register_module")) {
    const Py* value = args.find(1, name == "register_buffer"      ? "tensor"
                                   : name == "register_parameter" ? "param"
                                                                  : "module");
    if (!value) wrong(e, fmt::format("'{}' takes a name and a value", name));
    const std::string& attr = args.positional[0].value()->as_str();
    set_attr(self, attr, *value, e);
    if (name == "register_buffer") {
      const Py* persistent = args.find(2, "persistent");
      self.find(attr)->kind = Field::Kind::Buffer;
      self.find(attr)->persistent = !persistent || truth(*persistent, e);
    }
    return Py(IValue());
  }
  if (name == "apply" && args.positional.size() == 1) {
    std::vector<std::pair<std::string, Py>> modules;
    visit(of, "", modules);
    for (auto m = modules.rbegin(); m != modules.rend(); ++m)
      call_value(args.positional[0], {{m->second}, {}}, e);
    return of;
  }
  if (name == "train" || name == "eval") {
    const Py* mode = args.find(0, "mode");
    bool on = name == "train" && (!mode || truth(*mode, e));
    std::vector<std::pair<std::string, Py>> modules;
    visit(of, "", modules);
    for (auto& [key, m] : modules) set_attr(*m.instance(), "training", Py(IValue(on)), e);
    return of;
  }
  if (name == "requires_grad_") {
    const Py* wanted = args.find(0, "requires_grad");
    std::optional<Py> parameters = listing(of, "parameters", {}, e);
    for (const Py& p : parameters->seq()->items) want_gradient(p, !wanted || truth(*wanted, e));
    return of;
  }
  for (const char* same : {"to", "cpu", "cuda", "float"}) {
    if (name == same) return of;
  }
  if (name == "__init__") return Py(IValue());
  if (name.rfind("register_", 0) == 0 && name.find("hook") != std::string::npos)
    wrong(e,
          "hooks are not run from source: call the function within forward (hooks of an archive "
          "are)");
  return std::nullopt;
}

// A tensor in a container of parameters is one, as in PyTorch.
void Elaborator::set_item(Instance& self, const std::string& name, const Py& value,
                          const Expr& at) {
  bool fits = self.of_parameters ? value.is_tensor() : value.instance() && value.instance()->module;
  if (!fits)
    wrong(at,
          fmt::format("this container holds {}", self.of_parameters ? "parameters" : "modules"));
  Py item = value;
  item.parameter = self.of_parameters;
  set_attr(self, name, item, at);
}

void Elaborator::append_item(Instance& self, const Py& value, const Expr& at) {
  set_item(self,
           std::to_string(std::count_if(self.attrs.begin(), self.attrs.end(),
                                        [&](auto& a) { return self.holds(a); })),
           value, at);
}

std::optional<Py> Elaborator::container_method(Instance& self, const std::string& name,
                                               const PyArgs& args, const Expr& e) {
  if (self.container == Container::None) return std::nullopt;
  bool one = args.positional.size() == 1;
  if (self.container == Container::List && name == "append" && one) {
    append_item(self, args.positional[0], e);
    return Py(IValue());
  }
  if (self.container == Container::List && name == "insert" && args.positional.size() == 2) {
    std::vector<Py> items;
    for (const Instance::Attr& a : self.attrs)
      if (self.holds(a)) items.push_back(a.value);
    int64_t count = static_cast<int64_t>(items.size()), at = integer(args.positional[0], e);
    at = std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
    items.insert(items.begin() + at, args.positional[1]);
    for (int64_t i = 0; i < count; ++i) self.erase(std::to_string(i));
    for (const Py& item : items) append_item(self, item, e);
    return Py(IValue());
  }
  if (self.container == Container::List && name == "extend" && one) {
    for (Py& item : iterate(args.positional[0], e)) append_item(self, item, e);
    return Py(IValue());
  }
  if (self.container != Container::Dict) return std::nullopt;
  if (name == "update" && one && args.positional[0].dict()) {
    for (auto& [key, value] : args.positional[0].dict()->items)
      set_item(self, key.as_str(), value, e);
    return Py(IValue());
  }
  std::vector<Py> out;
  for (Instance::Attr& a : self.attrs) {
    if (!self.holds(a)) continue;
    Py key(IValue::str(a.name));
    out.push_back(name == "items" ? pair_of(key, a.value) : name == "keys" ? key : a.value);
  }
  if (name == "items" || name == "keys" || name == "values") return sequence(std::move(out));
  return std::nullopt;
}

}  // namespace fusillade::front

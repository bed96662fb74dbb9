// Methods of modules and of their containers in a constructor.
#include <algorithm>
#include <map>
#include <set>

#include "engine/front/method.h"

namespace fusillade::front {
namespace {

// Every module below, once, itself included: with dotted names.
void visit(const Py& module, const std::string& prefix,
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

// The methods that list things: what they list, and what they take, in their order.
enum class Listed : uint8_t { Parameters, Buffers, Children, Modules };
struct Listing {
  Listed what;
  bool named;
  std::vector<std::string> takes;
};
const std::map<std::string, Listing> kListing{
    {"parameters", {Listed::Parameters, false, {"recurse"}}},
    {"named_parameters", {Listed::Parameters, true, {"prefix", "recurse"}}},
    {"buffers", {Listed::Buffers, false, {"recurse"}}},
    {"named_buffers", {Listed::Buffers, true, {"prefix", "recurse"}}},
    {"children", {Listed::Children, false, {}}},
    {"named_children", {Listed::Children, true, {}}},
    {"modules", {Listed::Modules, false, {}}},
    {"named_modules", {Listed::Modules, true, {"memo", "prefix", "remove_duplicate"}}}};

std::optional<Py> listing(const MethodCall& c) {
  Elaborator& in = c.in;
  const PyArgs& args = c.args;
  const std::string& name = c.name;
  const Expr& e = c.e;
  const Listing& row = kListing.at(name);
  const Listed what = row.what;
  const bool pairs = row.named;
  const std::vector<std::string>* takes = &row.takes;
  for (const auto& [word, value] : args.keywords)
    if (std::find(takes->begin(), takes->end(), word) == takes->end())
      in.wrong(e, fmt::format("'{}' takes no '{}'", name, word));
  if (args.positional.size() > takes->size())
    in.wrong(e, fmt::format("'{}' takes {} arguments, given {}", name, takes->size(),
                            args.positional.size()));
  auto find_argument = [&](const char* word) {
    auto it = std::find(takes->begin(), takes->end(), word);
    return it == takes->end() ? nullptr : args.find(static_cast<size_t>(it - takes->begin()), word);
  };
  const Py *prefix = find_argument("prefix"), *recurse = find_argument("recurse"),
           *memo = find_argument("memo"), *once = find_argument("remove_duplicate");
  if (prefix && !prefix->is_str()) in.wrong(e, fmt::format("the prefix of '{}' is a str", name));
  if ((memo && !(memo->value() && memo->value()->is_none())) || (once && !in.truth(*once, e)))
    in.wrong(e, "'named_modules' lists each module once, and without a memo");
  std::vector<Py> out;
  std::set<const void*> seen;  // what two names share is listed once
  auto add = [&](const std::string& key, const Py& value) {
    const void* one = value.is_tensor()
                          ? static_cast<const void*>(value.value()->as_tensor().impl())
                          : value.instance();
    if (!seen.insert(one).second) return;
    out.push_back(pairs ? pair_of(Py(IValue::str(key)), value) : value);
  };
  std::vector<std::pair<std::string, Py>> modules;
  visit(c.self, prefix ? prefix->value()->as_str() : "", modules);
  if (recurse && !in.truth(*recurse, e)) modules.resize(1);
  if (what == Listed::Modules) {
    for (auto& [key, m] : modules) add(key, m);
  } else if (what == Listed::Children) {
    for (Instance::Attr& a : c.self.instance()->attrs)
      if (a.kind == Field::Kind::Module && a.value.instance()) add(a.name, a.value);
  } else {
    Field::Kind kind = what == Listed::Parameters ? Field::Kind::Parameter : Field::Kind::Buffer;
    for (auto& [key, m] : modules) {
      for (Instance::Attr& a : m.instance()->attrs) {
        if (a.kind == kind && a.value.is_tensor())
          add(key.empty() ? a.name : key + "." + a.name, a.value);
      }
    }
  }
  return sequence(std::move(out));
}

std::optional<Py> keep(const MethodCall& c, const char* word, bool buffer) {
  if (c.count() < 1 || !c.at(0).is_str()) return std::nullopt;
  const Py* value = c.args.find(1, word);
  if (!value) c.in.wrong(c.e, fmt::format("'{}' takes a name and a value", c.name));
  Instance& self = *c.self.instance();
  const std::string& attr = c.at(0).value()->as_str();
  c.in.set_attr(self, attr, *value, c.e);
  if (!buffer) return Py(IValue());
  const Py* persistent = c.args.find(2, "persistent");
  self.find(attr)->kind = Field::Kind::Buffer;
  self.find(attr)->persistent = !persistent || c.in.truth(*persistent, c.e);
  return Py(IValue());
}

std::optional<Py> register_buffer(const MethodCall& c) { return keep(c, "tensor", true); }
std::optional<Py> register_parameter(const MethodCall& c) { return keep(c, "param", false); }
std::optional<Py> add_module(const MethodCall& c) { return keep(c, "module", false); }

std::optional<Py> apply(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  std::vector<std::pair<std::string, Py>> modules;
  visit(c.self, "", modules);
  for (auto m = modules.rbegin(); m != modules.rend(); ++m)
    c.in.call_value(c.at(0), {{m->second}, {}}, c.e);
  return c.self;
}

Py switch_mode(const MethodCall& c, bool on) {
  std::vector<std::pair<std::string, Py>> modules;
  visit(c.self, "", modules);
  for (auto& [key, m] : modules) c.in.set_attr(*m.instance(), "training", Py(IValue(on)), c.e);
  return c.self;
}

std::optional<Py> train(const MethodCall& c) {
  const Py* mode = c.args.find(0, "mode");
  return switch_mode(c, !mode || c.in.truth(*mode, c.e));
}

std::optional<Py> eval(const MethodCall& c) { return switch_mode(c, false); }

std::optional<Py> requires_grad(const MethodCall& c) {
  const Py* wanted = c.args.find(0, "requires_grad");
  const std::string name = "parameters";
  const std::optional<Py> parameters = listing({c.in, c.self, {}, c.e, name});
  for (const Py& p : parameters->seq()->items)
    c.in.want_gradient(p, !wanted || c.in.truth(*wanted, c.e));
  return c.self;
}

std::optional<Py> itself(const MethodCall& c) { return c.self; }
std::optional<Py> nothing(const MethodCall&) { return Py(IValue()); }

std::optional<Py> append(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  append_item(c.in, *c.self.instance(), c.at(0), c.e);
  return Py(IValue());
}

std::optional<Py> insert(const MethodCall& c) {
  if (c.count() != 2) return std::nullopt;
  Instance& self = *c.self.instance();
  std::vector<Py> items;
  for (const Instance::Attr& a : self.attrs)
    if (self.holds(a)) items.push_back(a.value);
  int64_t count = static_cast<int64_t>(items.size()), at = c.in.integer(c.at(0), c.e);
  at = std::clamp<int64_t>(at < 0 ? at + count : at, 0, count);
  items.insert(items.begin() + at, c.at(1));
  for (int64_t i = 0; i < count; ++i) self.erase(std::to_string(i));
  for (const Py& item : items) append_item(c.in, self, item, c.e);
  return Py(IValue());
}

std::optional<Py> extend(const MethodCall& c) {
  if (c.count() != 1) return std::nullopt;
  for (Py& item : c.in.iterate(c.at(0), c.e)) append_item(c.in, *c.self.instance(), item, c.e);
  return Py(IValue());
}

std::optional<Py> update(const MethodCall& c) {
  if (c.count() != 1 || !c.at(0).dict()) return std::nullopt;
  for (auto& [key, value] : c.at(0).dict()->items)
    set_item(c.in, *c.self.instance(), key.as_str(), value, c.e);
  return Py(IValue());
}

template <class F>
Py each(const MethodCall& c, const F& part) {
  Instance& self = *c.self.instance();
  std::vector<Py> out;
  for (Instance::Attr& a : self.attrs)
    if (self.holds(a)) out.push_back(part(Py(IValue::str(a.name)), a.value));
  return sequence(std::move(out));
}

std::optional<Py> keys(const MethodCall& c) {
  return each(c, [](const Py& key, const Py&) { return key; });
}

std::optional<Py> values(const MethodCall& c) {
  return each(c, [](const Py&, const Py& value) { return value; });
}

std::optional<Py> items(const MethodCall& c) {
  return each(c, [](const Py& key, const Py& value) { return Py(pair_of(key, value)); });
}

bool add_all() {
  for (const auto& [name, row] : kListing) add_methods("Module", {{name.c_str(), &listing}});
  add_methods("ModuleList", {{"append", &append}, {"insert", &insert}, {"extend", &extend}});
  add_methods("ModuleDict",
              {{"update", &update}, {"keys", &keys}, {"values", &values}, {"items", &items}});
  return add_methods("Module", {{"register_buffer", &register_buffer},
                                {"register_parameter", &register_parameter},
                                {"add_module", &add_module},
                                {"register_module", &add_module},
                                {"apply", &apply},
                                {"train", &train},
                                {"eval", &eval},
                                {"requires_grad_", &requires_grad},
                                {"to", &itself},
                                {"cpu", &itself},
                                {"cuda", &itself},
                                {"float", &itself},
                                {"__init__", &nothing}});
}

const bool kAdded = add_all();

}  // namespace

// A tensor in a container of parameters is one, as in PyTorch.
void set_item(Elaborator& in, Instance& self, const std::string& name, const Py& value,
              const Expr& at) {
  bool fits = self.of_parameters ? value.is_tensor() : value.instance() && value.instance()->module;
  if (!fits)
    in.wrong(at,
             fmt::format("this container holds {}", self.of_parameters ? "parameters" : "modules"));
  Py item = value;
  item.parameter = self.of_parameters;
  in.set_attr(self, name, item, at);
}

void append_item(Elaborator& in, Instance& self, const Py& value, const Expr& at) {
  set_item(in, self,
           std::to_string(std::count_if(self.attrs.begin(), self.attrs.end(),
                                        [&](auto& a) { return self.holds(a); })),
           value, at);
}

}  // namespace fusillade::front

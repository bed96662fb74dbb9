// Dicts: Python's operators, methods and functions on them, under ATen's schemas: one overload per
// type of key.
//
// A dict keeps the order of insertion; keys are equal as in Python (1, 1.0 and True are one key),
// tensors by identity. keys(), values() and items() create lists at the call, as in TorchScript. A
// dict has at most kMaxKeys keys.
#include "engine/ops/scalar_operator.h"
#include "engine/ops/text.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

ScalarOptions plain() {
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;  // values are handed on, not read
  return o;
}

constexpr size_t kMaxKeys = size_t{1} << 23;

void put(const IValue& dict, const IValue& key, const IValue& value) {
  DictBox& d = dict.as_dict();
  if (d.size() >= kMaxKeys && !d.find(key))
    fail("MemoryError: a dict of {} keys is full", kMaxKeys);
  d.set(key, value);
}

const IValue& value_at(const IValue& dict, const IValue& key) {
  const IValue* found = dict.as_dict().find(key);
  if (!found) fail("KeyError: {}", python_repr(key));
  return *found;
}

IValue copy_of(const IValue& dict) {
  IValue out = IValue::dict(dict.as_dict().key, dict.as_dict().value);
  for (const auto& [key, value] : dict.as_dict().items()) out.as_dict().set(key, value);
  return out;
}

void reading(const std::string& k) {
  auto row = [&](const std::string& name, const std::string& rest, auto f) {
    add_scalar(fmt::format("aten::{}(Dict({}, t) {}", name, k, fmt::format(fmt::runtime(rest), k)),
               f, plain());
  };
  row("__getitem__.Dict_" + k, "self, {} key) -> t(*)",
      [](Values v) { return value_at(v[0], v[1]); });
  row("__contains__." + k, "dict, {} key) -> bool",
      [](Values v) { return IValue(v[0].as_dict().find(v[1]) != nullptr); });
  row("len.Dict_" + k, "self) -> int",
      [](Values v) { return IValue(static_cast<int64_t>(v[0].as_dict().size())); });
  row("get." + k, "self, {} key) -> t(*)?", [](Values v) {
    const IValue* found = v[0].as_dict().find(v[1]);
    return found ? *found : IValue();
  });
  row("get.default_" + k, "self, {} key, t default_value) -> t(*)", [](Values v) {
    const IValue* found = v[0].as_dict().find(v[1]);
    return found ? *found : v[2];
  });
  row("keys." + k, "self) -> {}[](*)", [](Values v) {
    std::vector<IValue> out;
    for (const auto& [key, value] : v[0].as_dict().items()) out.push_back(key);
    return IValue::list(std::move(out), v[0].as_dict().key);
  });
  row("values." + k, "self) -> t[](*)", [](Values v) {
    std::vector<IValue> out;
    for (const auto& [key, value] : v[0].as_dict().items()) out.push_back(value);
    return IValue::list(std::move(out), v[0].as_dict().value);
  });
  row("items." + k, "self) -> (({}, t)[])", [](Values v) {
    std::vector<IValue> out;
    for (const auto& [key, value] : v[0].as_dict().items())
      out.push_back(IValue::tuple({key, value}));
    return IValue::list(std::move(out), Type::tuple({v[0].as_dict().key, v[0].as_dict().value}));
  });
  add_scalar(
      fmt::format("aten::copy.Dict_{}(Dict({}, t)(a) self) -> Dict({}, t)", k, k, k),
      [](Values v) { return copy_of(v[0]); }, plain());
  add_scalar(
      fmt::format("aten::dict.Dict_{}(Dict({}, t)(a) self) -> Dict({}, t)", k, k, k),
      [](Values v) { return copy_of(v[0]); }, plain());
  add_scalar(
      fmt::format("aten::dict.{}(({}, tVal)[] inputs) -> Dict({}, tVal)", k, k, k),
      [](Values v) {
        const std::vector<Type>& types = v[0].seq()->element.elements();
        IValue out = IValue::dict(types[0], types[1]);
        for (const IValue& item : v[0].items()) put(out, item.items()[0], item.items()[1]);
        return out;
      },
      plain());
}

void writing(const std::string& k) {
  std::string self = fmt::format("(Dict({}, t)(a!) ", k);
  add_action(
      fmt::format("aten::_set_item.{}{}l, {}(b -> *) idx, t(c -> *) v) -> ()", k, self, k),
      [](Values v) { put(v[0], v[1], v[2]); }, plain());
  add_action(
      fmt::format("aten::Delete.Dict_{}{}self, {} key) -> ()", k, self, k),
      [](Values v) {
        value_at(v[0], v[1]);
        v[0].as_dict().erase(v[1]);
      },
      plain());
  add_scalar(
      fmt::format("aten::pop.Dict_{}{}self, {} key) -> t(*)", k, self, k),
      [](Values v) {
        IValue out = value_at(v[0], v[1]);
        v[0].as_dict().erase(v[1]);
        return out;
      },
      plain());
  add_scalar(
      fmt::format("aten::pop.Dict_default_{}{}self, {} key, t default_value) -> t(*)", k, self, k),
      [](Values v) {
        const IValue* found = v[0].as_dict().find(v[1]);
        IValue out = found ? *found : v[2];
        v[0].as_dict().erase(v[1]);
        return out;
      },
      plain());
  add_scalar(
      fmt::format("aten::popitem.{}{}self) -> (({}, t))", k, self, k),
      [](Values v) {
        if (v[0].as_dict().items().empty()) fail("KeyError: 'popitem(): dictionary is empty'");
        auto last = v[0].as_dict().items().back();
        v[0].as_dict().erase(last.first);
        return IValue::tuple({last.first, last.second});
      },
      plain());
  add_scalar(
      fmt::format("aten::setdefault.{}{}self, {}(b -> *) key, t(c -> *) default_value) -> t(*)", k,
                  self, k),
      [](Values v) {
        if (!v[0].as_dict().find(v[1])) put(v[0], v[1], v[2]);
        return value_at(v[0], v[1]);
      },
      plain());
  add_action(
      fmt::format("aten::update.{}{}self, Dict({}, t)(a!) to_add) -> ()", k, self, k),
      [](Values v) {
        auto items = v[1].as_dict().items();
        for (const auto& [key, value] : items) put(v[0], key, value);
      },
      plain());
  add_action(
      fmt::format("aten::clear.{}{}self) -> ()", k, self), [](Values v) { v[0].as_dict().clear(); },
      plain());
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const char* key : {"str", "int", "float", "bool", "Tensor"}) {
    reading(key);
    writing(key);
  }
  add_scalar(
      "aten::eq.dict(Dict(k, v) a, Dict(k, v) b) -> bool",
      [](Values v) { return IValue(equal_values(v[0], v[1])); }, plain());
  add_scalar(
      "aten::ne.dict(Dict(k, v) a, Dict(k, v) b) -> bool",
      [](Values v) { return IValue(!equal_values(v[0], v[1])); }, plain());
  return true;
}();

}  // namespace
}  // namespace fusillade

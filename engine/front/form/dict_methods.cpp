// Methods of dicts in a constructor.
#include <algorithm>

#include "engine/front/method.h"

namespace fusillade::front {
namespace {

std::optional<Py> get(const MethodCall& c) {
  if (c.count() == 0) return std::nullopt;
  if (Py* found = c.self.dict()->find(c.in.value_of(c.at(0), c.e))) return *found;
  return c.count() > 1 ? c.at(1) : Py(IValue());
}

std::optional<Py> pop(const MethodCall& c) {
  if (c.count() == 0) return std::nullopt;
  PyDict& dict = *c.self.dict();
  const Py* found = dict.find(c.in.value_of(c.at(0), c.e));
  auto at =
      std::ranges::find_if(dict.items, [&](const auto& item) { return &item.second == found; });
  if (at == dict.items.end() && c.count() < 2)
    c.in.wrong(c.e, "KeyError: the dict has no such key to pop");
  Py out = at == dict.items.end() ? c.at(1) : at->second;
  if (at != dict.items.end()) dict.items.erase(at);
  return out;
}

std::optional<Py> update(const MethodCall& c) {
  if (c.count() != 1 || !c.at(0).dict()) return std::nullopt;
  for (auto& [key, value] : c.at(0).dict()->items) {
    if (Py* old = c.self.dict()->find(key)) *old = value;
    else c.self.dict()->items.emplace_back(key, value);
  }
  return Py(IValue());
}

template <class F>
Py each(const MethodCall& c, const F& part) {
  std::vector<Py> out;
  for (auto& [key, value] : c.self.dict()->items) out.push_back(part(key, value));
  return sequence(std::move(out));
}

std::optional<Py> keys(const MethodCall& c) {
  return each(c, [](const IValue& key, const Py&) { return Py(key); });
}

std::optional<Py> values(const MethodCall& c) {
  return each(c, [](const IValue&, const Py& value) { return value; });
}

std::optional<Py> items(const MethodCall& c) {
  return each(c, [](const IValue& key, const Py& value) { return Py(pair_of(Py(key), value)); });
}

const bool kAdded = add_methods("dict", {{"get", &get},
                                         {"pop", &pop},
                                         {"update", &update},
                                         {"keys", &keys},
                                         {"values", &values},
                                         {"items", &items}});

}  // namespace
}  // namespace fusillade::front

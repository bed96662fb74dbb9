// Which attributes may a module's code change? See freeze.h.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/ir/unit.h"

namespace fusillade {

class AttributeUse {
 public:
  // `graphs`: all code that will run on `self`, calls inlined; their first input is the module.
  AttributeUse(const IValue& self, const std::vector<const Graph*>& graphs,
               const std::set<std::string>& preserved);
  // May attribute `field` of objects of this class change?
  bool changes(const ClassType& cls, const std::string& field) const {
    return changing_.count({&cls, field}) != 0;
  }
  // The object that a value of `graph` is on every call, or null.
  const IValue* object_of(const Graph& graph, const Value* value) const;

 private:
  using Key = std::pair<const ClassType*, std::string>;
  void scan(const Block* block);
  void propagate();
  const IValue& self_;
  std::set<Key> changing_;
};

// Calls `visit` with every object of a module kind within `self`, itself first, each once.
void for_each_module(
    const IValue& self,
    const std::function<void(const IValue& module, const std::string& path)>& visit);

}  // namespace fusillade

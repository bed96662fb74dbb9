// What a loop or a comprehension runs over: items known when it is compiled (tuples, containers,
// enums), for each of which the body is repeated, or `length` iterations with item(iteration).
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade::front {

struct Iterable {
  bool unrolled = false;
  std::vector<Value*> items;  // unrolled
  Value* length = nullptr;
  std::function<Value*(Value* iteration)> item;
  std::vector<std::pair<Value*, Value*>> watched;  // lists and dicts, with their lengths
};

}  // namespace fusillade::front

// Operators of ATen that are no rows but text of the library (nn/aten.py), for serialised code, which calls them by
// ATen's names and with ATen's parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ops/schema.h"

namespace fusillade::front {

struct TextOperator {
  std::string name;  // "aten::eye.m"
  Schema schema;     // ATen's parameters and defaults
  std::shared_ptr<Graph> graph;
  size_t weight = 0;  // nodes when all calls are inlined
};

// The overloads of "aten::eye" in the library's order, compiled when first asked for; empty when there are none.
// Threads may ask at once.
const std::vector<TextOperator>& text_operators(const std::string& base);
// By its whole name; null when there is none.
const TextOperator* text_operator(const std::string& name);

}  // namespace fusillade::front

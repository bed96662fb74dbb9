// Composites: rows whose meaning is a body of other rows, in IR text. How they are added.
#pragma once

#include <string>

#include "engine/ops/row.h"

namespace fusillade {

struct CompositeDef {
  std::string schema;
  std::string body;  // the nodes, a line each, ending in "return (...)"; the head is made from the schema
  const char* family = "composite";
  DrawFn draw = nullptr;          // or roles; without either, generators leave the row alone
  std::vector<Role> roles{};
  InferFn infer = &infer_by_body;
  uint16_t drawn_dtypes = kFloatDTypes;  // with roles
  bool nondeterministic = false;
};
void add_composite(CompositeDef def);

// Lines that many bodies start with: %zero %one %two %minus (ints 0, 1, 2, -1), %no %yes, %none.
extern const char* const kLiterals;

}  // namespace fusillade

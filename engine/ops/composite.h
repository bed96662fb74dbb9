// Composites: rows whose meaning is a body of other rows, in IR text or in the language itself. How
// they are added.
#pragma once

#include <string>
#include <string_view>

#include "engine/ops/row.h"

namespace fusillade {

struct CompositeDef {
  std::string schema;
  std::string
      body;  // the nodes, a line each, ending in "return (...)"; the head is made from the schema
  const char* family = "composite";
  DrawFn draw = nullptr;  // or roles; without either, generators leave the row alone
  std::vector<Role> roles{};
  InferFn infer = &infer_by_body;
  uint16_t drawn_dtypes = kFloatDTypes;  // with roles
  bool nondeterministic = false;
  std::string draws_if{};  // of a nondeterministic row: when it draws (draws.h); empty: always
};
void add_composite(CompositeDef def);

// The row of an entry with a body, and its twin where it has one.
struct Entry;
void add_scripted(const Entry& entry, std::string_view family);
// "aten::trunc(Tensor self) -> Tensor": aten::trunc_
std::string twin_name(const std::string& schema);

// Lines that many bodies start with: %zero %one %two %minus (ints 0, 1, 2, -1), %no %yes, %none.
extern const char* const kLiterals;

}  // namespace fusillade

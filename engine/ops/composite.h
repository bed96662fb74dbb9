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

// Many rows by one text: a schema at the start of a line, its body indented under it, in the
// language of scripts (scripted_body.cpp in the front end compiles it at first use). Behind '#' on
// the line of the schema: "values" where values decide the sizes of the result, "twin" for a row
// that writes the result into its first argument, "random", or "random if" and when (draws.h).
//
//   aten::vdot(Tensor self, Tensor other) -> Tensor
//       return (self * other).sum()
void add_scripted(std::string_view text, const char* family);

// Lines that many bodies start with: %zero %one %two %minus (ints 0, 1, 2, -1), %no %yes, %none.
extern const char* const kLiterals;

}  // namespace fusillade

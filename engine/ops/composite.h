// Composites: operators whose meaning is a body of other operators, the script of an entry
// (entry.h). Executors run the body, fusers inline it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

// What C++ says of a composite whose entry has the line "payload".
struct CompositeDef {
  std::string_view name{};
  DrawFn draw = nullptr;  // or roles; without either, only `draw` lines have it drawn
  std::vector<Role> roles{};
  InferFn infer = &infer_by_body;
  uint16_t drawn_dtypes = kFloatDTypes;  // with roles
};
void add_composite(const CompositeDef& def);
// Does the operator leave its inference to the operators of its body?
bool infers_by_body(const Operator& op);

// The operator of an entry with a body, and its equivalent where it has one.
struct Entry;
void add_scripted(const Entry& entry, const CompositeDef& def);
// "aten::trunc(Tensor self) -> Tensor": aten::trunc_
std::string in_place_name(const std::string& schema);

}  // namespace fusillade

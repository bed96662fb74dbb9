// The head of an operator that no plan describes, only `run` and `infer`; families set their marks
// on it and register it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/ops/operator.h"

namespace fusillade {

// Roles left out are Role::Default. With `draw` a generator may draw the operator, without it not.
inline Operator opaque_operator(const std::string& schema, const char* family, RunFn run,
                                InferFn infer, std::vector<Role> roles = {},
                                DrawFn draw = nullptr) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Opaque;
  r.family = family;
  r.run = run;
  r.infer = infer;
  r.roles = std::move(roles);
  r.roles.resize(r.schema.args.size(), Role::Default);
  r.draw = draw;
  r.generate = draw != nullptr;
  return r;
}

}  // namespace fusillade

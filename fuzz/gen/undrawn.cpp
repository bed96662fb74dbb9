// See undrawn.h.
#include "fuzz/gen/undrawn.h"

#include <algorithm>

namespace fusillade::fuzz {

std::string_view why_undrawn(const Row& row) {
  if (row.kind == OpKind::Prim || row.schema.varargs || row.schema.varresults) return "structure";
  if (row.side_effect) return "effect";
  if (row.name == "prim::id") return "address";
  bool of_tensors = std::any_of(row.schema.args.begin(), row.schema.args.end(),
                                [](const SchemaArg& a) { return a.type.is_tensor(); });
  bool step = row.name.starts_with("prim::") && (of_tensors || row.kind == OpKind::Composite);
  if (step && !row.generate && row.kind != OpKind::Scalar) return "inner";
  return "";
}

std::string undrawn_words() {
  return "structure (control flow, constants, containers: part of other programs), effect (prints, "
         "warns, raises, changes modes), address (tells where a value lies), inner (a step of "
         "other "
         "rows' bodies, which check its arguments)";
}

}  // namespace fusillade::fuzz

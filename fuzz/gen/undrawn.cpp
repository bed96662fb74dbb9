// See undrawn.h.
#include "fuzz/gen/undrawn.h"

namespace fusillade::fuzz {

std::string_view why_undrawn(const Row& row) {
  if (row.kind == OpKind::Prim || row.schema.varargs || row.schema.varresults) return "structure";
  if (row.side_effect) return "effect";
  if (row.nondeterministic) return "random";
  if (row.name.starts_with("prim::") && !row.generate) return "inner";
  return "";
}

std::string undrawn_words() {
  return "structure (control flow, constants, containers: part of other programs), inner (a step "
         "of "
         "other rows' bodies, which check its arguments), effect (prints, warns, raises, changes "
         "modes), random (its numbers differ from run to run)";
}

}  // namespace fusillade::fuzz

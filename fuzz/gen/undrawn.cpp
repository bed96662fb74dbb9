// See undrawn.h.
#include "fuzz/gen/undrawn.h"

#include <algorithm>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/ops/traits.h"
#include "fuzz/gen/pairs.h"

namespace fusillade::fuzz {

namespace {

// Rows that no program names and that front ends put into them.
bool put_into_programs(const Row& row) {
  return of_pairs(row) || (row.family == "autocast" && row.kind == OpKind::Composite);
}

}  // namespace

std::string_view why_undrawn(const Row& row) {
  if (row.kind == OpKind::Prim || row.schema.varargs || row.schema.varresults) return "structure";
  if (row.side_effect) return "effect";
  if (row.name == "prim::id") return "address";
  // Moves to a device that no machine need have.
  if (row.moves_to && *row.moves_to != Device()) return "device";
  if (has_trait(row, Trait::Refused)) return "refused";
  if (row.family == "complex") return "replaced";
  if (reshapes_in_place(row)) return "reshapes";
  bool of_tensors = std::any_of(row.schema.args.begin(), row.schema.args.end(),
                                [](const SchemaArg& a) { return a.type.is_tensor(); });
  if (put_into_programs(row)) return "";
  bool step = row.name.starts_with("prim::") && (of_tensors || row.kind == OpKind::Composite);
  if (step && !row.generate && row.kind != OpKind::Scalar) return "inner";
  return "";
}

std::string undrawn_words() {
  return "structure (control flow, constants, containers: part of other programs), effect (prints, "
         "warns, raises, changes modes), refused (always raises: not done here), replaced (a "
         "program's name of complex "
         "numbers: a row on pairs takes its place before anything runs), reshapes (gives "
         "a tensor other sizes in its place, of which nothing is inferred), device (moves to "
         "a device "
         "that a machine may not have), address (tells where a value lies), inner (a step of "
         "other "
         "rows' bodies, which check its arguments)";
}

}  // namespace fusillade::fuzz

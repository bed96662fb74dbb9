// See undrawn.h.
#include "fuzz/gen/undrawn.h"

#include <algorithm>

#include "engine/aten/view/reshape_in_place.h"
#include "engine/ops/traits.h"
#include "fuzz/gen/pairs.h"

namespace fusillade::fuzz {

namespace {

// Operators that no program names and that front ends put into them.
bool put_into_programs(const Operator& op) {
  return of_pairs(op) || (op.family == "autocast" && op.kind == OpKind::Composite);
}

}  // namespace

std::string_view why_undrawn(const Operator& op) {
  if (op.kind == OpKind::Prim || op.schema.varargs || op.schema.varresults) return "structure";
  if (op.side_effect) return "effect";
  if (op.name == "prim::id") return "address";
  // Moves to a device that no machine need have.
  if (op.moves_to && *op.moves_to != Device()) return "device";
  if (has_trait(op, Trait::Refused)) return "refused";
  if (op.family == "complex") return "replaced";
  if (reshapes_in_place(op)) return "reshapes";
  bool of_tensors = std::any_of(op.schema.args.begin(), op.schema.args.end(),
                                [](const SchemaArg& a) { return a.type.is_tensor(); });
  if (put_into_programs(op)) return "";
  bool step = op.name.starts_with("prim::") && (of_tensors || op.kind == OpKind::Composite);
  if (step && !op.generate && op.kind != OpKind::Scalar) return "inner";
  return "";
}

std::string undrawn_words() {
  return "  structure (control flow, constants, containers: they are part of other programs)\n"
         "  effect (prints, warns, raises, changes modes)\n"
         "  refused (always raises: not implemented here)\n"
         "  replaced (makes or reads complex numbers: an operator on pairs of reals takes its "
         "place)\n"
         "  reshapes (gives a tensor other sizes in place, so nothing is inferred of it)\n"
         "  device (moves to a device that a machine may not have)\n"
         "  address (its result says where a value lies)\n"
         "  inner (a step of other operators' bodies, which check its arguments)";
}

}  // namespace fusillade::fuzz

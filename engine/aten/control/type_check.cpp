// prim::TypeCheck: a guard. Hands its value on under the type that its first result has, and says
// whether the value is of that type; only where it is may the first result be used.
//
//   %y : Float(2, 3), %ok : bool = prim::TypeCheck(%x)
//   %z : Tensor = prim::If(%ok) ...
//
// A guard whose attribute "name" is "never" says no: whoever tests guards makes such.
#include "engine/ops/fits.h"
#include "engine/ops/operator.h"

namespace fusillade {
namespace {

void run(const Operator&, const Site& site, std::span<const IValue> args,
         std::vector<IValue>& results) {
  SymbolSizes bound;
  const bool fits = site.type && site.name != "never" && args[0].is_tensor() &&
                    tensor_fits(args[0].as_tensor(), site.type->info(), bound);
  results.push_back(args[0]);
  results.emplace_back(fits);
}

const Operator& make() {
  Operator r;
  r.schema = parse_schema("prim::TypeCheck(Tensor(a) value) -> (Tensor(a), bool)");
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "prims";
  r.generate = false;
  r.run_at = &run;
  r.nondeterministic = true;  // its answer depends on a type: two of them are never the same
  return OperatorTable::instance().add(std::move(r));
}

const Operator& registered = make();

}  // namespace
}  // namespace fusillade

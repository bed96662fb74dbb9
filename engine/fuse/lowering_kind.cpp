// See lowering_kind.h. Each operator's kind is looked up once: operators are asked of at every
// node.
#include "engine/fuse/lowering_kind.h"

#include "engine/base/table.h"

namespace fusillade::fuse {

const LoweringKind* lowering_kind(const Operator& op) {
  static const std::vector<const LoweringKind*> kinds = [] {
    std::vector<const LoweringKind*> of_rows(OperatorTable::instance().size(), nullptr);
    for (const Operator& r : OperatorTable::instance())
      for (const LoweringKind& kind : Table<LoweringKind>::instance()) {
        if (!kind.covers(r)) continue;
        const LoweringKind*& known = of_rows[r.number];
        FUS_CHECK(!known, "{} is lowered both as {} and as {}", r.name, known->name, kind.name);
        known = &kind;
      }
    return of_rows;
  }();
  return op.number < kinds.size() ? kinds[op.number] : nullptr;
}

}  // namespace fusillade::fuse

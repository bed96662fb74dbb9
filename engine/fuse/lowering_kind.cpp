// See lowering_kind.h. Each operator's kind is looked up once: operators are asked of at every
// node.
#include "engine/fuse/lowering_kind.h"

#include "engine/base/table.h"

namespace fusillade::fuse {

const LoweringKind* lowering_kind(const Operator& op) {
  static const std::vector<const LoweringKind*> kinds = [] {
    std::vector<const LoweringKind*> by_operator(OperatorTable::instance().size(), nullptr);
    for (const Operator& r : OperatorTable::instance())
      for (const LoweringKind& kind : Table<LoweringKind>::instance()) {
        if (!kind.covers(r)) continue;
        const LoweringKind*& known = by_operator[r.number];
        FUS_CHECK(!known, "{} is lowered both as {} and as {}", r.name, known->name, kind.name);
        known = &kind;
      }
    return by_operator;
  }();
  return op.number < kinds.size() ? kinds[op.number] : nullptr;
}

}  // namespace fusillade::fuse

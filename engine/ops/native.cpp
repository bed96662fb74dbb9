// See native.h. Operators are looked up by number: every call of a composite asks.
#include "engine/ops/native.h"

namespace fusillade {

const NativeBody& add_native(NativeBody row) {
  return Table<NativeBody>::instance().add(std::move(row));
}

const NativeBody* native_of(const Operator& op) {
  static const std::vector<const NativeBody*> by_number = [] {
    std::vector<const NativeBody*> out;
    for (const NativeBody& native : Table<NativeBody>::instance()) {
      const Operator& of = fusillade::operator_named(native.name);
      FUS_CHECK(!of.body.empty() && !of.run, "{} has no body to run natively", of.name);
      out.resize(std::max(out.size(), of.number + 1));
      out[of.number] = &native;
    }
    return out;
  }();
  return op.number < by_number.size() ? by_number[op.number] : nullptr;
}

}  // namespace fusillade

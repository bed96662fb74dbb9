// See native.h. Rows are looked up by number: every call of a composite asks.
#include "engine/ops/native.h"

namespace fusillade {

const NativeRow& add_native(NativeRow row) {
  return Table<NativeRow>::instance().add(std::move(row));
}

const NativeRow* native_of(const Row& row) {
  static const std::vector<const NativeRow*> by_number = [] {
    std::vector<const NativeRow*> out;
    for (const NativeRow& native : Table<NativeRow>::instance()) {
      const Row& of = fusillade::row(native.name);
      FUS_CHECK(!of.body.empty() && !of.run, "{} has no body to run natively", of.name);
      out.resize(std::max(out.size(), of.number + 1));
      out[of.number] = &native;
    }
    return out;
  }();
  return row.number < by_number.size() ? by_number[row.number] : nullptr;
}

}  // namespace fusillade

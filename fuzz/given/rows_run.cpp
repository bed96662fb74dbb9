// See rows_run.h.
#include "fuzz/given/rows_run.h"

#include <algorithm>
#include <numeric>

#include "engine/ops/call.h"

namespace fusillade::fuzz {

RowsRun::RowsRun() : before_(row_runs) {
  size_t most = 0;
  for (const Row* r : RowTable::instance().sorted())
    most = std::max(most, static_cast<size_t>(r->number) + 1);
  runs_.resize(most);
  row_runs = runs_.data();
}

RowsRun::~RowsRun() { row_runs = before_; }

uint64_t RowsRun::sum() const { return std::accumulate(runs_.begin(), runs_.end(), uint64_t{0}); }

void RowsRun::clear() { std::fill(runs_.begin(), runs_.end(), 0); }

}  // namespace fusillade::fuzz

// See operators_run.h.
#include "fuzz/given/operators_run.h"

#include <algorithm>
#include <numeric>

#include "engine/ops/call.h"

namespace fusillade::fuzz {

OperatorsRun::OperatorsRun() : before_(operator_runs) {
  size_t most = 0;
  for (const Operator* r : OperatorTable::instance().by_name())
    most = std::max(most, static_cast<size_t>(r->number) + 1);
  runs_.resize(most);
  operator_runs = runs_.data();
}

OperatorsRun::~OperatorsRun() { operator_runs = before_; }

uint64_t OperatorsRun::sum() const {
  return std::accumulate(runs_.begin(), runs_.end(), uint64_t{0});
}

void OperatorsRun::clear() { std::fill(runs_.begin(), runs_.end(), 0); }

}  // namespace fusillade::fuzz

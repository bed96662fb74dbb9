// What a measuring process reports to the one that started it, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/harness/measure.h"

namespace fusillade::bench {

nlohmann::json to_json(const PlanSeries& s);
PlanSeries series_of(const nlohmann::json& j);

}  // namespace fusillade::bench

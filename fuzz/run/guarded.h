// Running something whose every way to end is an outcome.
#pragma once

#include <functional>

#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {

// What `f` fills in; where it throws, what that means.
Outcome run_guarded(const std::function<void(Outcome&)>& f);

}  // namespace fusillade::fuzz

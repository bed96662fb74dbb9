// Which overload a call of serialised code means: asked when code is read, and when it is written,
// so that what is written is read as the operator it was.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/front/match.h"

namespace fusillade::archive {

struct Overload {
  const Operator* op = nullptr;   // null: none takes these arguments
  std::optional<front::Fit> fit;  // none: the operator takes any number of arguments
};

Overload choose_overload(const std::string& base, const std::vector<front::Argument>& args);

}  // namespace fusillade::archive

// Arguments of a call by their positions and names.
#pragma once

#include <vector>

#include "engine/front/match.h"

namespace fusillade::front {

// The argument at this position (SIZE_MAX: only its name tells) or of this name; null: not given.
template <class Arguments>
auto find_argument(Arguments& args, size_t position, std::string_view name) -> decltype(&args[0]) {
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].keyword.empty() ? i == position : args[i].keyword == name) return &args[i];
  return nullptr;
}

// The same of a call as it is written; without its `*` and `**`.
inline const Expr* find_argument(const Expr& call, size_t position, std::string_view name) {
  for (size_t i = 0; i < call.words.size(); ++i)
    if (call.words[i].empty() ? i == position : call.words[i] == name)
      return call.kids[i + 1].get();
  return nullptr;
}

}  // namespace fusillade::front

// See recipe.h.
#include "fuzz/gen/recipe.h"

#include "engine/ops/entry.h"
#include "fuzz/gen/pairs.h"

namespace fusillade::fuzz {

std::string_view recipe_of(const Operator& op) {
  const EntryLine* line = line_of(op.name, LineKind::Draw);
  if (!line && of_pairs(op)) {
    std::string name = op.name.substr(kOfPairs.size());
    if (name.ends_with(kOfReal)) name.resize(name.size() - kOfReal.size());
    line = line_of("aten::" + name, LineKind::Draw);
  }
  return line ? line->text : std::string_view();
}

}  // namespace fusillade::fuzz

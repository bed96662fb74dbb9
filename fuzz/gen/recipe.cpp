// See recipe.h.
#include "fuzz/gen/recipe.h"

#include "engine/ops/entry.h"
#include "fuzz/gen/pairs.h"

namespace fusillade::fuzz {

std::string_view recipe_of(const Row& row) {
  const EntryLine* line = line_of(row.name, LineKind::Draw);
  if (!line && of_pairs(row)) {
    std::string name = row.name.substr(kOfPairs.size());
    if (name.ends_with(kOfReal)) name.resize(name.size() - kOfReal.size());
    line = line_of("aten::" + name, LineKind::Draw);
  }
  return line ? line->text : std::string_view();
}

}  // namespace fusillade::fuzz

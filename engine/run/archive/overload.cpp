// See overload.h.
#include "engine/run/archive/overload.h"

namespace fusillade::archive {

using front::Round;

Overload choose_overload(const std::string& base, const std::vector<front::Argument>& args) {
  const std::vector<const Operator*>& candidates = overloads(base);
  for (Round round : {Round::Exact, Round::Subtype, Round::Real, Round::Implicit}) {
    for (const Operator* r : candidates) {
      if (std::optional<front::Fit> fit = front::fit(r->schema, args, round, nullptr))
        return {r, std::move(fit)};
    }
  }
  for (const Operator* r : candidates)
    if (r->schema.varargs) return {r, std::nullopt};
  return {};
}

}  // namespace fusillade::archive

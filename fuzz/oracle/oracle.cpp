// See oracle.h: lookup by name.
#include "fuzz/oracle/oracle.h"

#include "engine/base/text.h"

namespace fusillade::fuzz {

bool takes(const Oracle& oracle, const Case& c) {
  return has_form(c, oracle.form) && (!c.python || c.plain || oracle.python) &&
         c.plain == oracle.plain;
}

std::vector<Plan> plans_for(const Oracle& oracle, const std::vector<Plan>& plans) {
  std::vector<Plan> out;
  for (const Plan& plan : plans) {
    const bool outside = engine_of(plan).outside;
    if (oracle.about ? oracle.about(plan) : !outside) out.push_back(plan);
  }
  return out;
}

const Oracle& oracle(const std::string& name) {
  if (const Oracle* found = Table<Oracle>::instance().find(name)) return *found;
  std::vector<std::string> names;
  for (const Oracle* o : Table<Oracle>::instance().by_name()) names.push_back(o->name);
  fail("there is no oracle '{}'; the oracles are: {}{}", name, join(names, ", "),
       near_misses(name, names));
}

}  // namespace fusillade::fuzz

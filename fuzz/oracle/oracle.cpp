// See oracle.h: lookup by name.
#include "fuzz/oracle/oracle.h"

#include "engine/base/text.h"

namespace fusillade::fuzz {

std::vector<std::string> plans_for(const Oracle& oracle, const std::vector<std::string>& plans) {
  std::vector<std::string> out;
  for (const std::string& text : plans) {
    const Plan plan = parse_plan(text);
    if (oracle.about ? oracle.about(plan) : !engine_of(plan).outside) out.push_back(text);
  }
  return out;
}

const Oracle& oracle(const std::string& name) {
  if (const Oracle* found = Table<Oracle>::instance().find(name)) return *found;
  std::vector<std::string> names;
  for (const Oracle* o : Table<Oracle>::instance().sorted()) names.push_back(o->name);
  fail("there is no oracle '{}'; the oracles are: {}{}", name, join(names, ", "),
       near_misses(name, names));
}

}  // namespace fusillade::fuzz

// Names of verdicts, lookup of oracles, and what several oracles share.
#include "fuzz/oracle/oracle.h"

#include <cstring>

#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

constexpr const char* kNames[] = {"ok",     "mismatch", "crash", "hang",      "bug",
                                  "memory", "flaky",    "slow",  "untrusted", "skip"};

}  // namespace

const char* name_of(VerdictKind kind) { return kNames[static_cast<int>(kind)]; }

bool is_finding(VerdictKind kind) {
  return kind != VerdictKind::Ok && kind != VerdictKind::Untrusted && kind != VerdictKind::Skip;
}

Elements& Elements::operator+=(const Elements& o) {
  compared += o.compared;
  tight += o.tight;
  untrusted += o.untrusted;
  return *this;
}

const Oracle& oracle(const std::string& name) {
  if (const Oracle* found = Table<Oracle>::instance().find(name)) return *found;
  std::vector<std::string> names;
  for (const Oracle* o : Table<Oracle>::instance().sorted()) names.push_back(o->name);
  fail("there is no oracle '{}'; the oracles are: {}{}", name, join(names, ", "),
       near_misses(name, names));
}

}  // namespace fusillade::fuzz

// See versions.h.
#include "fuzz/run/foreign/versions.h"

#include "engine/run/plan.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::fuzz {

std::map<std::string, std::string> engine_versions(const std::vector<Plan>& plans) {
  std::map<std::string, std::string> out;
  for (const Plan& plan : plans) {
    const std::string& engine = plan.engine;
    if (!is_outside(engine)) continue;
    const Family& family = family_of(engine);
    const std::map<std::string, std::string> hello = ForeignWorker::greeting(family);
    if (hello.count("version") == 0) continue;
    out[family.name] = ForeignWorker::identity(hello);
  }
  return out;
}

void note_engines(Case& c) {
  for (const auto& [family, version] : engine_versions(c.plans)) {
    const std::string of_family = "engine: " + family + ": ";
    std::erase_if(c.notes, [&](const std::string& n) { return n.starts_with(of_family); });
    c.notes.push_back(of_family + version);
  }
}

}  // namespace fusillade::fuzz

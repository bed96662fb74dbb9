// See versions.h.
#include "fuzz/run/foreign/versions.h"

#include <fmt/format.h>

#include "engine/run/plan.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::fuzz {
namespace {

std::string note_of(const std::string& family) { return "engine: " + family + ": "; }

}  // namespace

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

std::vector<std::string> other_versions(const Case& c) {
  std::vector<std::string> out;
  for (const auto& [family, version] : engine_versions(c.plans)) {
    const std::string of_family = note_of(family);
    for (const std::string& note : c.notes)
      if (note.starts_with(of_family) && note != of_family + version)
        out.push_back(fmt::format("{} is {} here, and was {} where the case was found", family,
                                  version, note.substr(of_family.size())));
  }
  return out;
}

void note_engines(Case& c) {
  for (const auto& [family, version] : engine_versions(c.plans)) {
    const std::string of_family = note_of(family);
    std::erase_if(c.notes, [&](const std::string& n) { return n.starts_with(of_family); });
    c.notes.push_back(of_family + version);
  }
}

}  // namespace fusillade::fuzz

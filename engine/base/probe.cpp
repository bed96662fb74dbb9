// The registry behind Probe: a locked map, touched only when a probe is created or all are listed.
#include "engine/base/probe.h"

#include <deque>
#include <map>
#include <mutex>

namespace fusillade {
namespace {

struct Registry {
  std::recursive_mutex mutex;  // a Probe registers itself while probe() holds it
  std::map<std::string, Probe*> by_name;
  std::deque<Probe> owned;
};

Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

}  // namespace

Probe::Probe(std::string name) : name_(std::move(name)) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.by_name.emplace(name_, this);
}

Probe& probe(const std::string& name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  auto it = r.by_name.find(name);
  if (it != r.by_name.end()) return *it->second;
  return r.owned.emplace_back(name);
}

std::vector<const Probe*> probes() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<const Probe*> out;
  for (const auto& [name, p] : r.by_name) out.push_back(p);
  return out;
}

}  // namespace fusillade

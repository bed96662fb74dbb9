// Back ends by name, and the cache of compiled kernels.
//
// The cache's key is the kernel's printed form, so equal content compiles once per process whoever
// asks. It keeps the last kCached programs; those in use live on through their users.
#include <deque>
#include <mutex>
#include <unordered_map>

#include "engine/base/event.h"
#include "engine/base/probe.h"
#include "engine/base/table.h"
#include "engine/base/text.h"
#include "engine/kernel/kernel.h"
#include "engine/kernel/requests.h"

namespace fusillade::kernel {
namespace {

constexpr size_t kCached = 512;

Probe probe_hit("kernel/cache-hit");
Probe probe_miss("kernel/cache-miss");

struct Cache {
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const Program>> programs;
  std::deque<std::string> order;  // oldest first
};

Cache& cache() {
  static Cache instance;
  return instance;
}

}  // namespace

const Backend& backend(const std::string& name) {
  if (const Backend* found = Table<Backend>::instance().find(name)) return *found;
  std::vector<std::string> names;
  for (const Backend* b : Table<Backend>::instance().by_name()) names.push_back(b->name);
  fail("there is no kernel back end '{}'; the back ends are: {}{}", name, join(names, ", "),
       near_misses(name, names));
}

Support supports(const Backend& backend, const Kernel& kernel) {
  return backend.supports ? backend.supports(kernel) : Support();
}

void prepare(const Backend& backend) {
  if (backend.prepare) backend.prepare();
}

std::shared_ptr<const Program> compile_cached(const Kernel& kernel, const Backend& backend) {
  std::string key = backend.name + "\n" + print(kernel);
  note_kernel(key);
  Cache& c = cache();
  {
    std::lock_guard lock(c.mutex);
    auto it = c.programs.find(key);
    if (it != c.programs.end()) {
      probe_hit.hit();
      report_event("kernel known", backend.name);
      return it->second;
    }
  }
  probe_miss.hit();
  const TimedEvent compiling("kernel compiled", backend.name);
  check(kernel);
  if (const Support s = supports(backend, kernel); !s.yes) decline("{}", s.why_not);
  std::shared_ptr<const Program> program = backend.compile(kernel);
  std::lock_guard lock(c.mutex);
  if (c.order.size() >= kCached) {
    c.programs.erase(c.order.front());
    c.order.pop_front();
  }
  if (c.programs.emplace(key, program).second) c.order.push_back(std::move(key));
  return program;
}

}  // namespace fusillade::kernel

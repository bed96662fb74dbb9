// See requests.h.
#include "engine/kernel/requests.h"

#include <atomic>
#include <mutex>
#include <set>

#include "engine/base/hash.h"

namespace fusillade::kernel {
namespace {

std::atomic<bool> watched{false};
std::mutex mutex;
std::set<uint64_t>* seen = nullptr;

struct Watch {
  explicit Watch(std::set<uint64_t>* into) { set(into); }
  ~Watch() { set(nullptr); }
  static void set(std::set<uint64_t>* into) {
    std::lock_guard lock(mutex);
    seen = into;
    watched = into != nullptr;
  }
};

}  // namespace

std::vector<uint64_t> kernels_asked_by(const std::function<void()>& body) {
  std::set<uint64_t> into;
  {
    Watch watch(&into);
    body();
  }
  return {into.begin(), into.end()};
}

void note_kernel(const std::string& key) {
  if (!watched.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(mutex);
  if (seen) seen->insert(hash_bytes(key));
}

}  // namespace fusillade::kernel

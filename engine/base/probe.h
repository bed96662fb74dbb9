// Counters that compiler code bumps when something happens: a rewrite fired, a guard failed, a
// kernel was compiled, a fallback was taken. Who embeds the engine reads them by name.
//
//   static Probe fired("peephole/mul-one"); fired.hit();
//
// A probe costs one relaxed increment. Names are "area/what"; probes register on construction.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace fusillade {

class Probe {
 public:
  explicit Probe(std::string name);
  void hit(uint64_t n = 1) { count_.fetch_add(n, std::memory_order_relaxed); }
  const std::string& name() const { return name_; }
  uint64_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::string name_;
  std::atomic<uint64_t> count_{0};
};

// The probe of that name, created at first use; for names computed at run time.
Probe& probe(const std::string& name);
// All there are by now, in order of their names.
std::vector<const Probe*> probes();

}  // namespace fusillade

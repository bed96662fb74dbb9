// Which arithmetic the floats of a run use.
//
// In the ring, an F32 element's 32 bits (F64: 64, F16/BF16: 16) hold an integer of Z/2^n instead of
// a float; storage, shapes and dtypes are unchanged. See scalar/ring.h.
#pragma once

#include <cstdint>

namespace fusillade {

enum class Domain : uint8_t { Real, Ring };
inline constexpr int kNumDomains = 2;

// The domain of the current thread; engines, kernels and fills consult it.
Domain current_domain();
class DomainScope {
 public:
  explicit DomainScope(Domain domain);
  ~DomainScope();
  DomainScope(const DomainScope&) = delete;
  DomainScope& operator=(const DomainScope&) = delete;

 private:
  Domain saved_;
};

}  // namespace fusillade

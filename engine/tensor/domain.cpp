// The thread's current domain.
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {
thread_local Domain t_domain = Domain::Real;
}

Domain current_domain() { return t_domain; }
DomainScope::DomainScope(Domain domain) : saved_(t_domain) { t_domain = domain; }
DomainScope::~DomainScope() { t_domain = saved_; }

}  // namespace fusillade

// See derivations.h.
#include "engine/run/derivations.h"

#include <exception>

#include "engine/base/probe.h"

namespace fusillade {
namespace {

Probe probe_shared("autodiff/shared");

thread_local Derivations* in_force = nullptr;

Derivation copy_of(const Derivation& of) {
  Derivation out;
  out.joint.inputs = of.joint.inputs;
  out.joint.results = of.joint.results;
  out.joint.seeded = of.joint.seeded;
  out.joint.reached = of.joint.reached;
  out.joint.seeds = of.joint.seeds;
  out.partition.forward = of.partition.forward->clone();
  out.partition.backward = of.partition.backward->clone();
  out.partition.captures = of.partition.captures;
  out.partition.inputs = of.partition.inputs;
  out.partition.bytes = of.partition.bytes;
  return out;
}

}  // namespace

struct Derivations::Known {
  Derivation derivation;
  std::exception_ptr refused;
};

Derivations::Derivations() : outer_(in_force) { in_force = this; }
Derivations::~Derivations() { in_force = outer_; }

Derivation derivation_of(const std::function<std::string()>& key,
                         const std::function<Derivation()>& derive) {
  Derivations* const all = in_force;
  const std::string text = all ? key() : "";
  if (text.empty()) return derive();
  auto known = all->known_.find(text);
  if (known != all->known_.end()) {
    ++all->taken_;
    probe_shared.hit();
  } else {
    auto entry = std::make_unique<Derivations::Known>();
    try {
      entry->derivation = derive();
    } catch (const Exception&) {
      entry->refused = std::current_exception();
    }
    ++all->misses_;
    known = all->known_.emplace(text, std::move(entry)).first;
  }
  if (known->second->refused) std::rethrow_exception(known->second->refused);
  return copy_of(known->second->derivation);
}

}  // namespace fusillade

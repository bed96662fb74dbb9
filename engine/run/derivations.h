// Gradients of groups that several executors share. While a `Derivations` is alive, what is derived
// for a group and some types of its arguments is reused for the same group and types on the same
// thread. Each user runs its own passes over a copy.
//
// Plans of one program that differ only in their fusers share their groups. Failures to derive are
// kept, too. A group is identified by its text; one with a tensor in it, whose strides no text
// states, is derived anew.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "engine/passes/partition.h"

namespace fusillade {

// A group and its gradients in two, before any pass.
struct Derivation {
  Joint joint;  // its graph has been taken in two
  Partition partition;
};

class Derivations {
 public:
  Derivations();
  ~Derivations();
  Derivations(const Derivations&) = delete;
  Derivations& operator=(const Derivations&) = delete;

  uint64_t misses() const { return misses_; }
  uint64_t hits() const { return taken_; }

 private:
  friend Derivation derivation_of(const std::function<std::string()>& key,
                                  const std::function<Derivation()>& derive);
  struct Known;

  std::map<std::string, std::unique_ptr<Known>> known_;
  uint64_t misses_ = 0, taken_ = 0;
  Derivations* outer_;
};

// What `derive` gives or throws, or gave or threw before under this key. An empty key: it is not
// kept.
Derivation derivation_of(const std::function<std::string()>& key,
                         const std::function<Derivation()>& derive);

}  // namespace fusillade

// Gradients of groups that several executors have in common: while a scope of this stands, what is
// derived of a group for some types of its arguments is taken again by whoever meets the same group
// with the same types on the same thread, each with passes of its own over a copy.
//
// Plans of one program that differ in their fusers alone have their groups in common. What could
// not be derived is known, too. A group is known by its text; one with a tensor in it, whose
// strides no text tells, is derived anew.
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

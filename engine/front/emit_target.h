// What values are assigned to: names, attributes, subscripts, and tuples of these.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

class Targets {
 public:
  explicit Targets(Emitter& to) : to_(to) {}

  // `fresh`: its names are bound anew, whatever they were outside, as a comprehension's are.
  void bind(const Expr& target, Value* value, const Expr& from, bool fresh = false);
  void bind_name(const std::string& name, Value* value, const Expr& at,
                 std::optional<Type> declared = {}, bool fresh = false);

 private:
  void bind_tuple(const Expr& target, Value* value, const Expr& from, bool fresh);
  void bind_starred(const Expr& target, Value* value, size_t star, const Expr& from, bool fresh);

  Emitter& to_;
};

}  // namespace fusillade::front

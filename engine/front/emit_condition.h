// Conditions: truth of expressions, what types alone decide, and what a test shows of a variable's
// type.
//
// `x is None`, isinstance(x, T), their negations and combinations, and the truth of an Optional
// split the options of x's type; the side where the test holds sees x under the narrower type. A
// condition that the types decide compiles its one side only, so that the other may hold what this
// one could not compile.
#pragma once

#include "engine/front/emit.h"

namespace fusillade::front {

class Conditions {
 public:
  explicit Conditions(Emitter& to) : to_(to) {}

  // The truth of an expression, as a bool.
  Value* condition(const Expr& e);
  // What the types alone decide: `x is None` for an x that is never, or always, None.
  std::optional<bool> static_condition(const Expr& e);
  // What is known of names when `condition` is `truth`.
  void refine(const Expr& condition, bool truth);
  void keep_walrus(const Expr& e);
  Value* is_instance(const Expr& e);
  std::optional<bool> static_type_test(const Expr& e);

 private:
  std::optional<TypeTest> type_test(const Expr& e);
  std::optional<bool> class_condition(const Expr& e);
  std::optional<IValue> known_value(const Expr& e);
  std::optional<bool> known_condition(const Expr& e);

  Emitter& to_;
};

}  // namespace fusillade::front

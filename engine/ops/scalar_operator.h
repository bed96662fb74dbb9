// Operators on scalars, strings and containers: how they are added.
#pragma once

#include <string>
#include <type_traits>

#include "engine/ops/operator.h"

namespace fusillade {

struct ScalarOptions {
  int divisor = -1;      // argument that must not be 0
  bool generate = true;  // every argument drawn at random is legal
  bool metadata = false;
  bool reads_device = false;
  InferFn infer = nullptr;  // null: the schema's result types
};

void add_scalar_operator(const std::string& schema, RunFn run, const ScalarOptions& options);

// f: IValue(std::span<const IValue>), without state.
template <class F>
void add_scalar(const std::string& schema, F, const ScalarOptions& options = {}) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "a scalar operator keeps no state");
  add_scalar_operator(
      schema,
      [](const Operator&, std::span<const IValue> args, std::vector<IValue>& results) {
        results.push_back(F{}(args));
      },
      options);
}

// f: void(std::span<const IValue>), without state: an operator without results, which writes an
// argument.
template <class F>
void add_action(const std::string& schema, F, const ScalarOptions& options = {}) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "an operator keeps no state");
  add_scalar_operator(
      schema,
      [](const Operator&, std::span<const IValue> args, std::vector<IValue>&) { F{}(args); },
      options);
}

// An operator that is not to be removed, merged or folded, and that no program is drawn with.
Operator effect_operator(const char* schema, const char* family, RunFn run);

// Results typed by the schema, its type variables bound by the arguments' types.
void infer_bound(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results);

// Strings, lists and repetitions longer than this are refused with a MemoryError.
inline constexpr int64_t kMaxItems = int64_t{1} << 26;
void check_size(double items);
// The position of a possibly negative index among `count` items; throws an IndexError about a
// `what`.
size_t item_position(int64_t index, size_t count, const char* what);
// The positions that [start:stop:step] takes from `count` items; None is the end that the step's
// sign says.
std::vector<size_t> slice_positions(const IValue& start, const IValue& stop, int64_t step,
                                    size_t count);

}  // namespace fusillade

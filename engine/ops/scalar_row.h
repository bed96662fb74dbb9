// Rows whose one result is a scalar or a container: how they are added.
#pragma once

#include <string>
#include <type_traits>

#include "engine/ops/row.h"

namespace fusillade {

struct ScalarOptions {
  int divisor = -1;      // argument that must not be 0
  bool generate = true;  // every argument drawn at random is legal
  bool metadata = false;
  InferFn infer = nullptr;  // null: the schema's result types
};

void add_scalar_row(const std::string& schema, RunFn run, const ScalarOptions& options);

// f: IValue(std::span<const IValue>), without state.
template <class F>
void add_scalar(const std::string& schema, F, const ScalarOptions& options = {}) {
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>, "a scalar row keeps no state");
  add_scalar_row(
      schema,
      [](const Row&, std::span<const IValue> args, std::vector<IValue>& results) {
        results.push_back(F{}(args));
      },
      options);
}

}  // namespace fusillade

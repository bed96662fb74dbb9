// What an external engine promises beyond values within the bound, as its worker's hello says it
// (docs/reference/workers.md). What is not said is not promised; a word that is none is an error
// that says which there are, so that no promise is lost by a slip of the pen.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "fuzz/run/allowed.h"

namespace fusillade::fuzz {

struct Contract {
  bool error_classes = false;         // its errors are of the classes of its family's eager
  bool half_steps_rounded = false;    // an op on float16 or bfloat16 may consist of ops on those
  bool strides = false;               // results lie as its family's eager lays them (layout.h)
  bool aliases = false;               // results share memory where its family's eager's do
  bool gradients = false;             // it answers requests for gradients, at smooth points
  bool subgradients = false;          // and at ties and bounds, with those of PyTorch
  bool recompiles = false;            // what is called with other sizes is compiled anew
  double seconds = 60;                // of processor time that one call may take, a compile with it
  size_t packs = 1;                   // so many independent programs may be merged (pack.h)
  std::set<std::string> approximate;  // ops whose values are not close to others'
  std::set<std::string> declines;     // ops of its family that it does not take
  EngineDeviation allowed;            // `flushes_subnormals`, `adds_into_products`, and `ulp`
};

// `engine` is named in errors: FAMILY:ENGINE.
Contract contract_of(const std::string& engine, const nlohmann::json& said);
// The name of an op there is, as python_op spells it. `where` begins the error.
std::string op_of(const std::string& where, const nlohmann::json& said);

}  // namespace fusillade::fuzz

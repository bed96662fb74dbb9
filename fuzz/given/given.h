// Programs that a user gives, and inputs drawn for them.
//
// What is known of an input decides how it is drawn: a fixed value stays, a type with sizes gets
// values of those sizes, anything else gets dtypes and sizes as well. Which sizes go together only
// the program knows, so they are drawn blindly, many times, and tried in eager mode ahead
// (find_inputs); campaigns then draw mostly from what was accepted. A draw is a number: types_of
// (program, number) is pure, so a campaign's programs stay functions of (seed, index).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/gen/generate.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

struct GivenInput {
  std::string name;
  Type type;
  std::optional<IValue> fixed;          // in every call
  std::optional<IValue> default_value;  // now and then
};

struct Given {
  std::string file;  // and what of it, for messages
  Case program;      // its calls: those that were given with it
  std::vector<GivenInput> inputs;
  std::vector<uint64_t> accepted;  // numbers of draws that eager mode took
};

using Givens = std::vector<std::shared_ptr<const Given>>;
using InputTypes = std::vector<std::pair<std::string, Type>>;

// Can values of this type be drawn?
bool drawable(const Type& type);

// Types of all inputs: draw `number` of any, or one of those accepted (of any, where there are
// none).
InputTypes input_types(const Given& given, uint64_t number);
InputTypes draw_input_types(Choices& choices, const Given& given);

// Values of such types; fixed ones stay.
Call draw_call(Choices& choices, const Given& given, const InputTypes& types);

// Tries draws in children under these limits, and fills in `accepted`. Empty, or why there are
// none.
std::string find_inputs(Given& given, const Limits& limits);

// Programs differ, or what is known of their inputs does: so does this.
std::string identity_of(const Givens& programs);

}  // namespace fusillade::fuzz

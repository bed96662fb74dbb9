// Programs that a user gives, and inputs drawn for them.
//
// What is known of an input decides how it is drawn: a fixed value stays, a type with sizes gets
// values of those sizes, anything else gets dtypes and sizes as well. Which sizes go together only
// the program knows, so they are drawn blindly, many times, and tried in eager mode ahead
// (find_inputs); where few are accepted, the errors lead a search (search.h). Campaigns then draw
// from what was accepted. A draw is a number: types_of (program, number) is pure, so a campaign's
// programs stay functions of (seed, index).
//
// Values of one sign, equal values and the like come often (gen/pattern.h). Now and then one size
// is beyond 2^15 or 2^16, a tensor begins within a larger buffer, or two inputs share memory, the
// first and the last where eager mode took such inputs ahead.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/gen/generate.h"
#include "fuzz/gen/pattern.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

struct GivenInput {
  std::string name;
  Type type;
  std::optional<IValue> fixed;          // in every call
  std::optional<IValue> default_value;  // now and then
  std::optional<IValue> example = {};   // what values are like
  bool laid_out = false;                // given, and so are the next two
  int64_t offset = 0;                   // where it begins in its buffer, in elements
  int view_of = -1;                     // which input has the buffer; -1: its own
  bool any_bits = false;  // signed, but sent for unsigned numbers, which have the whole range
  bool pairs = false;     // its last dimension holds complex numbers
};

// By input: its name, which may promise a range (case/input_range.h), and its type.
using InputTypes = std::vector<std::pair<std::string, Type>>;

struct Given {
  std::string file;  // and what of it, for messages
  Case program;      // its calls: those that were given with it
  std::vector<GivenInput> inputs;
  std::vector<uint64_t> accepted = {};  // numbers of draws that eager mode took
  std::vector<InputTypes> found = {};   // by a search, and taken
  std::vector<InputTypes> large = {};   // with a size beyond 2^15, and taken
  bool aliases = false;                 // inputs of one memory were taken
  bool dies = false;                    // nothing was taken, for eager mode died or did not end
  double seconds = 0;                   // that finding its inputs took

  bool takes_any() const { return !accepted.empty() || !found.empty(); }
};

using Givens = std::vector<std::shared_ptr<const Given>>;

// Is all said of a tensor of integers but its values? A search may find which an index needs.
bool has_free_range(const GivenInput& in);

// Can values of this type be drawn?
bool drawable(const Type& type);

// Types of all inputs: draw `number` of any, or one of those accepted (of any, where there are
// none). In each `round` of a sequence, the next of the accepted dtypes is due. `refused`: now and
// then any, which eager mode may refuse.
InputTypes input_types(const Given& given, uint64_t number);
InputTypes draw_input_types(Choices& choices, const Given& given, uint64_t round, bool refused);

// Values of such types; fixed ones stay. `pattern`: what all elements of its tensors have in
// common; none: each tensor's own is drawn, or none.
Call draw_call(Choices& choices, const Given& given, const InputTypes& types,
               std::optional<Pattern> pattern = {});
// The pattern due at call `call` of those that `round` gives one dtype; none: as drawn. Over the
// rounds each dtype gets every pattern.
std::optional<Pattern> pattern_due(const Given& given, uint64_t round, uint64_t call);

// What large draws follow: a seed, and how many inputs are to be drawn.
struct DrawsAsked {
  uint64_t seed = 0, inputs = 64;
};

// Tries draws in children under these limits, and fills in what was accepted. Empty, or what was
// tried and how that ended.
std::string find_inputs(Given& given, const Limits& limits, const DrawsAsked& asked_for = {});

// Programs differ, or what is known of their inputs does: so does this.
std::string identity_of(const Givens& programs);

}  // namespace fusillade::fuzz

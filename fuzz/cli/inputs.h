// Inputs given on the command line: --in FILE.npy, --rand "f32[4,5]" (reproducible from --seed,
// random_tensor.h) and --arg VALUE (argument.h) in any mix, in the order of the program's
// parameters; --arg NAME=VALUE gives a parameter by its name. What is left out has its default. A
// .case brings its own inputs when none is given.
#pragma once

#include <optional>
#include <vector>

#include "fuzz/cli/program.h"

namespace fusillade::cli {

struct InputFlags {
  std::vector<std::string> in, random, args;
  uint64_t seed = 0;  // also of a module's initial values
};

// Adds --in, --rand, --arg and --seed to a verb.
void declare_inputs(CLI::App& app, InputFlags& flags);

// Throws Error where --seed is given and nothing is drawn: neither inputs nor, of a --module,
// initial values.
void require_draws(const CLI::App& app, const InputFlags& flags, const ModuleChoice& module);

// One value for each of the program's inputs. Throws Error that names the flag, or the parameter
// that nothing is given for.
std::vector<IValue> collect_inputs(const CLI::App& app, const InputFlags& flags,
                                   const Program& program);

// What the flags say of each input where they need not say all: a value that it always has, or one
// that shows its dtype and sizes (--rand). A case's own inputs are no hints.
struct InputHint {
  std::optional<IValue> value;
  bool random = false;
  std::string stands_for = {};  // the dtype that the value stands for ("complex64"), if not its own
};
// `stand_ins`: may it stand for a dtype that our tensors lack? Else that is an error.
std::vector<InputHint> collect_hints(const CLI::App& app, const InputFlags& flags,
                                     const Program& program, bool stand_ins = false);

}  // namespace fusillade::cli

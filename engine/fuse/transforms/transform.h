// Transforms: named ways to write a kernel otherwise that leave every bit of its results as it is.
//
// Each is a row that registers itself: what its arguments are, why it is not legal for some (or
// that it is), and what it does. A transform is legal where facts.h can prove it; the head of its
// file states when. So any sequence of transforms that are legal, each in what those before it
// left, gives the same bits: the claim of the oracle `schedules`. In what is computed in floats no
// reduction changes its order; integers, and residues in place of floats, are exact in any order.
//
// What is a grid is laid out already: no transform changes it, and a kernel that holds one is taken
// by those alone that make grids of the rest. A sequence is text: "split(v0,8,tail);unroll(v3)".
// Loops are identified by their variables, so each has one of its own (own_names).
#pragma once

#include <string>
#include <vector>

#include "engine/fuse/transforms/facts.h"

namespace fusillade::fuse {

// One for each parameter: the loop's variable, the buffer, the number, which of the words; kNone
// where it is left out.
using Arguments = std::vector<int64_t>;
inline constexpr int64_t kNone = -1;

struct Parameter {
  enum class Kind : uint8_t { Loop, Buffer, Number, Word };
  Kind kind;
  std::string name;
  std::vector<int64_t> numbers = {};    // Number: those that sites() tries
  std::vector<std::string> words = {};  // Word: the legal ones
  bool optional = false;
};

struct Transform {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters = {};
  // Empty where it is legal. The pool of the kernel is open.
  std::string (*why_not)(const KernelFacts& facts, const Arguments& arguments) = nullptr;
  // Where it is legal.
  void (*apply)(kernel::Kernel& kernel, const Arguments& arguments) = nullptr;
  bool allows_grids = false;  // does it take kernels that hold grids?
};
std::string signature(const Transform& t);            // "split(loop, factor, tail|mask)"
const Transform& transform(const std::string& name);  // throws Error listing the legal names

struct Step {
  const Transform* transform = nullptr;
  Arguments arguments = {};
};
std::string to_string(const Step& step);
std::string to_string(const std::vector<Step>& steps);  // between semicolons
// Throws Error naming the bad word and what is legal.
std::vector<Step> parse_steps(const std::string& text);

// Of the legal arguments those that are tried, in order of the parameters.
std::vector<Arguments> sites(const Transform& t, const kernel::Kernel& kernel);
std::vector<Arguments> sites(const Transform& t, const KernelFacts& facts);
// How many it refuses, of all that it could be given there.
int64_t refusals(const Transform& t, const KernelFacts& facts);
bool is_legal(const kernel::Kernel& kernel, const Step& step);
// For who asks several transforms of one kernel, which must live as long and stay as it is.
KernelFacts facts_of(const kernel::Kernel& kernel);

// The same kernel where every loop, let and accumulator has a variable of its own.
kernel::Kernel own_names(const kernel::Kernel& kernel);
// A parallel or vector loop stays one where its stores can still be proven disjoint, else it
// becomes serial. Throws Error where the step is not legal, with the reason and where it is; Bug
// where the result is no valid kernel.
kernel::Kernel apply_step(const kernel::Kernel& kernel, const Step& step);
kernel::Kernel apply_step(const KernelFacts& facts, const Step& step);

}  // namespace fusillade::fuse

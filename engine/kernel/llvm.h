// Inside of the `llvm` back end, shared by its files; nothing here needs an LLVM header.
//
// A kernel's top-level statements are cut into phases. A parallel loop that threads are to split,
// and that shares no variable with its neighbours, is a phase of its own; the statements between
// are one phase. Every phase becomes one machine function; launch runs them in order, with a
// barrier after each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel::jit {

// buffers: address of element 0 of every buffer of the kernel, Temp included except those of one
// iteration. Iterations begin .. end-1 of the phase's loop; ignored by a phase that is not one
// loop.
using PhaseFunction = void (*)(void* const* buffers, const uint64_t* scalars, int64_t begin,
                               int64_t end);

struct Phase {
  size_t first = 0;  // statements first .. last-1 of the body
  size_t last = 0;
  bool parallel = false;
  int64_t extent = 1;    // of the loop, when parallel; may be dynamic
  int64_t inner = 0;     // innermost iterations per iteration of it; -1: known at launch
  bool streams = false;  // streamed_buffers() are written past the caches
};
// At one thread, all statements are one phase.
std::vector<Phase> phases_of(const Kernel& kernel, int64_t threads);

// What a temporary holds in one iteration of loops around it, where no iteration sees another's.
struct Iteration {
  size_t statement = 0;  // of the kernel's body, the only one that touches it
  uint64_t dropped = 0;  // bit d: dimension d needs no memory
  int64_t elements = 0;  // of the others
};
// By buffer; nothing where it lies in memory of the launch.
std::vector<std::optional<Iteration>> iterations_of(const Kernel& kernel);
// Is what blocks and threads have of their own such memory: of one grid, whose blocks have one
// thread?
Support support_of_own_memory(const Kernel& kernel);

// Results so large that they are written past the caches, where they begin at kStreamAlign.
std::vector<bool> streamed_buffers(const Kernel& kernel);
inline constexpr uint64_t kStreamAlign = 64;

// Machine code in memory, freed with the object. Not polymorphic: files with LLVM headers are
// compiled without run-time type information, which sanitizers look for in every object with
// virtual functions.
class Code {
 public:
  Code(const Kernel& kernel, const std::vector<Phase>& phases);  // throws Unsupported
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  PhaseFunction entry(size_t phase) const { return entry_[phase]; }

 private:
  struct Loaded;
  std::unique_ptr<Loaded> loaded_;
  std::vector<PhaseFunction> entry_;
};
std::string assembly(const Kernel& kernel, const std::vector<Phase>& phases);
std::string ir_text(const Kernel& kernel, const std::vector<Phase>& phases);

// The longest vectors to use: 512 bits on cores with bf16 arithmetic (chosen on an AMD EPYC, where
// ratio_iou took about 15 % less time than with 256; others were not measured), else 256.
int vector_bits();

// Compiles a small kernel, once in a process; see llvm_ready.cpp.
void make_ready();

// A C function that emitted code calls, under a name that LLVM does not know, so that it assumes
// nothing about it. `vector` names variants that compute several lanes at once.
struct VectorVariant {
  std::string symbol;
  int lanes = 0;
  void* address = nullptr;
};
struct ScalarFunction {
  std::string symbol;
  int arity = 0;
  void* address = nullptr;
  std::vector<VectorVariant> vector;
};
// Is it instructions where others are calls? Where the host fuses products with sums.
bool is_written_out(ExprOp op, Model model);
// The function behind an op that has no instructions of its own; nullptr when there is none.
const ScalarFunction* function_of(ExprOp op, Model model, Domain domain);
std::vector<const ScalarFunction*> all_functions();
// libm's own names, which code generation calls for roundings on a CPU without instructions for
// them.
std::vector<ScalarFunction> lowered_functions();

}  // namespace fusillade::kernel::jit

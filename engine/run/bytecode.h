// Bytecode of the VM: 8-byte instructions over one value stack and one register file per call.
//
//   op      n         x                effect
//   Load              register         push a copy
//   Move              register         push and clear: the register's last use
//   LoadC             constant         push
//   Store             register         pop
//   StoreN  count     first register   pop `count` values into consecutive registers
//   Drop                               pop and release
//   DropR             register         release
//   Run     args      operator call         pop args, call an operator at its node, push results
//   Point   args      point call       an element-wise operator, from registers to a register
//   Jf                target           pop a bool, jump when false
//   Jmp               target
//   Loop    first     target           registers first..first+3: iteration, trips, condition,
//                                      parameter; jump when no iteration is left, else
//                                      parameter = iteration, iteration += 1
//   Call    args      callee           pop args, run, push results
//   Fork    args      callee           pop args, start a task, push its tuple (tasks.h)
//   Group   args      group            pop args, run a fused group, push results
//   Derive  args      group            pop args, run a differentiable group, push results
//   Back    args      fallback         pop args, run an executor of its own, push results
//   Ret     results                    pop results, return
//
// Parameters arrive in registers 0... Targets are absolute. A value's register is released at its
// last use on every path, so buffers free as early as straight-line code allows; inside loops,
// values from outside are kept until the loop ends.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/fuse/group.h"
#include "engine/ir/graph.h"
#include "engine/ops/pointwise_site.h"
#include "engine/run/differentiable.h"
#include "engine/run/profiled.h"
#include "engine/tensor/free_list.h"

namespace fusillade {

#define FUS_OPCODES(X) \
  X(Load)              \
  X(Move)              \
  X(LoadC)             \
  X(Store)             \
  X(StoreN)            \
  X(Drop)              \
  X(DropR)             \
  X(Run)               \
  X(Point)             \
  X(Jf)                \
  X(Jmp)               \
  X(Loop)              \
  X(Call)              \
  X(Fork)              \
  X(Group)             \
  X(Derive)            \
  X(Back)              \
  X(Ret)

enum class Opcode : uint8_t {
#define FUS_OPCODE(name) name,
  FUS_OPCODES(FUS_OPCODE)
#undef FUS_OPCODE
};

struct Instruction {
  Opcode op;
  uint8_t pad = 0;
  uint16_t n = 0;
  int32_t x = 0;
};
static_assert(sizeof(Instruction) == 8);

struct OperatorCall {
  const Operator* op;
  Site site;
};

// An element-wise operator whose arguments are not pushed: loads, call and store in one
// instruction.
struct PointCall {
  PointCall(const Operator& op, const Site& at) : call{&op, at}, site(op) {}
  OperatorCall call;
  PointwiseSite site;
  std::vector<int32_t> operands;  // a register, or ~i: constant i
  uint64_t dying = 0;             // whose registers these are the last uses of
  int32_t out = -1;               // register; -1: nobody wants the result
};

struct Code {
  std::string name;
  const Operator* composite = nullptr;  // whose body it is
  std::vector<Instruction> instructions;
  std::vector<const Node*> nodes;  // per instruction, for messages
  std::vector<IValue> constants;
  std::vector<OperatorCall> operators;
  std::vector<std::unique_ptr<PointCall>> points;
  std::vector<std::unique_ptr<Code>> callees;
  std::vector<std::unique_ptr<fuse::Group>> groups;
  std::vector<std::unique_ptr<Differentiable>> differentiable;
  std::vector<std::unique_ptr<Profiled>> fallbacks;
  bool anywhere = false;  // a task that may run on any thread
  uint32_t inputs = 0;
  uint32_t outputs = 0;
  uint32_t registers = 0;
  uint32_t stack = 0;  // greatest depth
  // What died in the last call, for the next one; null while a call has it.
  mutable std::atomic<FreeList*> free_list{nullptr};
  ~Code() { delete free_list.load(); }
};

// The graph must outlive the code. Throws Unsupported when a count does not fit an instruction.
// Fallback graphs get executors of this setting; without one they are called as they are.
std::unique_ptr<Code> compile_bytecode(const Graph& graph, const JitSetting* setting = nullptr);
// One instruction a line, callees after.
std::string print(const Code& code);
// Runs code in the current thread. Throws what its operators throw.
std::vector<IValue> run_bytecode(const Code& code, std::span<const IValue> inputs);

}  // namespace fusillade

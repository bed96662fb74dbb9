// The VM: a computed-goto interpreter of bytecode.h.
//
// A call's registers and stack are one array taken from a per-thread pool of frames, one per depth,
// so a call in steady state allocates nothing but its result vector. Whatever happens, the frame is
// cleared on the way out: no tensor outlives the call by staying in the pool. Above the top of the
// stack there is nothing to release, so that a push is a construction.
#include <bit>
#include <optional>

#include "engine/fuse/fuser.h"
#include "engine/ir/composite.h"
#include "engine/ir/loop_watch.h"
#include "engine/kernel/kernel.h"
#include "engine/run/bytecode.h"
#include "engine/run/call_scope.h"
#include "engine/run/frame.h"
#include "engine/run/plan.h"
#include "engine/run/tasks.h"

namespace fusillade {
namespace {

struct VmFrame {
  std::vector<IValue> slots;
  std::vector<IValue> results;
};

struct FramePool {
  std::vector<std::unique_ptr<VmFrame>> frames;
  size_t depth = 0;
};

FramePool& pool() {
  thread_local FramePool frames;
  return frames;
}

// Drops a value; a tensor that dies with it goes to the free list.
void release(IValue& v) {
  if (v.is_tensor() && current_free_list) {
    Tensor t = v.as_tensor();
    v = IValue();
    return current_free_list->offer(std::move(t));
  }
  if (v.tag() >= IValue::Tag::Str) v = IValue();
}

// The free list of the outermost code of a call, put back for the next one.
class FreeListLease {
 public:
  explicit FreeListLease(const Code& code) : code_(code) {
    FreeList* kept = code.free_list.exchange(nullptr);
    mine_.reset(kept ? kept : new FreeList);
  }
  ~FreeListLease() {
    FreeList* nobody = nullptr;
    if (code_.free_list.compare_exchange_strong(nobody, mine_.get())) mine_.release();
  }
  FreeListLease(const FreeListLease&) = delete;
  FreeListLease& operator=(const FreeListLease&) = delete;
  FreeList* get() const { return mine_.get(); }

 private:
  const Code& code_;
  std::unique_ptr<FreeList> mine_;
};

// The frame of the next depth, cleared and given back on destruction.
class Lease {
 public:
  explicit Lease(size_t slots) : pool_(pool()), slots_(slots) {
    if (pool_.depth == pool_.frames.size()) pool_.frames.push_back(std::make_unique<VmFrame>());
    frame_ = pool_.frames[pool_.depth++].get();
    if (frame_->slots.size() < slots) frame_->slots.resize(slots);
  }
  ~Lease() {
    --pool_.depth;
    for (size_t i = 0; i < slots_; ++i) release(frame_->slots[i]);
    frame_->results.clear();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  IValue* slots() { return frame_->slots.data(); }
  std::vector<IValue>& results() { return frame_->results; }

 private:
  FramePool& pool_;
  VmFrame* frame_;
  size_t slots_;
};

// Pops n arguments and pushes the results of an operator, call or group. Scalars need no release.
IValue* replace_top(IValue* sp, size_t n, std::vector<IValue>& results) {
  for (size_t i = 0; i < n; ++i) release(*--sp);
  for (IValue& v : results) new (sp++) IValue(std::move(v));
  return sp;
}

IValue* call_function(IValue* sp, size_t n, const Code& callee) {
  std::vector<IValue> returned;
  if (callee.composite && is_recorded_whole(*callee.composite))
    call(*callee.composite, Site{}, {sp - n, n}, returned);
  else returned = run_bytecode(callee, {sp - n, n});
  return replace_top(sp, n, returned);
}

// An element-wise operator whose call looks as no remembered one does, through the stack.
void call_operator(const Code& code, const PointCall& at, IValue* r, IValue* sp,
                   std::vector<IValue>& results) {
  IValue* top = sp;
  for (size_t i = 0; i < at.operands.size(); ++i) {
    const int32_t o = at.operands[i];
    if (o < 0) new (top++) IValue(code.constants[~o]);
    else if (at.dying >> i & 1) new (top++) IValue(std::move(r[o]));
    else new (top++) IValue(r[o]);
  }
  results.clear();
  const size_t n = at.operands.size();
  call(*at.call.op, at.call.site, {sp, n}, results);
  FUS_CHECK(results.size() == 1, "{} gave {} results, its node has one", at.call.op->name,
            results.size());
  top = replace_top(top, n, results);
  IValue result = std::move(*--top);
  if (at.out >= 0) r[at.out] = std::move(result);
}

// An element-wise operator from registers to a register.
void point(const Code& code, const PointCall& at, IValue* r, IValue* sp,
           std::vector<IValue>& results) {
  const IValue* args[kMostPointArgs];
  const size_t n = at.operands.size();
  for (size_t i = 0; i < n; ++i) {
    const int32_t o = at.operands[i];
    args[i] = o < 0 ? &code.constants[~o] : &r[o];
  }
  IValue result;
  const PointwiseSite::Outcome outcome = at.site.run({args, n}, at.dying, result);
  if (outcome.result == PointwiseSite::Result::None) return call_operator(code, at, r, sp, results);
  if (outcome.result == PointwiseSite::Result::Argument) {
    const int32_t from = at.operands[outcome.argument];
    if (at.dying >> outcome.argument & 1) result = std::move(r[from]);
    else result = *args[outcome.argument];
  }
  for (uint64_t dying = at.dying; dying; dying &= dying - 1)
    release(r[at.operands[std::countr_zero(dying)]]);
  if (at.out >= 0) r[at.out] = std::move(result);
}

// Does the loop whose state starts at `state` take another iteration? Advances it.
bool next_iteration(IValue* state) {
  int64_t iteration = state[0].as_int();
  if (iteration >= state[1].as_int() || !state[2].as_bool()) return false;
  state[3] = IValue(iteration);
  state[0] = IValue(iteration + 1);
  return true;
}

// Threaded code: each instruction jumps to the next one's label.
std::vector<IValue> interpret(const Code& code, Lease& frame, const Instruction*& pc) {
  static const void* const kLabels[] = {
#define FUS_OPCODE(name) &&do_##name,
      FUS_OPCODES(FUS_OPCODE)
#undef FUS_OPCODE
  };
#define FUS_NEXT goto* kLabels[static_cast<uint8_t>((++pc)->op)]
  IValue* const r = frame.slots();
  IValue* sp = r + code.registers;
  std::vector<IValue>& results = frame.results();
  goto* kLabels[static_cast<uint8_t>(pc->op)];

do_Load:
  new (sp++) IValue(r[pc->x]);
  FUS_NEXT;
do_Move:
  new (sp++) IValue(std::move(r[pc->x]));
  FUS_NEXT;
do_LoadC:
  new (sp++) IValue(code.constants[pc->x]);
  FUS_NEXT;
do_Store:
  r[pc->x] = std::move(*--sp);
  FUS_NEXT;
do_StoreN:
  for (int i = pc->n; i-- > 0;) r[pc->x + i] = std::move(*--sp);
  FUS_NEXT;
do_Drop:
  release(*--sp);
  FUS_NEXT;
do_DropR:
  release(r[pc->x]);
  FUS_NEXT;
do_Run: {
  const OperatorCall& at = code.operators[pc->x];
  results.clear();
  call(*at.op, at.site, {sp - pc->n, pc->n}, results);
  FUS_CHECK(static_cast<int>(results.size()) == at.site.results,
            "{} gave {} results, its node has {}", at.op->name, results.size(), at.site.results);
  sp = replace_top(sp, pc->n, results);
  FUS_NEXT;
}
do_Point:
  point(code, *code.points[pc->x], r, sp, results);
  FUS_NEXT;
do_Jf:
  if ((--sp)->as_bool()) FUS_NEXT;
  pc = code.instructions.data() + pc->x - 1;
  FUS_NEXT;
do_Jmp:
  pc = code.instructions.data() + pc->x - 1;
  FUS_NEXT;
do_Loop:
  count_iteration(code.nodes[static_cast<size_t>(pc - code.instructions.data())]);
  if (next_iteration(r + pc->n)) FUS_NEXT;
  pc = code.instructions.data() + pc->x - 1;
  FUS_NEXT;
do_Call:
  sp = call_function(sp, pc->n, *code.callees[pc->x]);
  FUS_NEXT;
do_Fork:
  results.clear();
  results.push_back(TaskScope::start(*code.callees[pc->x], {sp - pc->n, pc->n}));
  sp = replace_top(sp, pc->n, results);
  FUS_NEXT;
do_Group:
  results.clear();
  code.groups[pc->x]->run({sp - pc->n, pc->n}, results);
  sp = replace_top(sp, pc->n, results);
  FUS_NEXT;
do_Derive:
  results.clear();
  code.differentiable[pc->x]->run({sp - pc->n, pc->n}, results);
  sp = replace_top(sp, pc->n, results);
  FUS_NEXT;
do_Back:
  results = code.fallbacks[pc->x]->run({sp - pc->n, pc->n});
  sp = replace_top(sp, pc->n, results);
  FUS_NEXT;
do_Ret:
  return {std::make_move_iterator(sp - pc->n), std::make_move_iterator(sp)};
#undef FUS_NEXT
}

class Vm : public Executable {
 public:
  explicit Vm(std::unique_ptr<Graph> graph)
      : graph_(std::move(graph)), code_(compile_bytecode(*graph_)), needs_(*graph_) {}
  std::vector<IValue> run(const std::vector<IValue>& inputs) const override {
    check_inputs(*graph_, inputs);
    const CallScope scope(needs_);
    return scope.end(run_bytecode(*code_, inputs));
  }
  const Graph* graph() const override { return graph_.get(); }

 private:
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Code> code_;
  CallNeeds needs_;
};

std::unique_ptr<Executable> prepare_vm(const ProgramView&, const Plan&,
                                       std::unique_ptr<Graph> optimised) {
  return std::make_unique<Vm>(std::move(optimised));
}

// Every prefix of o2, and o2 with each fuser on each back end that is drawn; those that compile
// cost a hundred times what an interpreted one does.
DrawnPlans drawn_vm() {
  DrawnPlans out{.one_of = {"vm"}};
  std::string prefix;
  for (const PassCall& call : parse_pipeline("o2")) {
    prefix += (prefix.empty() ? "vm/" : ",") + call.text();
    out.one_of.push_back(prefix);
  }
  for (const fuse::Fuser* f : Table<fuse::Fuser>::instance().by_name()) {
    for (const kernel::Backend* b : Table<kernel::Backend>::instance().by_name()) {
      if (!b->drawn) continue;
      std::string plan = "vm/o2,fuse(" + f->name + "," + b->name + ")";
      (b->exact ? out.all : out.costly).push_back(plan);
    }
  }
  return out;
}

const Engine& kVm = Table<Engine>::instance().add(
    {.name = "vm",
     .summary = "bytecode that releases each value after its last use; runs fused groups",
     .prepare = &prepare_vm,
     .devices = {"cpu", "cuda"},
     .drawn = &drawn_vm});

}  // namespace

std::vector<IValue> run_bytecode(const Code& code, std::span<const IValue> inputs) {
  std::optional<FreeListLease> free_list;
  if (!current_free_list) free_list.emplace(code);
  const FreeListScope scope(free_list ? free_list->get() : current_free_list);
  Lease frame(code.registers + code.stack);
  std::copy(inputs.begin(), inputs.end(), frame.slots());
  const Instruction* pc = code.instructions.data();
  try {
    return interpret(code, frame, pc);
  } catch (const Error& e) {
    rethrow_at(e, code.nodes[static_cast<size_t>(pc - code.instructions.data())]);
  }
}

}  // namespace fusillade

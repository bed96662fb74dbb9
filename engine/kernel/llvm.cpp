// The `llvm` back end: a kernel compiled to machine code of this host, element-wise loops
// vectorised, outer loops on threads when option `threads` asks for them and the work is worth it.
//
// launch() is re-entrant: temporaries live in memory of the launch. Launches that allocate nothing
// cost an array of addresses and one indirect call per phase.
#include "engine/kernel/llvm.h"

#include <algorithm>
#include <mutex>

#include "engine/base/table.h"
#include "engine/base/thread_pool.h"
#include "engine/kernel/flat_walk.h"
#include "engine/kernel/llvm_text.h"
#include "engine/tensor/memory_pool.h"
#include "engine/tensor/peak.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kParallelWork =
    32768;  // innermost iterations below which threads cost more than they gain
constexpr int64_t kGrain = 4096;  // innermost iterations of the smallest piece for a thread
constexpr int64_t kAlign = 64;

bool mentions(const ExprNode* e, const std::vector<bool>& vars,
              std::vector<const ExprNode*>& stack) {
  stack.assign(1, e);
  std::vector<bool> seen;
  while (!stack.empty()) {
    const ExprNode* n = stack.back();
    stack.pop_back();
    if (n->index >= seen.size()) seen.resize(n->index + 1);
    if (seen[n->index]) continue;
    seen[n->index] = true;
    if (n->op == ExprOp::Var && vars[static_cast<size_t>(n->id)]) return true;
    stack.insert(stack.end(), n->child, n->child + n->children);
  }
  return false;
}

// Does a statement, or one inside it, read or write one of `vars`?
bool touches(const Stmt& s, const std::vector<bool>& vars) {
  std::vector<const ExprNode*> stack;
  if (s.kind == Stmt::Kind::Update && vars[static_cast<size_t>(s.var)]) return true;
  if (s.value.is_defined() && mentions(s.value.node(), vars, stack)) return true;
  for (const Expr& e : s.indices) {
    if (mentions(e.node(), vars, stack)) return true;
  }
  for (const Stmt& inner : s.body) {
    if (touches(inner, vars)) return true;
  }
  return false;
}

int64_t work_of(const Body& body, const uint64_t* scalars) {
  int64_t most = 1;
  for (const Stmt& s : body) {
    if (s.kind != Stmt::Kind::For) continue;
    int64_t inner = 0;
    if (__builtin_mul_overflow(number_at_launch(s.extent, scalars), work_of(s.body, scalars),
                               &inner))
      inner = INT64_MAX;
    most = std::max(most, inner);
  }
  return most;
}

bool has_dynamic_loop(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt& s) {
    return s.kind == Stmt::Kind::For && (is_dynamic(s.extent) || has_dynamic_loop(s.body));
  });
}

bool worth_threads(int64_t extent, int64_t inner) {
  return extent > 1 && inner > 0 && inner >= kParallelWork / extent;
}

}  // namespace

std::vector<Phase> phases_of(const Kernel& kernel, int64_t threads) {
  const Body& body = kernel.body;
  std::vector<bool> defined(static_cast<size_t>(kernel.num_vars));
  std::vector<Phase> out;
  const std::vector<bool> streamed = streamed_buffers(kernel);
  const bool streams = std::find(streamed.begin(), streamed.end(), true) != streamed.end();
  for (size_t i = 0; i < body.size(); ++i) {
    const Stmt& s = body[i];
    bool alone = threads > 1 && s.kind == Stmt::Kind::For &&
                 (s.loop == LoopKind::Parallel || s.loop == LoopKind::Block);
    int64_t inner = 0;
    if (alone) {
      const bool dynamic = is_dynamic(s.extent) || has_dynamic_loop(s.body);
      inner = dynamic ? -1 : work_of(s.body, nullptr);
      alone = dynamic || worth_threads(s.extent, inner);
    }
    for (size_t k = i; alone && k < body.size(); ++k) alone = !touches(body[k], defined);
    if (alone) {
      out.push_back({i, i + 1, true, s.extent, inner, streams});
      continue;
    }
    if (!out.empty() && !out.back().parallel) out.back().last = i + 1;
    else out.push_back({.first = i, .last = i + 1, .streams = streams});
    if (s.kind == Stmt::Kind::Let || s.kind == Stmt::Kind::Declare)
      defined[static_cast<size_t>(s.var)] = true;
  }
  return out;
}

namespace {

// Memory of a launch, kept by the pool for the next.
class Temporaries {
 public:
  explicit Temporaries(int64_t bytes) : bytes_(static_cast<size_t>(bytes)) {
    if (bytes == 0) return;
    memory_ = take_memory(bytes_);
    if (!memory_) fail("no memory for {} bytes of a kernel's temporaries", bytes);
  }
  ~Temporaries() {
    if (memory_) return_memory(memory_, bytes_);
  }
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;
  uint8_t* memory() const { return memory_; }

 private:
  size_t bytes_;
  uint8_t* memory_ = nullptr;
};

class LlvmProgram final : public Program {
 public:
  explicit LlvmProgram(const Kernel& kernel);
  void launch(const LaunchArgs& args, const Stream& stream) const override;
  std::string disassembly() const override { return assembly(kernel_, phases_); }

 private:
  void run(void* const* buffers, const uint64_t* scalars) const;
  const Code& code_for(void* const* buffers) const;

  Kernel kernel_;
  std::vector<size_t> temporaries_;  // in memory of the launch
  std::vector<Phase> phases_;
  std::unique_ptr<Code> code_;
  std::vector<size_t> streamed_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<Code> unaligned_;  // for results that lie where none can be streamed to
  int64_t threads_ = 1;
};

// Bytes of a temporary, up to where the next one may start.
int64_t temp_bytes(const Buffer& b, const uint64_t* scalars) {
  int64_t bytes = static_cast<int64_t>(size_of(b.dtype));
  bool large = false;
  for (int64_t n : b.sizes)
    large = large || __builtin_mul_overflow(bytes, number_at_launch(n, scalars), &bytes);
  large = large || __builtin_add_overflow(bytes, kAlign - 1, &bytes);
  if (large) fail("a temporary of a kernel is too large");
  return bytes / kAlign * kAlign;
}

// Grids are loops here: threads that meet would have to be run side by side.
Support support_without_meetings(const Kernel& kernel) {
  if (has_barrier(kernel.body))
    return {false, "a barrier or a shuffle on a machine without blocks"};
  return support_of_own_memory(kernel);
}

LlvmProgram::LlvmProgram(const Kernel& kernel) : kernel_(kernel) {
  threads_ = thread_count();
  phases_ = phases_of(kernel, threads_);
  const std::vector<std::optional<Iteration>> iterations = iterations_of(kernel);
  for (size_t i = 0; i < iterations.size(); ++i)
    if (kernel.buffers[i].role == BufferRole::Temp && !iterations[i]) temporaries_.push_back(i);
  code_ = std::make_unique<Code>(kernel_, phases_);
  const std::vector<bool> streamed = streamed_buffers(kernel);
  for (size_t i = 0; i < streamed.size(); ++i)
    if (streamed[i]) streamed_.push_back(i);
}

const Code& LlvmProgram::code_for(void* const* buffers) const {
  const auto is_aligned = [&](size_t i) {
    return reinterpret_cast<uintptr_t>(buffers[i]) % kStreamAlign == 0;
  };
  if (std::all_of(streamed_.begin(), streamed_.end(), is_aligned)) return *code_;
  std::call_once(once_, [&] {
    std::vector<Phase> phases = phases_;
    for (Phase& p : phases) p.streams = false;
    unaligned_ = std::make_unique<Code>(kernel_, phases);
  });
  return *unaligned_;
}

void LlvmProgram::launch(const LaunchArgs& args, const Stream& stream) const {
  need_host(stream);
  constexpr size_t kFew = 32;
  void* few[kFew];
  std::vector<void*> many;
  void** buffers = few;
  const size_t count = kernel_.buffers.size();
  if (count > kFew) {
    many.resize(count);
    buffers = many.data();
  }
  int64_t all = 0;
  for (size_t i : temporaries_) {
    if (__builtin_add_overflow(all, temp_bytes(kernel_.buffers[i], args.scalars), &all))
      fail("the temporaries of a kernel are too large");
  }
  const Temporaries temporaries(all);
  const ExtraBytes counted(static_cast<size_t>(all));
  size_t next = 0;
  for (size_t i = 0; i < count; ++i)
    buffers[i] = is_argument(kernel_.buffers[i].role) ? args.buffers[next++] : nullptr;
  uint8_t* free = temporaries.memory();
  for (size_t i : temporaries_) {
    buffers[i] = free;
    free += temp_bytes(kernel_.buffers[i], args.scalars);
  }
  run(buffers, args.scalars);
}

// -fsanitize=function looks for a type hash before the function called; emitted code has none.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
void enter(PhaseFunction f, void* const* buffers, const uint64_t* scalars, int64_t begin,
           int64_t end) {
  f(buffers, scalars, begin, end);
}

struct Slice {
  PhaseFunction function;
  void* const* buffers;
  const uint64_t* scalars;
};

void run_slice(void* context, int64_t begin, int64_t end) {
  const Slice& s = *static_cast<const Slice*>(context);
  enter(s.function, s.buffers, s.scalars, begin, end);
}

void LlvmProgram::run(void* const* buffers, const uint64_t* scalars) const {
  const Code& code = code_for(buffers);
  for (size_t i = 0; i < phases_.size(); ++i) {
    const Phase& p = phases_[i];
    if (!p.parallel) {
      enter(code.entry(i), buffers, scalars, 0, 1);
      continue;
    }
    const int64_t extent = number_at_launch(p.extent, scalars);
    const int64_t inner = p.inner < 0 ? work_of(kernel_.body[p.first].body, scalars) : p.inner;
    if (!worth_threads(extent, inner)) {
      enter(code.entry(i), buffers, scalars, 0, extent);
      continue;
    }
    Slice slice{code.entry(i), buffers, scalars};
    int64_t grain = kGrain / inner + 1;
    if (inner == 1) grain = kGrain;  // whole vectors, so that splitting leaves no tails
    parallel_for(threads_, extent, grain, &run_slice, &slice);
  }
}

std::unique_ptr<Program> compile(const Kernel& kernel) {
  return std::make_unique<LlvmProgram>(along_axes(kernel));
}

const Backend& row = Table<Backend>::instance().add(
    {.name = "llvm",
     .summary = "machine code of this host through LLVM ORC: vectorised, parallel",
     .supports = &support_without_meetings,
     .compile = &compile,
     .prepare = &make_ready});

}  // namespace
}  // namespace fusillade::kernel::jit

namespace fusillade::kernel {

std::string llvm_text(const Kernel& kernel) {
  if (const Support s = jit::support_without_meetings(kernel); !s.yes) decline("{}", s.why_not);
  const Kernel loops = along_axes(kernel);
  return jit::ir_text(loops, jit::phases_of(loops, 1));
}

}  // namespace fusillade::kernel

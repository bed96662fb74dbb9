// The `llvm` back end: a kernel compiled to machine code of this host, element-wise loops
// vectorised, outer loops on threads when option `threads` asks for them and the work is worth it.
//
// launch() is re-entrant: temporaries live in memory of the launch. Launches that allocate nothing
// cost an array of addresses and one indirect call per phase.
#include "engine/kernel/llvm.h"

#include <cstdlib>

#include "engine/base/table.h"
#include "engine/base/thread_pool.h"

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
  if (s.value.defined() && mentions(s.value.node(), vars, stack)) return true;
  for (const Expr& e : s.indices) {
    if (mentions(e.node(), vars, stack)) return true;
  }
  for (const Stmt& inner : s.body) {
    if (touches(inner, vars)) return true;
  }
  return false;
}

int64_t work_of(const Body& body) {
  int64_t most = 1;
  for (const Stmt& s : body) {
    if (s.kind != Stmt::Kind::For) continue;
    int64_t inner = 0;
    if (__builtin_mul_overflow(s.extent, work_of(s.body), &inner)) inner = INT64_MAX;
    most = std::max(most, inner);
  }
  return most;
}

}  // namespace

std::vector<Phase> phases_of(const Kernel& kernel, int64_t threads) {
  const Body& body = kernel.body;
  std::vector<bool> defined(static_cast<size_t>(kernel.num_vars));
  std::vector<Phase> out;
  for (size_t i = 0; i < body.size(); ++i) {
    const Stmt& s = body[i];
    int64_t inner = s.kind == Stmt::Kind::For ? work_of(s.body) : 0;
    bool alone = threads > 1 && s.kind == Stmt::Kind::For && s.loop == LoopKind::Parallel &&
                 s.extent > 1 && inner > 0 && inner >= kParallelWork / s.extent;
    for (size_t k = i; alone && k < body.size(); ++k) alone = !touches(body[k], defined);
    if (alone) {
      out.push_back({i, i + 1, true, s.extent, inner});
      continue;
    }
    if (!out.empty() && !out.back().parallel) out.back().last = i + 1;
    else out.push_back({i, i + 1});
    if (s.kind == Stmt::Kind::Let || s.kind == Stmt::Kind::Declare)
      defined[static_cast<size_t>(s.var)] = true;
  }
  return out;
}

namespace {

struct FreeMemory {
  void operator()(void* p) const { std::free(p); }
};

class LlvmProgram final : public Program {
 public:
  explicit LlvmProgram(const Kernel& kernel);
  void launch(const LaunchArgs& args) const override;
  std::string disassembly() const override { return assembly(kernel_, phases_); }

 private:
  void run(void* const* buffers, const uint64_t* scalars) const;

  Kernel kernel_;
  std::vector<Phase> phases_;
  std::unique_ptr<Code> code_;
  std::vector<int64_t> temp_offset_;  // per buffer: -1, or its place in the memory of a launch
  int64_t temp_bytes_ = 0;
  int64_t threads_ = 1;
};

LlvmProgram::LlvmProgram(const Kernel& kernel) : kernel_(kernel) {
  for (const Buffer& b : kernel.buffers) {
    bool temp = b.role == BufferRole::Temp;
    temp_offset_.push_back(temp ? temp_bytes_ : -1);
    if (!temp) continue;
    int64_t bytes = 0;
    bool large =
        __builtin_mul_overflow(numel_of(b.sizes), static_cast<int64_t>(size_of(b.dtype)), &bytes) ||
        __builtin_add_overflow(bytes, kAlign - 1, &bytes) ||
        __builtin_add_overflow(temp_bytes_, bytes / kAlign * kAlign, &temp_bytes_);
    if (large) fail("a temporary of {} elements is too large", to_string(b.sizes));
  }
  threads_ = thread_count();
  phases_ = phases_of(kernel, threads_);
  code_ = std::make_unique<Code>(kernel_, phases_);
}

void LlvmProgram::launch(const LaunchArgs& args) const {
  constexpr size_t kFew = 32;
  void* few[kFew];
  std::vector<void*> many;
  void** buffers = few;
  if (temp_offset_.size() > kFew) {
    many.resize(temp_offset_.size());
    buffers = many.data();
  }
  std::unique_ptr<void, FreeMemory> temps;
  if (temp_bytes_ > 0) {
    temps.reset(std::aligned_alloc(kAlign, static_cast<size_t>(temp_bytes_)));
    if (!temps) fail("no memory for {} bytes of a kernel's temporaries", temp_bytes_);
  }
  size_t next = 0;
  for (size_t i = 0; i < temp_offset_.size(); ++i) {
    bool temp = temp_offset_[i] >= 0;
    buffers[i] = temp ? static_cast<char*>(temps.get()) + temp_offset_[i] : args.buffers[next++];
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
  for (size_t i = 0; i < phases_.size(); ++i) {
    const Phase& p = phases_[i];
    if (!p.parallel) {
      enter(code_->entry(i), buffers, scalars, 0, 1);
      continue;
    }
    Slice slice{code_->entry(i), buffers, scalars};
    int64_t grain = kGrain / p.inner + 1;
    if (p.inner == 1) grain = kGrain;  // whole vectors, so that splitting leaves no tails
    parallel_for(threads_, p.extent, grain, &run_slice, &slice);
  }
}

std::unique_ptr<Program> compile(const Kernel& kernel) {
  return std::make_unique<LlvmProgram>(kernel);
}

const Backend& row = Table<Backend>::instance().add(
    {"llvm", "machine code of this host through LLVM ORC: vectorised, parallel", false, &compile});

}  // namespace
}  // namespace fusillade::kernel::jit

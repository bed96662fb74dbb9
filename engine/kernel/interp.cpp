// The checking back end: runs a kernel element by element and reports what a machine would not.
//
// Every access is checked against its buffer's sizes, every integer against the range that
// int_range.h foretells. Each element of a buffer that is written
// remembers who wrote and read it: reading what nobody wrote, touching what another one wrote at
// the same time, writing what another one read, and leaving a result unwritten all throw Bug. Those
// at the same time are the iterations of a parallel or vector loop; the blocks of a grid; and the
// threads of a block from one barrier to the next. All else is serial; both sides of a Select are
// evaluated.
//
// Blocks run one after the other and, up to the next barrier or shuffle, so do the threads of a
// block, both in an order that is drawn (from a fixed seed: equal launches are equal). All threads
// of a block must come to the same barrier, in the same iterations of the loops around it.
#include <algorithm>
#include <deque>
#include <numeric>

#include "engine/base/table.h"
#include "engine/kernel/interp_steps.h"
#include "engine/kernel/kernel.h"

namespace fusillade::kernel {
namespace {

// Who touched an element last; 0: none. Stamps grow. Those of one parallel loop are the ones from
// its first on, each iteration having one; in a grid, each thread has one from barrier to barrier.
struct Touch {
  uint32_t wrote = 0;
  uint32_t read = 0;
  uint32_t read_too = 0;  // by another at the same time as a reader after it
};

// A thread of a block: its variables, and where it is in its statements.
struct Frame {
  const std::vector<Step>* steps;
  const Step* loop = nullptr;  // whose iteration this is; null: of no loop
  int64_t iteration = 0;
  size_t next = 0;
};
struct Thread {
  std::vector<uint64_t> vars;
  std::vector<Frame> frames;
  const Step* meets = nullptr;  // the barrier or shuffle it is at; null: it has ended
  uint64_t value = 0;           // what it gives to a shuffle
  uint64_t from = 0;            // the thread of its warp that it asks
};

bool same_place(const Thread& a, const Thread& b) {
  return a.meets == b.meets && std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(),
                                          b.frames.end(), [](const Frame& x, const Frame& y) {
                                            return x.steps == y.steps &&
                                                   x.iteration == y.iteration && x.next == y.next;
                                          });
}

class Run {
 public:
  Run(const Kernel& kernel, const LaunchArgs& args, int slots)
      : kernel_(kernel),
        buffers_(kernel.buffers),
        scalars_(args.scalars),
        slots_(static_cast<size_t>(slots)),
        own_vars_(static_cast<size_t>(kernel.num_vars)),
        vars_(own_vars_.data()) {
    const std::string beyond = beyond_ranges(kernel, scalars_);
    FUS_CHECK(beyond.empty(), "{}", beyond);
    size_t given = 0;
    for (Buffer& b : buffers_) {
      for (int64_t& n : b.sizes) n = number_at_launch(n, scalars_);
      for (int64_t& n : b.strides) n = number_at_launch(n, scalars_);
      const bool argument = is_argument(b.role);
      const int64_t n = numel_of(b.sizes);
      size_t bytes = 0;
      if (__builtin_mul_overflow(static_cast<size_t>(n), size_of(b.dtype), &bytes) ||
          bytes == SIZE_MAX)
        fail("a buffer of {} elements is too large", to_string(b.sizes));
      own_.emplace_back(is_argument(b.role) ? 0 : bytes + 1);
      memory_.push_back(argument ? static_cast<uint8_t*>(args.buffers[given++])
                                 : own_.back().data());
      touched_.emplace_back(b.role == BufferRole::In ? 0 : static_cast<size_t>(n));
    }
    for (size_t i = 0; i < kernel.scalars.size(); ++i)
      vars_[static_cast<size_t>(kernel.scalars[i].var)] = scalars_[i];
  }

  void body(const std::vector<Step>& steps) {
    for (const Step& s : steps) step(s);
  }

  void check_complete() const {
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      if (kernel_.buffers[b].role != BufferRole::Out) continue;
      for (size_t i = 0; i < touched_[b].size(); ++i) {
        FUS_CHECK(touched_[b][i].wrote, "the kernel leaves element {} of result b{} unwritten", i,
                  b);
      }
    }
  }

 private:
  void step(const Step& s) {
    switch (s.kind) {
      case Stmt::Kind::For:
        return is_grid(s.loop) ? grid(s) : loop(s);
      case Stmt::Kind::If:
        if (evaluate(s)) body(s.body);
        return;
      case Stmt::Kind::Barrier:
      case Stmt::Kind::Shuffle:
        FUS_BUG("a barrier or a shuffle outside a grid");
      default:
        simple(s);
    }
  }

  uint64_t evaluate(const Step& s) {
    for (size_t i = 0; i < s.code.size(); ++i) slots_[i] = compute(s.code[i]);
    return slots_[static_cast<size_t>(s.value)];
  }

  void simple(const Step& s) {
    const uint64_t value = evaluate(s);
    if (s.kind != Stmt::Kind::Store) {
      vars_[static_cast<size_t>(s.var)] = value;
      return;
    }
    size_t b = static_cast<size_t>(s.buffer);
    int64_t element = 0;
    uint8_t* at = locate(s.buffer, s.indices, &element);
    if (s.wide > 0) check_aligned(s.buffer, at, s.wide);
    Touch& t = touch(b, element);
    FUS_CHECK(!foreign(t.wrote) && !foreign(t.read) && !foreign(t.read_too),
              "race: two touch element {} of b{} at the same time, and one writes", element, b);
    t.wrote = stamp_;
    store_scalar(buffers_[b].dtype, at, value, kernel_.domain);
  }

  // The first lane's address is that of all.
  void check_aligned(int buffer, const uint8_t* at, int64_t lanes) const {
    const size_t bytes =
        size_of(buffers_[static_cast<size_t>(buffer)].dtype) * static_cast<size_t>(lanes);
    FUS_CHECK(lane_ != 0 || reinterpret_cast<uintptr_t>(at) % bytes == 0,
              "misaligned: {} bytes of b{} are touched at once at an address that is no multiple "
              "of them",
              bytes, buffer);
  }

  Touch& touch(size_t buffer, int64_t element) {
    if (buffers_[buffer].role == BufferRole::Register)
      element += thread_ * numel_of(buffers_[buffer].sizes);
    return touched_[buffer][static_cast<size_t>(element)];
  }

  void loop(const Step& s) {
    if (s.loop == LoopKind::Parallel) return parallel(s);
    if (s.loop == LoopKind::Vector) return lanes(s);
    run_iterations(s, [] {});
  }

  template <class Begin>
  void run_iterations(const Step& s, Begin begin) {
    const int64_t extent = number_at_launch(s.extent, scalars_);
    for (int64_t i = 0; i < extent; ++i) {
      begin();
      vars_[static_cast<size_t>(s.var)] = static_cast<uint64_t>(i);
      body(s.body);
    }
  }

  // What an iteration does itself, in lanes or not, is stamped from block_first_ on.
  void parallel(const Step& s) {
    first_ = stamp_ + 1;
    epoch_first_ = UINT32_MAX;
    run_iterations(s, [&] { block_first_ = ++stamp_; });
    first_ = UINT32_MAX;
    block_first_ = epoch_first_ = 0;
    ++stamp_;
  }

  void lanes(const Step& s) {
    const uint32_t outer_first = first_;
    const uint32_t outer_epoch = epoch_first_;
    first_ = std::min(first_, stamp_ + 1);
    epoch_first_ = stamp_ + 1;
    run_iterations(s, [&] { ++stamp_; });
    first_ = outer_first;
    epoch_first_ = outer_epoch;
    ++stamp_;
  }

  // Did another do it, concurrently with what is done now? Of a parallel loop: another iteration,
  // or another lane of the vector loop around this iteration. Of a grid: another block, or another
  // thread of this block since the last barrier.
  bool foreign(uint32_t stamp) const {
    return stamp != 0 && stamp != stamp_ && stamp >= first_ &&
           (stamp < block_first_ || stamp >= epoch_first_);
  }

  // --- grids

  void grid(const Step& s) {
    std::vector<const Step*> blocks;
    std::vector<const Step*> threads;
    const Step* at = &s;
    for (; at->kind == Stmt::Kind::For && is_grid(at->loop); at = at->body.data()) {
      (at->loop == LoopKind::Block ? blocks : threads).push_back(at);
      if (at->body.size() != 1) break;
    }
    const Step& innermost = *(threads.empty() ? blocks : threads).back();
    FUS_CHECK(!threads.empty(), "a grid without threads");
    const int64_t count = product(blocks);
    const int64_t size = product(threads);
    for (size_t b = 0; b < buffers_.size(); ++b) {
      if (buffers_[b].role != BufferRole::Register) continue;
      const size_t all = static_cast<size_t>(numel_of(buffers_[b].sizes) * size);
      touched_[b].resize(all);
      own_[b].resize(all * size_of(buffers_[b].dtype));
      memory_[b] = own_[b].data();
    }
    first_ = stamp_ + 1;
    next_ = first_;
    threads_.resize(static_cast<size_t>(size));
    for (int64_t n : random_order(count)) {
      set_axes(blocks, n, own_vars_.data());
      for (int64_t t = 0; t < size; ++t) {
        Thread& thread = threads_[static_cast<size_t>(t)];
        thread.vars = own_vars_;
        set_axes(threads, t, thread.vars.data());
        thread.frames.assign(1, {&innermost.body});
      }
      block();
    }
    vars_ = own_vars_.data();
    stamp_ = next_;
    first_ = UINT32_MAX;
    block_first_ = epoch_first_ = 0;
  }

  int64_t product(const std::vector<const Step*>& loops) const {
    int64_t n = 1;
    for (const Step* s : loops) n *= number_at_launch(s->extent, scalars_);
    return n;
  }

  void set_axes(const std::vector<const Step*>& loops, int64_t n, uint64_t* vars) const {
    for (size_t i = loops.size(); i-- > 0;) {
      const int64_t extent = number_at_launch(loops[i]->extent, scalars_);
      vars[loops[i]->var] = static_cast<uint64_t>(n % extent);
      n /= extent;
    }
  }

  std::vector<int64_t> random_order(int64_t n) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = order.size(); i > 1; --i) {
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      std::swap(order[i - 1], order[static_cast<size_t>(random_ >> 33) % i]);
    }
    return order;
  }

  // Runs one block, its threads ready at their first statement.
  void block() {
    for (size_t b = 0; b < buffers_.size(); ++b)
      if (!is_global(buffers_[b].role)) std::ranges::fill(touched_[b], Touch());
    block_first_ = next_;
    bool going = true;
    bool barrier = true;
    while (going) {
      if (barrier) {
        epoch_first_ = next_;
        next_ += static_cast<uint32_t>(threads_.size());
      }
      for (int64_t t : random_order(static_cast<int64_t>(threads_.size()))) {
        thread_ = t;
        stamp_ = epoch_first_ + static_cast<uint32_t>(t);
        resume(threads_[static_cast<size_t>(t)]);
      }
      going = threads_[0].meets != nullptr;
      for (size_t t = 1; t < threads_.size(); ++t) {
        FUS_CHECK(same_place(threads_[0], threads_[t]),
                  "a barrier or a shuffle in divergent code: thread {} does not come to where "
                  "thread 0 is",
                  t);
      }
      barrier = going && threads_[0].meets->kind == Stmt::Kind::Barrier;
      if (going && !barrier) shuffle();
    }
  }

  void shuffle() {
    const size_t var = static_cast<size_t>(threads_[0].meets->var);
    for (size_t t = 0; t < threads_.size(); ++t) {
      const size_t warp = t - t % static_cast<size_t>(kWarp);
      const size_t size = std::min(threads_.size() - warp, static_cast<size_t>(kWarp));
      const uint64_t from = threads_[t].from;
      FUS_CHECK(from < size, "thread {} shuffles from thread {} of a warp of {}", t,
                static_cast<int64_t>(from), size);
      threads_[t].vars[var] = threads_[warp + from].value;
    }
  }

  // Up to the next barrier or shuffle, or its end.
  void resume(Thread& t) {
    vars_ = t.vars.data();
    t.meets = nullptr;
    while (!t.frames.empty()) {
      Frame& f = t.frames.back();
      if (f.next == f.steps->size()) {
        leave(t);
        continue;
      }
      const Step& s = (*f.steps)[f.next++];
      switch (s.kind) {
        case Stmt::Kind::For:
          if (s.loop == LoopKind::Vector) {
            lanes_of_thread(s);
            break;
          }
          FUS_CHECK(s.loop == LoopKind::Serial, "a loop of another kind inside a grid");
          if (number_at_launch(s.extent, scalars_) == 0) break;
          vars_[static_cast<size_t>(s.var)] = 0;
          t.frames.push_back({&s.body, &s});
          break;
        case Stmt::Kind::If:
          if (evaluate(s)) t.frames.push_back({&s.body});
          break;
        case Stmt::Kind::Barrier:
          t.meets = &s;
          return;
        case Stmt::Kind::Shuffle:
          t.meets = &s;
          t.value = evaluate(s);
          t.from = slots_[static_cast<size_t>(s.indices[0])];
          return;
        default:
          simple(s);
      }
    }
  }

  void lanes_of_thread(const Step& s) {
    for (lane_ = 0; lane_ < s.extent; ++lane_) {
      vars_[static_cast<size_t>(s.var)] = static_cast<uint64_t>(lane_);
      for (const Step& inner : s.body) simple(inner);
    }
  }

  // A body is done: its loop's next iteration, or what follows.
  void leave(Thread& t) {
    Frame& f = t.frames.back();
    if (!f.loop || ++f.iteration == number_at_launch(f.loop->extent, scalars_)) {
      t.frames.pop_back();
      return;
    }
    f.next = 0;
    vars_[static_cast<size_t>(f.loop->var)] = static_cast<uint64_t>(f.iteration);
  }

  // --- values

  uint64_t compute(const Instruction& in) {
    switch (in.kind) {
      case Instruction::Kind::Literal:
        return in.literal;
      case Instruction::Kind::Var:
        return vars_[static_cast<size_t>(in.id)];
      case Instruction::Kind::Load:
        return load(in);
      case Instruction::Kind::Function:
        break;
    }
    const uint64_t value = in.function(slots_[static_cast<size_t>(in.operand[0])],
                                       slots_[static_cast<size_t>(in.operand[1])],
                                       slots_[static_cast<size_t>(in.operand[2])]);
    const int64_t n = static_cast<int64_t>(value);
    FUS_CHECK(!in.foretold || (n >= in.foretold->lo && n <= in.foretold->hi),
              "an integer of the kernel is {} and {} [{}, {}]", n, kNotForetold, in.foretold->lo,
              in.foretold->hi);
    return value;
  }

  uint64_t load(const Instruction& in) {
    size_t b = static_cast<size_t>(in.id);
    int64_t element = 0;
    const uint8_t* at = locate(in.id, in.indices, &element);
    if (in.wide > 0) check_aligned(in.id, at, in.wide);
    if (buffers_[b].role != BufferRole::In) {
      Touch& t = touch(b, element);
      FUS_CHECK(t.wrote, "element {} of b{} is read before it is written", element, b);
      FUS_CHECK(!foreign(t.wrote), "race: element {} of b{} is read and written at the same time",
                element, b);
      const bool other_block = t.read_too >= first_ && t.read_too < block_first_;
      if (foreign(t.read) && !other_block) t.read_too = t.read;
      t.read = stamp_;
    }
    return load_scalar(in.dtype, at, kernel_.domain);
  }

  // Where in memory, and the element's row-major number.
  uint8_t* locate(int buffer, const int* indices, int64_t* element) const {
    const Buffer& b = buffers_[static_cast<size_t>(buffer)];
    int64_t at = 0;
    int64_t number = 0;
    for (int d = 0; d < b.sizes.rank(); ++d) {
      int64_t i = static_cast<int64_t>(slots_[static_cast<size_t>(indices[d])]);
      FUS_CHECK(i >= 0 && i < b.sizes[d], "index {} of dimension {} of b{} is outside its size {}",
                i, d, buffer, b.sizes[d]);
      at += i * b.strides[d];
      number = number * b.sizes[d] + i;
    }
    *element = number;
    if (b.role == BufferRole::Register) at += thread_ * numel_of(b.sizes);
    return memory_[static_cast<size_t>(buffer)] + at * static_cast<int64_t>(size_of(b.dtype));
  }

  const Kernel& kernel_;
  std::vector<Buffer> buffers_;  // with the sizes of this launch
  const uint64_t* scalars_;
  std::vector<uint64_t> slots_;
  std::vector<uint64_t> own_vars_;
  uint64_t* vars_;                        // of the thread that runs
  std::deque<std::vector<uint8_t>> own_;  // memory of what is no argument
  std::vector<uint8_t*> memory_;
  std::vector<std::vector<Touch>> touched_;
  std::vector<Thread> threads_;
  int64_t thread_ = 0;
  int64_t lane_ = 0;  // of a vector loop that it is in
  uint32_t stamp_ = 1;
  uint32_t next_ = 1;            // stamp that no thread has yet
  uint32_t first_ = UINT32_MAX;  // of the parallel or vector loop or grid we are in
  uint32_t block_first_ = 0;     // of the block, or the iteration of a parallel loop
  uint32_t epoch_first_ = 0;     // since the last barrier, or of the vector loop
  uint64_t random_ = 1;
};

class InterpProgram final : public Program {
 public:
  explicit InterpProgram(const Kernel& kernel) : kernel_(kernel) {
    steps_ = steps_of(kernel_, &slots_);
  }
  void launch(const LaunchArgs& args, const Stream& stream) const override {
    need_host(stream);
    Run run(kernel_, args, slots_ + 1);
    run.body(steps_);
    run.check_complete();
  }

 private:
  Kernel kernel_;
  std::vector<Step> steps_;
  int slots_ = 0;
};

const Backend& registered = Table<Backend>::instance().add(
    {.name = "interp",
     .summary = "interprets kernels, checking bounds, races and uninitialised reads",
     .exact = true,
     .compile = [](const Kernel& kernel) -> std::unique_ptr<Program> {
       return std::make_unique<InterpProgram>(kernel);
     }});

}  // namespace
}  // namespace fusillade::kernel

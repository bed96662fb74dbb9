// The checking back end: runs a kernel element by element and reports what a machine would not.
//
// Every statement becomes a list of scalar instructions (one per distinct expression, operands
// first). Every access is checked against its buffer's sizes. Each element of an Out or Temp buffer
// remembers which iteration of the parallel loop wrote and read it last: reading what nobody wrote,
// touching what another iteration of the same parallel loop wrote, writing what another one read,
// and leaving a result unwritten all throw Bug. Serial otherwise; both sides of a Select are
// evaluated.
#include <algorithm>
#include <deque>
#include <unordered_map>

#include "engine/base/table.h"
#include "engine/kernel/interp_value.h"
#include "engine/kernel/kernel.h"

namespace fusillade::kernel {
namespace {

struct Instruction {
  enum class Kind : uint8_t { Literal, Var, Load, Function };
  Kind kind;
  DType dtype = DType::F32;
  int id = -1;  // variable or buffer
  uint64_t literal = 0;
  ScalarFn function = nullptr;
  int operand[3] = {0, 0, 0};
  int indices[kMaxRank] = {};
};

// A value computed by running instructions; slots[last] is the result.
struct Step {
  Stmt::Kind kind;
  int var = -1;
  int64_t extent = 0;
  bool parallel = false;
  int buffer = -1;
  std::vector<Instruction> code;
  int value = -1;              // slot
  int indices[kMaxRank] = {};  // slots
  std::vector<Step> body;
};

class Translator {
 public:
  Translator(const Kernel& kernel, int* most_slots) : kernel_(kernel), most_slots_(most_slots) {}

  std::vector<Step> body(const Body& statements) {
    std::vector<Step> out;
    for (const Stmt& s : statements) out.push_back(statement(s));
    return out;
  }

 private:
  Step statement(const Stmt& s) {
    Step step;
    step.kind = s.kind;
    step.var = s.var;
    step.extent = s.extent;
    step.parallel = s.loop == LoopKind::Parallel;
    step.buffer = s.buffer;
    if (s.kind == Stmt::Kind::For) {
      step.body = body(s.body);
      return step;
    }
    slots_.clear();
    step_ = &step;
    for (size_t i = 0; i < s.indices.size(); ++i) step.indices[i] = slot(s.indices[i].node());
    step.value = slot(s.value.node());
    *most_slots_ = std::max(*most_slots_, static_cast<int>(step.code.size()));
    return step;
  }

  int slot(const ExprNode* e) {
    auto it = slots_.find(e);
    if (it != slots_.end()) return it->second;
    Instruction in = instruction(e);
    int at = static_cast<int>(step_->code.size());
    step_->code.push_back(in);
    slots_.emplace(e, at);
    return at;
  }

  Instruction instruction(const ExprNode* e) {
    Instruction in;
    in.kind = Instruction::Kind::Function;
    if (e->op == ExprOp::Imm) {
      in.kind = Instruction::Kind::Literal;
      in.literal = literal_value(*e, kernel_.domain);
      return in;
    }
    in.id = e->id;
    if (e->op == ExprOp::Var) {
      in.kind = Instruction::Kind::Var;
      return in;
    }
    if (e->op == ExprOp::Load) {
      in.kind = Instruction::Kind::Load;
      in.dtype = e->dtype;
      for (uint32_t i = 0; i < e->children; ++i) in.indices[i] = slot(e->child[i]);
      return in;
    }
    FUS_CHECK(e->children >= 1 && e->children <= 3, "an operation of {} operands", e->children);
    for (uint32_t i = 0; i < e->children; ++i) in.operand[i] = slot(e->child[i]);
    in.function = scalar_function(*e, e->child[0]->model, kernel_.domain);
    if (!in.function) {
      decline("the interpreter has no operation {} of model {}", static_cast<int>(e->op),
              static_cast<int>(e->child[0]->model));
    }
    return in;
  }

  const Kernel& kernel_;
  int* most_slots_;
  Step* step_ = nullptr;
  std::unordered_map<const ExprNode*, int> slots_;
};

// Which iteration touched an element last; 0: none. Stamps grow, so those of one parallel loop are
// the ones from its first on.
struct Touch {
  uint32_t wrote = 0;
  uint32_t read = 0;
};

class Run {
 public:
  Run(const Kernel& kernel, const LaunchArgs& args, int slots)
      : kernel_(kernel),
        buffers_(kernel.buffers),
        scalars_(args.scalars),
        slots_(static_cast<size_t>(slots)),
        vars_(static_cast<size_t>(kernel.num_vars)) {
    size_t given = 0;
    for (Buffer& b : buffers_) {
      for (int64_t& n : b.sizes) n = number_at_launch(n, scalars_);
      for (int64_t& n : b.strides) n = number_at_launch(n, scalars_);
      bool temp = b.role == BufferRole::Temp;
      int64_t n = numel_of(b.sizes);
      size_t bytes = 0;
      if (__builtin_mul_overflow(static_cast<size_t>(n), size_of(b.dtype), &bytes) ||
          bytes == SIZE_MAX)
        fail("a buffer of {} elements is too large", to_string(b.sizes));
      if (temp) temps_.emplace_back(bytes + 1);
      memory_.push_back(temp ? temps_.back().data() : static_cast<uint8_t*>(args.buffers[given++]));
      touched_.emplace_back(b.role == BufferRole::In ? 0 : static_cast<size_t>(n));
    }
    for (size_t i = 0; i < kernel.scalars.size(); ++i) {
      const ScalarParam& s = kernel.scalars[i];
      FUS_CHECK(s.least < 0 || static_cast<int64_t>(scalars_[i]) >= s.least,
                "extent v{} is {}, not {} or more", s.var, static_cast<int64_t>(scalars_[i]),
                s.least);
      vars_[static_cast<size_t>(s.var)] = scalars_[i];
    }
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
    if (s.kind == Stmt::Kind::For) return loop(s);
    for (size_t i = 0; i < s.code.size(); ++i) slots_[i] = compute(s.code[i]);
    uint64_t value = slots_[static_cast<size_t>(s.value)];
    if (s.kind != Stmt::Kind::Store) {
      vars_[static_cast<size_t>(s.var)] = value;
      return;
    }
    size_t b = static_cast<size_t>(s.buffer);
    int64_t element = 0;
    int64_t at = locate(s.buffer, s.indices, &element);
    Touch& t = touched_[b][static_cast<size_t>(element)];
    FUS_CHECK(!foreign(t.wrote) && !foreign(t.read),
              "race: two parallel iterations touch element {} of b{}", element, b);
    t.wrote = stamp_;
    DType dtype = buffers_[b].dtype;
    store_scalar(dtype, memory_[b] + at * static_cast<int64_t>(size_of(dtype)), value,
                 kernel_.domain);
  }

  void loop(const Step& s) {
    uint32_t outer_first = first_stamp_;
    if (s.parallel) first_stamp_ = stamp_ + 1;
    const int64_t extent = number_at_launch(s.extent, scalars_);
    for (int64_t i = 0; i < extent; ++i) {
      if (s.parallel) ++stamp_;
      vars_[static_cast<size_t>(s.var)] = static_cast<uint64_t>(i);
      body(s.body);
    }
    if (!s.parallel) return;
    first_stamp_ = outer_first;
    ++stamp_;
  }

  // Was it another iteration of the parallel loop we are in?
  bool foreign(uint32_t stamp) const {
    return stamp >= first_stamp_ && stamp != stamp_ && stamp != 0;
  }

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
    return in.function(slots_[static_cast<size_t>(in.operand[0])],
                       slots_[static_cast<size_t>(in.operand[1])],
                       slots_[static_cast<size_t>(in.operand[2])]);
  }

  uint64_t load(const Instruction& in) {
    size_t b = static_cast<size_t>(in.id);
    int64_t element = 0;
    int64_t at = locate(in.id, in.indices, &element);
    if (!touched_[b].empty()) {
      Touch& t = touched_[b][static_cast<size_t>(element)];
      FUS_CHECK(t.wrote, "element {} of b{} is read before it is written", element, b);
      FUS_CHECK(!foreign(t.wrote), "race: element {} of b{} is read and written in parallel",
                element, b);
      t.read = stamp_;
    }
    return load_scalar(in.dtype, memory_[b] + at * static_cast<int64_t>(size_of(in.dtype)),
                       kernel_.domain);
  }

  // Offset in memory, and the element's row-major number.
  int64_t locate(int buffer, const int* indices, int64_t* element) const {
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
    return at;
  }

  const Kernel& kernel_;
  std::vector<Buffer> buffers_;  // with the sizes of this launch
  const uint64_t* scalars_;
  std::vector<uint64_t> slots_;
  std::vector<uint64_t> vars_;
  std::deque<std::vector<uint8_t>> temps_;
  std::vector<uint8_t*> memory_;
  std::vector<std::vector<Touch>> touched_;
  uint32_t stamp_ = 1;
  uint32_t first_stamp_ = UINT32_MAX;  // of the parallel loop we are in
};

class InterpProgram final : public Program {
 public:
  explicit InterpProgram(const Kernel& kernel) : kernel_(kernel) {
    steps_ = Translator(kernel_, &slots_).body(kernel_.body);
  }
  void launch(const LaunchArgs& args) const override {
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
    {"interp", "interprets kernels, checking bounds, races and uninitialised reads", true,
     [](const Kernel& kernel) -> std::unique_ptr<Program> {
       return std::make_unique<InterpProgram>(kernel);
     }});

}  // namespace
}  // namespace fusillade::kernel

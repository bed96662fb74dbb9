// From Kernel IR to LLVM IR. Includes LLVM: only for engine/kernel/llvm*.cpp.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "engine/kernel/llvm.h"

namespace fusillade::kernel::jit {

class Emitter {
 public:
  Emitter(const Kernel& kernel, llvm::Module& module);
  // One function per phase, called `prefix`0, `prefix`1, ...
  void run(const std::vector<Phase>& phases, const std::string& prefix);
  // By which stores to streamed buffers are known.
  std::vector<llvm::MDNode*> streamed_scopes() const;

 private:
  using Value = llvm::Value*;
  using Memo = llvm::DenseMap<const ExprNode*, llvm::Value*>;
  struct Variable {
    Value value = nullptr;
    Value memory = nullptr;      // accumulators, and whatever is set in lanes
    llvm::Type* type = nullptr;  // of what lies in memory
    bool laned = false;          // memory has one element per lane
    bool loop = false;
    int64_t last = 0;  // loop variables are in 0 .. last
  };
  struct Range {
    bool known = false;
    int64_t lo = 0;
    int64_t hi = 0;
  };

  // Statements (llvm_emit.cpp).
  void function(const Phase& phase, const std::string& name);
  void body(const Body& statements);
  void statement(const Stmt& s);
  void loop(const Stmt& s, Value begin, Value end);
  // Loops over threads, and loops that end under a condition (llvm_grid.cpp). False as below.
  bool iterations_around_threads(const Stmt& s);
  bool masked_loop(const Stmt& s, Value begin, Value end);
  bool lanes_within_threads(const Stmt& s, Value begin, Value end);
  void iteration(const Stmt& loop, Value i);
  void with_loop_variable(const Stmt& loop, Value i, llvm::function_ref<void()> body);
  // body(i) for i = begin, begin + step, ... below end; tested first unless the bounds are
  // literals. `lanes` is how many iterations a vector of LLVM's is asked to hold; 0: as it likes.
  void count(Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> body,
             int64_t lanes = 0);
  // Of LLVM's vectoriser; `vectors` is how many of them each iteration is to hold, 0: as it likes.
  void ask_for_lanes(llvm::Instruction* back, int64_t lanes, int64_t vectors);
  static int64_t vectors_of(const llvm::BasicBlock& loop, Value begin,
                            Value end);  // llvm_stagger.cpp
  void branch(const Stmt& s);
  void store(const Stmt& s);
  void set(int var, Value initial);  // in memory
  llvm::AllocaInst* stack(llvm::Type* type, int64_t count);
  Value place(const Variable& v);
  Value number(int64_t n);  // an extent or a stride
  void update(const Stmt& s);
  Value base(size_t buffer, const Phase& phase);
  Value address(int buffer, const ExprNode* const* indices, size_t count);
  void mark(llvm::Instruction* access, int buffer);
  void alias_scopes();

  // Reductions in lanes (llvm_lanes.cpp). False: the loop is not of that kind, nothing was emitted.
  bool columns(const Stmt& s, Value begin, Value end);
  bool choices(const Stmt& s, Value begin, Value end);
  void in_lanes(const Body& statements, const Stmt& outer, Value first, int64_t lanes);

  // Types and conversions (llvm_expr.cpp).
  llvm::Type* type_of(Model model);
  llvm::Type* memory_type(DType dtype);
  Value literal(uint64_t imm, Model model);
  Value convert(Value v, Model from, Model to);
  Value to_bool(Value v, Model from);
  Value float_to_int(Value v);
  Value to_memory(Value v, DType dtype);    // from the model compute_of(dtype)
  Value from_memory(Value v, DType dtype);  // to that model
  Value round(Value v, Model model, DType dtype);

  // Expressions (llvm_expr.cpp). An index expression is in bounds, so its arithmetic does not
  // overflow.
  Value value(const Expr& e) { return evaluate(e.node(), values_, false); }
  Value index(const ExprNode* e) { return evaluate(e, indices_, true); }
  Value evaluate(const ExprNode* root, Memo& memo, bool is_index);
  Value node(const ExprNode* n, const Value* in, bool is_index);
  Value load(const ExprNode* n);
  Value arithmetic(const ExprNode* n, const Value* in, bool is_index);
  Value compare(const ExprNode* n, const Value* in);
  Value function(const ExprNode* n, const Value* in);
  Value call(const ScalarFunction& f, llvm::Type* type, const Value* in);

  // Integers (llvm_int.cpp).
  Value integer(const ExprNode* n, const Value* in);
  Value divide(const ExprNode* n, const Value* in);
  Range range(const ExprNode* n, int depth = 10);  // looks no deeper than that

  bool real_float(Model m) const {
    return kernel_.domain == Domain::Real && (m == Model::F32 || m == Model::F64);
  }

  const Kernel& kernel_;
  const std::vector<std::optional<Iteration>> iterations_;
  const std::vector<bool> streamed_;
  const bool large_;  // worth the time that long loops take to compile
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  llvm::Function* function_ = nullptr;
  std::vector<Variable> vars_;
  std::vector<Value> bases_;
  std::vector<llvm::MDNode*> scope_;    // per buffer
  std::vector<llvm::MDNode*> noalias_;  // per buffer: the scopes of the buffers disjoint from it
  Memo values_;
  Memo indices_;
  bool reassociate_ = false;
  bool any_order_ = false;  // the current loop allows it, whether or not that is used
  Value lane_ = nullptr;    // index of the current lane, inside a loop over lanes
  int64_t lanes_ = 0;
};

// What a function that is_written_out is called until write_out puts instructions in its place
// (llvm_functions.cpp).
const ScalarFunction& to_be_written(ExprOp op);
bool is_to_be_written(const llvm::Instruction& i);
void write_out(llvm::Function& function);

// Called on optimised code; see llvm_half.cpp, llvm_extremes.cpp, llvm_stagger.cpp and
// llvm_streams.cpp.
void choose_halves_by_bits(llvm::Function& function);
void take_extremes(llvm::Function& function);
void stagger(llvm::Function& function);
void stream_stores(llvm::Function& function, const std::vector<llvm::MDNode*>& scopes);

}  // namespace fusillade::kernel::jit

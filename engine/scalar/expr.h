// Expr: the symbolic number. Formulas instantiated with it give the expression that fusers lower
// and Kernel IR computes; index arithmetic is Expr of model I64.
//
// Nodes live in an ExprPool (arena, hash-consed: equal expressions are the same pointer) that the
// current thread has opened with a Scope. Every Expr has a compute model (Bool, I64, F32, F64);
// operands of an arithmetic node have one model, and `Convert` is explicit. Construction folds
// integer constants and index identities (x+0, x*1, x*0, x/1, x%1 on I64 only); float algebra is
// never touched.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/scalar/number.h"

namespace fusillade {

enum class ExprOp : uint8_t {
  Imm,      // literal: `imm` holds the bits of a double (F32, F64) or an int64 (I64, Bool)
  Var,      // loop variable or let-bound value: `id`
  Arg,      // placeholder for a formula's operand: `id`
  Load,     // element of buffer `id`; children are the indices (model I64), one per dimension
  Convert,  // to `model` from the child's model: C's conversions (to Bool: != 0)
  Round,    // to `dtype` and back to the compute model: f16/bf16 rounding, narrow-integer wrapping
  Neg,
  Not,
  BitNot,
  Add,
  Sub,
  Mul,
  Div,  // Div: floats only
  FloorDiv,
  FloorMod,
  TruncDiv,
  TruncMod,
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr,  // I64 only
  Lt,
  Le,
  Gt,
  Ge,
  Eq,
  Ne,  // Bool result
  And,
  Or,      // Bool
  Select,  // children: condition, if true, if false; lazy inside kernels
#define FUS_OP(f, op) op,
  FUS_SCALAR_UNARY(FUS_OP) FUS_SCALAR_BINARY(FUS_OP)
#undef FUS_OP
};

struct ExprNode {
  ExprOp op;
  Model model;
  DType dtype = DType::F32;  // Round: the target; Load: the buffer's dtype
  int32_t id = -1;
  uint64_t imm = 0;
  uint32_t index = 0;  // creation order within the pool: a topological order
  const ExprNode* const* child = nullptr;
  uint32_t children = 0;
};

class ExprPool {
 public:
  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;
  const ExprNode* make(ExprNode prototype, const ExprNode* const* children, uint32_t count);
  static ExprPool& current();  // Bug when none is open

  class Scope {
   public:
    explicit Scope(ExprPool& pool);
    ~Scope();

   private:
    ExprPool* saved_;
  };

 private:
  struct Impl;
  Impl* impl_;
};

class Expr {
 public:
  Expr() = default;
  Expr(const ExprNode* node) : node_(node) {}  // NOLINT: implicit by design
  // A literal of the model of the formula being instantiated (see FormulaModel).
  explicit Expr(double literal);
  static Expr imm_f(double value, Model model);
  static Expr imm_i(int64_t value);
  static Expr imm_b(bool value);
  static Expr var(int id, Model model);
  static Expr arg(int id, Model model);
  static Expr load(int buffer, DType dtype, const std::vector<Expr>& indices);
  const ExprNode* node() const { return node_; }
  const ExprNode* operator->() const { return node_; }
  Model model() const { return node_->model; }
  bool is_defined() const { return node_ != nullptr; }
  bool is(const Expr& other) const { return node_ == other.node_; }
  // True, and the value, when this is an integer literal.
  bool as_int(int64_t* value) const;

 private:
  const ExprNode* node_ = nullptr;
};

// While a formula is instantiated, which model its literals take.
class FormulaModel {
 public:
  explicit FormulaModel(Model model);
  ~FormulaModel();
  static Model current();

 private:
  Model saved_;
};

Expr convert(Expr x, Model to);  // no node when already there
// No node when `dtype` is the compute type itself, or when x is already one of its values by
// construction: a Load or Round of that dtype (or of a narrower integer that fits), a converted
// condition, a choice of such.
Expr round_to(Expr x, DType dtype);
Expr operator-(Expr a);
Expr operator!(Expr a);
Expr bit_not(Expr a);
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator&(Expr a, Expr b);
Expr operator|(Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
#define FUS_DECLARE(f, op) Expr f(Expr a);
FUS_SCALAR_UNARY(FUS_DECLARE)
#undef FUS_DECLARE
#define FUS_DECLARE(f, op) Expr f(Expr a, Expr b);
FUS_SCALAR_BINARY(FUS_DECLARE)
FUS_SCALAR_INT(FUS_DECLARE)
#undef FUS_DECLARE

}  // namespace fusillade

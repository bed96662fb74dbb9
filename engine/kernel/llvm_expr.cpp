// Expressions: every node becomes the instructions that compute exactly what eager mode computes.
//
// No fast-math flag is ever set on them, so float results equal eager's bit for bit but for the
// functions of llvm_math.cpp and llvm_functions.cpp. In the ring domain floats are integers of
// their width. A choice evaluates both sides: every load of a kernel is in bounds whether or not
// its value is chosen, and nothing here traps.
#include <bit>

#include "engine/kernel/llvm_emit.h"
#include "engine/scalar/libmvec.h"
#include "engine/scalar/ring.h"

namespace fusillade::kernel::jit {

llvm::Type* Emitter::type_of(Model model) {
  bool ring = kernel_.domain == Domain::Ring;
  switch (model) {
    case Model::Bool:
      return b_.getInt1Ty();
    case Model::I64:
      return b_.getInt64Ty();
    case Model::F32:
      return ring ? static_cast<llvm::Type*>(b_.getInt32Ty()) : b_.getFloatTy();
    case Model::F64:
      return ring ? static_cast<llvm::Type*>(b_.getInt64Ty()) : b_.getDoubleTy();
  }
  FUS_BUG("model {}", static_cast<int>(model));
}

llvm::Type* Emitter::memory_type(DType dtype) {
  bool floats = kernel_.domain == Domain::Real && is_float(dtype);
  if (dtype == DType::F32 && floats) return b_.getFloatTy();
  if (dtype == DType::F64 && floats) return b_.getDoubleTy();
  if (dtype == DType::F16 && floats) {
    if (!__builtin_cpu_supports("f16c")) decline("f16 on a CPU without F16C");
    return b_.getHalfTy();
  }
  return b_.getIntNTy(static_cast<unsigned>(size_of(dtype) * 8));
}

llvm::Value* Emitter::literal(uint64_t imm, Model model) {
  if (model == Model::Bool) return b_.getInt1(imm != 0);
  if (model == Model::I64) return b_.getInt64(imm);
  double value = std::bit_cast<double>(imm);
  if (kernel_.domain == Domain::Ring) {
    uint64_t residue = ring_literal(value);
    return model == Model::F32 ? b_.getInt32(static_cast<uint32_t>(residue)) : b_.getInt64(residue);
  }
  if (model == Model::F64) return llvm::ConstantFP::get(context_, llvm::APFloat(value));
  return llvm::ConstantFP::get(context_, llvm::APFloat(static_cast<float>(value)));
}

// Out of range and NaN give the most negative integer.
llvm::Value* Emitter::float_to_int(Value v) {
  llvm::Type* t = v->getType();
  Value low = b_.CreateFCmpOGE(v, llvm::ConstantFP::get(t, -0x1p63));
  Value high = b_.CreateFCmpOLT(v, llvm::ConstantFP::get(t, 0x1p63));
  Value exact = b_.CreateFPToSI(v, b_.getInt64Ty());
  return b_.CreateSelect(b_.CreateAnd(low, high), exact, b_.getInt64(uint64_t{1} << 63));
}

llvm::Value* Emitter::to_bool(Value v, Model from) {
  Value zero = llvm::Constant::getNullValue(v->getType());
  return real_float(from) ? b_.CreateFCmpUNE(v, zero) : b_.CreateICmpNE(v, zero);
}

llvm::Value* Emitter::convert(Value v, Model from, Model to) {
  if (from == to) return v;
  if (to == Model::Bool) return to_bool(v, from);
  llvm::Type* t = type_of(to);
  bool ring = kernel_.domain == Domain::Ring;
  if (from == Model::Bool) {
    return ring || to == Model::I64 ? b_.CreateZExt(v, t) : b_.CreateUIToFP(v, t);
  }
  if (ring) return to == Model::I64 ? b_.CreateSExtOrTrunc(v, t) : b_.CreateZExtOrTrunc(v, t);
  if (to == Model::I64) return float_to_int(v);
  if (from == Model::I64) return b_.CreateSIToFP(v, t);
  return to == Model::F32 ? b_.CreateFPTrunc(v, t) : b_.CreateFPExt(v, t);
}

llvm::Value* Emitter::to_memory(Value v, DType dtype) {
  llvm::Type* t = memory_type(dtype);
  if (dtype == DType::Bool) return b_.CreateZExt(v, t);
  if (kernel_.domain == Domain::Ring || !is_float(dtype)) return b_.CreateTrunc(v, t);
  if (dtype == DType::F16) return b_.CreateFPTrunc(v, t);
  if (dtype != DType::BF16) return v;
  Value u = b_.CreateBitCast(v, b_.getInt32Ty());
  Value top = b_.CreateLShr(u, b_.getInt32(16));
  Value odd = b_.CreateAnd(top, b_.getInt32(1));
  Value rounded =
      b_.CreateLShr(b_.CreateAdd(u, b_.CreateAdd(odd, b_.getInt32(0x7fff))), b_.getInt32(16));
  Value nan = b_.CreateFCmpUNO(v, v);
  Value quiet = b_.CreateOr(top, b_.getInt32(0x40));
  return b_.CreateTrunc(b_.CreateSelect(nan, quiet, rounded), t);
}

llvm::Value* Emitter::from_memory(Value v, DType dtype) {
  llvm::Type* t = type_of(compute_of(dtype));
  if (dtype == DType::Bool) return b_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  if (dtype == DType::U8) return b_.CreateZExt(v, t);
  if (!is_float(dtype)) return b_.CreateSExt(v, t);
  if (kernel_.domain == Domain::Ring) return b_.CreateSExt(v, t);  // only 16 bits grow
  if (dtype == DType::F16) return b_.CreateFPExt(v, t);
  if (dtype != DType::BF16) return v;
  return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(v, b_.getInt32Ty()), b_.getInt32(16)), t);
}

llvm::Value* Emitter::round(Value v, Model model, DType dtype) {
  if (model == Model::Bool) return v;
  Model by = compute_of(dtype);
  Value narrow = to_memory(convert(v, model, by), dtype);
  return convert(from_memory(narrow, dtype), by, model);
}

// Children first, on a stack of its own: expressions of thousands of nodes in a chain are legal.
llvm::Value* Emitter::evaluate(const ExprNode* root, Memo& memo, bool is_index) {
  std::vector<const ExprNode*> stack{root};
  std::vector<Value> in;
  while (!stack.empty()) {
    const ExprNode* n = stack.back();
    if (memo.count(n)) {
      stack.pop_back();
      continue;
    }
    size_t height = stack.size();
    uint32_t children = n->op == ExprOp::Load ? 0 : n->children;
    for (uint32_t i = children; i-- > 0;) {
      if (!memo.count(n->child[i])) stack.push_back(n->child[i]);
    }
    if (stack.size() != height) continue;
    in.clear();
    for (uint32_t i = 0; i < children; ++i) in.push_back(memo.lookup(n->child[i]));
    Value result = node(n, in.data(), is_index);
    memo[n] = result;
    stack.pop_back();
  }
  return memo.lookup(root);
}

llvm::Value* Emitter::load(const ExprNode* n) {
  const Buffer& from = kernel_.buffers[static_cast<size_t>(n->id)];
  Value where = address(n->id, n->child, n->children);
  auto* loaded =
      b_.CreateAlignedLoad(memory_type(from.dtype), where, llvm::Align(size_of(from.dtype)));
  mark(loaded, n->id);
  return from_memory(loaded, from.dtype);
}

llvm::Value* Emitter::node(const ExprNode* n, const Value* in, bool is_index) {
  switch (n->op) {
    case ExprOp::Imm:
      return literal(n->imm, n->model);
    case ExprOp::Var: {
      const Variable& v = vars_[static_cast<size_t>(n->id)];
      if (v.memory) return b_.CreateLoad(v.type, place(v));
      FUS_CHECK(v.value, "variable {} is read where it is not defined", n->id);
      return v.value;
    }
    case ExprOp::Arg:
      FUS_BUG("a formula's operand {} in a kernel", n->id);
    case ExprOp::Load:
      return load(n);
    case ExprOp::Convert:
      return convert(in[0], n->child[0]->model, n->model);
    case ExprOp::Round:
      return round(in[0], n->model, n->dtype);
    case ExprOp::Not:
      return b_.CreateNot(in[0]);
    case ExprOp::And:
      return b_.CreateAnd(in[0], in[1]);
    case ExprOp::Or:
      return b_.CreateOr(in[0], in[1]);
    case ExprOp::Select:
      return b_.CreateSelect(in[0], in[1], in[2]);
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::Gt:
    case ExprOp::Ge:
    case ExprOp::Eq:
    case ExprOp::Ne:
      return compare(n, in);
    default:
      if (n->model == Model::Bool) decline("arithmetic on conditions");
      return arithmetic(n, in, is_index);
  }
}

llvm::Value* Emitter::compare(const ExprNode* n, const Value* in) {
  using P = llvm::CmpInst::Predicate;
  Model model = n->child[0]->model;
  struct Row {
    P real, whole, condition;
  };
  static constexpr Row kRows[] = {
      {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT}, {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE},
      {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT}, {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE},
      {P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ},   {P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE},
  };
  const Row& row = kRows[static_cast<int>(n->op) - static_cast<int>(ExprOp::Lt)];
  if (real_float(model)) return b_.CreateFCmp(row.real, in[0], in[1]);
  return b_.CreateICmp(model == Model::Bool ? row.condition : row.whole, in[0], in[1]);
}

llvm::Value* Emitter::arithmetic(const ExprNode* n, const Value* in, bool is_index) {
  bool real = real_float(n->model);
  switch (n->op) {
    case ExprOp::Neg:
      return real ? b_.CreateFNeg(in[0]) : b_.CreateNeg(in[0], "", is_index);
    case ExprOp::Add:
      return real ? b_.CreateFAdd(in[0], in[1]) : b_.CreateAdd(in[0], in[1], "", false, is_index);
    case ExprOp::Sub:
      return real ? b_.CreateFSub(in[0], in[1]) : b_.CreateSub(in[0], in[1], "", false, is_index);
    case ExprOp::Mul:
      return real ? b_.CreateFMul(in[0], in[1]) : b_.CreateMul(in[0], in[1], "", false, is_index);
    case ExprOp::Div:
      if (real) return b_.CreateFDiv(in[0], in[1]);
      break;
    case ExprOp::Abs:
      if (real) return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, in[0]);
      return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, in[0], b_.getFalse());
    case ExprOp::BitNot:
    case ExprOp::BitAnd:
    case ExprOp::BitOr:
    case ExprOp::BitXor:
    case ExprOp::Shl:
    case ExprOp::Shr:
    case ExprOp::FloorDiv:
    case ExprOp::FloorMod:
    case ExprOp::TruncDiv:
    case ExprOp::TruncMod:
      return integer(n, in);
    default:
      break;
  }
  return function(n, in);
}

llvm::Value* Emitter::function(const ExprNode* n, const Value* in) {
  if (real_float(n->model)) {
    switch (n->op) {
      case ExprOp::Floor:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::floor, in[0]);
      case ExprOp::Ceil:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, in[0]);
      case ExprOp::Trunc:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, in[0]);
      case ExprOp::Rint:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::rint, in[0]);
      case ExprOp::Sqrt:
        return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, in[0]);
      default:
        break;
    }
    if (is_written_out(n->op, n->model)) return call(to_be_written(n->op), type_of(n->model), in);
  }
  const ScalarFunction* f = function_of(n->op, n->model, kernel_.domain);
  if (!f)
    decline("operation {} on compute model {}", static_cast<int>(n->op),
            static_cast<int>(n->model));
  Value result = call(*f, type_of(n->model), in);
  const bool periodic = n->op == ExprOp::Sin || n->op == ExprOp::Cos;
  if (!periodic || !real_float(n->model) || !leaves_one(n->op == ExprOp::Sin ? "sin" : "cos"))
    return result;
  Value one = literal(std::bit_cast<uint64_t>(1.0), n->model);
  Value below = b_.CreateSelect(b_.CreateFCmpOGT(result, one), one, result);
  Value minus_one = literal(std::bit_cast<uint64_t>(-1.0), n->model);
  return b_.CreateSelect(b_.CreateFCmpOLT(below, minus_one), minus_one, below);
}

llvm::Value* Emitter::call(const ScalarFunction& f, llvm::Type* type, const Value* in) {
  auto declare = [&](const std::string& name, llvm::Type* t) {
    std::vector<llvm::Type*> arguments(static_cast<size_t>(f.arity), t);
    auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(t, arguments, false));
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    for (auto a :
         {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::Speculatable}) {
      function->addFnAttr(a);
    }
    function->setDoesNotAccessMemory();
    return callee;
  };
  llvm::CallInst* result =
      b_.CreateCall(declare(f.symbol, type), llvm::ArrayRef(in, static_cast<size_t>(f.arity)));
  std::string variants;
  for (const VectorVariant& v : f.vector) {
    declare(v.symbol, llvm::FixedVectorType::get(type, static_cast<unsigned>(v.lanes)));
    variants += fmt::format("{}_ZGV_LLVM_N{}{}_{}({})", variants.empty() ? "" : ",", v.lanes,
                            f.arity == 1 ? "v" : "vv", f.symbol, v.symbol);
  }
  if (!variants.empty())
    result->addFnAttr(llvm::Attribute::get(context_, "vector-function-abi-variant", variants));
  return result;
}

}  // namespace fusillade::kernel::jit

// Statements: loops, stores, lets and accumulators.
//
// Where an extent is a number, a loop that runs at least once is emitted rotated (test at the
// bottom) and one that does not run is not emitted. Accumulators are stack slots that SROA turns
// into phis. Buffers that may not share memory get alias scopes, so that the vectoriser needs no
// checks at run time. Values are shared within a statement; sharing between statements is left to
// LLVM, which knows what stores clobber.
#include "engine/kernel/llvm_emit.h"

#include <llvm/IR/MDBuilder.h>

#include <bit>

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kNoLonger = int64_t{1} << 48;  // no array in memory has more elements
constexpr int64_t kLarge = int64_t{1} << 15;     // elements of a buffer

bool is_large(const Kernel& kernel) {
  return std::ranges::any_of(kernel.buffers, [](const Buffer& b) {
    int64_t elements = 1;
    for (int64_t n : b.sizes) elements *= std::min(is_dynamic(n) ? 0 : n, kLarge);
    return elements >= kLarge;
  });
}

}  // namespace

Emitter::Emitter(const Kernel& kernel, llvm::Module& module)
    : kernel_(kernel),
      iterations_(iterations_of(kernel)),
      streamed_(streamed_buffers(kernel)),
      large_(is_large(kernel)),
      module_(module),
      context_(module.getContext()),
      b_(context_),
      vars_(static_cast<size_t>(kernel.num_vars)) {
  alias_scopes();
}

void Emitter::alias_scopes() {
  size_t n = kernel_.buffers.size();
  llvm::MDBuilder md(context_);
  llvm::MDNode* domain = md.createAnonymousAliasScopeDomain();
  std::vector<llvm::Metadata*> scopes;
  for (size_t i = 0; i < n; ++i) scopes.push_back(md.createAnonymousAliasScope(domain));
  for (size_t i = 0; i < n; ++i) {
    std::vector<llvm::Metadata*> others;
    for (size_t k = 0; k < n; ++k) {
      bool disjoint = k != i;
      for (auto [x, y] : kernel_.may_alias) {
        size_t p = static_cast<size_t>(x), q = static_cast<size_t>(y);
        if ((p == i && q == k) || (p == k && q == i)) disjoint = false;
      }
      if (disjoint) others.push_back(scopes[k]);
    }
    scope_.push_back(llvm::MDNode::get(context_, {scopes[i]}));
    noalias_.push_back(llvm::MDNode::get(context_, others));
  }
}

void Emitter::mark(llvm::Instruction* access, int buffer) {
  access->setMetadata(llvm::LLVMContext::MD_alias_scope, scope_[static_cast<size_t>(buffer)]);
  access->setMetadata(llvm::LLVMContext::MD_noalias, noalias_[static_cast<size_t>(buffer)]);
}

void Emitter::run(const std::vector<Phase>& phases, const std::string& prefix) {
  for (size_t i = 0; i < phases.size(); ++i) function(phases[i], prefix + std::to_string(i));
}

std::vector<llvm::MDNode*> Emitter::streamed_scopes() const {
  std::vector<llvm::MDNode*> out;
  for (size_t i = 0; i < streamed_.size(); ++i)
    if (streamed_[i]) out.push_back(scope_[i]);
  return out;
}

void Emitter::function(const Phase& phase, const std::string& name) {
  llvm::Type* ptr = b_.getPtrTy();
  auto* type =
      llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, b_.getInt64Ty(), b_.getInt64Ty()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("prefer-vector-width", std::to_string(vector_bits()));
  // Keeps InstCombine of LLVM 19 from tests for classes of floats: it takes `|x| > 0 or |x| is NaN`
  // for `x > 0 or x is NaN`.
  function_->addFnAttr("denormal-fp-math", "dynamic,dynamic");
  for (unsigned i : {0u, 1u}) function_->addParamAttr(i, llvm::Attribute::NoAlias);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  bases_.clear();
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) bases_.push_back(base(i, phase));
  for (size_t i = 0; i < kernel_.scalars.size(); ++i) {
    const ScalarParam& s = kernel_.scalars[i];
    llvm::Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), function_->getArg(1), i);
    vars_[static_cast<size_t>(s.var)].value = b_.CreateLoad(type_of(s.model), slot);
  }
  if (phase.parallel) {
    loop(kernel_.body[phase.first], function_->getArg(2), function_->getArg(3));
  } else {
    for (size_t i = phase.first; i < phase.last; ++i) statement(kernel_.body[i]);
  }
  b_.CreateRetVoid();
}

void Emitter::body(const Body& statements) {
  for (const Stmt& s : statements) statement(s);
}

void Emitter::statement(const Stmt& s) {
  values_.clear();
  indices_.clear();
  switch (s.kind) {
    case Stmt::Kind::For:
      if (s.extent != 0) loop(s, b_.getInt64(0), number(s.extent));
      return;
    case Stmt::Kind::Store:
      return store(s);
    case Stmt::Kind::Let:
      if (lane_) return set(s.var, value(s.value));
      vars_[static_cast<size_t>(s.var)] = Variable();
      vars_[static_cast<size_t>(s.var)].value = value(s.value);
      return;
    case Stmt::Kind::Declare:
      return set(s.var, value(s.value));
    case Stmt::Kind::Update:
      return update(s);
    case Stmt::Kind::If:
      return branch(s);
    case Stmt::Kind::Barrier:
    case Stmt::Kind::Shuffle:
      FUS_BUG("the threads of a block meet in a kernel for one thread");
  }
}

void Emitter::branch(const Stmt& s) {
  auto* taken = llvm::BasicBlock::Create(context_, "if", function_);
  auto* after = llvm::BasicBlock::Create(context_, "after", function_);
  b_.CreateCondBr(value(s.value), taken, after);
  b_.SetInsertPoint(taken);
  body(s.body);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

void Emitter::loop(const Stmt& s, Value begin, Value end) {
  if (s.loop == LoopKind::Thread && s.extent == 1)
    return with_loop_variable(s, begin, [&] { body(s.body); });
  if (iterations_around_threads(s) || lanes_within_threads(s, begin, end)) return;
  if (masked_loop(s, begin, end)) return;
  if (columns(s, begin, end) || choices(s, begin, end)) return;
  const bool vector = s.loop == LoopKind::Vector && !is_dynamic(s.extent);
  count(begin, end, 1, [&](Value i) { iteration(s, i); }, vector ? s.extent : 0);
}

void Emitter::iteration(const Stmt& loop, Value i) {
  const bool reassociate = reassociate_, any_order = any_order_;
  reassociate_ = reassociate_ || loop.reassociate;
  any_order_ = any_order_ || loop.reassociate;
  with_loop_variable(loop, i, [&] { body(loop.body); });
  reassociate_ = reassociate;
  any_order_ = any_order;
}

void Emitter::with_loop_variable(const Stmt& loop, Value i, llvm::function_ref<void()> body) {
  Variable saved = vars_[static_cast<size_t>(loop.var)];
  Variable var;
  var.value = i;
  var.loop = true;
  var.last = is_dynamic(loop.extent) ? kNoLonger : loop.extent - 1;
  vars_[static_cast<size_t>(loop.var)] = var;
  body();
  vars_[static_cast<size_t>(loop.var)] = saved;
}

llvm::Value* Emitter::number(int64_t n) {
  if (!is_dynamic(n)) return b_.getInt64(static_cast<uint64_t>(n));
  return vars_[static_cast<size_t>(kernel_.scalars[scalar_of(n)].var)].value;
}

void Emitter::ask_for_lanes(llvm::Instruction* back, int64_t lanes, int64_t vectors) {
  std::vector<llvm::Metadata*> asked{nullptr};
  const auto property = [&](const char* name, uint64_t n) {
    auto* value = llvm::ConstantAsMetadata::get(b_.getInt32(static_cast<uint32_t>(n)));
    asked.push_back(llvm::MDNode::get(context_, {llvm::MDString::get(context_, name), value}));
  };
  // A vector of LLVM's holds a power of two of iterations; the rest run one by one. Asked to
  // vectorise whatever its cost model says, LLVM would print where it cannot.
  if (lanes > 1)
    property("llvm.loop.vectorize.width", std::bit_floor(static_cast<uint64_t>(lanes)));
  if (vectors > 1) property("llvm.loop.interleave.count", static_cast<uint64_t>(vectors));
  if (asked.size() == 1) return;
  llvm::MDNode* node = llvm::MDNode::getDistinct(context_, asked);
  node->replaceOperandWith(0, node);
  back->setMetadata(llvm::LLVMContext::MD_loop, node);
}

void Emitter::count(Value begin, Value end, int64_t step, llvm::function_ref<void(Value)> body,
                    int64_t lanes) {
  auto* runs = llvm::dyn_cast<llvm::ConstantInt>(b_.CreateICmpSLT(begin, end));
  if (runs && runs->isZero()) return;
  auto* top = llvm::BasicBlock::Create(context_, "loop", function_);
  auto* after = llvm::BasicBlock::Create(context_, "after", function_);
  if (runs) b_.CreateBr(top);
  else b_.CreateCondBr(b_.CreateICmpSLT(begin, end), top, after);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  b_.SetInsertPoint(top);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  body(i);
  Value next = b_.CreateAdd(i, b_.getInt64(static_cast<uint64_t>(step)), "", true, true);
  i->addIncoming(next, b_.GetInsertBlock());
  llvm::Instruction* back = b_.CreateCondBr(b_.CreateICmpSLT(next, end), top, after);
  const bool alone = back->getParent() == top;
  ask_for_lanes(back, lanes, alone && large_ ? vectors_of(*top, begin, end) : 0);
  b_.SetInsertPoint(after);
}

// Of what an iteration holds it is null in phases that do not touch it.
llvm::Value* Emitter::base(size_t buffer, const Phase& phase) {
  llvm::Type* ptr = b_.getPtrTy();
  if (const std::optional<Iteration>& iteration = iterations_[buffer]) {
    if (iteration->statement < phase.first || iteration->statement >= phase.last) return nullptr;
    return stack(memory_type(kernel_.buffers[buffer].dtype), iteration->elements);
  }
  auto* pointer =
      b_.CreateLoad(ptr, b_.CreateConstInBoundsGEP1_64(ptr, function_->getArg(0), buffer));
  pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  if (phase.streams && streamed_[buffer]) {
    auto* align = llvm::ConstantAsMetadata::get(b_.getInt64(kStreamAlign));
    pointer->setMetadata(llvm::LLVMContext::MD_align, llvm::MDNode::get(context_, {align}));
  }
  return pointer;
}

llvm::Value* Emitter::address(int buffer, const ExprNode* const* indices, size_t count) {
  const Buffer& to = kernel_.buffers[static_cast<size_t>(buffer)];
  FUS_CHECK(count == static_cast<size_t>(to.sizes.rank()),
            "{} indices into a buffer of {} dimensions", count, to.sizes.rank());
  Value offset = nullptr;
  const std::optional<Iteration>& iteration = iterations_[static_cast<size_t>(buffer)];
  int64_t inner = iteration ? iteration->elements : 0;
  for (size_t d = 0; d < count; ++d) {
    if (iteration && (iteration->dropped >> d & 1)) continue;
    int64_t stride = to.strides[static_cast<int>(d)];
    if (iteration) stride = inner /= to.sizes[static_cast<int>(d)];
    int64_t at = 0;
    bool zero = Expr(indices[d]).as_int(&at) && at == 0;
    if (stride == 0 || zero) continue;
    Value term = index(indices[d]);
    if (stride != 1) term = b_.CreateMul(term, number(stride), "", false, true);
    offset = offset ? b_.CreateAdd(offset, term, "", false, true) : term;
  }
  Value base = bases_[static_cast<size_t>(buffer)];
  return offset ? b_.CreateInBoundsGEP(memory_type(to.dtype), base, offset) : base;
}

void Emitter::store(const Stmt& s) {
  const Buffer& to = kernel_.buffers[static_cast<size_t>(s.buffer)];
  Value v = value(s.value);
  std::vector<const ExprNode*> indices;
  for (const Expr& e : s.indices) indices.push_back(e.node());
  Value where = address(s.buffer, indices.data(), indices.size());
  auto* access =
      b_.CreateAlignedStore(to_memory(v, to.dtype), where, llvm::Align(size_of(to.dtype)));
  mark(access, s.buffer);
}

llvm::AllocaInst* Emitter::stack(llvm::Type* type, int64_t count) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  auto* memory =
      at_entry.CreateAlloca(type, count == 1 ? nullptr : b_.getInt64(static_cast<uint64_t>(count)));
  if (count > 1) memory->setAlignment(llvm::Align(64));
  return memory;
}

llvm::Value* Emitter::place(const Variable& v) {
  return v.laned ? b_.CreateInBoundsGEP(v.type, v.memory, lane_) : v.memory;
}

void Emitter::set(int var, Value initial) {
  Variable v;
  v.type = initial->getType();
  v.laned = lane_ != nullptr;
  v.memory = stack(v.type, v.laned ? lanes_ : 1);
  b_.CreateStore(initial, place(v));
  vars_[static_cast<size_t>(var)] = v;
}

static bool adds_products(const ExprNode* e) {
  if (e->op == ExprOp::Add) return adds_products(e->child[0]) && adds_products(e->child[1]);
  return e->op == ExprOp::Mul;
}

// A sum, and the products that it adds.
static void contract(llvm::Value* value) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return;
  const bool sum = instruction->getOpcode() == llvm::Instruction::FAdd;
  if (!sum && instruction->getOpcode() != llvm::Instruction::FMul) return;
  instruction->setHasAllowContract(true);
  for (llvm::Value* operand : instruction->operands())
    if (sum) contract(operand);
}

// In a loop that allows any order, acc + x and acc * x are marked so; nothing else is. There acc +
// x * y may be rounded once.
void Emitter::update(const Stmt& s) {
  const Variable& to = vars_[static_cast<size_t>(s.var)];
  FUS_CHECK(to.memory, "update of variable {}, which is not an accumulator", s.var);
  Value v = value(s.value);
  const ExprNode* n = s.value.node();
  bool sum = n->op == ExprOp::Add || n->op == ExprOp::Mul;
  if (sum && any_order_ && real_float(n->model)) {
    int mine = 0;
    for (uint32_t i = 0; i < 2; ++i)
      mine += n->child[i]->op == ExprOp::Var && n->child[i]->id == s.var;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(v);
    if (mine == 1 && instruction) instruction->setHasAllowReassoc(reassociate_);
    const ExprNode* x = n->child[n->child[0]->id == s.var && n->child[0]->op == ExprOp::Var];
    if (mine == 1 && instruction && n->op == ExprOp::Add && adds_products(x)) contract(instruction);
  }
  b_.CreateStore(v, place(to));
}

}  // namespace fusillade::kernel::jit

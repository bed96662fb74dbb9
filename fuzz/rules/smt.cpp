// See smt.h. What an operator computes is read from its formula (ops/formula.h), so no operator is
// named here but those that convert one number.
#include "fuzz/rules/smt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/front/sign.h"
#include "engine/front/spelling.h"
#include "engine/fuse/values.h"
#include "engine/ir/prims.h"
#include "engine/scalar/expr.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

struct Term {
  std::string text;
  DType dtype;  // Bool: SMT's Bool, else bits
};

unsigned bits_of(DType d) { return 8 * static_cast<unsigned>(size_of(d)); }
bool is_signed(DType d) { return d != DType::U8; }

// Of ints and bools, tensors or not; nothing: a float, or not known.
std::optional<DType> whole_dtype(const Type& type) {
  if (type.is(TypeKind::Int)) return DType::I64;
  if (type.is(TypeKind::Bool)) return DType::Bool;
  if (!type.is_tensor() || !type.info().has_dtype || is_float(type.info().dtype)) return {};
  return type.info().dtype;
}

std::string bits(int64_t value, unsigned width) {
  uint64_t low = static_cast<uint64_t>(value);
  if (width < 64) low &= (uint64_t{1} << width) - 1;
  return fmt::format("(_ bv{} {})", low, width);
}

std::string number(int64_t value, DType dtype) {
  if (dtype == DType::Bool) return value ? "true" : "false";
  return bits(value, bits_of(dtype));
}

using Said = std::optional<std::string>;

// The low bits of a term, or all of them and its sign before.
std::string resize_bits(const std::string& text, unsigned from, unsigned to, bool is_signed) {
  if (to < from) return fmt::format("((_ extract {} 0) {})", to - 1, text);
  if (to == from) return text;
  return fmt::format("((_ {} {}) {})", is_signed ? "sign_extend" : "zero_extend", to - from, text);
}

Term convert_term(const Term& t, DType to) {
  if (t.dtype == to) return t;
  if (t.dtype == DType::Bool)
    return {fmt::format("(ite {} {} {})", t.text, number(1, to), number(0, to)), to};
  if (to == DType::Bool) return {fmt::format("(not (= {} {}))", t.text, number(0, t.dtype)), to};
  return {resize_bits(t.text, bits_of(t.dtype), bits_of(to), is_signed(t.dtype)), to};
}

constexpr unsigned kWidth = 64;  // of the model that formulas of integers compute in

// What a formula of integers says, over terms for its operands.
class Meaning {
 public:
  explicit Meaning(std::vector<Term> operands) : operands_(std::move(operands)) {}

  Said of(const ExprNode* e, DType result) const {
    const bool holds = e->model == Model::Bool;
    if (result == DType::Bool) return holds ? condition(e) : nonzero(e);
    if (!holds) return low(e, bits_of(result));
    const Said c = condition(e);
    if (!c) return {};
    return convert_term({*c, DType::Bool}, result).text;
  }

 private:
  static const char* word(ExprOp op) {
    static const std::map<ExprOp, const char*> words = {
        {ExprOp::Neg, "bvneg"},  {ExprOp::BitNot, "bvnot"}, {ExprOp::Add, "bvadd"},
        {ExprOp::Sub, "bvsub"},  {ExprOp::Mul, "bvmul"},    {ExprOp::BitAnd, "bvand"},
        {ExprOp::BitOr, "bvor"}, {ExprOp::BitXor, "bvxor"}, {ExprOp::Lt, "bvslt"},
        {ExprOp::Le, "bvsle"},   {ExprOp::Gt, "bvsgt"},     {ExprOp::Ge, "bvsge"},
        {ExprOp::Eq, "="},       {ExprOp::Ne, "distinct"},  {ExprOp::And, "and"},
        {ExprOp::Or, "or"},      {ExprOp::Not, "not"}};
    const auto at = words.find(op);
    return at == words.end() ? nullptr : at->second;
  }

  // "(word children)", the children said by `say`.
  template <class Say>
  static Said apply_to_children(const std::string& word, const ExprNode* e, Say say) {
    std::string text = "(" + word;
    for (uint32_t i = 0; i < e->children; ++i) {
      const Said child = say(e->child[i], i);
      if (!child) return {};
      text += " " + *child;
    }
    return text + ")";
  }

  // The low bits of an integer. Those of sums and products hang on the operands' low bits alone.
  Said low(const ExprNode* e, unsigned width) const {
    const auto same = [&](const ExprNode* child, uint32_t) { return low(child, width); };
    switch (e->op) {
      case ExprOp::Imm:
        return bits(static_cast<int64_t>(e->imm), width);
      case ExprOp::Arg: {
        const Term& t = operands_.at(static_cast<size_t>(e->id));
        if (t.dtype == DType::Bool)
          return fmt::format("(ite {} {} {})", t.text, bits(1, width), bits(0, width));
        return resize_bits(t.text, bits_of(t.dtype), width, is_signed(t.dtype));
      }
      case ExprOp::Neg:
      case ExprOp::BitNot:
      case ExprOp::Add:
      case ExprOp::Sub:
      case ExprOp::Mul:
      case ExprOp::BitAnd:
      case ExprOp::BitOr:
      case ExprOp::BitXor:
        return apply_to_children(word(e->op), e, same);
      case ExprOp::Select:
        return apply_to_children("ite", e, [&](const ExprNode* child, uint32_t i) {
          return i == 0 ? condition(child) : low(child, width);
        });
      case ExprOp::Abs:
        return of_whole(e, width, "(ite (bvslt {0} {2}) (bvneg {0}) {0})");
      case ExprOp::FloorDiv:
        return of_whole(e, width,
                        "(let ((q (bvsdiv {0} {1}))) (ite (and (not (= (bvmul q {1}) {0})) (xor "
                        "(bvslt {0} {2}) (bvslt {1} {2}))) (bvsub q {3}) q))");
      default:
        return {};
    }
  }

  // Of all bits of the operands {0} and {1}; {2} is 0 and {3} is 1.
  Said of_whole(const ExprNode* e, unsigned width, const char* form) const {
    const Said a = low(e->child[0], kWidth), b = low(e->child[e->children - 1], kWidth);
    if (!a || !b) return {};
    const std::string zero = bits(0, kWidth), one = bits(1, kWidth);
    return resize_bits(fmt::format(fmt::runtime(form), *a, *b, zero, one), kWidth, width, true);
  }

  Said nonzero(const ExprNode* e) const {
    const Said whole = low(e, kWidth);
    if (!whole) return {};
    return fmt::format("(not (= {} {}))", *whole, bits(0, kWidth));
  }

  Said condition(const ExprNode* e) const {
    if (e->model != Model::Bool) return nonzero(e);
    if (e->op == ExprOp::Imm) return e->imm ? "true" : "false";
    if (e->op == ExprOp::Convert) return nonzero(e->child[0]);
    if (!word(e->op)) return {};
    return apply_to_children(word(e->op), e, [&](const ExprNode* child, uint32_t) {
      return child->model == Model::Bool ? condition(child) : low(child, kWidth);
    });
  }

  std::vector<Term> operands_;
};

// The element-wise operator that computes of tensors what an operator of numbers computes; null:
// none does.
const Operator* element_wise(const Operator& of, size_t operands) {
  if (of.pointwise) return &of;
  const bool divides = of.schema.name == op_of(front::Sign::FloorDiv);
  for (const Operator* r :
       overloads(divides ? op_of(front::Sign::FloorDiv, true) : of.schema.name)) {
    const std::vector<SchemaArg>& args = r->schema.args;
    if (!r->pointwise || r->in_place || args.size() < operands) continue;
    const auto of_tensor = [](const SchemaArg& a) { return a.type.is_tensor(); };
    if (std::all_of(args.begin(), args.begin() + static_cast<ptrdiff_t>(operands), of_tensor))
      return r;
  }
  return nullptr;
}

// Of numbers: what it would be of a tensor of them. Sizes do not matter.
std::vector<ArgInfo> infos_for(const Operator& op, const Node* n, bool as_tensors) {
  std::vector<ArgInfo> out;
  for (const Value* v : n->inputs()) {
    ArgInfo info{v->type(), {}, false, {}};
    if (v->node()->is(prim::constant())) info.value = v->node()->constant(), info.known = true;
    const std::optional<DType> dtype = whole_dtype(v->type());
    if (dtype && (as_tensors || v->type().is_tensor())) {
      info = {Type::tensor(*dtype, {4}), {}, false, {}};
      info.type.info().device = Device();
    }
    out.push_back(std::move(info));
  }
  for (size_t i = out.size(); i < op.schema.args.size(); ++i)
    out.push_back({TypeKind::Int, op.schema.args[i].default_value, true, {}});
  return out;
}

using Known = std::unordered_map<const Value*, Term>;

// A node by its operator's formula.
Said by_formula(const Node* n, DType result, const Known& known) {
  const Operator* op = element_wise(n->op(), n->inputs().size());
  if (!op) return {};
  const PointwisePlan plan = op->pointwise(*op, infos_for(*op, n, op != &n->op()));
  if (!plan.formula || !plan.formula->expr || is_float(plan.compute)) return {};
  std::vector<Term> operands;
  std::vector<Expr> in;
  ExprPool pool;
  ExprPool::Scope scope(pool);
  FormulaModel model(fuse::formula_model(plan.compute));
  for (const PointwisePlan::Operand& o : plan.operands) {
    in.push_back(Expr::arg(static_cast<int>(in.size()), FormulaModel::current()));
    const auto term = o.arg < 0 ? known.end() : known.find(n->input(o.arg));
    if (term != known.end()) {
      operands.push_back(convert_term(term->second, plan.compute));
      continue;
    }
    const IValue* literal = o.arg < 0 ? &o.literal : nullptr;
    if (!literal && n->input(o.arg)->node()->is(prim::constant()))
      literal = &n->input(o.arg)->node()->constant();
    if (!literal || !(literal->is_int() || literal->is_bool())) return {};
    const int64_t value = literal->is_bool() ? literal->as_bool() : literal->as_int();
    operands.push_back({number(value, plan.compute), plan.compute});
  }
  return Meaning(operands).of(plan.formula->expr(in.data()).node(), result);
}

bool converts(const Node* n) {
  static const std::set<std::string_view> operator_names{front::op::kInt, front::op::kBool,
                                                         "prim::NumToTensor"};
  return n->inputs().size() == 1 && operator_names.contains(n->op().schema.name);
}

std::optional<Term> term_of(const Node* n, const Known& known) {
  std::optional<DType> dtype = whole_dtype(n->output()->type());
  if (!dtype) return {};
  if (n->is(prim::constant())) {
    const IValue& v = n->constant();
    if (!v.is_int() && !v.is_bool()) return {};
    return Term{number(v.is_bool() ? v.as_bool() : v.as_int(), *dtype), *dtype};
  }
  const auto operand = n->inputs().empty() ? known.end() : known.find(n->input(0));
  if (operand == known.end()) return {};
  if (converts(n)) return convert_term(operand->second, *dtype);
  if (n->op().schema.name == front::op::kNot)
    return Term{"(not " + convert_term(operand->second, DType::Bool).text + ")", *dtype};
  const Said text = by_formula(n, *dtype, known);
  if (!text) return {};
  return Term{*text, *dtype};
}

class TemporaryFile {
 public:
  TemporaryFile() {
    fd_ = mkstemp(path_);
    if (fd_ < 0) fail("cannot make {}", path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    close(fd_);
    unlink(path_);
  }
  int fd() const { return fd_; }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/fusillade-smt-XXXXXX";
  int fd_ = -1;
};

}  // namespace

std::optional<std::string> smt_of(const RuleInstance& instance) {
  Known known;
  std::string text;
  for (const Value* input : instance.graph->inputs()) {
    std::optional<DType> dtype = whole_dtype(input->type());
    if (!dtype) return {};
    const std::string sort =
        *dtype == DType::Bool ? "Bool" : fmt::format("(_ BitVec {})", bits_of(*dtype));
    text += fmt::format("(declare-const {} {})\n", input->name(), sort);
    known[input] = {input->name(), *dtype};
  }
  for (const Node* n : instance.graph->block()->nodes()) {
    if (n->outputs().size() != 1) return {};
    if (auto term = term_of(n, known)) known[n->output()] = *term;
  }
  auto left = known.find(instance.graph->outputs()[0]);
  auto right = known.find(instance.graph->outputs()[1]);
  if (left == known.end() || right == known.end()) return {};
  return text + fmt::format("(assert (not (= {} {})))\n", left->second.text, right->second.text);
}

std::optional<std::vector<Proof>> ask_z3(const std::vector<std::string>& questions) {
  std::string text;
  for (const std::string& q : questions) text += "(push)\n" + q + "(check-sat)\n(pop)\n";
  TemporaryFile asked, answered;
  write_atomically(asked.path(), text);
  SpawnOptions options;
  options.name = "z3";
  options.output = answered.fd();
  options.keep_log = true;
  Child child = spawn([&] { become({"z3", "-smt2", "-T:60", asked.path()}); }, options);
  const Ending end = child.wait();
  if (end.status == kCannotExec) return {};
  std::vector<Proof> out;
  for (const std::string& line : split_outside_brackets(read_file(answered.path()), '\n')) {
    if (line == "unsat") out.push_back(Proof::Proved);
    else if (line == "sat") out.push_back(Proof::Refuted);
    else if (line == "unknown" || line == "timeout") out.push_back(Proof::Unknown);
    else if (!line.empty()) fail("z3: {}", line);
  }
  out.resize(questions.size(), Proof::Unknown);
  return out;
}

}  // namespace fusillade::fuzz

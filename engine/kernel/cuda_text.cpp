// See cuda.h. Every expression that is no literal and no variable becomes a constant `e0`, `e1`,
// ... right before the statement that needs it, as in print.cpp.
//
// Integers whose range is known to fit (int_range.h) are of the narrow type, int, and so are
// expressions of these alone; all others are of 64 bits. So most indices are of 32 bits, which a
// GPU divides several times faster. Option `cuda_index_bits` makes the narrow type another one:
// with 8 bits small tensors meet every edge that 2^31 elements would.
#include <bit>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/options.h"
#include "engine/base/text.h"
#include "engine/kernel/cuda.h"
#include "engine/kernel/cuda_functions.h"
#include "engine/kernel/int_range.h"
#include "engine/kernel/wide.h"
#include "engine/scalar/ring.h"

namespace fusillade::kernel {
namespace {

const Option<int64_t> kIndexBits(
    "cuda_index_bits", 32,
    "CUDA text: bits of integers that are known to be small: 8, 16, 32, or 64 for all integers",
    "8|16|32|64");

// The narrow type of integers.
struct Narrow {
  int bits;
  const char* type;
};

Narrow narrow_asked() {
  static constexpr Narrow kLegal[] = {{8, "signed char"}, {16, "short"}, {32, "int"}, {64, "i64"}};
  for (const Narrow& n : kLegal)
    if (n.bits == kIndexBits.get()) return n;
  FUS_BUG("no narrow type has {} bits", kIndexBits.get());
}

// Of one dtype in memory.
struct Element {
  const char* type;
  const char* load;   // from it to its compute model
  const char* store;  // and back
};

class Types {
 public:
  explicit Types(Domain domain) : ring_(domain == Domain::Ring) {}

  const char* model(Model m) const {
    switch (m) {
      case Model::Bool:
        return "bool";
      case Model::I64:
        return "i64";
      case Model::F32:
        return ring_ ? "u32" : "float";
      default:
        return ring_ ? "u64" : "double";
    }
  }

  Element element(DType dtype) const {
    switch (dtype) {
      case DType::Bool:
        return {"unsigned char", "{} != 0", "(unsigned char){}"};
      case DType::U8:
        return {"unsigned char", "(i64){}", "(unsigned char){}"};
      case DType::I8:
        return {"signed char", "(i64){}", "(signed char){}"};
      case DType::I16:
        return {"short", "(i64){}", "(short){}"};
      case DType::I32:
        return {"int", "(i64){}", "(int){}"};
      case DType::F16:
        if (ring_) break;
        return {"u16", "from_half({})", "to_half({})"};
      case DType::BF16:
        if (ring_) break;
        return {"u16", "from_bfloat16({})", "to_bfloat16({})"};
      case DType::F32:
        return {ring_ ? "u32" : "float", "{}", "{}"};
      case DType::F64:
        return {ring_ ? "u64" : "double", "{}", "{}"};
      default:
        return {"i64", "{}", "{}"};
    }
    // A residue of 16 bits in the 32 of its model, its sign extended.
    return {"u16", "(u32)(int)(short){}", "(u16){}"};
  }

 private:
  bool ring_;
};

std::string with(const char* form, const std::string& x) {
  return fmt::format(fmt::runtime(form), x);
}

std::string whole(int64_t n, bool narrow) {
  if (n == INT64_MIN) return "FUS_LEAST";
  const char* end = narrow ? "" : "ll";
  return n < 0 ? fmt::format("({}{})", n, end) : fmt::format("{}{}", n, end);
}

// A literal of no integer.
std::string literal(const ExprNode& e, Domain domain) {
  if (e.model == Model::Bool) return e.imm ? "true" : "false";
  const double value = std::bit_cast<double>(e.imm);
  const bool single = e.model == Model::F32;
  if (domain == Domain::Ring) {
    const uint64_t residue = ring_literal(value);
    return single ? fmt::format("{}u", static_cast<uint32_t>(residue))
                  : fmt::format("{}ull", residue);
  }
  const float narrow = static_cast<float>(value);
  if (single && !std::isfinite(narrow))
    return fmt::format("f32_bits(0x{:08x}u)", std::bit_cast<uint32_t>(narrow));
  if (!std::isfinite(value)) return fmt::format("f64_bits(0x{:016x}ull)", e.imm);
  return single ? fmt::format("({:a}f)", narrow) : fmt::format("({:a})", value);
}

// One expression, of operands that are names or literals.
class Words {
 public:
  explicit Words(Domain domain) : types_(domain), ring_(domain == Domain::Ring) {}

  std::string text(const ExprNode& e, const std::vector<std::string>& in) const {
    switch (e.op) {
      case ExprOp::Convert:
        return convert(in[0], e.child[0]->model, e.model);
      case ExprOp::Round:
        return round(in[0], e);
      case ExprOp::Select:
        return fmt::format("{} ? {} : {}", in[0], in[1], in[2]);
      case ExprOp::Not:
        return "!" + in[0];
      case ExprOp::And:
        return infix(in, "&&");
      case ExprOp::Or:
        return infix(in, "||");
      case ExprOp::Lt:
      case ExprOp::Le:
      case ExprOp::Gt:
      case ExprOp::Ge:
      case ExprOp::Eq:
      case ExprOp::Ne:
        return compare(e, in);
      default:
        break;
    }
    if (e.model == Model::Bool) decline("arithmetic on conditions");
    if (e.model == Model::I64) return integer(e.op, in);
    return ring_ ? residue(e, in) : real(e, in);
  }

  // As text() where all of it is narrow.
  std::string narrow_text(const ExprNode& e, const std::vector<std::string>& in) const {
    const char* sign = narrow_sign(e.op);
    return sign ? infix(in, sign) : text(e, in);
  }

 private:
  static std::string infix(const std::vector<std::string>& in, const char* sign) {
    return fmt::format("{} {} {}", in[0], sign, in[1]);
  }

  static std::string call(const std::string& name, const std::vector<std::string>& in) {
    return fmt::format("{}({})", name, join(in, ", "));
  }

  std::string compare(const ExprNode& e, const std::vector<std::string>& in) const {
    static constexpr const char* kSigns[] = {"<", "<=", ">", ">=", "==", "!="};
    const char* sign = kSigns[static_cast<int>(e.op) - static_cast<int>(ExprOp::Lt)];
    const Model m = e.child[0]->model;
    if (!ring_ || m == Model::Bool || m == Model::I64) return infix(in, sign);
    const char* payload = m == Model::F32 ? "int" : "i64";
    return fmt::format("({}){} {} ({}){}", payload, in[0], sign, payload, in[1]);
  }

  std::string convert(const std::string& x, Model from, Model to) const {
    if (to == Model::Bool) return x + " != 0";
    const bool real = !ring_ && (from == Model::F32 || from == Model::F64);
    if (to == Model::I64 && real) return "to_int(" + x + ")";
    if (to == Model::I64 && from == Model::F32) return "(i64)(int)" + x;
    return fmt::format("({}){}", types_.model(to), x);
  }

  std::string round(const std::string& x, const ExprNode& e) const {
    if (e.model == Model::Bool || e.dtype == DType::Bool || size_of(e.dtype) == 8 ||
        e.dtype == DType::F32)
      return x;
    if (compute_of(e.dtype) != e.model)
      decline("a rounding to {} in another model", name_of(e.dtype));
    const Element narrow = types_.element(e.dtype);
    return with(narrow.load, with(narrow.store, x));
  }

  // Of a narrow result of narrow operands, none of them below 0 where it divides. C computes it in
  // int at least, where it fits.
  static const char* narrow_sign(ExprOp op) {
    if (op == ExprOp::FloorDiv || op == ExprOp::TruncDiv) return "/";
    if (op == ExprOp::FloorMod || op == ExprOp::TruncMod) return "%";
    return sign_of(op);
  }

  static std::string integer(ExprOp op, const std::vector<std::string>& in) {
    switch (op) {
      case ExprOp::Neg:
        return call("wrap_neg", in);
      case ExprOp::Abs:
        return call("wrap_abs", in);
      case ExprOp::BitNot:
        return "~" + in[0];
      case ExprOp::Add:
        return call("wrap_add", in);
      case ExprOp::Sub:
        return call("wrap_sub", in);
      case ExprOp::Mul:
        return call("wrap_mul", in);
      case ExprOp::FloorDiv:
        return call("floor_div", in);
      case ExprOp::FloorMod:
        return call("floor_mod", in);
      case ExprOp::TruncDiv:
        return call("trunc_div", in);
      case ExprOp::TruncMod:
        return call("trunc_mod", in);
      case ExprOp::BitAnd:
        return infix(in, "&");
      case ExprOp::BitOr:
        return infix(in, "|");
      case ExprOp::BitXor:
        return infix(in, "^");
      case ExprOp::Shl:
        return call("shift_left", in);
      case ExprOp::Shr:
        return call("shift_right", in);
      case ExprOp::Pow:
        return call("wrap_pow", in);
      default:
        decline("operation {} on integers", static_cast<int>(op));
    }
  }

  static const char* sign_of(ExprOp op) {
    switch (op) {
      case ExprOp::Add:
        return "+";
      case ExprOp::Sub:
        return "-";
      case ExprOp::Mul:
        return "*";
      case ExprOp::Div:
        return "/";
      default:
        return nullptr;
    }
  }

  static int function_of(ExprOp op) {
    const int f = static_cast<int>(op) - static_cast<int>(ExprOp::Abs);
    if (f < 0 || f >= static_cast<int>(std::size(kCudaFunctions)))
      decline("operation {} on floats", static_cast<int>(op));
    return f;
  }

  static std::string real(const ExprNode& e, const std::vector<std::string>& in) {
    if (const char* sign = sign_of(e.op)) return infix(in, sign);
    if (e.op == ExprOp::Neg) return "-" + in[0];
    return call(std::string(kCudaFunctions[function_of(e.op)]) + (e.model == Model::F32 ? "f" : ""),
                in);
  }

  std::string residue(const ExprNode& e, const std::vector<std::string>& in) const {
    const char* type = types_.model(e.model);
    if (e.op == ExprOp::Div) return call("ring_div", in);
    if (const char* sign = sign_of(e.op)) return infix(in, sign);
    if (e.op == ExprOp::Neg) return "0 - " + in[0];
    if (e.op == ExprOp::Abs)
      return fmt::format("({}){} < 0 ? 0 - {} : {}", e.model == Model::F32 ? "int" : "i64", in[0],
                         in[0], in[0]);
    const std::string second = in.size() > 1 ? in[1] : "0";
    return fmt::format("({})ring_hash({}, {}, {})", type, function_of(e.op) + 1, in[0], second);
  }

  Types types_;
  bool ring_;
};

class Writer {
 public:
  explicit Writer(const Kernel& kernel)
      : kernel_(kernel), ranges_(kernel), types_(kernel.domain), words_(kernel.domain) {}

  // The function of one grid.
  CudaLaunch grid(const Stmt& s, const std::string& name, std::string& out) {
    const Grid g = grid_of(s);
    CudaLaunch launch{name, {}, {1, 1, 1}, {1, 1, 1}, has_barrier(*g.body)};
    const std::string given = parameters(launch.parameters);
    text_ = fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{\n",
                        g.threads_per_block(), name, given);
    depth_ = 1;
    expressions_ = wide_names_ = 0;
    buffers(*g.body);
    axes(g.blocks, "blockIdx", launch.blocks);
    axes(g.threads, "threadIdx", launch.threads);
    body(*g.body);
    out += text_ + "}\n";
    return launch;
  }

 private:
  void line(const std::string& text) {
    text_.append(static_cast<size_t>(depth_) * 2, ' ');
    text_ += text;
    text_ += '\n';
  }

  // Adds the types to `types`.
  std::string parameters(std::vector<std::string>& types) const {
    std::vector<std::string> out;
    const auto add = [&](std::string type, const std::string& name) {
      out.push_back(type + " " + name);
      types.push_back(std::move(type));
    };
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (!is_global(b.role)) continue;
      add(fmt::format("{}{}*", b.role == BufferRole::In ? "const " : "",
                      types_.element(b.dtype).type),
          fmt::format("b{}", i));
    }
    for (const ScalarParam& s : kernel_.scalars)
      add(s.model == Model::I64 ? integer_type(ranges_.of_variable(s.var)) : types_.model(s.model),
          fmt::format("v{}", s.var));
    return join(out, ", ");
  }

  // Memory of the block and of the thread that the body uses.
  void buffers(const Body& statements) {
    std::unordered_set<int> used;
    std::unordered_set<const ExprNode*> seen;
    const auto expression = [&](auto& self, const ExprNode* e) -> void {
      if (!seen.insert(e).second) return;
      if (e->op == ExprOp::Load) used.insert(e->id);
      for (uint32_t i = 0; i < e->children; ++i) self(self, e->child[i]);
    };
    const auto look = [&](auto& self, const Body& body) -> void {
      for (const Stmt& s : body) {
        if (s.kind == Stmt::Kind::Store) used.insert(s.buffer);
        if (s.value.is_defined()) expression(expression, s.value.node());
        for (const Expr& e : s.indices) expression(expression, e.node());
        self(self, s.body);
      }
    };
    look(look, statements);
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (is_global(b.role) || !used.contains(static_cast<int>(i))) continue;
      line(fmt::format("{}{} b{}[{}];", b.role == BufferRole::Shared ? "__shared__ " : "",
                       types_.element(b.dtype).type, i, std::max<int64_t>(numel_of(b.sizes), 1)));
    }
  }

  // The innermost is x.
  void axes(const std::vector<const Stmt*>& loops, const char* index,
            std::array<int64_t, 3>& extents) {
    for (size_t axis = 0; axis < loops.size(); ++axis) {
      const Stmt& s = *loops[loops.size() - 1 - axis];
      extents[axis] = s.extent;
      ranges_.define(s);
      line(fmt::format("const {} v{} = {}.{};", integer_type(ranges_.of_variable(s.var)), s.var,
                       index, "xyz"[axis]));
    }
  }

  std::string extent(int64_t n) const {
    return is_dynamic(n) ? fmt::format("v{}", kernel_.scalars[scalar_of(n)].var)
                         : fmt::format("{}ll", n);
  }

  void body(const Body& statements) {
    for (const Stmt& s : statements) {
      names_.clear();
      statement(s);
    }
  }

  void block(const std::string& head, const Body& statements) {
    line(head + " {");
    ++depth_;
    body(statements);
    --depth_;
    line("}");
  }

  void statement(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::For:
        return loop(s);
      case Stmt::Kind::If:
        return block(fmt::format("if ({})", value(s.value.node())), s.body);
      case Stmt::Kind::Barrier:
        return line("__syncthreads();");
      case Stmt::Kind::Shuffle: {
        const std::string given = value(s.value.node());
        const std::string from = value(s.indices[0].node());
        ranges_.define(s);
        return line(fmt::format("const {0} v{1} = shuffle(({0}){2}, {3});",
                                types_.model(s.value.model()), s.var, given, from));
      }
      case Stmt::Kind::Let:
      case Stmt::Kind::Declare: {
        const std::string x = value(s.value.node());
        ranges_.define(s);
        return line(fmt::format("{}{} v{} = {};", s.kind == Stmt::Kind::Let ? "const " : "",
                                s.value.model() == Model::I64
                                    ? integer_type(ranges_.of_variable(s.var))
                                    : types_.model(s.value.model()),
                                s.var, x));
      }
      case Stmt::Kind::Update: {
        const std::string x = value(s.value.node());
        return line(fmt::format("v{} = {};", s.var, x));
      }
      case Stmt::Kind::Store: {
        std::vector<const ExprNode*> indices;
        for (const Expr& e : s.indices) indices.push_back(e.node());
        const std::string x = value(s.value.node());
        const std::string at = place(s.buffer, indices.data());
        const std::string given = with(element_of(s.buffer).store, x);
        const auto wide = wide_stores_.find(&s);
        if (wide == wide_stores_.end()) return line(fmt::format("{} = {};", at, given));
        line(fmt::format("{}.at[v{}] = {};", wide->second, lane_->var, given));
        return line(fmt::format("if (v{0} == {1}) store_wide(&{2} - {1}, {3});", lane_->var,
                                lane_->extent - 1, at, wide->second));
      }
    }
  }

  void loop(const Stmt& s) {
    if (s.loop == LoopKind::Vector) return vector(s);
    ranges_.define(s);
    const bool fits = is_narrow(Range{0, most_of(kernel_, s.extent)});
    block(fmt::format("for ({1} v{0} = 0; v{0} < {2}; ++v{0})", s.var, fits ? narrow_.type : "i64",
                      is_dynamic(s.extent) ? extent(s.extent) : whole(s.extent, fits)),
          s.body);
    ranges_.forget(s);
  }

  // What all lanes load at once is loaded by the first, what they store at once by the last: once
  // the loop is unrolled, no lane asks which it is.
  void vector(const Stmt& s) {
    const WideAccesses wide = wide_accesses(kernel_, s);
    lane_ = &s;
    const auto declare = [&](int buffer) {
      line(fmt::format("Wide<{}, {}> w{};", element_of(buffer).type, s.extent, wide_names_));
      return fmt::format("w{}", wide_names_++);
    };
    for (const Stmt& inner : s.body) {
      for (const ExprNode* e : loads_of(inner))
        if (wide.loads.contains(e) && !wide_loads_.contains(e)) wide_loads_[e] = declare(e->id);
      if (wide.stores.contains(&inner)) wide_stores_[&inner] = declare(inner.buffer);
    }
    line("#pragma unroll");
    ranges_.define(s);
    block(fmt::format("for ({1} v{0} = 0; v{0} < {2}; ++v{0})", s.var,
                      is_narrow(Range{0, s.extent}) ? narrow_.type : "i64", s.extent),
          s.body);
    ranges_.forget(s);
    wide_loads_.clear();
    wide_stores_.clear();
    lane_ = nullptr;
  }

  // In the order of the text.
  static std::vector<const ExprNode*> loads_of(const Stmt& s) {
    std::map<uint32_t, const ExprNode*> in_order;
    std::unordered_set<const ExprNode*> seen;
    const auto look = [&](auto& self, const ExprNode* e) -> void {
      if (!seen.insert(e).second) return;
      if (e->op == ExprOp::Load) in_order[e->index] = e;
      for (uint32_t i = 0; i < e->children; ++i) self(self, e->child[i]);
    };
    for (const Expr& e : s.indices) look(look, e.node());
    look(look, s.value.node());
    std::vector<const ExprNode*> out;
    for (const auto& [index, load] : in_order) out.push_back(load);
    return out;
  }

  Element element_of(int buffer) const {
    return types_.element(kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  }

  bool is_narrow(const std::optional<Range>& range) const {
    return narrow_.bits < 64 && range && range->fits(narrow_.bits);
  }
  const char* integer_type(const std::optional<Range>& range) const {
    return is_narrow(range) ? narrow_.type : "i64";
  }

  // An element of a buffer. Its index is inside, so in 64 bits nothing overflows here.
  std::string place(int buffer, const ExprNode* const* indices) {
    const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
    const bool narrow = is_narrow(offset(b, indices));
    std::vector<std::string> terms;
    for (int d = 0; d < b.sizes.rank(); ++d) {
      int64_t known = 0;
      if (b.strides[d] == 0 || (Expr(indices[d]).as_int(&known) && known == 0)) continue;
      std::string term = value(indices[d]);
      if (!narrow) term = "(i64)" + term;
      if (is_dynamic(b.strides[d])) {
        term += " * " + extent(b.strides[d]);
      } else if (b.strides[d] != 1) {
        term += " * " + whole(b.strides[d], narrow);
      }
      terms.push_back(std::move(term));
    }
    const std::string sum = terms.empty() ? "0" : join(terms, " + ");
    return narrow && narrow_.bits < 32 ? fmt::format("b{}[({})({})]", buffer, narrow_.type, sum)
                                       : fmt::format("b{}[{}]", buffer, sum);
  }

  // Of an index that is inside, no term and no sum of them is beyond what the buffer reaches.
  std::optional<Range> dynamic_offset(const Buffer& b, const ExprNode* const* indices) {
    for (int d = 0; d < b.sizes.rank(); ++d)
      if (!is_narrow(ranges_.of(indices[d])) ||
          !is_narrow(Range{0, most_of(kernel_, b.strides[d])}))
        return std::nullopt;
    return Range{0, kernel_.reach - 1};
  }

  // What the sum of the terms, and of the first so many of them, may be.
  std::optional<Range> offset(const Buffer& b, const ExprNode* const* indices) {
    if (std::any_of(b.sizes.begin(), b.sizes.end(), is_dynamic)) return dynamic_offset(b, indices);
    Range sum{0, 0};
    Range all{0, 0};
    for (int d = 0; d < b.sizes.rank(); ++d) {
      const std::optional<Range> index = ranges_.of(indices[d]);
      if (!index || is_dynamic(b.strides[d])) return std::nullopt;
      const auto term = range_of(ExprOp::Mul, *index, {b.strides[d], b.strides[d]});
      const auto next = term ? range_of(ExprOp::Add, sum, *term) : std::nullopt;
      if (!next || !is_narrow(*index) || !is_narrow(*term)) return std::nullopt;
      sum = *next;
      all = {std::min(all.lo, sum.lo), std::max(all.hi, sum.hi)};
    }
    return all;
  }

  // Children first, on a stack of its own: expressions of thousands of nodes in a chain are legal.
  std::string value(const ExprNode* root) {
    std::vector<const ExprNode*> stack{root};
    while (!stack.empty()) {
      const ExprNode* e = stack.back();
      const size_t height = stack.size();
      for (uint32_t i = e->children; i-- > 0;)
        if (!names_.contains(e->child[i])) stack.push_back(e->child[i]);
      if (stack.size() != height) continue;
      stack.pop_back();
      if (!names_.contains(e)) name(e);
    }
    return names_.at(root);
  }

  void name(const ExprNode* e) {
    if (e->op == ExprOp::Imm) {
      names_[e] = e->model == Model::I64
                      ? whole(static_cast<int64_t>(e->imm), is_narrow(ranges_.of(e)))
                      : literal(*e, kernel_.domain);
      return;
    }
    if (e->op == ExprOp::Var) {
      names_[e] = fmt::format("v{}", e->id);
      return;
    }
    std::string text;
    if (e->op == ExprOp::Load) {
      text = with(types_.element(e->dtype).load, element(e));
    } else {
      std::vector<std::string> in;
      for (uint32_t i = 0; i < e->children; ++i) in.push_back(names_.at(e->child[i]));
      text = all_narrow(e) ? words_.narrow_text(*e, in) : words_.text(*e, in);
    }
    const std::string variable = fmt::format("e{}", expressions_++);
    const char* type =
        e->model == Model::I64 ? integer_type(ranges_.of(e)) : types_.model(e->model);
    line(fmt::format("const {} {} = {};", type, variable, text));
    names_[e] = variable;
  }

  // What a load reads, as it lies in memory.
  std::string element(const ExprNode* e) {
    const std::string at = place(e->id, e->child);
    const auto wide = wide_loads_.find(e);
    if (wide == wide_loads_.end()) return at;
    line(fmt::format("if (v{} == 0) load_wide(&{}, {});", lane_->var, at, wide->second));
    return fmt::format("{}.at[v{}]", wide->second, lane_->var);
  }

  bool all_narrow(const ExprNode* e) {
    if (!is_narrow(ranges_.of(e))) return false;
    const bool divides = e->op == ExprOp::FloorDiv || e->op == ExprOp::FloorMod;
    for (uint32_t i = 0; i < e->children; ++i) {
      const std::optional<Range> range = ranges_.of(e->child[i]);
      if (!is_narrow(range) || (divides && range->lo < 0)) return false;
    }
    return true;
  }

  const Kernel& kernel_;
  const Narrow narrow_ = narrow_asked();
  IntRanges ranges_;
  Types types_;
  Words words_;
  std::string text_;
  int depth_ = 0;
  int expressions_ = 0;
  const Stmt* lane_ = nullptr;  // the vector loop around
  int wide_names_ = 0;
  std::unordered_map<const ExprNode*, std::string> wide_loads_;
  std::unordered_map<const Stmt*, std::string> wide_stores_;
  std::unordered_map<const ExprNode*, std::string> names_;  // of this statement
};

}  // namespace

CudaText cuda_text(const Kernel& kernel, const std::string& name) {
  if (const Support s = support_of_grids(kernel); !s.yes) decline("{}", s.why_not);
  CudaText out;
  Writer writer(kernel);
  for (const Stmt& s : kernel.body) {
    out.launches.push_back(
        writer.grid(s, fmt::format("{}_{}", name, out.launches.size()), out.functions));
  }
  return out;
}

}  // namespace fusillade::kernel

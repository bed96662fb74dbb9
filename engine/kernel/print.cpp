// A kernel as text: one line per buffer, statement and distinct expression of it, numbered in
// order, so that equal content prints equally whatever pool it lives in.
#include <unordered_map>

#include "engine/kernel/kernel.h"

namespace fusillade::kernel {
namespace {

constexpr const char* kOpNames[] = {"imm",
                                    "var",
                                    "arg",
                                    "load",
                                    "convert",
                                    "round",
                                    "neg",
                                    "not",
                                    "bitnot",
                                    "add",
                                    "sub",
                                    "mul",
                                    "div",
                                    "floordiv",
                                    "floormod",
                                    "truncdiv",
                                    "truncmod",
                                    "and.bits",
                                    "or.bits",
                                    "xor.bits",
                                    "shl",
                                    "shr",
                                    "lt",
                                    "le",
                                    "gt",
                                    "ge",
                                    "eq",
                                    "ne",
                                    "and",
                                    "or",
                                    "select",
#define FUS_NAME(f, op) #f,
                                    FUS_SCALAR_UNARY(FUS_NAME) FUS_SCALAR_BINARY(FUS_NAME)
#undef FUS_NAME
};
static_assert(std::size(kOpNames) == static_cast<size_t>(ExprOp::Fmod) + 1);

constexpr const char* kModelNames[] = {"bool", "i64", "f32", "f64"};
constexpr const char* kRoleNames[] = {"in", "out", "temp", "shared", "register"};
constexpr const char* kLoopNames[] = {"for", "parallel", "vector", "block", "thread"};

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string run() {
    text_ = kernel_.domain == Domain::Ring ? "kernel ring\n" : "kernel\n";
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      add(fmt::format("b{}: {} {}{} strides={}{}", i, kRoleNames[static_cast<int>(b.role)],
                      name_of(b.dtype), list(b.sizes), list(b.strides),
                      b.aligned ? " aligned" : ""));
    }
    for (const ScalarParam& s : kernel_.scalars) {
      add(fmt::format("v{}: scalar {}", s.var, kModelNames[static_cast<int>(s.model)]) +
          (s.least < 0            ? ""
           : s.most == kUnlimited ? fmt::format(", {} or more", s.least)
                                  : fmt::format(", {} to {}", s.least, s.most)));
    }
    if (kernel_.reach != kUnlimited) add(fmt::format("buffers reach less than {}", kernel_.reach));
    for (auto [a, b] : kernel_.may_alias) add(fmt::format("b{} may alias b{}", a, b));
    body(kernel_.body);
    return std::move(text_);
  }

 private:
  void add(const std::string& line) {
    text_.append(static_cast<size_t>(depth_) * 2, ' ');
    text_ += line;
    text_ += '\n';
  }

  std::string name(const Expr& e) { return number(e.node()); }

  std::string extent(int64_t n) const {
    return is_dynamic(n) ? fmt::format("v{}", kernel_.scalars[scalar_of(n)].var)
                         : std::to_string(n);
  }

  std::string list(const Dims& numbers) const {
    std::string out;
    for (int64_t n : numbers) out += (out.empty() ? "" : ", ") + extent(n);
    return "[" + out + "]";
  }

  // Prints what the node needs first; returns "e7", or the literal itself.
  std::string number(const ExprNode* e) {
    if (e->op == ExprOp::Imm)
      return fmt::format("{}:{:x}", kModelNames[static_cast<int>(e->model)], e->imm);
    if (e->op == ExprOp::Var) return fmt::format("v{}", e->id);
    auto it = numbers_.find(e);
    if (it != numbers_.end()) return fmt::format("e{}", it->second);
    std::string line = fmt::format("{}.{}", kOpNames[static_cast<int>(e->op)],
                                   kModelNames[static_cast<int>(e->model)]);
    if (e->op == ExprOp::Round || e->op == ExprOp::Load)
      line += fmt::format(":{}", name_of(e->dtype));
    if (e->op == ExprOp::Load) line += fmt::format(" b{}", e->id);
    if (e->op == ExprOp::Arg) line += fmt::format(" {}", e->id);
    for (uint32_t i = 0; i < e->children; ++i) line += " " + number(e->child[i]);
    const int id = expressions_++;
    numbers_.emplace(e, id);
    add(fmt::format("e{} = {}", id, line));
    return fmt::format("e{}", id);
  }

  void body(const Body& statements) {
    ++depth_;
    for (const Stmt& s : statements) {
      numbers_.clear();  // each statement computes what it needs
      statement(s);
    }
    --depth_;
  }

  void statement(const Stmt& s) {
    switch (s.kind) {
      case Stmt::Kind::For:
        add(fmt::format("{} v{} in {}{}", kLoopNames[static_cast<int>(s.loop)], s.var,
                        extent(s.extent), s.reassociate ? " any order" : ""));
        body(s.body);
        break;
      case Stmt::Kind::Store: {
        std::string at;
        for (const Expr& i : s.indices) at += (at.empty() ? "" : ", ") + name(i);
        std::string value = name(s.value);
        add(fmt::format("b{}[{}] = {}", s.buffer, at, value));
        break;
      }
      case Stmt::Kind::Let:
      case Stmt::Kind::Declare:
      case Stmt::Kind::Update: {
        const char* word = s.kind == Stmt::Kind::Let       ? "let "
                           : s.kind == Stmt::Kind::Declare ? "accumulate "
                                                           : "";
        std::string value = name(s.value);
        add(fmt::format("{}v{} = {}", word, s.var, value));
        break;
      }
      case Stmt::Kind::If:
        add(fmt::format("if {}", name(s.value)));
        body(s.body);
        break;
      case Stmt::Kind::Barrier:
        add("barrier");
        break;
      case Stmt::Kind::Shuffle: {
        std::string value = name(s.value);
        std::string from = name(s.indices[0]);
        add(fmt::format("v{} = shuffle {} of thread {}", s.var, value, from));
        break;
      }
    }
  }

  const Kernel& kernel_;
  std::string text_;
  int depth_ = 0;
  int expressions_ = 0;
  std::unordered_map<const ExprNode*, int> numbers_;  // of this statement
};

}  // namespace

std::string print(const Kernel& kernel) { return Printer(kernel).run(); }

}  // namespace fusillade::kernel

// The syntax tree of a script: expressions, statements, functions.
//
// A node of the tree knows its bytes in the source. Chained comparisons stay one node; `elif` is an
// If inside `orelse`. Trees are at most kMaxDepth deep, so walking them by recursion is safe.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/front/lexer.h"
#include "engine/front/sign.h"

namespace fusillade::front {

inline constexpr int kMaxDepth = 200;  // nested brackets, blocks, calls, operators
inline constexpr int kMaxChain = 500;  // depth of an operator chain: a + b + c + ...

enum class ExprKind : uint8_t {
  Name,
  Int,
  Float,
  Str,
  True,
  False,
  None,
  Ellipsis,
  Attribute,  // kids[0].text
  Call,       // kids[0](kids[1..]); keywords[i - 1] names kids[i], empty: positional
  Subscript,  // kids[0][kids[1..]]
  Slice,      // start:stop:step, absent ones null
  List,
  Tuple,
  Unary,     // sign kids[0]
  Binary,    // kids[0] sign kids[1]
  Boolean,   // kids[0] and kids[1], or `or`
  Compare,   // kids[0] signs[0] kids[1] signs[1] kids[2] ...
  Ternary,   // kids: condition, then, else
  Dict,      // kids: key, value, key, value, ...
  ListComp,  // kids: element, target, iterable, conditions..., target, iterable...; words: what
             // each kid is
  DictComp,  // kids: key, value, then as above
  Starred,   // kids[0]: *kids[0] as a target or an argument
  Format,    // an f-string: kids are strings and expressions
  Walrus,    // (kids[0] := kids[1]), kids[0] a Name
};

enum class Clause : uint8_t { Element, Target, Iterable, Condition };

struct Expr {
  ExprKind kind = ExprKind::None;
  Sign sign = Sign::None;  // Unary, Binary, Boolean
  uint32_t begin = 0;
  uint32_t end = 0;
  int depth = 1;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  std::vector<std::unique_ptr<Expr>> kids;
  std::vector<Sign> signs;         // Compare
  std::vector<std::string> words;  // Call: keywords
  std::vector<Clause> clauses;     // comprehensions: what each kid is
  bool is(ExprKind k) const { return kind == k; }
  bool is(ExprKind k, Sign s) const { return kind == k && sign == s; }
  bool is_name(std::string_view name) const { return kind == ExprKind::Name && text == name; }
};
using ExprPtr = std::unique_ptr<Expr>;

// An expression that is only the place of something.
template <class T>
Expr range_of(const T& of) {
  Expr at;
  at.begin = of.begin;
  at.end = of.end;
  return at;
}

enum class StmtKind : uint8_t {
  Assign,     // targets = value; annotation may be set (one target)
  AugAssign,  // targets[0] sign= value
  If,
  While,
  For,  // targets[0] in value
  Return,
  Raise,   // value
  Assert,  // value, message
  Break,
  Continue,
  Pass,
  Expression,
  Delete,  // targets
  With,    // value as targets[0], which may be absent
  Broken,  // does not parse; names: what it assigns; targets: names that it may bind
};

// Whether control leaves a list of statements by return, break or continue.
enum class Exit : uint8_t { Wont, Might, Will };

struct Stmt {
  StmtKind kind = StmtKind::Pass;
  Sign sign = Sign::None;  // AugAssign
  uint32_t begin = 0;
  uint32_t end = 0;  // of the head for If, While and For
  std::vector<ExprPtr> targets;
  ExprPtr annotation;
  ExprPtr value;  // the condition of If and While
  ExprPtr message;
  std::vector<std::unique_ptr<Stmt>> body;
  std::vector<std::unique_ptr<Stmt>> orelse;
  Exit exit = Exit::Wont;
  bool returns = false;         // holds a return, at any depth
  std::set<std::string> names;  // assigned inside, also by := in its expressions
};
using StmtPtr = std::unique_ptr<Stmt>;
using StmtList = std::vector<StmtPtr>;

struct Parameter {
  std::string name;
  uint32_t begin = 0;
  uint32_t end = 0;
  ExprPtr annotation;
  ExprPtr default_value;
  bool keyword_only = false;
};

struct Function {
  std::string name;
  uint32_t begin = 0;  // of the head
  uint32_t end = 0;
  std::vector<Parameter> parameters;
  ExprPtr result;  // annotation or null
  StmtList body;
  SourcePtr source;  // where all its ranges lie
  std::vector<ExprPtr> decorators;
  std::vector<std::string> errors;  // of syntax; what was read of the body is there to look at, and
                                    // without `end` no head
};

struct Class {
  std::string name;
  uint32_t begin = 0;  // of the head
  uint32_t end = 0;
  std::vector<ExprPtr> bases;
  std::vector<ExprPtr> decorators;
  StmtList
      body;  // statements other than the methods; an annotation alone is an Assign without a value
  std::vector<Function> methods;
};

struct Module {
  std::vector<Function> functions;
  std::vector<Class> classes;
  std::map<std::string, std::string>
      imports;                               // local name to dotted path: F -> torch.nn.functional
  std::map<std::string, ExprPtr> constants;  // NAME = value at the top of the file
  // What Python runs as well when it reads the file: expressions that nothing here asks for, and
  // where statements begin that are not kept.
  std::vector<ExprPtr> extra_exprs;
  std::vector<uint32_t> unread;
  std::vector<std::string>
      errors;  // of syntax, outside functions; what was read is there to look at
};

ExprPtr copy_of(const Expr& e);
// How control leaves a list of statements.
Exit exit_of(const StmtList& list);
// Names assigned by a target: a name or a tuple of targets.
void collect_names(const Expr& target, std::set<std::string>& names);
// Names that := assigns in an expression.
void collect_walrus(const Expr& e, std::set<std::string>& names);
// Does this body of a loop contain a break (or, where asked, a continue) of the loop, at any depth
// of ifs?
bool leaves_iteration(const StmtList& body, bool by_continue);
// Fills exit, returns and names of a statement from its parts.
void summarise(Stmt& stmt);

}  // namespace fusillade::front

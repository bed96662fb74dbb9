// Statements, functions, the file; see parser.h.
#include "engine/front/parser.h"

#include <algorithm>
#include <utility>

#include "engine/base/text.h"

namespace fusillade::front {
namespace {

constexpr std::string_view kSupported =
    "supported statements: assignment, if, while, for, return, break, continue, assert, raise, "
    "pass, del, expressions";
struct Refused {
  std::string_view word;
  std::string_view instead;
};
constexpr Refused kRefused[] = {
    {"def", "define it at the top of the file and pass what it uses"},
    {"class", "define it at the top of the file"},
    {"try", "test for the condition before, or let the error reach the caller"},
    {"global", "pass the value as an argument and return it"},
    {"nonlocal", "pass the value as an argument and return it"},
    {"async", "write a plain function"},
    {"await", "call a plain function"},
    {"import", "import at the top of the file"},
    {"from", "import at the top of the file"},
    {"lambda", "define a function at the top of the file"},
    {"yield", "append to a list and return it"}};
constexpr size_t kMaxParameters = 255;
constexpr size_t kMaxSyntaxErrors = 100;  // of one function, and outside functions
constexpr std::string_view kAugmented[] = {
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "&=", "|=", "^=", "<<=", ">>="};

}  // namespace

StmtPtr Parser::make(StmtKind kind) const {
  auto s = std::make_unique<Stmt>();
  s->kind = kind;
  s->begin = now().begin;
  return s;
}

StmtPtr Parser::finish(StmtPtr stmt) {
  if (!stmt->end) stmt->end = last_end();
  summarise(*stmt);
  return stmt;
}

Module Parser::module() {
  Module m;
  errors_ = &m.errors;
  while (!at(Tok::End)) {
    size_t start = at_;
    try {
      top_level(m);
    } catch (const Error& e) {
      keep(e.what());
      skip_definition(start);
    }
  }
  errors_ = nullptr;
  m.extra_exprs = std::move(extra_exprs_);
  return m;
}

Module parse_module(const SourcePtr& source) {
  Module m = Parser(source, lex(source)).module();
  if (!m.errors.empty()) throw Error(join(m.errors, "\n"));
  return m;
}

void Parser::keep(std::string error) {
  bool known = std::find(errors_->begin(), errors_->end(), error) != errors_->end();
  if (!known && errors_->size() <= kMaxSyntaxErrors) errors_->push_back(std::move(error));
}

void Parser::top_level(Module& m) {
  if (at(Tok::Newline)) {
    next();
  } else if (at(Tok::Str)) {  // a docstring, where nothing else is on the line
    size_t start = at_;
    while (at(Tok::Str)) next();
    if (!at(Tok::Newline)) unread_block(m, start);
  } else if (at_op("@") || at_word("def") || at_word("async") || at_word("class")) {
    definition(m);
  } else if (at_word("import")) {
    import_line(m);
  } else if (at_word("from")) {
    from_line(m);
  } else {
    module_line(m);
  }
}

Function Parser::read_function() {
  size_t start = at_;
  Function f;
  std::vector<std::string>* around = std::exchange(errors_, &f.errors);
  try {
    function(f);
  } catch (const Error& e) {
    keep(e.what());
    f.source = source_;
    size_t name = start + (tokens_[start].text == "async" ? 2 : 1);
    if (name < tokens_.size() && tokens_[name].kind == Tok::Name) f.name = tokens_[name].text;
    skip_block(start);
  }
  errors_ = around;
  return f;
}

// NAME = value, NAME: type = value; other statements of the file's top are not run, and so skipped.
void Parser::module_line(Module& m) {
  size_t start = at_;
  bool named = at(Tok::Name) && !is_keyword(now().text) &&
               (tokens_[at_ + 1].text == "=" || tokens_[at_ + 1].text == ":");
  try {
    if (!named) return unread_block(m, start);
    std::string name = next().text;
    if (eat_op(":")) extra_exprs_.push_back(expression());
    if (!eat_op("=")) return unread_block(m, start);
    ExprPtr value = expression_list();
    if (!at(Tok::End) && next().kind != Tok::Newline) return unread_block(m, start);
    if (std::optional<Class> tuple_class = named_tuple(name, *value)) {
      m.classes.push_back(std::move(*tuple_class));
      extra_exprs_.push_back(std::move(value));
    } else {
      std::swap(m.constants[name], value);
      if (value)
        extra_exprs_.push_back(std::move(value));  // of several of one name the last counts
    }
  } catch (const Error&) {
    unread_block(m, start);
  }
}

void Parser::unread_block(Module& m, size_t start) {
  m.unread.push_back(tokens_[start].begin);
  skip_block(start);
}

void Parser::skip_line() {
  while (!at(Tok::Newline) && !at(Tok::End)) next();
  if (at(Tok::Newline)) next();
}

// To behind the statement that starts at token `start`, with its block.
void Parser::skip_block(size_t start) {
  int depth = 0;
  for (at_ = start; !at(Tok::End);) {
    const Token& token = next();
    Tok kind = token.kind;
    if (kind == Tok::Illegal)
      keep(message_at(source_, token.begin, std::max(token.end, token.begin + 1), token.text));
    depth += kind == Tok::Indent ? 1 : kind == Tok::Dedent ? -1 : 0;
    bool leaves = kind == Tok::Dedent || (kind == Tok::Newline && !at(Tok::Indent));
    if (depth == 0 && leaves) return;
  }
}

// With the decorators in front.
void Parser::skip_definition(size_t start) {
  for (at_ = start; at_op("@");) skip_line();
  skip_block(at_);
}

std::string Parser::dotted_name() {
  std::string path = need_name("a module's name");
  while (eat_op(".")) path += "." + need_name("a module's name");
  return path;
}

void Parser::import_line(Module& m) {
  next();
  do {
    std::string path = dotted_name();
    std::string root = path.substr(0, path.find('.'));
    bool renamed = eat_word("as");
    std::string name = renamed ? need_name("a name") : root;
    m.imports[name] = renamed ? path : root;
  } while (eat_op(","));
  if (!at(Tok::Newline)) fail_expecting("the end of the import");
}

void Parser::from_line(Module& m) {
  next();
  std::string path = dotted_name();
  if (!eat_word("import")) fail_expecting("'import'");
  if (eat_op("*")) return;
  bool bracket = eat_op("(");
  do {
    if (bracket && at_op(")")) break;
    std::string name = need_name("a name");
    std::string local = eat_word("as") ? need_name("a name") : name;
    m.imports[local] = path + "." + name;
  } while (eat_op(","));
  if (bracket) need_op(")", "of the import");
}

void Parser::function(Function& f) {
  f.source = source_;
  f.begin = now().begin;
  if (at_word("async")) wrong(now(), "'async' is not supported: write a plain function");
  next();
  f.name = need_name("the function's name");
  need_op("(", "of the parameters");
  parameters(f);
  if (eat_op("->")) f.result = expression();
  f.end = last_end();
  need_op(":", "after the function's head");
  size_t first = at_;
  while (tokens_[first].kind == Tok::Newline || tokens_[first].kind == Tok::Indent) ++first;
  function_comment(f, last_end(), tokens_[first].begin);
  f.body = block();
}

// The text behind "# type:" in [begin, end), which holds blanks and comments only; begin > end:
// none.
static std::pair<uint32_t, uint32_t> comment_in(const std::string& text, uint32_t begin,
                                                uint32_t end) {
  static constexpr std::string_view kMark = "# type:";
  size_t at = text.find(kMark, begin);
  if (at == std::string::npos || at >= end) return {1, 0};
  size_t from = at + kMark.size();
  while (from < text.size() && text[from] == ' ') ++from;
  size_t to = std::min(text.find('\n', from), text.size());
  if (text.compare(from, 6, "ignore") == 0) return {1, 0};
  return {static_cast<uint32_t>(from), static_cast<uint32_t>(to)};
}

ExprPtr Parser::type_comment(uint32_t begin, uint32_t end) {
  auto [from, to] = comment_in(source_->text, begin, end);
  if (from > to) return nullptr;
  Parser inner(source_, lex_part(source_, from, to));
  ExprPtr type = inner.expression_list();
  if (!inner.at(Tok::End)) inner.fail_expecting("the end of the type");
  return type;
}

// "# type: (int, Tensor) -> Tensor" under a function's head; of "(int, Tensor)" the body gives the
// result's type. The self of a method is not counted; of "(...) -> Tensor" the types are next to
// the parameters.
void Parser::function_comment(Function& f, uint32_t begin, uint32_t end) {
  auto [from, to] = comment_in(source_->text, begin, end);
  if (from > to) return;
  Parser inner(source_, lex_part(source_, from, to));
  inner.need_op("(", "of the type comment");
  std::vector<ExprPtr> types;
  while (!inner.eat_op(")")) {
    types.push_back(inner.expression());
    if (!inner.eat_op(",") && !inner.at_op(")")) inner.fail_expecting("',' or ')'");
  }
  const bool result_only = types.size() == 1 && types[0]->is(ExprKind::Ellipsis);
  if (result_only || !inner.at(Tok::End)) {
    inner.need_op("->", "and the result's type");
    if (f.result) extra_exprs_.push_back(std::move(f.result));
    f.result = inner.expression_list();
  }
  if (result_only) return;
  size_t own = !f.parameters.empty() && f.parameters[0].name == "self" &&
               types.size() + 1 == f.parameters.size();
  if (types.size() + own != f.parameters.size())
    fail_at(source_, from, to,
            fmt::format("{} types for {} parameters", types.size(), f.parameters.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    ExprPtr& annotation = f.parameters[i + own].annotation;
    std::swap(annotation, types[i]);
    if (types[i]) extra_exprs_.push_back(std::move(types[i]));
  }
}

void Parser::parameters(Function& f) {
  bool keyword_only = false;
  while (!eat_op(")")) {
    bool items = at_op("*"), words = at_op("**");
    if (items && tokens_[at_ + 1].kind != Tok::Name) {
      next();
      keyword_only = true;
    } else {
      Parameter p;
      p.keyword_only = keyword_only;
      p.begin = now().begin;
      if (items || words) next();
      p.name = (words ? "**" : items ? "*" : "") + need_name("a parameter's name");
      keyword_only = keyword_only || items;
      p.end = last_end();
      for (const Parameter& q : f.parameters) {
        if (q.name == p.name) fail_at(source_, p.begin, p.end, "two parameters of one name");
      }
      if (eat_op(":")) p.annotation = expression();
      if (eat_op("=")) p.default_value = expression();
      if (f.parameters.size() == kMaxParameters) wrong(now(), "more than 255 parameters");
      f.parameters.push_back(std::move(p));
    }
    if (words && !at_op(")") && tokens_[at_ + 1].text != ")")
      wrong(now(), "nothing stands behind **kwargs");
    if (!eat_op(",") && !at_op(")")) fail_expecting("',' or ')' in the parameters");
    if (f.parameters.empty() || f.parameters.back().annotation) continue;
    f.parameters.back().annotation = type_comment(last_end(), now().begin);
  }
}

StmtList Parser::block() {
  Deeper deeper(*this);
  StmtList out;
  if (!at(Tok::Newline)) {
    statement(out);
    return out;
  }
  next();
  if (!at(Tok::Indent)) fail_expecting("an indented block");
  next();
  while (!at(Tok::Dedent) && !at(Tok::End)) statement_or_broken(out);
  if (at(Tok::Dedent)) next();
  return out;
}

// After a syntax error in a function: the statement is left out, and the clauses that belong to it.
void Parser::statement_or_broken(StmtList& out) {
  size_t start = at_, before = out.size();
  try {
    return statement(out);
  } catch (const Error& e) {
    if (errors_->size() >= kMaxSyntaxErrors) throw;
    keep(e.what());
  }
  skip_block(start);
  while (at_word("elif") || at_word("else") || at_word("except") || at_word("finally"))
    skip_block(at_);
  out.resize(before);
  out.push_back(broken_statement(start));
}

// The tokens from `start` up to here as a statement. Names in front of '=' and behind 'as' and
// 'for' are assigned, others that are no calls and no parts of a path may be.
StmtPtr Parser::broken_statement(size_t start) const {
  auto s = std::make_unique<Stmt>();
  s->kind = StmtKind::Broken;
  s->begin = tokens_[start].begin;
  s->end = last_end();
  static constexpr std::string_view kBinders[] = {"as", "for", "def", "import"};
  for (size_t i = start; i < at_; ++i) {
    const Token& t = tokens_[i];
    if (t.kind != Tok::Name || is_keyword(t.text)) continue;
    const Token& after = tokens_[i + 1];
    std::string_view before = i > start ? std::string_view(tokens_[i - 1].text) : "";
    bool set = after.kind == Tok::Op && after.text.size() > 0 && after.text.back() == '=' &&
               after.text != "==";
    if (set || std::ranges::find(kBinders, before) != std::end(kBinders)) s->names.insert(t.text);
    if (after.text == "(" || after.text == "." || before == "." || before == "def") continue;
    s->targets.push_back(std::make_unique<Expr>());
    s->targets.back()->kind = ExprKind::Name;
    s->targets.back()->text = t.text;
  }
  return s;
}

void Parser::statement(StmtList& out) {
  if (StmtPtr s = compound()) {
    bool loop = s->kind == StmtKind::For || s->kind == StmtKind::While;
    if (loop && eat_word("else")) return loop_else(out, std::move(s));
    out.push_back(std::move(s));
    return;
  }
  do {
    if (at(Tok::Newline)) break;
    out.push_back(finish(simple()));
  } while (eat_op(";"));
  if (!at(Tok::Newline)) fail_expecting("the end of the statement");
  next();
}

StmtPtr Parser::compound() {
  if (at_word("if")) return if_statement();
  if (at_word("while")) return while_statement();
  if (at_word("for")) return for_statement();
  if (at_word("with")) return with_statement();
  return nullptr;
}

// A name of the emitter's own, from the place of what it belongs to.
static ExprPtr own_name(const std::string& name, const Stmt& of) {
  auto e = std::make_unique<Expr>();
  e->kind = ExprKind::Name;
  e->text = name;
  e->begin = of.begin;
  e->end = of.end;
  return e;
}

static StmtPtr own_flag(const std::string& name, bool value, const Stmt& of) {
  auto s = std::make_unique<Stmt>();
  s->kind = StmtKind::Assign;
  s->begin = of.begin;
  s->end = of.end;
  s->targets.push_back(own_name(name, of));
  s->value = own_name("", of);
  s->value->kind = value ? ExprKind::True : ExprKind::False;
  return s;
}

// In front of each break of the loop whose body this is: name = True.
static void mark_breaks(StmtList& body, const std::string& name) {
  for (size_t i = 0; i < body.size(); ++i) {
    Stmt& s = *body[i];
    if (s.kind == StmtKind::Break) {
      body.insert(body.begin() + static_cast<long>(i++), own_flag(name, true, s));
      continue;
    }
    bool loop = s.kind == StmtKind::For || s.kind == StmtKind::While;
    if (loop || (!leaves_iteration(s.body, false) && !leaves_iteration(s.orelse, false))) continue;
    s.names.insert(name);
    mark_breaks(s.body, name);
    mark_breaks(s.orelse, name);
  }
}

// The else of a loop comes after it, under `if` where the loop has a break: left = False; loop; if
// not left: ...
void Parser::loop_else(StmtList& out, StmtPtr loop) {
  need_op(":", "after 'else'");
  StmtList orelse = block();
  if (!leaves_iteration(loop->body, false)) {
    out.push_back(std::move(loop));
    for (StmtPtr& s : orelse) out.push_back(std::move(s));
    return;
  }
  std::string left = fmt::format("$left{}", loop->begin);
  mark_breaks(loop->body, left);
  loop->names.insert(left);
  auto rest = std::make_unique<Stmt>();
  rest->kind = StmtKind::If;
  rest->begin = loop->begin;
  rest->end = loop->end;
  rest->value = own_name("", *loop);
  rest->value->kind = ExprKind::Unary;
  rest->value->sign = Sign::Not;
  rest->value->kids.push_back(own_name(left, *loop));
  rest->body = std::move(orelse);
  out.push_back(own_flag(left, false, *loop));
  out.push_back(std::move(loop));
  out.push_back(finish(std::move(rest)));
}

StmtPtr Parser::if_statement() {
  StmtPtr s = make(StmtKind::If);
  next();
  s->value = named_expression();
  s->end = last_end();
  need_op(":", "after the condition");
  s->body = block();
  if (at_word("elif")) {
    Deeper deeper(*this);
    s->orelse.push_back(if_statement());
  } else if (eat_word("else")) {
    need_op(":", "after 'else'");
    s->orelse = block();
  }
  return finish(std::move(s));
}

StmtPtr Parser::while_statement() {
  StmtPtr s = make(StmtKind::While);
  next();
  s->value = named_expression();
  s->end = last_end();
  need_op(":", "after the condition");
  s->body = block();
  return finish(std::move(s));
}

StmtPtr Parser::for_statement() {
  StmtPtr s = make(StmtKind::For);
  next();
  ExprPtr target = loop_target();
  check_target(*target);
  s->targets.push_back(std::move(target));
  if (!eat_word("in")) fail_expecting("'in'");
  s->value = expression_list();
  s->end = last_end();
  need_op(":", "after the loop's head");
  s->body = block();
  return finish(std::move(s));
}

StmtPtr Parser::simple() {
  static constexpr std::pair<std::string_view, StmtKind> kWords[] = {
      {"pass", StmtKind::Pass}, {"break", StmtKind::Break}, {"continue", StmtKind::Continue}};
  for (auto& [word, kind] : kWords) {
    if (!at_word(word)) continue;
    StmtPtr s = make(kind);
    next();
    return s;
  }
  if (at_word("return") || at_word("raise")) return return_or_raise();
  if (at_word("assert")) return assert_statement();
  if (at_word("del")) return delete_statement();
  if (at(Tok::Name)) refuse_statement();
  return assignment();
}

StmtPtr Parser::return_or_raise() {
  StmtPtr s = make(at_word("return") ? StmtKind::Return : StmtKind::Raise);
  next();
  if (!at(Tok::Newline) && !at_op(";")) s->value = expression_list();
  if (at_word("from")) wrong(now(), "'raise ... from' is not supported");
  return s;
}

StmtPtr Parser::assert_statement() {
  StmtPtr s = make(StmtKind::Assert);
  next();
  s->value = expression();
  if (eat_op(",")) s->message = expression();
  return s;
}

void Parser::refuse_statement() {
  for (const Refused& r : kRefused) {
    if (!at_word(r.word)) continue;
    wrong(now(), fmt::format("'{}' is not supported inside a function; {}", r.word,
                             r.instead.empty() ? kSupported : r.instead));
  }
  const Token& after = tokens_[at_ + 1];
  bool subject = after.kind == Tok::Name || after.kind == Tok::Int || after.kind == Tok::Str;
  if (at_word("match") && subject && !is_keyword(after.text))
    wrong(now(), "'match' is not supported; write if, elif, else");
}

StmtPtr Parser::delete_statement() {
  StmtPtr s = make(StmtKind::Delete);
  next();
  do {
    s->targets.push_back(expression());
    check_target(*s->targets.back());
  } while (eat_op(","));
  return s;
}

StmtPtr Parser::assignment() {
  StmtPtr s = make(StmtKind::Expression);
  ExprPtr first = expression_list();
  if (eat_op(":")) {
    s->kind = StmtKind::Assign;
    check_target(*first);
    s->annotation = expression();
    if (!eat_op("=")) {  // says what will be assigned, and does nothing
      s->kind = StmtKind::Pass;
      s->annotation = nullptr;
      return s;
    }
    s->targets.push_back(std::move(first));
    s->value = expression_list();
    return s;
  }
  for (std::string_view op : kAugmented) {
    if (!at_op(op)) continue;
    s->kind = StmtKind::AugAssign;
    s->sign = sign_of(op.substr(0, op.size() - 1));
    next();
    check_target(*first);
    s->targets.push_back(std::move(first));
    s->value = expression_list();
    return s;
  }
  while (eat_op("=")) {
    s->kind = StmtKind::Assign;
    check_target(*first);
    s->targets.push_back(std::move(first));
    first = expression_list();
  }
  s->value = std::move(first);
  bool typed = s->kind == StmtKind::Assign && s->targets.size() == 1 && at(Tok::Newline);
  if (typed) s->annotation = type_comment(last_end(), now().begin);
  return s;
}

}  // namespace fusillade::front

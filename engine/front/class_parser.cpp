// Classes, decorators and `with`, as text; see parser.h. A class keeps its methods separate from
// the other statements of its body; a syntax error in a method is kept in that method.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/dotted.h"
#include "engine/front/parser.h"

namespace fusillade::front {

std::vector<ExprPtr> Parser::decorators() {
  std::vector<ExprPtr> out;
  while (eat_op("@")) {
    out.push_back(expression());
    if (!at(Tok::Newline)) fail_expecting("the end of the decorator");
    next();
  }
  return out;
}

// A function or a class with its decorators.
void Parser::definition(Module& m) {
  std::vector<ExprPtr> before = decorators();
  if (at_word("class")) {
    Class c = class_definition();
    c.decorators = std::move(before);
    for (const Class& other : m.classes) {
      if (other.name == c.name)
        keep(message_at(source_, c.begin, c.end, fmt::format("a second class '{}'", c.name)));
    }
    m.classes.push_back(std::move(c));
    return;
  }
  if (!at_word("def") && !at_word("async")) fail_expecting("'def' or 'class' after the decorators");
  Function f = read_function();
  f.decorators = std::move(before);
  // Of several of one name the last counts; errors in the others are reported all the same.
  for (const Function& other : m.functions)
    for (const std::string& error : other.errors)
      if (other.name == f.name && !f.name.empty()) keep(error);
  std::erase_if(m.functions, [&](const Function& other) {
    const bool again = other.name == f.name && !f.name.empty();
    if (again) m.unread.push_back(other.begin);
    return again;
  });
  m.functions.push_back(std::move(f));
}

Class Parser::class_definition() {
  Class c;
  c.begin = now().begin;
  next();
  c.name = need_name("the class's name");
  if (eat_op("(")) {
    while (!eat_op(")")) {
      c.bases.push_back(expression());
      if (!eat_op(",") && !at_op(")")) fail_expecting("',' or ')' in the bases");
    }
  }
  c.end = last_end();
  need_op(":", "after the class's head");
  if (!at(Tok::Newline)) {
    statement(c.body);
    return c;
  }
  next();
  if (!at(Tok::Indent)) fail_expecting("an indented block");
  next();
  while (!at(Tok::Dedent) && !at(Tok::End)) {
    size_t start = at_;
    try {
      class_item(c);
    } catch (const Error& e) {
      keep(e.what());
      skip_definition(start);
    }
  }
  if (at(Tok::Dedent)) next();
  return c;
}

void Parser::class_item(Class& c) {
  std::vector<ExprPtr> before = decorators();
  if (at_word("def") || at_word("async")) {
    Function f = read_function();
    f.decorators = std::move(before);
    c.methods.push_back(std::move(f));
    return;
  }
  if (!before.empty()) fail_expecting("'def' after the decorators");
  if (at_word("class")) wrong(now(), "a class inside a class is not supported");
  bool annotation = at(Tok::Name) && !is_keyword(now().text) && tokens_[at_ + 1].kind == Tok::Op &&
                    tokens_[at_ + 1].text == ":";
  if (!annotation) return statement(c.body);
  c.body.push_back(class_annotation());
}

// NAME: type, or NAME: type = value
StmtPtr Parser::class_annotation() {
  StmtPtr s = make(StmtKind::Assign);
  s->targets.push_back(leaf(ExprKind::Name));
  next();
  s->annotation = expression();
  if (eat_op("=")) s->value = expression_list();
  s = finish(std::move(s));
  if (!at(Tok::Newline)) fail_expecting("the end of the line");
  next();
  return s;
}

// P = namedtuple("P", ["x", "y"]), whose items are tensors, and P = NamedTuple("P", [("x", int),
// ("y", float)]).
std::optional<Class> Parser::named_tuple(const std::string& name, const Expr& rhs) {
  bool call = rhs.is(ExprKind::Call) && rhs.kids.size() == 3 && rhs.words[0].empty() &&
              rhs.words[1].empty();
  const bool typed = call && ends_in(*rhs.kids[0], "NamedTuple");
  if (!typed && !(call && ends_in(*rhs.kids[0], "namedtuple"))) return std::nullopt;
  Class c;
  c.name = name;
  c.begin = rhs.begin;
  c.end = rhs.end;
  auto word = [&](ExprKind kind, const std::string& text, const Expr& at) {
    auto out = std::make_unique<Expr>();
    out->kind = kind;
    out->text = text;
    out->begin = at.begin;
    out->end = at.end;
    return out;
  };
  c.bases.push_back(word(ExprKind::Name, "NamedTuple", rhs));
  auto field = [&](const std::string& text, const Expr& at, ExprPtr type) {
    auto s = std::make_unique<Stmt>();
    s->kind = StmtKind::Assign;
    s->begin = at.begin;
    s->end = at.end;
    s->targets.push_back(word(ExprKind::Name, text, at));
    s->annotation = std::move(type);
    c.body.push_back(std::move(s));
  };
  const Expr& fields = *rhs.kids[2];
  if (!typed && fields.is(ExprKind::Str)) {
    std::string names = fields.text;
    std::replace(names.begin(), names.end(), ',', ' ');
    for (const std::string& text : split_outside_brackets(names, ' '))
      if (!text.empty()) field(text, fields, word(ExprKind::Name, "Tensor", fields));
    return c;
  }
  if (!fields.is(ExprKind::List) && !fields.is(ExprKind::Tuple)) return std::nullopt;
  for (const ExprPtr& item : fields.kids) {
    bool pair = typed && item->is(ExprKind::Tuple) && item->kids.size() == 2 &&
                item->kids[0]->is(ExprKind::Str);
    if (pair) field(item->kids[0]->text, *item, copy_of(*item->kids[1]));
    else if (!typed && item->is(ExprKind::Str))
      field(item->text, *item, word(ExprKind::Name, "Tensor", *item));
    else return std::nullopt;
  }
  return c;
}

// with a as x, b: ... is with a as x: with b: ...
StmtPtr Parser::with_statement() {
  Deeper deeper(*this);
  StmtPtr s = make(StmtKind::With);
  next();
  s->value = expression();
  if (eat_word("as")) {
    ExprPtr target = postfix();
    check_target(*target);
    s->targets.push_back(std::move(target));
  }
  s->end = last_end();
  if (at_op(",")) {
    s->body.push_back(with_statement());
  } else {
    need_op(":", "after the head of 'with'");
    s->body = block();
  }
  return finish(std::move(s));
}

}  // namespace fusillade::front

// See expression_parser.h.
#include "engine/front/expression_parser.h"

#include <algorithm>

namespace fusillade::front {
namespace {

constexpr std::string_view kSupported =
    "supported are names, numbers, strings, True, False, None, operators, comparisons, 'a if c "
    "else b', calls, attributes, subscripts, lists, tuples, dicts and comprehensions";

// How tightly a binary operator binds, from 0; -1 for any other token.
int level_of(const Token& t) {
  if (t.kind != Tok::Op) return -1;
  static constexpr std::string_view kLoose = "|^&";
  const std::string& op = t.text;
  if (op == "<<" || op == ">>") return 3;
  if (op == "//") return 5;
  if (op.size() != 1) return -1;
  switch (op[0]) {
    case '+':
    case '-':
      return 4;
    case '*':
    case '/':
    case '%':
    case '@':
      return 5;
    default:
      size_t at = kLoose.find(op[0]);
      return at == std::string_view::npos ? -1 : static_cast<int>(at);
  }
}

}  // namespace

ExpressionParser::Deeper::Deeper(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.depth_ <= kMaxDepth) return;
  --parser_.depth_;
  parser_.wrong(parser_.now(), fmt::format("nested more than {} deep", kMaxDepth));
}

ExprPtr ExpressionParser::annotation() {
  ExprPtr type = expression();
  if (!at(Tok::End)) fail_expecting("the end of the type");
  return type;
}

ExprPtr ExpressionParser::node(ExprKind kind, uint32_t begin) const {
  auto e = std::make_unique<Expr>();
  e->kind = kind;
  e->begin = begin;
  return e;
}

ExprPtr ExpressionParser::leaf(ExprKind kind) {
  const Token& t = next();
  ExprPtr e = node(kind, t.begin);
  e->end = t.end;
  e->text = t.text;
  e->integer = t.integer;
  e->real = t.real;
  return e;
}

ExprPtr ExpressionParser::finish(ExprPtr expr) {
  expr->end = last_end();
  for (const ExprPtr& kid : expr->kids) {
    if (kid) expr->depth = std::max(expr->depth, kid->depth + 1);
  }
  if (expr->depth > kMaxChain) {
    fail_at(source_, expr->begin, expr->begin + 1,
            fmt::format("an expression of more than {} operators in a chain", kMaxChain));
  }
  return expr;
}

ExprPtr ExpressionParser::with_kids(ExprPtr expr, ExprPtr a, ExprPtr b, ExprPtr c) {
  expr->kids.push_back(std::move(a));
  if (b) expr->kids.push_back(std::move(b));
  if (c) expr->kids.push_back(std::move(c));
  return finish(std::move(expr));
}

ExprPtr ExpressionParser::expression_list() {
  uint32_t begin = now().begin;
  ExprPtr first = item();
  if (!at_op(",")) return first;
  ExprPtr tuple = node(ExprKind::Tuple, begin);
  tuple->kids.push_back(std::move(first));
  while (eat_op(",")) {
    if (at(Tok::Newline) || at(Tok::End) || at_op("=") || at_op(":") || at_op(")")) break;
    tuple->kids.push_back(item());
  }
  return finish(std::move(tuple));
}

ExprPtr ExpressionParser::item() {
  if (!at_op("*")) return expression();
  Deeper deeper(*this);
  ExprPtr star = node(ExprKind::Starred, now().begin);
  next();
  return with_kids(std::move(star), binary(0));
}

// A target of a loop holds no comparison, so that `in` ends it.
ExprPtr ExpressionParser::loop_target() {
  uint32_t begin = now().begin;
  auto one = [this] { return at_op("*") ? item() : binary(0); };
  ExprPtr target = one();
  if (!at_op(",")) return target;
  ExprPtr tuple = node(ExprKind::Tuple, begin);
  tuple->kids.push_back(std::move(target));
  while (eat_op(",")) {
    if (at_word("in")) break;
    tuple->kids.push_back(one());
  }
  return finish(std::move(tuple));
}

// Behind the element of a comprehension: for target in iterable if condition... for target in
// iterable...
ExprPtr ExpressionParser::comprehension(ExprPtr into) {
  into->clauses.assign(into->kids.size(), Clause::Element);
  auto add = [&](Clause clause, ExprPtr kid) {
    into->clauses.push_back(clause);
    into->kids.push_back(std::move(kid));
  };
  while (at_word("for") || at_word("if") || at_word("async")) {
    if (at_word("async")) wrong(now(), "'async' is not supported: write a plain comprehension");
    if (into->kids.size() > kMaxDepth) wrong(now(), "too many clauses in one comprehension");
    if (eat_word("if")) {
      add(Clause::Condition, disjunction());
      continue;
    }
    next();
    add(Clause::Target, loop_target());
    check_target(*into->kids.back());
    if (!eat_word("in")) fail_expecting("'in'");
    add(Clause::Iterable, disjunction());
  }
  std::set<std::string> names;
  collect_walrus(*into, names);
  if (!names.empty())
    fail_at(source_, into->begin, last_end(),
            "':=' in a comprehension is not supported: write a loop");
  return finish(std::move(into));
}

ExprPtr ExpressionParser::expression() {
  Deeper deeper(*this);
  uint32_t begin = now().begin;
  ExprPtr value = disjunction();
  if (!eat_word("if")) return value;
  ExprPtr condition = disjunction();
  if (!eat_word("else")) fail_expecting("'else' of the conditional expression");
  ExprPtr otherwise = expression();
  return with_kids(node(ExprKind::Ternary, begin), std::move(condition), std::move(value),
                   std::move(otherwise));
}

ExprPtr ExpressionParser::named_expression() {
  uint32_t begin = now().begin;
  ExprPtr value = expression();
  if (!at_op(":=")) return value;
  if (!value->is(ExprKind::Name))
    fail_at(source_, value->begin, value->end, "':=' assigns to a name only");
  next();
  return with_kids(node(ExprKind::Walrus, begin), std::move(value), expression());
}

ExprPtr ExpressionParser::bracketed_item() { return at_op("*") ? item() : named_expression(); }

ExprPtr ExpressionParser::disjunction() {
  uint32_t begin = now().begin;
  ExprPtr left = conjunction();
  while (eat_word("or")) {
    ExprPtr e = node(ExprKind::Boolean, begin);
    e->sign = Sign::Or;
    left = with_kids(std::move(e), std::move(left), conjunction());
  }
  return left;
}

ExprPtr ExpressionParser::conjunction() {
  uint32_t begin = now().begin;
  ExprPtr left = inversion();
  while (eat_word("and")) {
    ExprPtr e = node(ExprKind::Boolean, begin);
    e->sign = Sign::And;
    left = with_kids(std::move(e), std::move(left), inversion());
  }
  return left;
}

ExprPtr ExpressionParser::inversion() {
  if (!at_word("not")) return comparison();
  Deeper deeper(*this);
  ExprPtr e = node(ExprKind::Unary, now().begin);
  e->sign = sign_of(next().text);
  return with_kids(std::move(e), inversion());
}

Sign ExpressionParser::comparison_sign() {
  for (Sign s = Sign::Less; s <= Sign::NotEqual; s = static_cast<Sign>(static_cast<int>(s) + 1))
    if (eat_op(text_of(s))) return s;
  if (eat_word("is")) return eat_word("not") ? Sign::IsNot : Sign::Is;
  if (eat_word("in")) return Sign::In;
  if (at_word("not") && sign_of(tokens_[at_ + 1].text) == Sign::In) {
    at_ += 2;
    return Sign::NotIn;
  }
  return Sign::None;
}

ExprPtr ExpressionParser::comparison() {
  uint32_t begin = now().begin;
  ExprPtr left = binary(0);
  Sign sign = comparison_sign();
  if (sign == Sign::None) return left;
  ExprPtr e = node(ExprKind::Compare, begin);
  e->kids.push_back(std::move(left));
  for (; sign != Sign::None; sign = comparison_sign()) {
    if (e->kids.size() > kMaxDepth) wrong(now(), "too many comparisons in one chain");
    e->signs.push_back(sign);
    e->kids.push_back(binary(0));
  }
  return finish(std::move(e));
}

// Precedence climbing: operators of `level` and above.
ExprPtr ExpressionParser::binary(int level) {
  uint32_t begin = now().begin;
  ExprPtr left = unary();
  for (int here; (here = level_of(now())) >= level;) {
    ExprPtr e = node(ExprKind::Binary, begin);
    e->sign = sign_of(next().text);
    left = with_kids(std::move(e), std::move(left), binary(here + 1));
  }
  return left;
}

ExprPtr ExpressionParser::unary() {
  if (!at_op("-") && !at_op("+") && !at_op("~")) return power();
  Deeper deeper(*this);
  ExprPtr e = node(ExprKind::Unary, now().begin);
  e->sign = sign_of(next().text);
  return with_kids(std::move(e), unary());
}

ExprPtr ExpressionParser::power() {
  uint32_t begin = now().begin;
  ExprPtr base = postfix();
  if (!at_op("**")) return base;
  Deeper deeper(*this);
  ExprPtr e = node(ExprKind::Binary, begin);
  e->sign = sign_of(next().text);
  return with_kids(std::move(e), std::move(base), unary());
}

ExprPtr ExpressionParser::postfix() {
  ExprPtr e = atom();
  for (;;) {
    if (at_op("(")) {
      e = call(std::move(e));
    } else if (at_op("[")) {
      e = subscript(std::move(e));
    } else if (eat_op(".")) {
      ExprPtr a = node(ExprKind::Attribute, e->begin);
      a->text = need_name("an attribute's name");
      e = with_kids(std::move(a), std::move(e));
    } else {
      return e;
    }
  }
}

// **expression among arguments
ExprPtr ExpressionParser::unpacked_dict() {
  ExprPtr star = node(ExprKind::Starred, now().begin);
  star->text = "**";
  next();
  return with_kids(std::move(star), expression());
}

ExprPtr ExpressionParser::call(ExprPtr callee) {
  ExprPtr e = node(ExprKind::Call, callee->begin);
  e->kids.push_back(std::move(callee));
  next();
  while (!eat_op(")")) {
    bool unpacked = at_op("**");
    bool named = at(Tok::Name) && tokens_[at_ + 1].kind == Tok::Op && tokens_[at_ + 1].text == "=";
    std::string word;
    if (named) {
      word = need_name("an argument's name");
      next();
    } else if (!unpacked && !e->words.empty() && !e->words.back().empty()) {
      wrong(now(), "a positional argument after a keyword argument");
    }
    e->words.push_back(word);
    e->kids.push_back(named ? expression() : unpacked ? unpacked_dict() : bracketed_item());
    if (at_word("for")) {
      ExprPtr list = node(ExprKind::ListComp, e->kids.back()->begin);
      list->kids.push_back(std::move(e->kids.back()));
      e->kids.back() = comprehension(std::move(list));
    }
    if (!eat_op(",") && !at_op(")")) fail_expecting("',' or ')' in the call");
  }
  return finish(std::move(e));
}

ExprPtr ExpressionParser::subscript(ExprPtr of) {
  ExprPtr e = node(ExprKind::Subscript, of->begin);
  e->kids.push_back(std::move(of));
  next();
  do {
    if (at_op("]") && e->kids.size() > 1) break;
    e->kids.push_back(index());
  } while (eat_op(","));
  need_op("]", "of the subscript");
  return finish(std::move(e));
}

ExprPtr ExpressionParser::index() {
  uint32_t begin = now().begin;
  ExprPtr start;
  if (!at_op(":")) start = named_expression();
  if (!at_op(":")) return start;
  ExprPtr slice = node(ExprKind::Slice, begin);
  slice->kids.push_back(std::move(start));
  for (int i = 0; i < 2; ++i) {
    ExprPtr part;
    if (eat_op(":") && !at_op(":") && !at_op("]") && !at_op(",")) part = expression();
    slice->kids.push_back(std::move(part));
  }
  return finish(std::move(slice));
}

ExprPtr ExpressionParser::atom() {
  switch (now().kind) {
    case Tok::Int:
      return leaf(ExprKind::Int);
    case Tok::Float:
      return leaf(ExprKind::Float);
    case Tok::FStart:
      return format();
    case Tok::Str: {
      ExprPtr e = leaf(ExprKind::Str);
      while (at(Tok::Str)) e->text += next().text;
      e->end = last_end();
      if (!at(Tok::FStart)) return e;
      ExprPtr f = format();
      f->begin = e->begin;
      f->kids.insert(f->kids.begin(), std::move(e));
      return f;
    }
    case Tok::Name:
      if (at_word("True")) return leaf(ExprKind::True);
      if (at_word("False")) return leaf(ExprKind::False);
      if (at_word("None")) return leaf(ExprKind::None);
      if (is_keyword(now().text)) refuse_word();
      return leaf(ExprKind::Name);
    case Tok::Op:
      if (now().text == "...") return leaf(ExprKind::Ellipsis);
      return bracketed_atom();
    default:
      fail_expecting("an expression");
  }
}

// f"..." and the strings that follow it.
ExprPtr ExpressionParser::format() {
  ExprPtr e = node(ExprKind::Format, now().begin);
  while (at(Tok::FStart) || at(Tok::Str)) {
    if (at(Tok::Str)) {
      e->kids.push_back(leaf(ExprKind::Str));
      continue;
    }
    for (next(); !at(Tok::FEnd);) {
      if (at(Tok::Str)) {
        e->kids.push_back(leaf(ExprKind::Str));
        continue;
      }
      need_op("(", "of an f-string's expression");
      e->kids.push_back(expression_list());
      need_op(")", "of an f-string's expression");
    }
    next();
  }
  return finish(std::move(e));
}

void ExpressionParser::refuse_word() {
  if (at_word("lambda"))
    wrong(now(), "'lambda' is not supported: define a function at the top of the file");
  if (at_word("yield")) wrong(now(), "'yield' is not supported: append to a list and return it");
  if (at_word("await")) wrong(now(), "'await' is not supported: call a plain function");
  wrong(now(), fmt::format("expected an expression, found '{}'; {}", now().text, kSupported));
}

ExprPtr ExpressionParser::bracketed_atom() {
  uint32_t begin = now().begin;
  if (eat_op("{")) return dict(begin);
  if (eat_op("[")) return items(node(ExprKind::List, begin), "]");
  if (!eat_op("(")) fail_expecting("an expression");
  if (at_op(")")) return items(node(ExprKind::Tuple, begin), ")");
  ExprPtr first = bracketed_item();
  if (!first->is(ExprKind::Starred) && eat_op(")")) return first;
  if (at_word("for")) {
    ExprPtr list = node(ExprKind::ListComp, begin);
    list->kids.push_back(std::move(first));
    list = comprehension(std::move(list));
    need_op(")", "of the generator");
    return list;
  }
  if (!eat_op(",")) fail_expecting("',' or ')'");
  ExprPtr tuple = node(ExprKind::Tuple, begin);
  tuple->kids.push_back(std::move(first));
  return items(std::move(tuple), ")");
}

// Behind the '{'.
ExprPtr ExpressionParser::dict(uint32_t begin) {
  ExprPtr e = node(ExprKind::Dict, begin);
  while (!eat_op("}")) {
    if (at_op("**")) {  // two kids as well: the mark and what it unpacks
      Deeper deeper(*this);
      ExprPtr mark = node(ExprKind::Starred, now().begin);
      next();
      mark->end = last_end();
      e->kids.push_back(std::move(mark));
      e->kids.push_back(postfix());
      if (!eat_op(",") && !at_op("}")) fail_expecting("',' or '}'");
      continue;
    }
    e->kids.push_back(expression());
    if (at_op(",") || at_op("}") || at_word("for"))
      fail_at(source_, begin, last_end(),
              "sets are not supported: use a list, or a dict of its items");
    need_op(":", "behind a dict's key");
    e->kids.push_back(expression());
    if (at_word("for") && e->kids.size() == 2) {
      e->kind = ExprKind::DictComp;
      e = comprehension(std::move(e));
      need_op("}", "of the dict");
      return finish(std::move(e));
    }
    if (!eat_op(",") && !at_op("}")) fail_expecting("',' or '}'");
  }
  return finish(std::move(e));
}

ExprPtr ExpressionParser::items(ExprPtr into, std::string_view close) {
  while (!eat_op(close)) {
    into->kids.push_back(bracketed_item());
    if (at_word("for") && into->is(ExprKind::List) && into->kids.size() == 1) {
      into->kind = ExprKind::ListComp;
      into = comprehension(std::move(into));
      need_op(close, "of the comprehension");
      return finish(std::move(into));
    }
    if (!eat_op(",") && !at_op(close)) fail_expecting(fmt::format("',' or '{}'", close));
  }
  return finish(std::move(into));
}

void ExpressionParser::check_target(const Expr& target) {
  bool single =
      target.is(ExprKind::Name) || target.is(ExprKind::Subscript) || target.is(ExprKind::Attribute);
  if (single) return;
  if (target.is(ExprKind::Tuple) || target.is(ExprKind::List)) {
    int starred = 0;
    for (const ExprPtr& kid : target.kids) {
      bool star = kid->is(ExprKind::Starred);
      check_target(star ? *kid->kids[0] : *kid);
      if (star && ++starred > 1) fail_at(source_, kid->begin, kid->end, "two starred targets");
    }
    return;
  }
  fail_at(source_, target.begin, target.end,
          "cannot be assigned to; targets are names, subscripts, attributes and tuples of these");
}

}  // namespace fusillade::front

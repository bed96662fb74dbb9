// See admission.h.
#include "fuzz/run/python/admission.h"

#include <algorithm>
#include <memory>

#include "engine/base/error.h"
#include "engine/front/parser.h"

namespace fusillade::fuzz {
namespace {

using front::Expr;
using front::ExprKind;
using front::ExprPtr;
using front::Stmt;
using front::StmtKind;

// Names between two underscores each are Python's, but for these: what a class of the language may
// define. (worker.py lets pass besides what Python itself sets in the code that it makes.)
constexpr std::string_view kDefined[] = {
    "init",    "post_init", "new",      "enter",    "exit",      "eq",      "ne",       "lt",
    "le",      "gt",        "ge",       "hash",     "bool",      "len",     "contains", "getitem",
    "setitem", "delitem",   "iter",     "next",     "call",      "str",     "repr",     "int",
    "float",   "neg",       "pos",      "abs",      "invert",    "add",     "sub",      "mul",
    "matmul",  "truediv",   "floordiv", "mod",      "pow",       "lshift",  "rshift",   "and",
    "or",      "xor",       "radd",     "rsub",     "rmul",      "rmatmul", "rtruediv", "rfloordiv",
    "rmod",    "rpow",      "rlshift",  "rrshift",  "rand",      "ror",     "rxor",     "iadd",
    "isub",    "imul",      "imatmul",  "itruediv", "ifloordiv", "imod",    "ipow",     "ilshift",
    "irshift", "iand",      "ior",      "ixor",     "constants", "slots"};
constexpr std::string_view kDecorators[] = {"dataclass", "property", "staticmethod", "classmethod"};
constexpr std::string_view kOfProperties[] = {"setter", "getter", "deleter"};

template <size_t N>
bool among(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Thrown by what is found first.
struct Refused {
  uint32_t at;
  std::string what;
};

void refuse_pythons(std::string_view name, uint32_t at) {
  if (name.size() < 5 || !name.starts_with("__") || !name.ends_with("__")) return;
  if (!among(kDefined, name.substr(2, name.size() - 4)))
    throw Refused{at, fmt::format("the name '{}'", name)};
}

// Does a replacement field go on to an attribute or an item: {0.real}, {x[0]}, {:{0.real}}?
bool walks(const std::string& format) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{') continue;
    if (format.compare(i, 2, "{{") == 0) {
      ++i;
      continue;
    }
    const size_t end = std::min(format.find_first_of("{}:!", i + 1), format.size());
    if (format.substr(i, end - i).find_first_of(".[") != std::string::npos) return true;
    i = end - 1;
  }
  return false;
}

void walk(const Expr& e) {
  const bool named = e.is(ExprKind::Name) || e.is(ExprKind::Attribute);
  if (named) refuse_pythons(e.text, e.begin);
  if (e.is(ExprKind::Attribute) && (e.text == "format" || e.text == "format_map"))
    throw Refused{e.begin, "a format that is not written where it is used"};
  for (const std::string& word : e.words) refuse_pythons(word, e.begin);
  size_t first = 0;
  if (e.is(ExprKind::Call) && e.kids[0]->is(ExprKind::Attribute) && e.kids[0]->text == "format" &&
      e.kids[0]->kids[0]->is(ExprKind::Str)) {
    if (walks(e.kids[0]->kids[0]->text)) throw Refused{e.begin, "a format that walks attributes"};
    first = 1;
  }
  for (size_t i = first; i < e.kids.size(); ++i)
    if (e.kids[i]) walk(*e.kids[i]);
}

void walk(const ExprPtr& e) {
  if (e) walk(*e);
}

void walk(const front::StmtList& list) {
  for (const front::StmtPtr& s : list) {
    for (const ExprPtr& target : s->targets) walk(target);
    walk(s->annotation);
    walk(s->value);
    walk(s->message);
    walk(s->body);
    walk(s->orelse);
  }
}

void decorators(const std::vector<ExprPtr>& list) {
  for (const ExprPtr& d : list) {
    const Expr& e = d->is(ExprKind::Call) ? *d->kids[0] : *d;
    const bool part = e.is(ExprKind::Attribute) && e.kids[0]->is(ExprKind::Name);
    const bool known = (e.is(ExprKind::Name) && among(kDecorators, e.text)) ||
                       (part && e.kids[0]->text == "dataclasses" && e.text == "dataclass") ||
                       (part && !d->is(ExprKind::Call) && among(kOfProperties, e.text));
    if (!known) throw Refused{d->begin, "a decorator that the language does not know"};
    walk(*d);
  }
}

void function(const front::Function& f) {
  if (!f.errors.empty()) throw Refused{f.begin, "a function that the front end does not read"};
  refuse_pythons(f.name, f.begin);
  decorators(f.decorators);
  for (const front::Parameter& p : f.parameters) {
    refuse_pythons(p.name, p.begin);
    walk(p.annotation);
    walk(p.default_value);
  }
  walk(f.result);
  walk(f.body);
}

// NAME: type, NAME = value, a docstring, `...` or `pass`; of `a.b: type` the tree keeps nothing.
bool may_be_in_class(const Stmt& s, const std::string& text) {
  if (s.kind == StmtKind::Pass) return text.compare(s.begin, s.end - s.begin, "pass") == 0;
  if (s.kind == StmtKind::Expression)
    return s.value->is(ExprKind::Str) || s.value->is(ExprKind::Ellipsis);
  return s.kind == StmtKind::Assign && s.targets.size() == 1 && s.targets[0]->is(ExprKind::Name);
}

// A carriage return alone ends a line in Python, also a comment's, and is a blank here. So is a
// form feed, behind which Python counts columns anew.
size_t odd_line_end(const std::string& text) {
  for (size_t at = 0; (at = text.find_first_of("\r\f", at)) != std::string::npos; ++at)
    if (text.compare(at, 2, "\r\n") != 0) return at;
  return text.size();
}

// The tree keeps no place of an import.
void check_import(const std::string& name, const std::string& path, const std::string& text) {
  refuse_pythons(name, static_cast<uint32_t>(std::min(text.find(name), text.size())));
  for (size_t at = 0; at <= path.size();) {
    const size_t dot = std::min(path.find('.', at), path.size());
    const std::string part = path.substr(at, dot - at);
    refuse_pythons(part, static_cast<uint32_t>(std::min(text.find(part), text.size())));
    at = dot + 1;
  }
}

void script(const front::Module& m, const std::string& text) {
  if (!m.unread.empty()) throw Refused{m.unread[0], "a statement outside its functions"};
  for (const auto& [name, path] : m.imports) check_import(name, path, text);
  for (const ExprPtr& e : m.extra_exprs) walk(e);
  for (const auto& [name, value] : m.constants) {
    refuse_pythons(name, value->begin);
    walk(value);
  }
  for (const front::Function& f : m.functions) function(f);
  for (const front::Class& c : m.classes) {
    refuse_pythons(c.name, c.begin);
    decorators(c.decorators);
    for (const ExprPtr& base : c.bases) walk(base);
    for (const front::StmtPtr& s : c.body)
      if (!may_be_in_class(*s, text)) throw Refused{s->begin, "a statement within a class"};
    walk(c.body);
    for (const front::Function& f : c.methods) function(f);
  }
}

}  // namespace

std::string why_not_for_python(const std::string& text) {
  try {
    if (size_t at = odd_line_end(text); at < text.size())
      throw Refused{static_cast<uint32_t>(at), "a line's end that is none for the front end"};
    script(front::parse_module(std::make_shared<const Source>(Source{"<script>", text})), text);
  } catch (const Refused& r) {
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(r.at);
    return fmt::format("not given to Python: {}, in line {}", r.what,
                       std::count(text.begin(), at, '\n') + 1);
  } catch (const Exception&) {
    return "not given to Python: the front end does not read all of it";
  }
  return "";
}

}  // namespace fusillade::fuzz

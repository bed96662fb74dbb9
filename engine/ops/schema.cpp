// Parser and printer of ATen's schema notation.
#include "engine/ops/schema.h"

#include <cctype>
#include <cstdlib>

namespace fusillade {
namespace {

class SchemaParser {
 public:
  explicit SchemaParser(const std::string& text) : text_(text) {}

  Schema all() {
    Schema s;
    s.name = word("the operator's name");
    if (!eat("::")) wrong("'::' after the namespace");
    s.name += "::" + word("the operator's name");
    if (eat(".")) s.overload = word("the overload's name");
    if (!eat("(")) wrong("'('");
    arguments(s);
    if (!eat("->")) wrong("'->'");
    results(s);
    skip();
    if (at_ != text_.size()) wrong("the end of the schema");
    return s;
  }

 private:
  [[noreturn]] void wrong(const char* wanted) {
    fail("schema '{}', column {}: expected {}", text_, at_ + 1, wanted);
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool eat(const char* s) {
    skip();
    size_t n = std::char_traits<char>::length(s);
    if (text_.compare(at_, n, s) != 0) return false;
    at_ += n;
    return true;
  }
  bool peek(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  std::string optional_word() {
    skip();
    size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }
  std::string word(const char* wanted) {
    std::string w = optional_word();
    if (w.empty()) wrong(wanted);
    return w;
  }

  void arguments(Schema& s) {
    bool keyword_only = false;
    if (eat(")")) return;
    for (;;) {
      if (eat("...")) {
        s.varargs = true;
      } else if (eat("*")) {
        keyword_only = true;
      } else {
        SchemaArg a = argument();
        a.name = word("the argument's name");
        a.keyword_only = keyword_only;
        if (eat("=")) {
          a.has_default = true;
          a.default_value = literal(a.type);
        }
        s.args.push_back(std::move(a));
      }
      if (eat(")")) return;
      if (!eat(",")) wrong("',' or ')'");
    }
  }

  void results(Schema& s) {
    if (eat("...")) {
      s.varresults = true;
      return;
    }
    if (!peek('(')) {
      s.results.push_back(argument());
      return;
    }
    eat("(");
    if (eat(")")) return;
    for (;;) {
      if (eat("...")) {
        s.varresults = true;
      } else {
        s.results.push_back(argument());
        s.results.back().name = optional_word();
      }
      if (eat(")")) return;
      if (!eat(",")) wrong("',' or ')'");
    }
  }

  // A type with alias marks and suffixes.
  SchemaArg argument() {
    SchemaArg a;
    a.type = base();
    for (;;) {
      if (peek('(')) {
        alias(a);
      } else if (eat("[]")) {
        a.type = Type::list(a.type);
      } else if (peek('[')) {
        eat("[");
        a.fixed_size = std::atoi(word("a number").c_str());
        if (!eat("]")) wrong("']'");
        a.type = Type::list(a.type);
      } else if (eat("?")) {
        a.type = Type::optional(a.type);
      } else {
        return a;
      }
    }
  }

  // "(str, t)", or what is between the brackets of "Dict(str, t)".
  std::vector<Type> types() {
    std::vector<Type> out;
    eat("(");
    while (!eat(")")) {
      if (!out.empty() && !eat(",")) wrong("',' or ')'");
      out.push_back(argument().type);
    }
    return out;
  }

  Type base() {
    if (peek('(')) return Type::tuple(types());
    size_t start = at_;
    std::string name = word("a type");
    if (name == "Dict" && peek('(')) {
      std::vector<Type> kv = types();
      if (kv.size() != 2) wrong("Dict(key, value)");
      return Type::dict(kv[0], kv[1]);
    }
    static const std::pair<const char*, TypeKind> kNames[] = {
        {"Tensor", TypeKind::Tensor},     {"int", TypeKind::Int},
        {"float", TypeKind::Float},       {"bool", TypeKind::Bool},
        {"str", TypeKind::Str},           {"Scalar", TypeKind::Number},
        {"number", TypeKind::Number},     {"Device", TypeKind::Device},
        {"Any", TypeKind::Any},           {"None", TypeKind::None},
        {"NoneType", TypeKind::None},     {"ScalarType", TypeKind::Int},
        {"Layout", TypeKind::Int},        {"MemoryFormat", TypeKind::Int},
        {"Generator", TypeKind::None},    {"AnyEnumType", TypeKind::Enum},
        {"AnyClassType", TypeKind::Class}};
    for (auto& [text, kind] : kNames) {
      if (name == text) return Type(kind);
    }
    if (name.size() == 1 || (name[0] == 't' && name.size() == 2) || name == "tVal")
      return Type::var(name);
    at_ = start;
    wrong("a type");
  }

  // "(a)", "(a!)", "(a|b)", "(a -> *)", "(*)", "(a! -> a|b)".
  void alias(SchemaArg& a) {
    eat("(");
    bool after = false;
    while (!eat(")")) {
      if (eat("->")) {
        after = true;
      } else if (eat("*")) {
        a.wildcard = true;
      } else if (eat("!")) {
        a.written = true;
      } else if (eat("|")) {
        continue;
      } else {
        std::string set = word("an alias set");
        if (!after) a.alias += (a.alias.empty() ? "" : "|") + set;
      }
    }
  }

  IValue literal(const Type& type) {
    skip();
    if (eat("[")) {
      std::vector<IValue> items;
      const Type& element = type.is(TypeKind::Optional) ? type.element().element() : type.element();
      while (!eat("]")) {
        items.push_back(literal(element));
        eat(",");
      }
      return IValue::list(std::move(items), element);
    }
    if (peek('"') || peek('\'')) {
      char quote = text_[at_++];
      size_t end = text_.find(quote, at_);
      if (end == std::string::npos) wrong("the closing quote");
      static constexpr std::string_view kEscapes = "n\nt\tf\fv\vr\r";
      std::string s;
      for (; at_ < end; ++at_) {
        size_t known =
            text_[at_] == '\\' && at_ + 1 < end ? kEscapes.find(text_[at_ + 1]) : std::string::npos;
        if (known != std::string::npos) ++at_;
        s += known != std::string::npos ? kEscapes[known | 1] : text_[at_];
      }
      at_ = end + 1;
      return IValue::str(s);
    }
    if (eat("None")) return {};
    if (eat("True")) return IValue(true);
    if (eat("False")) return IValue(false);
    return number(type);
  }

  IValue number(const Type& type) {
    size_t start = at_;
    while (at_ < text_.size() &&
           std::string("+-.0123456789einfa").find(text_[at_]) != std::string::npos) {
      ++at_;
    }
    std::string digits = text_.substr(start, at_ - start);
    if (digits.empty()) {
      // Named constants of ATen's: contiguous_format, Mean, strided.
      if (optional_word().empty()) wrong("a default value");
      return {};
    }
    bool real = digits.find_first_of(".einf") != std::string::npos;
    const Type& scalar = type.is(TypeKind::Optional) ? type.element() : type;
    if (scalar.is(TypeKind::List)) {
      std::vector<IValue> one{IValue(static_cast<int64_t>(std::atoll(digits.c_str())))};
      return IValue::list(std::move(one), scalar.element());
    }
    if (real || scalar.is(TypeKind::Float)) return IValue(std::strtod(digits.c_str(), nullptr));
    return IValue(static_cast<int64_t>(std::atoll(digits.c_str())));
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::string mark(const SchemaArg& a) {
  if (a.alias.empty() && !a.wildcard) return "";
  std::string out = "(" + (a.alias.empty() ? std::string("*") : a.alias);
  if (a.written) out += "!";
  if (a.wildcard && !a.alias.empty()) out += " -> *";
  return out + ")";
}

// The mark follows the innermost type, as ATen writes it.
std::string type_text(const SchemaArg& a) {
  std::string suffix;
  const Type* t = &a.type;
  while (t->is(TypeKind::List) || t->is(TypeKind::Optional)) {
    bool list = t->is(TypeKind::List);
    std::string n = list && a.fixed_size ? std::to_string(a.fixed_size) : "";
    suffix = (list ? "[" + n + "]" : std::string("?")) + suffix;
    t = &t->element();
  }
  return t->text() + mark(a) + suffix;
}

}  // namespace

std::string Schema::full_name() const { return overload.empty() ? name : name + "." + overload; }

std::string Schema::text() const {
  std::string out = full_name() + "(";
  bool keyword = false;
  bool first = true;
  auto separate = [&] {
    if (!first) out += ", ";
    first = false;
  };
  for (const SchemaArg& a : args) {
    if (a.keyword_only && !keyword) {
      separate();
      out += "*";
      keyword = true;
    }
    separate();
    out += type_text(a) + " " + a.name;
    if (a.has_default) out += "=" + describe(a.default_value);
  }
  if (varargs) {
    separate();
    out += "...";
  }
  out += ") -> ";
  if (varresults) return out + "...";
  if (results.size() == 1) return out + type_text(results[0]);
  out += "(";
  for (size_t i = 0; i < results.size(); ++i) {
    out += (i ? ", " : "") + type_text(results[i]);
    if (!results[i].name.empty()) out += " " + results[i].name;
  }
  return out + ")";
}

bool Schema::writes() const {
  for (const SchemaArg& a : args) {
    if (a.written) return true;
  }
  return false;
}

bool Schema::aliases() const {
  for (const SchemaArg& a : results) {
    if (!a.alias.empty() || a.wildcard) return true;
  }
  return false;
}

Schema parse_schema(const std::string& text) {
  Schema schema = SchemaParser(text).all();
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const SchemaArg& a = schema.args[i];
    const Type& type = a.type.is(TypeKind::Optional) ? a.type.element() : a.type;
    if (type.is(TypeKind::Device) && a.name == "device") schema.device = static_cast<int>(i);
    if (a.name == "requires_grad") schema.requires_grad = static_cast<int>(i);
  }
  return schema;
}

}  // namespace fusillade

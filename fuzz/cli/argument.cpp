// See argument.h.
#include "fuzz/cli/argument.h"

#include <cmath>

#include "engine/base/text.h"
#include "engine/front/emit.h"
#include "engine/front/parser.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/device.h"
#include "engine/tensor/npy.h"

namespace fusillade::cli {
namespace {

using front::Expr;
using front::ExprKind;

constexpr const char* kForms =
    "write an int (3), a float (1.5), true, false, none, 'text', a random tensor (f32[2,3]), a "
    "file (npy('in.npy')), a list "
    "([1, 2]), a tuple ((1, 'a')) or a dict ({'a': 1})";

const Type& inner_type(const Type& t) { return t.is(TypeKind::Optional) ? t.element() : t; }

class Reader {
 public:
  Reader(const std::string& text, const RandomTensor& random) : text_(text), random_(random) {}

  IValue read(const Expr& e, const Type& given) const {
    const Type& wanted = inner_type(given);
    if (e.is(ExprKind::List)) return list(e, wanted);
    if (e.is(ExprKind::Tuple)) return tuple(e, wanted);
    if (e.is(ExprKind::Dict)) return dict(e, wanted);
    bool random = e.is(ExprKind::Subscript) && e.kids[0]->is(ExprKind::Name);
    if (random || (e.is(ExprKind::Call) && e.kids[0]->is_name("npy"))) return tensor(e, random);
    if (e.is_name("true") || e.is_name("false")) return IValue(e.is_name("true"));
    if (e.is_name("none")) return IValue();
    bool negative = e.is(ExprKind::Unary, front::Sign::Sub);
    const Expr& word = negative ? *e.kids[0] : e;
    if (word.is_name("inf") || word.is_name("nan")) {
      double value = word.is_name("inf") ? HUGE_VAL : NAN;
      return IValue(negative ? -value : value);
    }
    std::optional<IValue> literal = front::literal_value(e);
    if (!literal) refuse(fmt::format("'{}' is no literal", text_of(e)));
    if (literal->is_int() && wanted.is(TypeKind::Float)) return IValue(literal->as_double());
    try {
      return as_wanted_device(*literal, wanted);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  [[noreturn]] void refuse(const std::string& why) const {
    fail("--arg '{}': {}; {}", text_, why, kForms);
  }

 private:
  std::string text_of(const Expr& e) const { return text_.substr(e.begin, e.end - e.begin); }

  IValue tensor(const Expr& e, bool random) const {
    bool quoted = e.kids.size() == 2 && e.kids[1]->is(ExprKind::Str);
    if (!random && !quoted) refuse(fmt::format("'{}' names no file in quotes", text_of(e)));
    try {
      return random ? random_(text_of(e)) : load_npy(e.kids[1]->text);
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  IValue list(const Expr& e, const Type& wanted) const {
    bool typed = wanted.is(TypeKind::List);
    std::vector<IValue> items;
    for (const auto& kid : e.kids)
      items.push_back(read(*kid, typed ? wanted.element() : Type(TypeKind::Any)));
    if (!typed && items.empty()) refuse("an empty list stands where a list is wanted");
    Type element = typed ? wanted.element() : common_type(items);
    for (const IValue& item : items) {
      if (!item.type().subtype_of(element))
        refuse(fmt::format("an item is {}, the others {}", item.type(), element));
    }
    return IValue::list(std::move(items), element.without_shapes());
  }

  IValue tuple(const Expr& e, const Type& wanted) const {
    bool typed = wanted.is(TypeKind::Tuple) && wanted.elements().size() == e.kids.size();
    std::vector<IValue> items;
    for (size_t i = 0; i < e.kids.size(); ++i)
      items.push_back(read(*e.kids[i], typed ? wanted.elements()[i] : Type(TypeKind::Any)));
    if (typed && wanted.class_type()) return IValue::named_tuple(std::move(items), wanted);
    return IValue::tuple(std::move(items));
  }

  IValue dict(const Expr& e, const Type& wanted) const {
    bool typed = wanted.is(TypeKind::Dict);
    if (!typed && e.kids.empty()) refuse("an empty dict stands where a dict is wanted");
    std::vector<IValue> keys, values;
    for (size_t i = 0; i < e.kids.size(); ++i) {
      IValue item = read(*e.kids[i], !typed  ? Type(TypeKind::Any)
                                     : i % 2 ? wanted.value_type()
                                             : wanted.key());
      (i % 2 ? values : keys).push_back(std::move(item));
    }
    Type key = typed ? wanted.key() : common_type(keys),
         mapped = typed ? wanted.value_type() : common_type(values);
    IValue out = IValue::dict(key, mapped);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i].type().subtype_of(key))
        refuse(fmt::format("a key is {}, not {}", keys[i].type(), key));
      if (!values[i].type().subtype_of(mapped))
        refuse(fmt::format("a value is {}, not {}", values[i].type(), mapped));
      out.as_dict().set(keys[i], values[i]);
    }
    return out;
  }

  Type common_type(const std::vector<IValue>& items) const {
    Type common = items[0].type();
    for (const IValue& item : items) {
      Type joined = unify(common, item.type());
      if (joined.is(TypeKind::Any))
        refuse(fmt::format("items of type {} and {}", common, item.type()));
      common = joined;
    }
    return common;
  }

  const std::string& text_;
  const RandomTensor& random_;
};

}  // namespace

IValue argument_value(const std::string& text, const Type& wanted, const RandomTensor& random) {
  bool quoted = !text.empty() && (text[0] == '\'' || text[0] == '"');
  const Type& inner = inner_type(wanted);
  bool none = text == "none" || text == "None";
  if (inner.is(TypeKind::Str) && !quoted && !none) return IValue::str(text);
  if (inner.is(TypeKind::Device) && !quoted && !none) return parse_device(text);
  Reader reader(text, random);
  front::ExprPtr parsed;
  try {
    auto source = std::make_shared<const Source>(Source{"--arg", text});
    parsed = front::Parser(source, front::lex_part(source, 0, static_cast<uint32_t>(text.size())))
                 .annotation();
  } catch (const Error&) {
    reader.refuse("no value of Python");
  }
  IValue value = reader.read(*parsed, wanted);
  bool unconstrained =
      wanted.is(TypeKind::Any) || wanted.is(TypeKind::Number) || wanted.is_tensor();
  if (!unconstrained && !value.type().subtype_of(wanted))
    reader.refuse(fmt::format("of type {}, wanted is {}", value.type().without_shapes(), wanted));
  return value;
}

}  // namespace fusillade::cli

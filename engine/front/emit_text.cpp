// The text of values: str, repr, print, f-strings, format and %.
//
// Operators write a value whose kind is known at run time. A value whose kind only its static type
// shows is written here, as a str that is inserted into a format: objects by their classes, dtypes
// (ints at run time), devices by their parts, and what contains any of these. A literal format says
// which of the two texts each of its fields asks for: "{0} {0!r}" of an object becomes "{1} {2}" of
// the object, its str and its repr. Texts are computed in the order of the fields, as in Python.
#include "engine/front/emit_text.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/class.h"
#include "engine/front/class_emit.h"
#include "engine/front/emit_operator.h"
#include "engine/ops/annotation_text.h"

namespace fusillade::front {
namespace {

constexpr int kMaxNested = 2;     // a field, and one in its specification
constexpr size_t kMaxDigits = 6;  // of the number of a field

// The content of the braces: "a", "!r:>8".
struct FormatField {
  std::string name, form;
  char conversion() const { return form.size() > 1 && form[0] == '!' ? form[1] : '\0'; }
  std::string specification() const {
    size_t colon = form.find(':');
    return colon == std::string::npos ? "" : form.substr(colon + 1);
  }
};

// The format with what `written` gives between the braces. The run refuses what is no format.
std::string with_fields(const std::string& format,
                        const std::function<std::string(const FormatField&)>& written) {
  std::string out;
  for (size_t at = 0; at < format.size(); ++at) {
    out += format[at];
    bool twice = at + 1 < format.size() && format[at + 1] == format[at];
    if ((format[at] == '{' || format[at] == '}') && twice) out += format[++at];
    else if (format[at] == '{') {
      size_t close = at + 1;
      for (int depth = 1; close < format.size(); ++close) {
        depth += format[close] == '{' ? 1 : format[close] == '}' ? -1 : 0;
        if (depth == 0) break;
      }
      if (close >= format.size()) return out + format.substr(at + 1);
      const std::string field = format.substr(at + 1, close - at - 1);
      const size_t end = std::min(field.find_first_of("{:!"), field.size());
      out += written({field.substr(0, end), field.substr(end)});
      at = close - 1;
    }
  }
  return out;
}

// A part of a text: "x=" and the value whose repr follows it.
struct Piece {
  std::string label;
  Value* value = nullptr;
  const Expr* at = nullptr;
};

// The items of a tuple that is built here, or of a list where it is written, each with its
// location.
std::vector<std::pair<Value*, const Expr*>> literal_items(Value* value, const Expr& at) {
  const Node* node = value->node();
  const bool tuple = node->is(prim::tuple_construct());
  if (!tuple && !(node->is(prim::list_construct()) && at.is(ExprKind::List))) return {};
  std::vector<std::pair<Value*, const Expr*>> out;
  const std::vector<Value*> items = node->inputs();
  const bool literal =
      at.is(tuple ? ExprKind::Tuple : ExprKind::List) && at.kids.size() == items.size();
  for (size_t i = 0; i < items.size(); ++i)
    out.emplace_back(items[i], literal ? at.kids[i].get() : &at);
  return out;
}

// The location of the i-th of some values, the first of which is kid `first` of `list`: that kid,
// or `list` where a '*' comes before.
const Expr& place_in(const Expr& list, size_t i, size_t first) {
  if (first + i >= list.kids.size()) return list;
  auto is_starred = [](const ExprPtr& kid) { return kid->is(ExprKind::Starred); };
  auto begin = list.kids.begin() + static_cast<long>(first);
  return std::any_of(begin, begin + static_cast<long>(i) + 1, is_starred) ? list
                                                                          : *list.kids[first + i];
}

}  // namespace

static Value* items_text(Emitter& to, Value* value, const Expr& at);
static Value* object_text(Emitter& to, Value* value, const Expr& at, Shown how);

// Is it plain to see that this int is a dtype: x.dtype, torch.float32?
static bool is_dtype(Emitter& to, const Value* value, const Expr& at) {
  if (!value->type().is(TypeKind::Int)) return false;
  if (value->node()->op().schema.name == tensor_attribute("dtype")) return true;
  return names_dtype(to.module_path(at));
}

// Is the text of this value emitted here?
bool writes_text(Emitter& to, Value* value, const Expr& at) {
  if (is_dtype(to, value, at) || is_object(value) || to.program().own_text(value->type()))
    return true;
  const auto items = literal_items(value, at);
  return std::any_of(items.begin(), items.end(),
                     [&](const auto& i) { return writes_text(to, i.first, *i.second); });
}

static Value* device_repr(Emitter& to, Value* device, const Expr& at) {
  Value* kind = to.apply(device_attribute("type"), {device}, at);
  Value* index = to.apply(device_attribute("index"), {device}, at);
  Value* none = to.apply(op_of(Sign::Is), {index, to.constant(IValue(), at)}, at);
  auto bare = [&] { return apply_format(to, "device(type='{}')", {kind}, at); };
  return to.choose(none, at, bare, [&] {
    Value* number = to.known_as(index, TypeKind::Int, at);
    return apply_format(to, "device(type='{}', index={})", {kind, number}, at);
  });
}

// A text that is emitted here; the value itself where operators write it.
Value* as_text(Emitter& to, Value* value, const Expr& at, Shown how) {
  if (is_dtype(to, value, at)) {
    std::vector<Value*> names;
    for (const std::string& name : dtype_texts())
      names.push_back(to.constant(IValue::str(name), at));
    return to.apply(op::kGetItem, {to.list_of(names, TypeKind::Str, at), value}, at);
  }
  const Type type = value->type();
  const ClassPtr& cls = type.class_type();
  if (is_object(value) || (cls && to.program().text_methods(*cls)))
    return object_text(to, value, at, how);
  if (type.is(TypeKind::Device)) return how == Shown::Repr ? device_repr(to, value, at) : value;
  if (!writes_text(to, value, at)) return value;
  if (type.is(TypeKind::Tuple) || !literal_items(value, at).empty())
    return items_text(to, value, at);
  if (type.is(TypeKind::Union))
    return to.by_option(value, 0, at, [&](Value* option) { return text_of(to, option, at, how); });
  if (type.is(TypeKind::Optional)) {
    auto value_text = [&] { return text_of(to, to.known_as(value, type.element(), at), at, how); };
    Value* none = to.apply(op_of(Sign::Is), {value, to.constant(IValue(), at)}, at);
    return to.choose(none, at, [&] { return to.constant(IValue::str("None"), at); }, value_text);
  }
  const bool dict = type.is(TypeKind::Dict);
  Iterable over = to.items_from(dict ? to.apply(method_op("items"), {value}, at) : value, at);
  over.item = [&, get = over.item](Value* iteration) {
    Value* item = get(iteration);
    if (!dict) return text_of(to, item, at, Shown::Repr);
    std::vector<Value*> pair = to.items_of(item, at);
    return apply_format(to, "{!r}: {}", {pair[0], text_of(to, pair[1], at, Shown::Repr)}, at);
  };
  const Type strs = Type::list(TypeKind::Str);
  Value* all = to.apply(method_op("join"),
                        {to.constant(IValue::str(", "), at), to.collect(over, at, &strs)}, at);
  return apply_format(to, dict ? "{{{}}}" : "[{}]", {all}, at);
}

// As a str, whoever writes it.
Value* text_of(Emitter& to, Value* value, const Expr& at, Shown how) {
  Value* shown = as_text(to, value, at, how);
  return shown == value ? apply_format(to, how == Shown::Repr ? "{!r}" : "{}", {value}, at) : shown;
}

Value* apply_format(Emitter& to, const std::string& format, std::vector<Value*> values,
                    const Expr& at) {
  values.insert(values.begin(), to.constant(IValue::str(format), at));
  return to.exactly(op::kFormat, values, at);
}

static Value* pieces_text(Emitter& to, std::string format, const std::vector<Piece>& pieces,
                          const char* close, const Expr& at) {
  std::vector<Value*> values;
  for (const Piece& p : pieces) {
    Value* shown = as_text(to, p.value, *p.at, Shown::Repr);
    format += (values.empty() ? "" : ", ") + p.label + (shown == p.value ? "{!r}" : "{}");
    values.push_back(shown);
  }
  return apply_format(to, format + close, values, at);
}

// (1, 'a'), [1], P(x=1, y=2)
static Value* items_text(Emitter& to, Value* value, const Expr& at) {
  const Type type = value->type();
  auto items = literal_items(value, at);
  if (items.empty())
    for (Value* item : to.items_of(value, at)) items.emplace_back(item, &at);
  const ClassPtr& named = type.class_type();
  std::vector<Piece> pieces;
  for (size_t i = 0; i < items.size(); ++i)
    pieces.push_back({named ? named->fields[i].name + "=" : "", items[i].first, items[i].second});
  if (type.is(TypeKind::List)) return pieces_text(to, "[", pieces, "]", at);
  return pieces_text(to, named ? plain_name(*named) + "(" : "(", pieces,
                     !named && items.size() == 1 ? ",)" : ")", at);
}

// As the methods of its class say, and D(x=1, s='a') of a dataclass. An object without either has
// no text that two runs would share. A member of an enum has a str of its own, which knows no
// __repr__, and one of an IntEnum that of its number.
static Value* object_text(Emitter& to, Value* value, const Expr& at, Shown how) {
  if (how != Shown::Repr)
    if (Value* v = to.operators().magic("__str__", {value}, at)) return v;
  const bool member = value->type().is(TypeKind::Enum);
  if (!member || how == Shown::Repr)
    if (Value* v = to.operators().magic("__repr__", {value}, at)) return v;
  if (member && how != Shown::Repr && to.program().is_int_enum(*value->type().class_type())) {
    value = to.exactly("prim::EnumValue", {value}, at);
    value->set_type(TypeKind::Int);
  }
  if (member) return apply_format(to, how == Shown::Repr ? "{!r}" : "{}", {value}, at);
  if (value->type().is(TypeKind::Tuple)) return items_text(to, value, at);
  const ClassType& cls = *value->type().class_type();
  Program& program = to.program();
  const ClassInfo& info = program.info(cls);
  if (!program.writes_fields(cls)) {
    if (how == Shown::IfAny) return value;
    to.wrong(at, fmt::format("'{}' has {}no __repr__", value->type(),
                             how == Shown::Repr ? "" : "no __str__ and "));
  }
  std::vector<Piece> pieces;
  for (size_t i = 0; i < info.given_fields(); ++i) {
    const Field& f = cls.fields[i];
    if (!info.options(f.name).repr) continue;
    if (program.shows(f.type, cls))
      to.wrong(at, fmt::format("a '{}' may hold objects of its own class: write a __repr__",
                               plain_name(cls)));
    pieces.push_back({f.name + "=", to.classes().get_field(value, f.name, f.type, at), &at});
  }
  return pieces_text(to, plain_name(cls) + "(", pieces, ")", at);
}

// What a field of a format gives for a value whose text is emitted here.
static Value* field_text(Emitter& to, Value* value, char conversion,
                         const std::string& specification, const Expr& at) {
  if (conversion) return text_of(to, value, at, conversion == 'r' ? Shown::Repr : Shown::Str);
  if (Value* v = to.operators().magic("__format__",
                                      {value, to.constant(IValue::str(specification), at)}, at))
    return v;
  Value* shown = text_of(to, value, at, Shown::Str);
  if (specification.empty()) return shown;
  if (value->type().is(TypeKind::Enum))
    return apply_format(to, "{:" + specification + "}", {shown}, at);
  to.wrong(at,
           fmt::format("TypeError: the text of {} takes no specification ':{}': write !s before it",
                       is_dtype(to, value, at) ? "a dtype" : fmt::format("'{}'", value->type()),
                       specification));
}

Value* f_string(Emitter& to, const Expr& e) {
  std::string text;
  std::vector<Value*> values;
  for (const ExprPtr& kid : e.kids) {
    if (!kid->is(ExprKind::Str)) {
      text += "{}";
      Value* value = to.emit(*kid);
      values.push_back(writes_text(to, value, *kid) ? field_text(to, value, '\0', "", *kid)
                                                    : value);
      continue;
    }
    for (char c : kid->text) text += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  }
  return apply_format(to, text, values, e);
}

// "...".format(...): a literal is numbered where it has names, and where a text is emitted here.
Value* format_call(Emitter& to, const std::vector<Argument>& args, const Expr& e) {
  std::vector<Value*> values;
  for (const Argument& a : args) values.push_back(a.value);
  auto place = [&](size_t i) -> const Expr& { return place_in(e, i - 1, 1); };
  bool named = false, written = false;
  for (size_t i = 1; i < args.size(); ++i) {
    named = named || !args[i].keyword.empty();
    written = written || writes_text(to, values[i], place(i));
  }
  if (!named && !written) return to.exactly(op::kFormat, values, e);
  if (!values[0]->node()->is(prim::constant()))
    to.wrong(e, "a format with names, of objects or of dtypes is a literal");
  size_t next = 1;
  int nested = 0;
  std::function<std::string(const FormatField&)> renumber = [&](const FormatField& f) {
    const bool digits =
        f.name.find_first_not_of("0123456789") == std::string::npos && f.name.size() <= kMaxDigits;
    size_t at = 0;
    while (at < args.size() && (f.name.empty() || args[at].keyword != f.name)) ++at;
    if (f.name.empty()) at = next++;
    else if (digits) at = std::stoul(f.name) + 1;
    if (at >= args.size() && digits)
      to.wrong(
          e, fmt::format("IndexError: Replacement index {} out of range for positional args tuple",
                         at - 1));
    std::string name = at < args.size() ? std::to_string(at - 1) : f.name;
    const char conversion = f.conversion();
    const bool legal = !conversion || conversion == 'r' || conversion == 's';
    std::string form = f.form;
    if (at < args.size() && legal && writes_text(to, args[at].value, place(at))) {
      values.push_back(field_text(to, args[at].value, conversion, f.specification(), place(at)));
      name = std::to_string(values.size() - 2);
      form = !conversion || f.specification().empty() ? "" : ":" + f.specification();
    }
    size_t colon = form.find(':');
    if (colon == std::string::npos || nested + 1 >= kMaxNested) return name + form;
    ++nested;
    form = form.substr(0, colon) + with_fields(form.substr(colon), renumber);
    --nested;
    return name + form;
  };
  const std::string format = values[0]->node()->constant().as_str();
  bool plain = false, numbers = false;
  with_fields(format, [&](const FormatField& f) {
    plain = plain || f.name.empty();
    numbers =
        numbers || (!f.name.empty() && f.name.find_first_not_of("0123456789") == std::string::npos);
    return f.name;
  });
  if (plain && numbers)
    to.wrong(e,
             "ValueError: cannot switch between automatic field numbering and manual field "
             "specification");
  values[0] = to.constant(IValue::str(with_fields(format, renumber)), e);
  return to.exactly(op::kFormat, values, e);
}

// "..." % values: %r of a text that is emitted here becomes %s of the repr.
Value* percent(Emitter& to, Value* left, Value* right, const Expr& at) {
  const Expr& from = at.is(ExprKind::Binary) ? *at.kids[1] : at;
  const bool several = right->type().is(TypeKind::Tuple);
  std::vector<Value*> values{left};
  for (Value* v : several ? to.items_of(right, at) : std::vector<Value*>{right})
    values.push_back(v);
  auto place = [&](size_t i) -> const Expr& {
    return several && from.is(ExprKind::Tuple) ? place_in(from, i - 1, 0) : from;
  };
  bool written = false;
  for (size_t i = 1; i < values.size(); ++i)
    written = written || writes_text(to, values[i], place(i));
  if (!written) return to.exactly(op::kPercent, values, at);
  if (!left->node()->is(prim::constant()))
    to.wrong(at, "a format of objects or of dtypes is a literal");
  std::string format = left->node()->constant().as_str();
  size_t next = 1;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    i = format.find_first_not_of("-+ 0#123456789.", i + 1);
    if (i == std::string::npos) break;
    if (format[i] == '%' || next >= values.size()) continue;
    const size_t here = next++;
    if (!writes_text(to, values[here], place(here))) continue;
    values[here] =
        text_of(to, values[here], place(here), format[i] == 'r' ? Shown::Repr : Shown::Str);
    if (format[i] == 'r') format[i] = 's';
  }
  values[0] = to.constant(IValue::str(format), at);
  return to.exactly(op::kPercent, values, at);
}

Value* repr_call(Emitter& to, const Expr& e) {
  std::vector<Argument> args = to.arguments(e);
  if (args.size() != 1 || !args[0].keyword.empty()) to.wrong(e, "repr() takes one value");
  return text_of(to, args[0].value, *e.kids[1], Shown::Repr);
}

Value* print_call(Emitter& to, const Expr& e) {
  std::vector<Value*> values;
  for (const Argument& a : to.arguments(e)) {
    if (!a.keyword.empty()) to.wrong(e, "print takes values only: no sep, end or file");
    values.push_back(a.value);
  }
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = as_text(to, values[i], place_in(e, i, 1), Shown::IfAny);
  to.node(operator_named(op::kPrint), values, e);
  return to.constant(IValue(), e);
}

}  // namespace fusillade::front

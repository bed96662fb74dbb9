// Expressions of serialised functions: literals, calls, attributes, items. (law: rules name ops)
#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/archive/function_printer.h"
#include "engine/run/archive/overload.h"
#include "engine/run/archive/type_text.h"

namespace fusillade::archive {
namespace {

using Tag = IValue::Tag;

// Ops that have a form of their own in Python. `cast` forms call a function of one value; `typed`
// ones annotate.
struct Form {
  std::string_view base;
  const char* function;
};
constexpr Form kCasts[] = {
    {"aten::Bool", "bool"}, {"aten::Int", "int"}, {"aten::Float", "float"}, {"aten::str", "str"}};
constexpr Form kImplicit[] = {{"aten::IntImplicit", "int"},
                              {"prim::whole_number", "int"},
                              {"aten::FloatImplicit", "float"},
                              {"aten::ScalarImplicit", "number"}};

const char* function_of(std::span<const Form> forms, const Node* n) {
  for (const Form& f : forms)
    if (n->op().schema.name == f.base && n->inputs().size() == 1) return f.function;
  return nullptr;
}

bool plain_text(const std::string& text) {
  for (char c : text)
    if (c != '\n' && c != '\t' && (c < 32 || c > 126)) return false;
  return true;
}

std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
  }
  return out + "\"";
}

bool has_literal(const IValue& v) {
  if (v.is_tensor() || v.tag() == Tag::Dict || v.tag() == Tag::Object) return false;
  if (v.tag() == Tag::Str) return plain_text(v.as_str());
  if (v.is_int()) return v.as_int() != INT64_MIN;
  if (!v.is_sequence()) return true;
  for (const IValue& item : v.items())
    if (!has_literal(item)) return false;
  return true;
}

bool same_constant(const IValue& a, const IValue& b) {
  if (a.tag() != b.tag()) return false;
  return a.is_tensor() ? a.as_tensor().same(b.as_tensor()) : a.identical(b);
}

bool is_default(const Value* v, const SchemaArg& formal) {
  if (!formal.has_default || !v->node()->is(prim::constant())) return false;
  const IValue& value = v->node()->constant();
  return !value.is_tensor() && value.tag() != Tag::List && value.identical(formal.default_value);
}

}  // namespace

size_t ConstantTable::index(const IValue& value) {
  for (size_t i = 0; i < all_.size(); ++i)
    if (same_constant(all_[i], value)) return i;
  all_.push_back(value);
  return all_.size() - 1;
}

std::string literal_text(const IValue& v, const Type& type) {
  const Type& meant = type.is(TypeKind::Optional) ? type.element() : type;
  if (!has_literal(v)) fail("{} has no literal that could be saved", describe(v));
  switch (v.tag()) {
    case Tag::None:
      return "None";
    case Tag::Int:
      return std::to_string(v.as_int());
    case Tag::Float:
      return archive_float_text(v.as_double());
    case Tag::Bool:
      return v.as_bool() ? "True" : "False";
    case Tag::Device:
      return "torch.device(" + quoted_text(to_string(v.as_device())) + ")";
    case Tag::Str:
      return quoted_text(v.as_str());
    case Tag::Enum:
      return v.as_enum().cls->name + "." + v.as_enum().name();
    default:
      break;
  }
  bool list = v.tag() == Tag::List;
  std::string out;
  for (size_t i = 0; i < v.items().size(); ++i) {
    const Type& of = meant.is(TypeKind::List)    ? meant.element()
                     : meant.is(TypeKind::Tuple) ? meant.elements()[i]
                                                 : meant;
    out += (i ? ", " : "") + literal_text(v.items()[i], of);
  }
  if (!list) return "(" + out + (v.items().size() == 1 ? ",)" : ")");
  return v.items().empty() ? "annotate(" + annotation_text(v.type()) + ", [])" : "[" + out + "]";
}

std::string FunctionPrinter::type_text(const Type& type) {
  references_.types.push_back(type);
  return annotation_text(type);
}

std::string FunctionPrinter::use(const Value* v) const {
  auto it = text_.find(v);
  FUS_CHECK(it != text_.end(), "a value of {} is used before it is written", v->node()->op().name);
  return it->second;
}

std::string FunctionPrinter::receiver(const Value* v) const {
  std::string text = use(v);
  return is_identifier(text) ? text : "(" + text + ")";
}

std::string FunctionPrinter::constant(const Node* n) {
  const IValue& v = n->constant();
  references_.types.push_back(v.type());
  if (!has_literal(v)) return fmt::format("CONSTANTS.c{}", constants_.index(v));
  bool vague = v.tag() == Tag::List &&
               (v.seq()->element.is(TypeKind::Union) || v.seq()->element.is(TypeKind::Optional));
  std::string text = literal_text(v, n->output()->type());
  return vague ? "annotate(" + type_text(v.type()) + ", " + text + ")" : text;
}

// An item of a container, printed so that reading the text again gives its type.
std::string FunctionPrinter::item(const Value* v) {
  bool vague = v->node()->is(prim::constant()) && v->type().is(TypeKind::Optional);
  return vague ? "annotate(" + type_text(v->type()) + ", " + use(v) + ")" : use(v);
}

// Does the text of an item say that it is of this type? None does not.
bool FunctionPrinter::implies_type(const Value* v, const Type& type) {
  bool none = v->node()->is(prim::constant()) && v->node()->constant().is_none();
  return !none && v->type().without_shapes() == type.without_shapes();
}

std::string FunctionPrinter::list(const Node* n) {
  const Type& type = n->output()->type();
  bool plain = !n->inputs().empty();
  std::string out = "[";
  for (size_t i = 0; i < n->inputs().size(); ++i) {
    const Value* v = n->inputs()[i];
    plain &= implies_type(v, type.element());
    out += (i ? ", " : "") + use(v);
  }
  out += "]";
  return plain ? out : "annotate(" + type_text(type.without_shapes()) + ", " + out + ")";
}

std::string FunctionPrinter::tuple(const Node* n) {
  std::string out = n->is(prim::named_tuple()) ? type_text(n->output()->type()) + "(" : "(";
  for (size_t i = 0; i < n->inputs().size(); ++i) {
    const Node* from = n->inputs()[i]->node();
    bool none =
        n->is(prim::named_tuple()) && from->is(prim::constant()) && from->constant().is_none();
    out += (i ? ", " : "") + (none ? "None" : item(n->inputs()[i]));  // the field has the type
  }
  return out + (n->inputs().size() == 1 && n->is(prim::tuple_construct()) ? ",)" : ")");
}

std::string FunctionPrinter::dict(const Node* n) {
  const Type& type = n->output()->type();
  bool plain = !n->inputs().empty();
  std::string out = "{";
  for (size_t i = 0; i + 1 < n->inputs().size(); i += 2) {
    plain &= implies_type(n->inputs()[i], type.key()) &&
             implies_type(n->inputs()[i + 1], type.value_type());
    out += (i ? ", " : "") + use(n->inputs()[i]) + ": " + use(n->inputs()[i + 1]);
  }
  out += "}";
  return plain ? out : "annotate(" + type_text(type.without_shapes()) + ", " + out + ")";
}

std::string FunctionPrinter::call(const Node* n) {
  const std::string& name = std::get<IValue>(*n->attr("name")).as_str();
  size_t first = 0;
  std::string out;
  if (!n->inputs().empty() && n->input()->type().is(TypeKind::Class)) {
    const std::string& cls = n->input()->type().class_type()->name;
    if (name.size() > cls.size() + 1 && name.starts_with(cls + ".")) {
      out = "(" + use(n->input()) + ")" + name.substr(cls.size());
      first = 1;
    }
  }
  if (out.empty()) {
    out = function_path(name, references_.classes);
    references_.functions.push_back({name, std::get<std::shared_ptr<Graph>>(*n->attr("Subgraph"))});
  }
  out += "(";
  for (size_t i = first; i < n->inputs().size(); ++i) out += item(n->inputs()[i]) + ", ";
  return out + ")";
}

std::string FunctionPrinter::get_attribute(const Node* n) {
  const std::string& field = std::get<IValue>(*n->attr("name")).as_str();
  if (is_identifier(field)) return receiver(n->input()) + "." + field;
  return "getattr(" + use(n->input()) + ", " + quoted_text(field) + ")";
}

std::string FunctionPrinter::cast(const Node* n, const char* function) {
  return std::string(function) + "(" + use(n->input()) + ")";
}

// A class that no value here has is none that is asked for; where there is no other, the answer is
// no.
std::string FunctionPrinter::is_instance(const Node* n) {
  const Type& given = n->input()->type();
  auto type_of = [&](const std::string& text) {
    for (const Type& option :
         given.is(TypeKind::Union) ? given.elements() : std::vector<Type>{given})
      if (option.text() == text) return option;
    return parse_type(text, references_.classes);
  };
  std::vector<std::string> types;
  for (const std::string& part :
       split_outside_brackets(std::get<IValue>(*n->attr("name")).as_str(), '|')) {
    std::string text(trim(part));
    bool any = text == "list" || text == "dict" || text == "tuple";  // of whatever items
    try {
      types.push_back(any ? text : type_text(type_of(text)));
    } catch (const Error&) {
      continue;
    }
  }
  if (types.empty()) {
    flush(pending_.size());  // what the value does is done
    return "False";
  }
  std::string list = types.size() == 1 ? types[0] : "(" + join(types, ", ") + ")";
  return "isinstance(" + use(n->input()) + ", " + list + ")";
}

std::string FunctionPrinter::expression(const Node* n) {
  const std::string& name = n->op().schema.name;
  if (n->is(prim::list_construct())) return list(n);
  if (n->is(prim::tuple_construct()) || n->is(prim::named_tuple())) return tuple(n);
  if (n->is(prim::dict_construct())) return dict(n);
  if (n->is(prim::call_function())) return call(n);
  if (n->is(prim::get_attr())) return get_attribute(n);
  if (n->is(prim::create_object())) {
    std::string cls = type_text(n->output()->type());
    return cls + ".__new__(" + cls + ")";
  }
  if (n->is(prim::fusion_group()) || n->is(prim::differentiable()))
    fail("'{}' holds a fusion group; what passes made is not saved", graph_.name);
  // A None asserted to be something else: it is never reached, and PyTorch reads no such cast.
  const bool nothing = name == "prim::unchecked_cast" && n->input()->node()->is(prim::constant()) &&
                       n->input()->node()->constant().is_none();
  if (nothing || name == "prim::Uninitialized")
    return "uninitialized(" + type_text(n->output()->type()) + ")";
  if (name == "prim::unchecked_cast")
    return "unchecked_cast(" + type_text(n->output()->type()) + ", " + use(n->input()) + ")";
  if (name == "prim::isinstance") return is_instance(n);
  if (name == "prim::TupleIndex") return "(" + use(n->input(0)) + ")[" + use(n->input(1)) + "]";
  if (name == "aten::__getitem__") return receiver(n->input(0)) + "[" + use(n->input(1)) + "]";
  if (const char* function = function_of(kCasts, n)) return cast(n, function);
  // Of a Scalar alone does an annotation make an int.
  if (name == "prim::whole_number" && !n->input()->type().is(TypeKind::Number))
    decline("'{}' keeps a value of {} as an int; archives have no text for it", graph_.name,
            n->input()->type());
  if (const char* type = function_of(kImplicit, n))
    return std::string("annotate(") + type + ", " + use(n->input()) + ")";
  return op(n);
}

// Defaults at the end are left out, unless the call would be of another overload without them.
size_t FunctionPrinter::written_arguments(const Node* n) {
  const Schema& schema = n->op().schema;
  size_t all = n->inputs().size();
  size_t count = all;
  while (count && count <= schema.args.size() &&
         is_default(n->inputs()[count - 1], schema.args[count - 1]))
    --count;
  for (size_t tried : {count, all}) {
    std::vector<front::Argument> args;
    for (size_t i = 0; i < tried; ++i) {
      bool keyword = i < schema.args.size() && schema.args[i].keyword_only;
      args.push_back({n->inputs()[i], keyword ? schema.args[i].name : ""});
    }
    if (choose_overload(schema.name, args).op == &n->op()) return tried;
  }
  decline("{}: a call with arguments of these types is of another overload", n->op().name);
}

// torch.add(x, y, alpha=2): arguments by position as far as the schema lets, defaults at the end
// left out.
std::string FunctionPrinter::op(const Node* n) {
  const Schema& schema = n->op().schema;
  size_t colons = schema.name.find("::");
  std::string space = schema.name.substr(0, colons);
  std::string base = schema.name.substr(colons + 2);
  if (!is_identifier(base)) fail("'{}': {} cannot be saved", graph_.name, schema.name);
  std::string out = (space == "aten" ? "torch." : "ops." + space + ".") + base + "(";
  if (schema.name == "prim::Print") out = "print(";
  for (size_t i = 0, count = written_arguments(n); i < count; ++i) {
    bool keyword = i < schema.args.size() && schema.args[i].keyword_only;
    out += (i ? ", " : "") + (keyword ? schema.args[i].name + "=" : std::string()) +
           use(n->inputs()[i]);
  }
  return out + ")";
}

}  // namespace fusillade::archive

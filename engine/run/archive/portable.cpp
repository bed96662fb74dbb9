// See portable.h. (law: rules name ops)
#include "engine/run/archive/portable.h"

#include <algorithm>
#include <map>

#include "engine/base/error.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/front/script.h"
#include "engine/ir/visit.h"
#include "engine/ops/entry.h"
#include "engine/run/archive/out_operators.h"
#include "engine/run/archive/portable_format.h"
#include "engine/run/archive/portable_text.h"
#include "engine/run/archive/type_text.h"

namespace fusillade::archive {
namespace {

constexpr std::string_view kPrefix = "__torch__.fusillade.";

struct Instead {
  std::string_view op;
  const char* function;
};
constexpr Instead kFunctions[] = {
    {"aten::pow.int_to_int", "int_power"}, {"aten::bitwise_not.int", "inverted"},
    {"aten::log2.float", "log2"},          {"aten::log2.int", "log2_int"},
    {"aten::Bool.str", "is_text"},         {"aten::__contains__.str_in_str", "text_holds"},
    {"aten::mul.str_int", "repeated"},     {"aten::mul.int_str", "repeats"},
    {"aten::all.str", "all_texts"},        {"prim::into", "into"}};
// For lists of T, and for dicts of K to V.
constexpr Instead kGeneric[] = {
    {"aten::eq.any", "items_equal"},           {"aten::ne.any", "items_differ"},
    {"aten::__contains__.any", "holds"},       {"aten::count.any", "count_of"},
    {"aten::index.list_any", "index_of"},      {"aten::remove.any", "remove_from"},
    {"aten::lt.any", "list_before"},           {"aten::gt.any", "list_behind"},
    {"aten::le.any", "list_not_behind"},       {"aten::ge.any", "list_not_before"},
    {"prim::min.self_any", "least_item"},      {"prim::max.self_any", "greatest_item"},
    {"prim::min.self_str", "least_item"},      {"prim::max.self_str", "greatest_item"},
    {"aten::__contains__.bool_list", "holds"}, {"aten::eq.dict", "dicts_equal"},
    {"aten::ne.dict", "dicts_differ"}};
// Prims that PyTorch has, or that serialised code has a form for.
constexpr std::string_view kPrims[] = {"abs",
                                       "min",
                                       "max",
                                       "dtype",
                                       "device",
                                       "layout",
                                       "is_cuda",
                                       "data",
                                       "is_cpu",
                                       "is_mps",
                                       "index",
                                       "is_nested",
                                       "id",
                                       "type",
                                       "Print",
                                       "requires_grad",
                                       "NumToTensor",
                                       "TupleIndex",
                                       "RaiseException",
                                       "TupleUnpack",
                                       "Return",
                                       "EnumName",
                                       "EnumValue",
                                       "unchecked_cast",
                                       "Uninitialized",
                                       "isinstance",
                                       "Constant",
                                       "If",
                                       "Loop",
                                       "Param",
                                       "CallFunction",
                                       "CreateObject",
                                       "DictConstruct",
                                       "GetAttr",
                                       "SetAttr",
                                       "ListConstruct",
                                       "ListUnpack",
                                       "TupleConstruct",
                                       "NamedTupleConstruct"};

// torch.device("cpu") is a constant in serialised code, as it is when that is read; other devices
// are asked for at run time.
bool names_cpu(const Node* n) {
  if (n->op().name != "aten::device" || !n->input()->node()->is(prim::constant())) return false;
  std::optional<Device> device = find_device(n->input()->node()->constant().as_str());
  return device && device->type == DeviceType::Cpu;
}

// Does a narrower value enter this loop as the k-th that it carries as a Union? PyTorch's compiler
// stumbles over that.
bool enters_narrow(const Node* loop, size_t k) {
  const Value* enters = loop->inputs()[k + 2];
  const Type carried = loop->outputs()[k]->type().without_shapes();
  const bool none = enters->node()->is(prim::constant()) && enters->node()->constant().is_none();
  return carried.is(TypeKind::Union) && !none && !(enters->type().without_shapes() == carried);
}

// A tensor of a list that mixes ints and floats.
bool of_mixed_numbers(const Node* n) {
  if (n->op().schema.name != "aten::tensor" && n->op().schema.name != "aten::as_tensor")
    return false;
  Type type = n->input()->type();
  while (type.is(TypeKind::List)) type = Type(type.element());
  return n->input()->type().is(TypeKind::List) &&
         (type.is(TypeKind::Number) || type.is(TypeKind::Union));
}

// Libraries other than PyTorch define these: without them it does not load such an archive.
constexpr std::string_view kElsewhere = "torchvision::";

// An int converted to int, by the operator of ints or by that of numbers of any kind: their text is
// the same.
bool is_int_of_int(const Node* n) {
  return n->op().schema.name == "aten::Int" && n->input()->type().is(TypeKind::Int);
}

// Is it PyTorch's as it is? Formats depend on their text; values of enums are taken for ints there.
bool portable(const Node* n) {
  const Operator& r = n->op();
  for (size_t k = 0; n->is(prim::loop()) && k < n->outputs().size(); ++k)
    if (enters_narrow(n, k)) return false;
  if (r.schema.name == "prim::EnumValue") return n->output()->type().is(TypeKind::Int);
  if (names_cpu(n) || of_mixed_numbers(n)) return false;
  constexpr std::string_view kPrim = "prim::";
  if (r.name.rfind(kPrim, 0) == 0 &&
      std::find(std::begin(kPrims), std::end(kPrims), r.schema.name.substr(kPrim.size())) ==
          std::end(kPrims))
    return false;
  if (is_int_of_int(n)) return false;
  for (std::string_view other : {"aten::rsplit", "aten::format", "aten::percentFormat"})
    if (r.name == other) return false;
  if (r.name.starts_with(kElsewhere)) return false;
  if (line_of(r.name, LineKind::Since)) return false;
  auto same = [&](const Instead& i) { return i.op == r.name; };
  return std::none_of(std::begin(kFunctions), std::end(kFunctions), same) &&
         std::none_of(std::begin(kGeneric), std::end(kGeneric), same);
}

template <size_t N>
const char* function_for(const Instead (&table)[N], const Operator& op) {
  for (const Instead& i : table)
    if (i.op == op.name) return i.function;
  return nullptr;
}

using Functions = std::map<std::string, std::shared_ptr<Graph>>;

void name_calls(Block* block, const std::string& suffix) {
  each_node_inside_out(block, [&](Node* n) {
    if (!n->is(prim::call_function())) return;
    n->set_attr("name", IValue::str(std::string(kPrefix) +
                                    std::get<IValue>(*n->attr("name")).as_str() + suffix));
  });
}

Functions compile_functions(const std::string& text, const std::string& suffix) {
  Script script = compile_script(text, "<archive>");
  Functions out;
  for (const std::shared_ptr<Graph>& g : script.functions) {
    name_calls(g->block(), suffix);
    out[g->name] = g;
  }
  return out;
}

const Functions& functions() {
  static const Functions all = compile_functions(kPortableText, "");
  return all;
}

// Can a script name this type? Classes have names of their own there.
bool nameable(const Type& type) {
  bool plain = type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Bool) ||
               type.is(TypeKind::Str);
  bool nested = type.is(TypeKind::List) || type.is(TypeKind::Dict) ||
                (type.is(TypeKind::Tuple) && !type.class_type());
  if (!nested) return plain;
  const std::vector<Type>& inner = type.elements();
  return !inner.empty() && std::all_of(inner.begin(), inner.end(), nameable);
}

std::string with_type(std::string text, char variable, const std::string& type) {
  for (size_t at = 0; (at = text.find(variable, at)) != std::string::npos;) {
    bool alone = std::string_view("[ ,").find(text[at - 1]) != std::string_view::npos &&
                 std::string_view("],):").find(text[at + 1]) != std::string_view::npos;
    if (alone) text.replace(at, 1, type);
    at += alone ? type.size() : 1;
  }
  return text;
}

class Rewriter {
 public:
  Rewriter(Graph& graph, std::vector<std::string>& notes) : graph_(graph), notes_(notes) {}

  void run(Block* block) {
    each_node_inside_out(block, [&](Node* n) { node(n); });
  }

 private:
  void note(const Node* n, const std::string& what, const std::string& there = "has none") {
    notes_.push_back(n->range.highlight(what + "; PyTorch 1.13.1 " + there));
  }

  void node(Node* n) {
    const Operator& r = n->op();
    if (portable(n)) return;
    if (n->is(prim::loop())) return widen(n);
    if (of_mixed_numbers(n))
      return note(n, "a tensor of a list of ints and floats", "takes lists of one kind");
    if (r.schema.name == "prim::EnumValue") return value_of_member(n);
    if (const char* name = function_for(kFunctions, r))
      return call(n, name, functions().at(name), "");
    if (const char* name = function_for(kGeneric, r)) return generic(n, name);
    if (names_cpu(n))
      return replace(n, graph_.constant(parse_device(n->input()->node()->constant().as_str()), n));
    if (is_int_of_int(n)) return replace(n, n->input());
    if (r.name == "prim::round_digits") return round(n);
    if (r.schema.name == "aten::format" || r.schema.name == "aten::percentFormat") return format(n);
    if (r.name == "aten::rsplit") return split(n);
    note(n, fmt::format("the archive holds the operator {}", r.name));
  }

  void widen(Node* loop) {
    for (size_t k = 0; k < loop->outputs().size(); ++k) {
      if (!enters_narrow(loop, k)) continue;
      Value* wide = insert(loop, "prim::unchecked_cast", {loop->inputs()[k + 2]})->output();
      wide->set_type(loop->outputs()[k]->type().without_shapes());
      loop->set_input(static_cast<int>(k + 2), wide);
    }
  }

  // The values in a list, indexed by the member's position: the sum of its numbers where it is
  // equal.
  void value_of_member(Node* n) {
    const ClassPtr& cls = n->input()->type().class_type();
    std::vector<Value*> values;
    Value* index = graph_.constant(IValue(0), n);
    for (size_t k = 0; k < cls->members.size(); ++k) {
      values.push_back(graph_.constant(cls->members[k].value, n));
      if (k == 0) continue;
      Value* is =
          insert(n, "aten::eq.enum", {n->input(), graph_.constant(IValue::enum_member(cls, k), n)})
              ->output();
      Value* number = insert(n, "aten::mul.int",
                             {insert(n, "aten::Int.bool", {is})->output(),
                              graph_.constant(IValue(static_cast<int64_t>(k)), n)})
                          ->output();
      index = insert(n, "aten::add.int", {index, number})->output();
    }
    Node* list = graph_.create(prim::list_construct(), values, 1);
    list->range = n->range;
    list->insert_before(n);
    list->output()->set_type(Type::list(n->output()->type().without_shapes()));
    replace(n, insert(n, "aten::__getitem__.t", {list->output(), index})->output());
  }

  void replace(Node* n, Value* with) {
    if (with->name().empty()) with->set_name(n->output()->name());
    n->output()->replace_all_uses_with(with);
    n->destroy();
  }

  void call(Node* n, const std::string& name, const std::shared_ptr<Graph>& callee,
            const std::string& suffix) {
    Node* call_node =
        insert_call(n, name + suffix, callee, {n->inputs().begin(), n->inputs().end()});
    if (n->outputs().empty()) return n->destroy();
    replace(n, call_node->output());
  }

  Node* insert_call(Node* before, const std::string& name, const std::shared_ptr<Graph>& callee,
                    std::vector<Value*> inputs) {
    Node* call_node = graph_.create(prim::call_function(), inputs, 1);
    call_node->set_attr("name", IValue::str(std::string(kPrefix) + name));
    call_node->set_attr("Subgraph", callee);
    call_node->output()->set_type(callee->outputs()[0]->type().without_shapes());
    call_node->range = before->range;
    call_node->insert_before(before);
    return call_node;
  }

  void generic(Node* n, const char* name) {
    const Type type = n->input()->type().without_shapes();
    bool dict = std::string_view(name).starts_with("dicts");
    if (!nameable(type) || type.is(TypeKind::Dict) != dict)
      return note(n, fmt::format("the archive compares items of a {} ({})", type, n->op().name));
    bool ordering = std::string_view(name).find("list_") == 0 ||
                    std::string_view(name).find("_item") != std::string_view::npos;
    const std::string whole = kPortableGenericText;
    const size_t starts[] = {whole.find("def items_equal"), whole.find("def list_before"),
                             whole.find("def dicts_equal"), whole.size()};
    const size_t part = dict ? 2 : ordering ? 1 : 0;
    std::string first = annotation_text(type.elements()[0]);
    std::string text =
        whole.substr(0, starts[0]) + whole.substr(starts[part], starts[part + 1] - starts[part]);
    text = with_type(text, dict ? 'K' : 'T', first);
    if (dict) text = with_type(text, 'V', annotation_text(type.value_type()));
    std::string suffix = ordering ? "_order_" : "_";
    for (char c : annotation_text(type))
      suffix += std::isalnum(static_cast<unsigned char>(c)) ? std::string(1, c)
                : c == ' '                                  ? ""
                                                            : "_";
    constexpr size_t kMostSuffix = 100;  // archives with longer names are refused
    if (suffix.size() > kMostSuffix)
      suffix = fmt::format("{}nested_{:016x}", ordering ? "_order_" : "_", hash_bytes(suffix));
    auto it = generic_.find(suffix);
    if (it == generic_.end()) it = generic_.emplace(suffix, compile_functions(text, suffix)).first;
    call(n, name, it->second.at(name), suffix);
  }

  void round(Node* n) {
    Value* x = n->input(0);
    if (x->type().is(TypeKind::Int)) x = insert(n, "aten::Float.int", {x})->output();
    if (!x->type().is(TypeKind::Float)) return note(n, fmt::format("round() of a {}", x->type()));
    replace(n, insert_call(n, "rounded", functions().at("rounded"), {x, n->input(1)})->output());
  }

  Node* insert(Node* before, const char* name, const std::vector<Value*>& inputs) {
    Node* inserted = graph_.create(operator_named(name), inputs, 1);
    inserted->range = before->range;
    inserted->insert_before(before);
    infer_types(inserted);
    return inserted;
  }

  // Without a separator PyTorch's rsplit() splits at single blanks.
  void split(Node* n) {
    const Node* by = n->inputs().size() > 1 ? n->input(1)->node() : nullptr;
    const Node* most = n->inputs().size() > 2 ? n->input(2)->node() : nullptr;
    bool blanks = !by || (by->is(prim::constant()) && by->constant().is_none());
    if (!blanks && n->input(1)->type().is(TypeKind::Optional))
      return note(n, "rsplit() with a separator that may be None");
    if (!blanks) return;
    if (most && !(most->is(prim::constant()) && most->constant().identical(IValue(-1))))
      return note(n, "rsplit() at blanks, a number of times");
    Value* none = graph_.constant(IValue(), n);
    none->set_type(Type::optional(TypeKind::Str));
    replace(n, insert(n, "aten::split.str", {n->input(0), none, graph_.constant(IValue(-1), n)})
                   ->output());
  }

  // PyTorch fills a format in with one value, or with the items of a tuple.
  void in_a_tuple(Node* n) {
    std::vector<Value*> items(n->inputs().begin() + 1, n->inputs().end());
    std::vector<Type> types;
    for (const Value* v : items) types.push_back(v->type().without_shapes());
    Node* tuple = graph_.create(prim::tuple_construct(), items, 1);
    tuple->range = n->range;
    tuple->insert_before(n);
    tuple->output()->set_type(Type::tuple(std::move(types)));
    while (n->inputs().size() > 1) n->remove_input(1);
    n->add_input(tuple->output());
  }

  // What stays a format is noted.
  void format(Node* n) {
    bool percent = n->op().schema.name == "aten::percentFormat";
    auto keep_format = [&](const std::string& what, const std::string& there = "has none") {
      const bool single = n->inputs().size() == 2 && !n->input(1)->type().is(TypeKind::Tuple);
      if (percent && !single) in_a_tuple(n);
      note(n, what, there);
    };
    if (!n->input()->node()->is(prim::constant()))
      return keep_format("a format that is not a constant",
                         percent ? "knows %d, %i, %f, %e, %s and %c alone" : "fills in {} alone");
    const std::string& text = n->input()->node()->constant().as_str();
    std::vector<Piece> pieces;
    std::string why;
    if (!pieces_of(text, percent, pieces, why)) return keep_format(why);
    bool plain =
        !percent && text.find("{{") == std::string::npos && text.find("}}") == std::string::npos;
    for (const Piece& p : pieces) plain &= p.plain();
    if (plain) return;
    const auto fields =
        std::count_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.kind != 0; });
    if (percent && static_cast<size_t>(fields) + 1 < n->inputs().size())
      return keep_format("a format with too many values", "raises another error");
    for (const Piece& p : pieces) {
      if (p.kind == 0) continue;
      if (p.argument + 1 >= n->inputs().size()) return keep_format("a format with too few values");
      const Type& type = n->input(static_cast<int>(p.argument) + 1)->type();
      if (way_of(p, type) == Way::None)
        return keep_format(fmt::format("'{}' of a {}", p.spelled, type));
    }
    std::vector<Value*> texts;
    for (const Piece& p : pieces)
      texts.push_back(p.kind ? field(n, p, n->input(static_cast<int>(p.argument) + 1))
                             : graph_.constant(IValue::str(p.text), n));
    if (texts.size() == 1) return replace(n, texts[0]);
    Node* list = graph_.create(prim::list_construct(), texts, 1);
    list->range = n->range;
    list->insert_before(n);
    list->output()->set_type(Type::list(TypeKind::Str));
    Value* nothing = graph_.constant(IValue::str(""), n);
    replace(n, insert(n, "aten::join", {nothing, list->output()})->output());
  }

  Value* call_helper(Node* at, const char* name, const std::vector<Value*>& inputs) {
    return insert_call(at, name, functions().at(name), inputs)->output();
  }

  Value* integer(Node* at, Value* v) {
    if (v->type().is(TypeKind::Bool)) return insert(at, "aten::Int.bool", {v})->output();
    return v->type().is(TypeKind::Float) ? insert(at, "aten::Int.float", {v})->output() : v;
  }

  Value* real(Node* at, Value* v) {
    if (v->type().is(TypeKind::Bool)) return insert(at, "aten::Float.bool", {v})->output();
    return v->type().is(TypeKind::Int) ? insert(at, "aten::Float.int", {v})->output() : v;
  }

  // How a field becomes text.
  enum class Way : uint8_t { None, Itself, Text, Char, Number, Decimal, Octal, Binary, Hex, Fixed };

  static Way way_of(const Piece& p, const Type& type) {
    bool number = type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Bool);
    bool text = type.is(TypeKind::Str);
    if (p.has('#') || p.has(',') || p.has('_') || (p.align == '=' && p.fill != '0' && !p.has('0')))
      return Way::None;
    if (number && (p.kind == 'f' || p.kind == 'F')) return Way::Fixed;
    if (p.precision >= 0) return Way::None;
    if (p.kind == 'v') return way_of_value(p, type);
    bool shown =
        p.kind == 's' ||
        (p.kind == 'r' && !Type(TypeKind::Str).subtype_of(type));  // what may be a text too
    if (shown) return text ? Way::Itself : p.braces && p.width ? Way::None : Way::Text;
    if (p.kind == 'c')
      return text && !p.braces ? Way::Itself : type.is(TypeKind::Int) ? Way::Char : Way::None;
    if (!number || (p.braces && type.is(TypeKind::Float))) return Way::None;
    if (p.kind == 'd' || (p.kind == 'i' && !p.braces)) return Way::Decimal;
    if (type.is(TypeKind::Float)) return Way::None;
    if (p.kind == 'b' && p.braces) return Way::Binary;
    return p.kind == 'o' ? Way::Octal : p.kind == 'x' || p.kind == 'X' ? Way::Hex : Way::None;
  }

  static Way way_of_value(const Piece& p, const Type& type) {
    bool bare = p.width == 0 && p.flags.empty();
    if (type.is(TypeKind::Str)) return p.flags.empty() && p.align != '=' ? Way::Itself : Way::None;
    if (type.is(TypeKind::Int) || (type.is(TypeKind::Bool) && !bare)) return Way::Decimal;
    if (type.is(TypeKind::Float)) return Way::Number;
    return bare ? Way::Text : Way::None;
  }

  Value* field(Node* at, const Piece& p, Value* v) {
    Way way = way_of(p, v->type());
    Value* out = v;
    if (way == Way::Text || way == Way::Number) out = insert(at, "aten::str", {v})->output();
    if (way == Way::Char) out = insert(at, "aten::chr", {v})->output();
    if (way == Way::Decimal) out = insert(at, "aten::str", {integer(at, v)})->output();
    if (way == Way::Octal)
      out = call_helper(at, "bare", {insert(at, "aten::oct", {integer(at, v)})->output()});
    if (way == Way::Binary)
      out = call_helper(at, "bare", {insert(at, "aten::bin", {integer(at, v)})->output()});
    if (way == Way::Hex)
      out = call_helper(at, "bare", {insert(at, "aten::hex", {integer(at, v)})->output()});
    if (p.kind == 'X') out = insert(at, "aten::upper", {out})->output();
    if (way == Way::Fixed)
      out = call_helper(
          at, "fixed",
          {real(at, v), graph_.constant(IValue(p.precision < 0 ? 6 : p.precision), at)});
    return align(at, p, out, way >= Way::Number);
  }

  Value* align(Node* at, const Piece& p, Value* v, bool number) {
    if (number && (p.has('+') || p.has(' ')))
      v = call_helper(at, "signed", {v, graph_.constant(IValue::str(p.has('+') ? "+" : " "), at)});
    if (p.width == 0) return v;
    Value* width = graph_.constant(IValue(p.width), at);
    bool zeros = p.align == '=' || (p.has('0') && p.align == 0);
    if (number && zeros) return call_helper(at, "zero_filled", {v, width});
    Value* fill =
        graph_.constant(IValue::str(std::string(1, p.has('0') && p.braces ? '0' : p.fill)), at);
    if (p.align == '^') return call_helper(at, "centred", {v, width, fill});
    bool left = p.align == '<' || (p.align == 0 && p.braces && !number);
    return insert(at, left ? "aten::ljust" : "aten::rjust", {v, width, fill})->output();
  }

  Graph& graph_;
  std::vector<std::string>& notes_;
  std::map<std::string, Functions> generic_;
};

bool needs_rewrite(const Block* block) {
  return any_node(block, [](const Node* n) { return !portable(n); });
}

}  // namespace

std::unique_ptr<Graph> in_portable_terms(const Graph& graph, std::vector<std::string>& notes) {
  if (!needs_rewrite(graph.block())) return nullptr;
  std::unique_ptr<Graph> copy = graph.clone();
  name_out_operators(copy->block(), *copy);
  Rewriter(*copy, notes).run(copy->block());
  return copy;
}

}  // namespace fusillade::archive

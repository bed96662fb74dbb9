// Annotations to types: Tensor, int, float, bool, str, None, Any, List, Dict, Tuple, Optional,
// Union, A | B, the built-in list, dict and tuple with items, BroadcastingList1[T] to 9, Final[T],
// names of types at the top of the file, all of these in quotes.
#include <algorithm>

#include "engine/front/class.h"
#include "engine/front/dotted.h"
#include "engine/front/parser.h"

namespace fusillade::front {
namespace {

struct Named {
  std::string_view name;
  TypeKind kind;
};
constexpr Named kNamed[] = {{"Tensor", TypeKind::Tensor}, {"int", TypeKind::Int},
                            {"float", TypeKind::Float},   {"bool", TypeKind::Bool},
                            {"str", TypeKind::Str},       {"number", TypeKind::Number},
                            {"Any", TypeKind::Any},       {"NoneType", TypeKind::None},
                            {"dtype", TypeKind::Int},     {"device", TypeKind::Device}};

// Names before brackets with types in them, and how many these are (0: any number).
struct Generic {
  std::string_view name;
  size_t count;
  Type (*make)(std::vector<Type> inner);
  bool alone_refused = true;  // because its items are missing
};
constexpr auto kTuple = [](std::vector<Type> inner) { return Type::tuple(std::move(inner)); };
constexpr auto kUnion = [](std::vector<Type> inner) { return Type::union_of(inner); };
constexpr auto kList = [](std::vector<Type> inner) { return Type::list(inner[0]); };
constexpr auto kDict = [](std::vector<Type> inner) { return Type::dict(inner[0], inner[1]); };
constexpr auto kItself = [](std::vector<Type> inner) { return inner[0]; };
constexpr auto kOptional = [](std::vector<Type> inner) {
  return Type::union_of({inner[0], TypeKind::None});
};
constexpr Generic kGenerics[] = {
    {"List", 1, kList},          {"list", 1, kList},         {"Dict", 2, kDict},
    {"dict", 2, kDict},          {"Tuple", 0, kTuple},       {"tuple", 0, kTuple},
    {"Union", 0, kUnion},        {"Optional", 1, kOptional}, {"Final", 1, kItself, false},
    {"Future", 1, kTuple, false}};  // a Future is form/task.cpp's

// BroadcastingList2[int]: a list of ints, or an int that counts as two of them; 0 for other names.
int broadcast_name(const std::string& name) {
  static const std::string kPrefix = "BroadcastingList";
  bool here = name.size() == kPrefix.size() + 1 && name.rfind(kPrefix, 0) == 0 &&
              name.back() >= '1' && name.back() <= '9';
  return here ? name.back() - '0' : 0;
}

class Reader {
 public:
  Reader(Unit& unit, const SourcePtr& source)
      : unit_(unit), source_(source ? source : unit.source()) {}

  Type type(const Expr& e) {
    if (++depth_ > kMaxDepth) refuse(e);
    Type out = read(e);
    --depth_;
    return out;
  }

 private:
  [[noreturn]] void refuse(const Expr& e, const char* why = nullptr) const {
    fail_at(
        source_, e.begin, e.end,
        why ? why
            : "not a supported annotation; supported are Tensor, int, float, bool, str, None, Any, "
              "List[T], "
              "Dict[K, V], Tuple[T, ...], Optional[T], Union[T, ...], T | T, classes of the file");
  }

  // The last part of a dotted name: typing.List is List.
  std::string last_part(const Expr& e) const {
    if (!e.is(ExprKind::Name) && !e.is(ExprKind::Attribute)) refuse(e);
    if (e.is(ExprKind::Attribute)) last_part(*e.kids[0]);
    auto it = unit_.module().imports.find(e.text);
    if (e.is(ExprKind::Attribute) || it == unit_.module().imports.end()) return e.text;
    return it->second.substr(it->second.rfind('.') + 1);
  }

  Type read(const Expr& e) {
    if (e.is(ExprKind::None)) return TypeKind::None;
    if (e.is(ExprKind::Str)) return parse_quoted(e);
    if (e.is(ExprKind::Binary, Sign::BitOr))
      return Type::union_of({type(*e.kids[0]), type(*e.kids[1])});
    if (e.is(ExprKind::Subscript)) return of_items(e);
    if (ClassPlace place = unit_.program().find(unit_, e))
      return unit_.program().annotation(place, source_, e);
    std::string name = last_part(e);
    if (name == "complex") refuse(e, "complex numbers are not supported: keep two floats");
    const Generic* generic = std::ranges::find(kGenerics, name, &Generic::name);
    if (generic != std::end(kGenerics) && generic->alone_refused)
      refuse(e,
             "the types of its items are missing: List[int], Dict[str, Tensor], Tuple[int, int]");
    const Named* named = std::ranges::find(kNamed, name, &Named::name);
    if (named != std::end(kNamed)) return named->kind;
    auto alias = unit_.module().constants.find(name);
    if (e.is(ExprKind::Name) && alias != unit_.module().constants.end())
      return type(*alias->second);
    refuse(e);
  }

  Type parse_quoted(const Expr& e) {
    Parser inner(source_, lex_part(source_, e.begin + 1, e.end - 1));
    ExprPtr parsed = inner.annotation();
    return type(*parsed);
  }

  Type of_items(const Expr& e) {
    std::string name = last_part(*e.kids[0]);
    std::vector<Type> inner;
    const Expr& first = *e.kids[1];
    const auto& kids = first.is(ExprKind::Tuple) ? first.kids : e.kids;
    for (size_t i = first.is(ExprKind::Tuple) ? 0 : 1; i < kids.size(); ++i) {
      if (kids[i]->is(ExprKind::Ellipsis))
        refuse(e, "a tuple of any length is not supported: use List[T]");
      inner.push_back(type(*kids[i]));
    }
    if (broadcast_name(name) && inner.size() == 1) return Type::list(inner[0]);
    const Generic* generic = std::ranges::find(kGenerics, name, &Generic::name);
    const bool known = generic != std::end(kGenerics);
    if (known && (generic->count == 0 || generic->count == inner.size()) &&
        (!inner.empty() || generic->make == +kTuple))
      return generic->make(std::move(inner));
    refuse(e);
  }

  Unit& unit_;
  SourcePtr source_;
  int depth_ = 0;
};

}  // namespace

int broadcast_size(const Expr& annotation) {
  if (!annotation.is(ExprKind::Subscript)) return 0;
  const Expr& of = *annotation.kids[0];
  return ends_in(of, "Optional") ? broadcast_size(*annotation.kids[1]) : broadcast_name(of.text);
}

Type annotated_type(Unit& unit, const Expr& e, const SourcePtr& source) {
  return Reader(unit, source).type(e);
}

}  // namespace fusillade::front

// Dicts of generated scripts: of a few keys, so that they meet. What reads a key that is not there
// raises, now and then.
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr int64_t kMostIterations = 40;  // of a comprehension in loops

void define_dict(Writer& w) {
  Type type = Type::dict(w.choices.chance(0.7) ? TypeKind::Str : TypeKind::Int, draw_item(w));
  int64_t count = w.iterations == 1 ? w.choices.between(0, 3) : 0;
  std::string items = entries(w, type, count, 1);
  std::string name = fresh(w, "d");
  line(w, name + (items.empty() || w.choices.chance(0.4) ? ": " + annotation(type) : "") + " = {" +
              items + "}");
  w.vars.push_back({name, type});
}

End change_dict(Writer& w, int depth) {
  if (!dicts(w).empty() && w.frozen == 0) return draw_statement(w, Grammar::DictChange, depth);
  define_dict(w);
  return End::Falls;
}

[[maybe_unused]] const bool kChanged =
    add_productions(Grammar::Statement, 21,
                    {{"script.change_dict", "a dict changed, or a fresh one", 2, change_dict}});
[[maybe_unused]] const bool kDefined =
    add_productions(Grammar::Statement, 26,
                    {{"script.define_dict", "a fresh dict", 1, always<define_dict>, kMostNesting}});

}  // namespace

// In brackets, braces or round brackets: any expression fits.
std::string key(Writer& w, const Type& dict) {
  static constexpr const char* kWords[] = {"\"a\"", "\"b\"", "\"ab\"", "\"\""};
  static constexpr const char* kNumbers[] = {"0", "1", "-1", "2"};
  if (w.choices.chance(0.15)) return leaf(w, dict.key()).s;
  uint64_t i = w.choices.below(4);
  return dict.key().is(TypeKind::Str) ? kWords[i] : kNumbers[i];
}

std::vector<const Var*> dicts(const Writer& w, const Type* mapped) {
  std::vector<const Var*> out;
  for (const Var& v : w.vars) {
    if (v.type.is(TypeKind::Dict) && (!mapped || v.type.value_type() == *mapped)) out.push_back(&v);
  }
  return out;
}

// "k": 1, "l": 2; of literals when that deep.
std::string entries(Writer& w, const Type& dict, int64_t count, int depth) {
  std::string s;
  for (; count > 0; --count) {
    std::string k = key(w, dict);
    Text value =
        depth >= kLiteral ? literal(w, dict.value_type()) : expression(w, dict.value_type(), depth);
    s += (s.empty() ? "" : ", ") + k + ": " + limit_growth(w, dict.value_type(), value).s;
  }
  return s;
}

namespace {

// A dict that a function makes of one of that type.
template <size_t n>
Text of_known(Writer& w, const Type& type, const char (&form)[n]) {
  std::vector<const Var*> known = of_type(w, type);
  if (known.empty()) return {""};
  return {fmt::format(fmt::runtime(form), w.choices.pick(known)->name)};
}

Text dict_comprehension(Writer& w, const Type& type, int depth) {
  if (w.iterations * 4 >= kMostIterations) return {""};
  std::string name = fresh(w, "c");
  std::string over = literal(w, Type::list(type.key())).s;
  int64_t before = w.iterations;
  w.iterations *= 4;
  w.vars.push_back({name, type.key(), true});
  std::string s =
      "{" + name + ": " +
      limit_growth(w, type.value_type(), expression(w, type.value_type(), depth + 1)).s + " for " +
      name + " in " + over;
  if (w.choices.chance(0.3)) s += " if (" + condition(w, depth + 1).s + ")";
  std::erase_if(w.vars, [&](const Var& v) { return v.name == name; });
  w.iterations = before;
  return {s + "}"};
}

Text dict_literal(Writer& w, const Type& type, int depth) {
  return {"{" + entries(w, type, w.choices.between(1, 3), depth + 1) + "}"};
}

[[maybe_unused]] const bool kDicts = add_productions(
    Grammar::Dict, 0,
    {{"dict.literal", "{a: b}", 3, dict_literal},
     {"dict.copy", "d.copy()", 1,
      [](Writer& w, const Type& type, int) { return of_known(w, type, "{}.copy()"); }},
     {"dict.cast", "dict(d)", 1,
      [](Writer& w, const Type& type, int) { return of_known(w, type, "dict({})"); }},
     {"dict.pairs", "dict([(a, b)])", 1,
      [](Writer& w, const Type& type, int) {
        if (is_wide(type)) return Text{""};
        std::string k = key(w, type);
        return Text{"dict([(" + k + ", " + literal(w, type.value_type()).s + ")])"};
      }},
     {"dict.comprehension", "{a: b for a in c}", 2, dict_comprehension}});

}  // namespace

Text dict_expression(Writer& w, const Type& type, int depth) {
  Text t = draw_expression(w, Grammar::Dict, type, depth);
  return t.s.empty() ? dict_literal(w, type, depth) : t;
}

// An item that a dict may have.
Text dict_item(Writer& w, const Type& type) {
  std::vector<const Var*> fitting = dicts(w, &type);
  if (fitting.empty()) return {""};
  const Var d = *w.choices.pick(fitting);
  if (w.choices.chance(0.12)) return {d.name + "[" + key(w, d.type) + "]"};
  std::string k = key(w, d.type);
  const std::string otherwise = leaf(w, type).s;
  if (w.choices.chance(0.2))
    return {fmt::format("({0}[{1}] if ({1}) in {0} else {2})", d.name, k, otherwise)};
  // The last two change the dict.
  static constexpr const char* kMethods[] = {"get", "get", "pop", "setdefault"};
  const char* method = kMethods[w.choices.below(w.frozen > 0 ? 2 : 4)];
  return {fmt::format("{}.{}({}, {})", d.name, method, k, limit_growth(w, type, {otherwise}).s)};
}

// A list of what a dict holds; empty when none fits.
Text keys_or_values(Writer& w, const Type& list) {
  for (const Var* d : dicts(w)) {
    bool of_keys = d->type.key() == list.element();
    bool of_values = d->type.value_type() == list.element();
    if ((!of_keys && !of_values) || w.choices.chance(0.3)) continue;
    std::string method = of_keys ? ".keys()" : ".values()";
    std::string name = of_keys && of_values && w.choices.chance(0.5) ? ".values()" : method;
    if (w.choices.chance(0.6)) return {"list(" + d->name + name + ")"};
    std::string c = fresh(w, "c");
    return {fmt::format("[{0} for {0} in {1}{2}]", c, d->name, name)};
  }
  return {""};
}

bool for_dict(Writer& w, int depth) {
  std::vector<const Var*> known = dicts(w);
  if (known.empty()) return false;
  const Var d = *w.choices.pick(known);
  std::string k = fresh(w, "i");
  std::string v = fresh(w, "i");
  const Var of_key{k, d.type.key(), true};
  const Var of_value{v, d.type.value_type(), true};
  constexpr int64_t kIterations = 4;
  ++w.frozen;
  switch (w.choices.below(4)) {
    case 0:
      loop(w, depth, fmt::format("for {} in {}:", k, d.name), kIterations, {of_key}, "");
      break;
    case 1:
      loop(w, depth, fmt::format("for {} in {}.values():", v, d.name), kIterations, {of_value}, "");
      break;
    case 2:
      loop(w, depth, fmt::format("for {}, {} in enumerate({}.keys()):", v, k, d.name), kIterations,
           {of_key, {v, TypeKind::Int, true}}, "");
      break;
    default:
      loop(w, depth, fmt::format("for {}, {} in {}.items():", k, v, d.name), kIterations,
           {of_key, of_value}, "");
  }
  --w.frozen;
  return true;
}

}  // namespace fusillade::fuzz::source

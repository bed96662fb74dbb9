// Dicts of generated scripts: of a few keys, so that they meet. What reads a key that is not there
// raises, now and then.
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kMostTurns = 40;  // of a comprehension in loops

}  // namespace

// In brackets, braces or round brackets: any expression fits.
std::string Source::key(const Type& dict) {
  static constexpr const char* kWords[] = {"\"a\"", "\"b\"", "\"ab\"", "\"\""};
  static constexpr const char* kNumbers[] = {"0", "1", "-1", "2"};
  if (choices_.chance(0.15)) return leaf(dict.key()).s;
  uint64_t i = choices_.below(4);
  return dict.key().is(TypeKind::Str) ? kWords[i] : kNumbers[i];
}

std::vector<const Source::Var*> Source::dicts(const Type* mapped) const {
  std::vector<const Var*> out;
  for (const Var& v : vars_) {
    if (v.type.is(TypeKind::Dict) && (!mapped || v.type.mapped() == *mapped)) out.push_back(&v);
  }
  return out;
}

// "k": 1, "l": 2; of literals when that deep.
std::string Source::entries(const Type& dict, int64_t count, int depth) {
  std::string s;
  for (; count > 0; --count) {
    std::string k = key(dict);
    Text value = depth >= kLiteral ? literal(dict.mapped()) : expression(dict.mapped(), depth);
    s += (s.empty() ? "" : ", ") + k + ": " + bounded(dict.mapped(), value).s;
  }
  return s;
}

Text Source::dict_expression(const Type& type, int depth) {
  std::vector<const Var*> known = of_type(type);
  switch (choices_.below(8)) {
    case 0:
      if (!known.empty()) return {choices_.pick(known)->name + ".copy()"};
      break;
    case 1:
      if (!known.empty()) return {"dict(" + choices_.pick(known)->name + ")"};
      break;
    case 2:
      if (is_wide(type)) break;
      return {"dict([(" + key(type) + ", " + literal(type.mapped()).s + ")])"};
    case 3:
    case 4: {
      if (turns_ * 4 >= kMostTurns) break;
      std::string name = fresh("c");
      std::string over = literal(Type::list(type.key())).s;
      int64_t before = turns_;
      turns_ *= 4;
      vars_.push_back({name, type.key(), true});
      std::string s = "{" + name + ": " +
                      bounded(type.mapped(), expression(type.mapped(), depth + 1)).s + " for " +
                      name + " in " + over;
      if (choices_.chance(0.3)) s += " if (" + condition(depth + 1).s + ")";
      std::erase_if(vars_, [&](const Var& v) { return v.name == name; });
      turns_ = before;
      return {s + "}"};
    }
    default:
      break;
  }
  return {"{" + entries(type, choices_.between(1, 3), depth + 1) + "}"};
}

// An item that a dict may have.
Text Source::dict_item(const Type& type) {
  std::vector<const Var*> fitting = dicts(&type);
  if (fitting.empty()) return {""};
  const Var d = *choices_.pick(fitting);
  if (choices_.chance(0.12)) return {d.name + "[" + key(d.type) + "]"};
  std::string k = key(d.type);
  uint64_t kind = choices_.below(frozen_ > 0 ? 3 : 5);
  if (kind == 0)
    return {fmt::format("({0}[{1}] if ({1}) in {0} else {2})", d.name, k, leaf(type).s)};
  static constexpr const char* kMethods[] = {"get", "get", "get", "pop", "setdefault"};
  return {fmt::format("{}.{}({}, {})", d.name, kMethods[kind], k, bounded(type, leaf(type)).s)};
}

// A list of what a dict holds; empty when none fits.
Text Source::keys_or_values(const Type& list) {
  for (const Var* d : dicts()) {
    bool of_keys = d->type.key() == list.element();
    bool of_values = d->type.mapped() == list.element();
    if ((!of_keys && !of_values) || choices_.chance(0.3)) continue;
    std::string method = of_keys ? ".keys()" : ".values()";
    std::string name = of_keys && of_values && choices_.chance(0.5) ? ".values()" : method;
    if (choices_.chance(0.6)) return {"list(" + d->name + name + ")"};
    std::string c = fresh("c");
    return {fmt::format("[{0} for {0} in {1}{2}]", c, d->name, name)};
  }
  return {""};
}

void Source::define_dict() {
  Type type = Type::dict(choices_.chance(0.7) ? TypeKind::Str : TypeKind::Int, draw_item());
  int64_t count = turns_ == 1 ? choices_.between(0, 3) : 0;
  std::string items = entries(type, count, 1);
  std::string name = fresh("d");
  line(name + (items.empty() || choices_.chance(0.4) ? ": " + annotation(type) : "") + " = {" +
       items + "}");
  vars_.push_back({name, type});
}

void Source::change_dict() {
  std::vector<const Var*> known = dicts();
  if (known.empty() || frozen_ > 0) return define_dict();
  const Var d = *choices_.pick(known);
  const Type value = d.type.mapped();
  std::string k = key(d.type);
  switch (choices_.below(12)) {
    case 0:
      if (value.is(TypeKind::Int))
        return line(
            fmt::format("if ({0}) in {1}: {1}[{0}] += {2}", k, d.name, choices_.between(-9, 9)));
      if (value.is(TypeKind::Float)) return line(d.name + "[" + k + "] *= 0.5");
      break;
    case 1:
      return line(d.name + ".pop(" + k + ")");
    case 2:
    case 3:
      return line(fmt::format("if ({0}) in {1}: del {1}[{0}]", k, d.name));
    case 4: {
      std::string given = entries(d.type, choices_.between(1, 2), kLiteral);
      return line(d.name + ".update({" + given + "})");
    }
    case 5:
      return line(fmt::format("if len({0}) > 3: {0}.clear()", d.name));
    case 6: {
      std::string name = fresh("v");
      std::string mapped = fresh("v");
      line(fmt::format("{}, {} = {}.popitem()", name, mapped, d.name));
      vars_.push_back({name, d.type.key()});
      vars_.push_back({mapped, value});
      return;
    }
    case 7:
      return line(fmt::format("{}.setdefault({}, {})", d.name, k, bounded(value, leaf(value)).s));
    default:
      break;
  }
  line(d.name + "[" + k + "] = " + bounded(value, expression(value, 1)).s);
}

bool Source::for_dict(int depth) {
  std::vector<const Var*> known = dicts();
  if (known.empty()) return false;
  const Var d = *choices_.pick(known);
  std::string k = fresh("i");
  std::string v = fresh("i");
  const Var of_key{k, d.type.key(), true};
  const Var of_value{v, d.type.mapped(), true};
  constexpr int64_t kTurns = 4;
  ++frozen_;
  switch (choices_.below(4)) {
    case 0:
      loop(depth, fmt::format("for {} in {}:", k, d.name), kTurns, {of_key}, "");
      break;
    case 1:
      loop(depth, fmt::format("for {} in {}.values():", v, d.name), kTurns, {of_value}, "");
      break;
    case 2:
      loop(depth, fmt::format("for {}, {} in enumerate({}.keys()):", v, k, d.name), kTurns,
           {of_key, {v, TypeKind::Int, true}}, "");
      break;
    default:
      loop(depth, fmt::format("for {}, {} in {}.items():", k, v, d.name), kTurns,
           {of_key, of_value}, "");
  }
  --frozen_;
  return true;
}

}  // namespace fusillade::fuzz

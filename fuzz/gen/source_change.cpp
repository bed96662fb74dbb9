// Statements of generated scripts that change a list or a dict.
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

const Var list_to_change(Writer& w) {
  std::vector<const Var*> lists;
  for (const Var& v : w.vars)
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  return *w.choices.pick(lists);
}

std::string item(Writer& w, const Type& element) {
  return limit_growth(w, element, expression(w, element, 1)).s;
}

// A list of that type may have become empty: it may be known by another name.
void mark_possibly_empty(Writer& w, const Type& list) {
  for (Var& own : w.vars)
    if (own.type == list) own.least = 0;
}

void add_to_item(Writer& w) {
  const Var v = list_to_change(w);
  const Type element = v.type.element();
  if (!element.is(TypeKind::Int)) return line(w, v.name + ".append(" + item(w, element) + ")");
  line(w, item_of(w, v).s + " += " + std::to_string(w.choices.between(-9, 9)));
}

void sort(Writer& w) {
  const Var v = list_to_change(w);
  if (!is_int_or_str(v.type.element())) return line(w, v.name + ".reverse()");
  line(w, v.name + ".sort(" + (w.choices.chance(0.4) ? "reverse=True" : "") + ")");
}

void remove(Writer& w) {
  const Var v = list_to_change(w);
  const Type element = v.type.element();
  const bool comparable = is_int_or_str(element) || element.is(TypeKind::Bool);
  line(w, comparable ? fmt::format("if ({0}) in {1}: {1}.remove({0})", item(w, element), v.name)
                     : v.name + ".clear()");
  mark_possibly_empty(w, v.type);
}

void pop(Writer& w) {
  const Var v = list_to_change(w);
  line(w, v.name + (w.choices.chance(0.5) ? ".pop()" : ".pop(0)"));
  mark_possibly_empty(w, v.type);
}

void insert(Writer& w) {
  const Var v = list_to_change(w);
  const int64_t at = w.choices.between(-3, 3);
  line(w, fmt::format("{}.insert({}, {})", v.name, at, item(w, v.type.element())));
}

[[maybe_unused]] const bool kLists =
    add_productions(Grammar::ListChange, 0,
                    {{"list_change.add", "a += [1]", 1,
                      [](Writer& w, int) {
                        const Var v = list_to_change(w);
                        line(w, v.name + " += " + literal(w, v.type).s);
                        return End::Falls;
                      }},
                     {"list_change.extend", "a.extend([1])", 1,
                      [](Writer& w, int) {
                        const Var v = list_to_change(w);
                        line(w, v.name + ".extend(" + literal(w, v.type).s + ")");
                        return End::Falls;
                      }},
                     {"list_change.insert", "a.insert(1, b)", 1, always<insert>},
                     {"list_change.reverse", "a.reverse()", 1,
                      [](Writer& w, int) {
                        line(w, list_to_change(w).name + ".reverse()");
                        return End::Falls;
                      }},
                     {"list_change.item", "a[0] += 1, or a.append(b)", 1, always<add_to_item>},
                     {"list_change.pop", "a.pop()", 1, always<pop>},
                     {"list_change.sort", "a.sort(), or a.reverse()", 1, always<sort>},
                     {"list_change.remove", "if b in a: a.remove(b)", 1, always<remove>}});

const Var dict_to_change(Writer& w) { return *w.choices.pick(dicts(w)); }

void set_item(Writer& w) {
  const Var d = dict_to_change(w);
  const std::string k = key(w, d.type);
  line(w, d.name + "[" + k + "] = " + item(w, d.type.value_type()));
}

End change_item(Writer& w, int) {
  const Var d = dict_to_change(w);
  const std::string k = key(w, d.type);
  if (d.type.value_type().is(TypeKind::Int))
    line(w, fmt::format("if ({0}) in {1}: {1}[{0}] += {2}", k, d.name, w.choices.between(-9, 9)));
  else if (d.type.value_type().is(TypeKind::Float)) line(w, d.name + "[" + k + "] *= 0.5");
  else return End::None;
  return End::Falls;
}

void take_item(Writer& w) {
  const Var d = dict_to_change(w);
  const std::string name = fresh(w, "v");
  const std::string mapped = fresh(w, "v");
  line(w, fmt::format("{}, {} = {}.popitem()", name, mapped, d.name));
  w.vars.push_back({name, d.type.key()});
  w.vars.push_back({mapped, d.type.value_type()});
}

void set_default(Writer& w) {
  const Var d = dict_to_change(w);
  const Type value = d.type.value_type();
  const std::string k = key(w, d.type);
  line(w,
       fmt::format("{}.setdefault({}, {})", d.name, k, limit_growth(w, value, leaf(w, value)).s));
}

[[maybe_unused]] const bool kDicts = add_productions(
    Grammar::DictChange, 0,
    {{"dict_change.set", "d[a] = b", 4, always<set_item>},
     {"dict_change.item", "d[a] += 1, where it is there", 1, change_item},
     {"dict_change.pop", "d.pop(a)", 1,
      [](Writer& w, int) {
        const Var d = dict_to_change(w);
        line(w, d.name + ".pop(" + key(w, d.type) + ")");
        return End::Falls;
      }},
     {"dict_change.del", "del d[a], where it is there", 2,
      [](Writer& w, int) {
        const Var d = dict_to_change(w);
        line(w, fmt::format("if ({0}) in {1}: del {1}[{0}]", key(w, d.type), d.name));
        return End::Falls;
      }},
     {"dict_change.update", "d.update({a: b})", 1,
      [](Writer& w, int) {
        const Var d = dict_to_change(w);
        const std::string given = entries(w, d.type, w.choices.between(1, 2), kLiteral);
        line(w, d.name + ".update({" + given + "})");
        return End::Falls;
      }},
     {"dict_change.clear", "d.clear(), where it has many", 1,
      [](Writer& w, int) {
        line(w, fmt::format("if len({0}) > 3: {0}.clear()", dict_to_change(w).name));
        return End::Falls;
      }},
     {"dict_change.popitem", "a, b = d.popitem()", 1, always<take_item>},
     {"dict_change.setdefault", "d.setdefault(a, b)", 1, always<set_default>}});

}  // namespace
}  // namespace fusillade::fuzz::source

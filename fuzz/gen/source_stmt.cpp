// Statements of generated scripts: values that have names, checks, calls, branches and loops.
#include <algorithm>
#include <cctype>

#include "engine/base/text.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr int64_t kMostIterations = 40;

bool mentions(const std::string& text, const std::string& name) {
  const auto in_word = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if (!in_word(at - 1) && !in_word(at + name.size())) return true;  // 0 - 1 is beyond the end
  return false;
}

void for_pairs(Writer& w, int depth);

void assign(Writer& w, const Var& v) {
  Text value = limit_growth(w, v.type, expression(w, v.type, 0));
  line(w, v.name + " = " + value.s);
  for (Var& own : w.vars) {
    if (own.name == v.name) own.least = 0;
  }
}

End augment(Writer& w, int) {
  std::vector<const Var*> known;
  for (const Var& v : w.vars) {
    bool number = v.type.is(TypeKind::Int) || v.type.is(TypeKind::Float);
    bool field = v.name.find('.') != std::string::npos;
    if (number && !v.fixed && !(field && !w.tensors)) known.push_back(&v);
  }
  if (known.empty()) return End::None;
  const Var v = *w.choices.pick(known);
  bool whole = v.type.is(TypeKind::Int);
  static constexpr const char* kOps[] = {" += ", " -= ", " *= ", " %= "};
  uint64_t op = w.choices.below(4);
  // A loop may not multiply what it carries by what it carries.
  if (op == 2 && w.iterations > 1) {
    line(w, v.name + " *= " + (whole ? "-1" : "0.5"));
  } else if (op == 3) {
    line(w, v.name + " %= " + divisor(w, v.type, 1).s);
  } else {
    Type right = whole || w.choices.chance(0.7) ? v.type : Type(TypeKind::Int);
    line(w, v.name + kOps[op] + limit_growth(w, right, expression(w, right, 1)).s);
  }
  return End::Falls;
}

End append(Writer& w, int depth) {
  std::vector<const Var*> lists;
  for (const Var& v : w.vars) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  if (lists.empty() || w.frozen > 0) return augment(w, depth);
  if (w.choices.chance(0.4)) return draw_statement(w, Grammar::ListChange, depth);
  const Var v = *w.choices.pick(lists);
  line(w, v.name + ".append(" +
              limit_growth(w, v.type.element(), expression(w, v.type.element(), 1)).s + ")");
  return End::Falls;
}

End store_item(Writer& w, int) {
  std::vector<const Var*> lists;
  for (const Var& v : w.vars) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  if (lists.empty() || w.frozen > 0) return End::None;
  const Var v = *w.choices.pick(lists);
  line(w, item_of(w, v).s + " = " +
              limit_growth(w, v.type.element(), expression(w, v.type.element(), 1)).s);
  return End::Falls;
}

// a, b = b, a
End swap(Writer& w, int) {
  std::vector<std::pair<const Var*, const Var*>> pairs;
  for (const Var& a : w.vars) {
    for (const Var& b : w.vars) {
      if (&a != &b && a.type == b.type && !a.fixed && !b.fixed) pairs.emplace_back(&a, &b);
    }
  }
  if (pairs.empty()) return End::None;
  auto [a, b] = w.choices.pick(pairs);
  int64_t least = std::min(a->least, b->least);
  line(w, fmt::format("{0}, {1} = {1}, {0}", a->name, b->name));
  for (Var& v : w.vars) {
    if (v.name == a->name || v.name == b->name) v.least = least;
  }
  return End::Falls;
}

// a, b, *c = [..]: the length is known when it runs only, and now and then it does not fit the
// names.
void unpack_list(Writer& w) {
  const Type item = draw_item(w);
  const int64_t count = w.choices.between(2, 3);
  const int64_t starred = w.choices.chance(0.3) ? w.choices.between(0, count - 1) : -1;
  const int64_t length = w.choices.chance(0.95) ? count : w.choices.between(1, 4);
  std::vector<std::string> items, targets;
  for (int64_t i = 0; i < length; ++i)
    items.push_back(limit_growth(w, item, expression(w, item, 1)).s);
  std::string value = "[" + join(items, ", ") + "]";
  if (w.choices.chance(0.6)) {
    std::string name = fresh(w, "v");
    line(w, name + " = " + value);
    w.vars.push_back({name, Type::list(item), false, length});
    value = name;
  }
  std::vector<Var> new_vars;
  for (int64_t i = 0; i < count; ++i) {
    new_vars.push_back({fresh(w, "v"), i == starred ? Type::list(item) : item});
    targets.push_back((i == starred ? "*" : "") + new_vars.back().name);
  }
  line(w, join(targets, ", ") + " = " + value);
  w.vars.insert(w.vars.end(), new_vars.begin(), new_vars.end());
}

End unpack(Writer& w, int) {
  if (w.choices.chance(0.3)) {
    unpack_list(w);
    return End::Falls;
  }
  std::vector<Type> types;
  for (uint64_t n = 2 + w.choices.below(2); types.size() < n;) types.push_back(draw_item(w));
  Type nested = Type::tuple({types[0], Type::tuple({types.begin() + 1, types.end()})});
  bool deep = types.size() > 2 && w.choices.chance(0.4);
  Type type = deep ? nested : Type::tuple(types);
  std::string value = limit_growth(w, type, expression(w, type, 0)).s;
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i) names.push_back(fresh(w, "v"));
  std::string targets = names[0] + ", " + (deep ? "(" : "") + names[1];
  if (types.size() > 2) targets += ", " + names[2];
  line(w, targets + (deep ? ")" : "") + " = " + value);
  for (size_t i = 0; i < types.size(); ++i) w.vars.push_back({names[i], types[i]});
  return End::Falls;
}

End check(Writer& w, int) {
  Text decides = expression(w, TypeKind::Bool, 1);
  if (decides.level < kOr) decides = {"(" + decides.s + ")"};
  if (w.choices.chance(0.5)) {
    line(w, "assert " + decides.s + " or True, \"never\"");
    return End::Falls;
  }
  line(w, "assert " +
              (w.choices.chance(0.3)
                   ? decides.s
                   : "(" + decides.s + ") or " + operand(w, TypeKind::Bool, 2, kAnd).s) +
              fmt::format(", \"check {}\"", w.names++));
  return End::Falls;
}

// A write to what a task was given, which it may not see.
void write_behind(Writer& w, const std::string& given) {
  std::vector<const Var*> fitting;
  for (const Var* v : tensor_vars(w)) {
    if (mentions(given, v->name) && !overlaps(v->type.info())) fitting.push_back(v);
  }
  if (fitting.empty()) return;
  const Var base = *w.choices.pick(fitting);
  if (base.type.info().sizes.rank() == 0) return line(w, base.name + ".zero_()");
  Type type;
  const std::string part = part_of(w, base, &type);
  write_part(w, part, type);
}

// t1 = torch.jit.fork(f, a, b)
End fork_statement(Writer& w, int) {
  std::vector<const Callee*> found;
  for (const Callee& f : w.callees)
    if (forkable(w, f) && !f.result.is(TypeKind::None)) found.push_back(&f);
  if (found.empty()) return End::None;
  const Callee f = *w.choices.pick(found);
  for (const Argument& a : f.arguments) {
    if (!w.policy.tasks || !a.type.is_tensor() || !of_type(w, a.type).empty()) continue;
    w.vars.push_back({fresh(w, "v"), a.type});  // tensors with names can be written behind
    line(w, w.vars.back().name + " = " + tensor_literal(a.type).s);
  }
  const std::string given = arguments(w, f, 1);
  const std::string name = fresh(w, "t");
  line(w, name + " = torch.jit.fork(" + f.name + (given.empty() ? "" : ", ") + given + ")");
  w.tasks.push_back({name, f.result, f.pure});
  if (w.policy.tasks && w.choices.chance(0.8)) write_behind(w, given);
  return End::Falls;
}

// Waits until only so many are left. Now and then a task that writes nothing is not waited for. A
// pass may remove what raises in it, and then no error would show the writes after that point.
void wait_for(Writer& w, size_t tasks) {
  while (w.tasks.size() > tasks) {
    const Task task = w.tasks.back();
    w.tasks.pop_back();
    if (w.choices.chance(0.1) && task.pure) continue;
    const std::string name = fresh(w, "v");
    const bool method = w.choices.chance(0.3);
    const std::string waits = method ? task.name + ".wait()" : "torch.jit.wait(" + task.name + ")";
    bind_name(w, name, task.type, limit_growth(w, task.type, {waits}), false);
    w.vars.push_back({name, task.type});
    if (w.policy.tasks) w.waited.push_back(name);
  }
}

End call_statement(Writer& w, int depth) {
  if (w.tensors && w.choices.chance(0.3) && fork_statement(w, depth) == End::Falls)
    return End::Falls;
  const Callee* f = callable(w, TypeKind::None);
  if (!f) return append(w, depth);
  line(w, call(w, *f, 1).s);
  return End::Falls;
}

// Any end may leave; a name that all ends define is known behind.
End branch(Writer& w, int depth) {
  size_t known = w.vars.size();
  Type type = draw_item(w);
  std::string joined = w.choices.chance(0.4) ? fresh(w, "v") : "";
  bool falls = false;
  std::vector<const Var*> wide = wide_vars(w);
  bool refines = !wide.empty() && w.choices.chance(0.4);
  Var asked = refines ? *w.choices.pick(wide) : Var{};
  size_t callees = w.callees.size();
  auto arm = [&](const std::string& head, const Type* known_as, bool may_leave) {
    line(w, head);
    ++w.indent;
    const std::vector<Var> before = w.vars;
    if (known_as) learn(w, asked.name, *known_as);
    End end = block(w, static_cast<int>(w.choices.between(1, 3)), depth + 1);
    if (end == End::Falls && may_leave && w.choices.chance(0.3)) end = exit_statement(w);
    if (end == End::Falls && !joined.empty())
      line(w, joined + " = " + limit_growth(w, type, expression(w, type, 1)).s);
    falls = falls || end == End::Falls;
    w.vars.resize(known);
    w.callees.erase(w.callees.begin() + static_cast<long>(callees), w.callees.end());
    --w.indent;
    forget(w, before);
  };
  const char* word = "if ";
  auto arm_if = [&] {
    Test t = refines ? test_of(w, asked) : Test{condition(w, 0).s, kTernary, "", {}, {}};
    arm(word + t.text + ":", refines ? &t.holds : nullptr, true);
    word = "elif ";
    asked.type = t.fails;
  };
  arm_if();
  while (refines ? options_of(asked.type).size() > 1 && w.choices.chance(0.5)
                 : w.choices.chance(0.15))
    arm_if();
  bool otherwise = !joined.empty() || w.choices.chance(0.4);
  if (otherwise) arm("else:", refines ? &asked.type : nullptr, falls);
  else if (refines && !falls) learn(w, asked.name, asked.type);
  if (!joined.empty()) w.vars.push_back({joined, type});
  return End::Falls;
}

End for_range(Writer& w, int depth) {
  std::string name = fresh(w, "i");
  int64_t iterations = w.choices.between(0, 4);
  int64_t step = w.choices.between(1, 3);
  int64_t start = w.choices.between(-3, 5);
  std::string range;
  switch (w.choices.below(4)) {
    case 0:
      range = fmt::format("{}, {}", start, start + iterations);
      break;
    case 1:
      range =
          fmt::format("{}, {}, {}", start,
                      start + iterations * step - static_cast<int64_t>(w.choices.below(2)), step);
      break;
    case 2:
      range =
          fmt::format("{}, {}, {}", start,
                      start - iterations * step + static_cast<int64_t>(w.choices.below(2)), -step);
      break;
    default:
      iterations = 4;
      range = operand(w, TypeKind::Int, 2, kProduct).s + " % 5";
  }
  loop(w, depth, fmt::format("for {} in range({}):", name, range), std::max<int64_t>(iterations, 1),
       {{name, TypeKind::Int, true}}, "");
  return End::Falls;
}

End for_items(Writer& w, int depth) {
  std::string name = fresh(w, "i");
  Type element = draw_item(w);
  if (w.choices.chance(0.35)) {
    for_pairs(w, depth);
    return End::Falls;
  }
  if (w.choices.chance(0.35) && for_dict(w, depth)) return End::Falls;
  for (const Var& v : w.vars) {
    if (v.type.is(TypeKind::List) && is_wide(v.type) && w.choices.chance(0.4))
      element = v.type.element();
  }
  std::vector<const Var*> lists = lists_of(w, element);
  bool known = !lists.empty() && w.choices.chance(0.6);
  std::string items = known ? w.choices.pick(lists)->name : literal(w, Type::list(element)).s;
  w.frozen += known;
  loop(w, depth, fmt::format("for {} in {}:", name, items), 4, {{name, element, true}}, "");
  w.frozen -= known;
  return End::Falls;
}

// Over two things at once, or one with its index.
void for_pairs(Writer& w, int depth) {
  std::string a = fresh(w, "i");
  std::string b = fresh(w, "i");
  Type first = draw_scalar(w);
  Type second = draw_item(w);
  std::string items = literal(w, Type::list(second)).s;
  std::string head;
  if (w.choices.chance(0.5)) {
    first = TypeKind::Int;
    head = fmt::format("for {}, {} in enumerate({}):", a, b, items);
  } else {
    head = fmt::format("for {}, {} in zip({}, {}):", a, b, literal(w, Type::list(first)).s, items);
  }
  loop(w, depth, head, 3, {{a, first, true}, {b, second, true}}, "");
}

End while_loop(Writer& w, int depth) {
  std::string name = fresh(w, "w");
  line(w, name + " = 0");
  int64_t iterations = w.choices.between(1, 4);
  std::string head = fmt::format("while {} < {}", name, iterations);
  if (w.choices.chance(0.5)) {
    Text decides = condition(w, 1);
    head += " and " + (decides.level < kNot ? "(" + decides.s + ")" : decides.s);
  }
  w.vars.push_back({name, TypeKind::Int, true});
  loop(w, depth, head + ":", iterations, {}, name + " += 1");
  return End::Falls;
}

End assign_known(Writer& w, int) {
  std::vector<const Var*> known;
  for (const Var& v : w.vars) {
    if (!v.fixed) known.push_back(&v);
  }
  if (known.empty()) return End::None;
  assign(w, Var(*w.choices.pick(known)));
  return End::Falls;
}

[[maybe_unused]] const bool kForks = add_productions(
    Grammar::Statement, 1,
    {{"script.fork", "a function that another thread runs", 0, fork_statement, kAnyDepth,
      kAskedFirst, [](const Writer& w) { return w.policy.tasks && !w.pure; }}});
[[maybe_unused]] const bool kPlain = add_productions(
    Grammar::Statement, 10,
    {{"script.assign", "another value for a name", 5, assign_known},
     {"script.call", "a call of a function that returns nothing", 1, call_statement},
     {"script.unpack", "a tuple or a list into names", 1, unpack},
     {"script.swap", "a, b = b, a", 1, swap},
     {"script.store", "an item of a list", 1, store_item},
     {"script.append", "a list changed by a method", 1, append},
     {"script.assert", "an assertion that may fail", 1, check},
     {"script.augment", "a number changed in place: a += b", 4, augment},
     {"script.define", "a new name for a value of any type", 8, always<define>}});
[[maybe_unused]] const bool kNesting =
    add_productions(Grammar::Statement, 22,
                    {{"script.while", "a bounded while loop", 2, while_loop, kMostNesting},
                     {"script.for_items", "a loop over a list, a dict, or two things at once", 2,
                      for_items, kMostNesting},
                     {"script.for_range", "a loop over a range", 2, for_range, kMostNesting},
                     {"script.branch", "if, elif and else", 2, branch, kMostNesting}});

End leave_loop(Writer& w, int) {
  line(w, w.choices.chance(0.5) ? "break" : "continue");
  return End::Leaves;
}

End raise_error(Writer& w, int) {
  static constexpr const char* kErrors[] = {"ValueError", "RuntimeError", "IndexError",
                                            "NotImplementedError"};
  line(w, fmt::format("raise {}(\"stop {}\")", kErrors[w.choices.below(std::size(kErrors))],
                      w.names++));
  return End::Leaves;
}

[[maybe_unused]] const bool kExits =
    add_productions(Grammar::Exit, 0,
                    {{"exit.loop", "break, continue", 0.6, leave_loop, kAnyDepth, kAskedFirst,
                      [](const Writer& w) { return w.loops > 0; }},
                     {"exit.return", "return", 5,
                      [](Writer& w, int) {
                        return_statement(w);
                        return End::Leaves;
                      }},
                     {"exit.raise", "raise ValueError(\"stop\")", 1, raise_error}});

}  // namespace

// Names and literals, in a tuple at most.
Text plain(Writer& w, const Type& type) {
  if (!type.is(TypeKind::Tuple) || type.class_type()) return leaf(w, type);
  std::string s;
  for (const Type& t : type.elements()) s += leaf(w, t).s + ", ";
  return {"(" + s + ")"};
}

// What a loop carries must not grow: an int is taken modulo, unless it comes from sums alone.
Text limit_growth(Writer& w, const Type& type, Text value) {
  if (w.iterations == 1 || type.is(TypeKind::Float) || type.is(TypeKind::Bool) || type.is_tensor())
    return value;
  if (!type.is(TypeKind::Int)) return plain(w, type);
  if (value.s.find_first_of("*(<") == std::string::npos) return value;
  static constexpr const char* kLimits[] = {"1000", "97", "65536", "-31", "1000003"};
  return {"(" + value.s + ") % " + kLimits[w.choices.below(std::size(kLimits))], kProduct};
}

void bind_name(Writer& w, const std::string& name, const Type& type, const Text& value,
               bool annotate) {
  line(w, name + (annotate ? ": " + annotation(type) : "") + " = " + value.s);
}

void define(Writer& w) {
  if (w.choices.chance(0.1)) return make_object(w);
  Type type = draw_type(w, 0);
  Text value = limit_growth(w, type, expression(w, type, 0));
  std::string name = fresh(w, "v");
  bind_name(w, name, type, value, is_wide(type) || w.choices.chance(0.3));
  int64_t least = value.s[0] == '[' && value.level == kAtom ? 1 : 0;
  w.vars.push_back({name, type, false, least});
}

End exit_statement(Writer& w) { return draw_statement(w, Grammar::Exit, 0); }

void loop(Writer& w, int depth, const std::string& head, int64_t iterations,
          const std::vector<Var>& own, const std::string& first) {
  line(w, head);
  ++w.indent;
  ++w.loops;
  w.iterations *= iterations;
  size_t known = w.vars.size();
  const std::vector<Var> before = w.vars;
  size_t callees = w.callees.size();
  if (!first.empty()) line(w, first);
  for (const Var& v : own) w.vars.push_back(v);
  block(w, static_cast<int>(w.choices.between(1, 3)), depth + 1);
  --w.indent;
  w.vars.resize(known);
  forget(w, before);
  w.callees.erase(w.callees.begin() + static_cast<long>(callees), w.callees.end());
  w.iterations /= iterations;
  --w.loops;
}

// Where nothing fits what is drawn, a variable is defined.
End draw_statement(Writer& w, Grammar grammar, int depth) {
  const Shares& shares = w.policy.shares(grammar);
  for (const Share& s : shares.asked_first) {
    const Production& p = *s.production;
    if (depth > p.deepest || (p.may && !p.may(w)) || !w.choices.chance(s.chance)) continue;
    const End end = p.make.statement(w, depth);
    if (end != End::None) w.choices.count(p.number);
    if (end != End::None) return end;
  }
  const Production& drawn = draw_by_weight(w.choices, shares.weighted, depth);
  const End end = drawn.make.statement(w, depth);
  if (end != End::None) {
    w.choices.count(drawn.number);
    return end;
  }
  static const Production& otherwise = *Table<Production>::instance().find("script.define");
  w.choices.count(otherwise.number);
  return otherwise.make.statement(w, depth);
}

End statement(Writer& w, int depth) {
  w.cost += w.iterations;
  if (w.indent == w.outer + 1) use_added(w);
  return draw_statement(w, Grammar::Statement, w.iterations < kMostIterations ? depth : INT_MAX);
}

End block(Writer& w, int statements, int depth) {
  End end = End::Falls;
  const size_t tasks = w.tasks.size();
  for (int i = 0; i < statements && end == End::Falls; ++i) end = statement(w, depth);
  if (end == End::Falls) wait_for(w, tasks);
  w.tasks.resize(std::min(tasks, w.tasks.size()));
  if (end == End::Falls && depth > 0 && w.choices.chance(0.12)) end = exit_statement(w);
  return end;
}

}  // namespace fusillade::fuzz::source

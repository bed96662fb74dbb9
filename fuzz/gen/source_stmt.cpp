// Statements of generated scripts.
#include <algorithm>
#include <cctype>

#include "engine/base/text.h"
#include "fuzz/gen/source.h"

namespace fusillade::fuzz {
namespace {

constexpr int kMostNesting = 3;
constexpr int64_t kMostTurns = 40;

bool mentions(const std::string& text, const std::string& name) {
  const auto in_word = [&](size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if (!in_word(at - 1) && !in_word(at + name.size())) return true;  // 0 - 1 is beyond the end
  return false;
}

}  // namespace

// Names and literals, in a tuple at most.
Text Source::plain(const Type& type) {
  if (!type.is(TypeKind::Tuple) || type.class_type()) return leaf(type);
  std::string s;
  for (const Type& t : type.elements()) s += leaf(t).s + ", ";
  return {"(" + s + ")"};
}

// What a loop carries must not grow: an int is taken modulo, if more than sums made it.
Text Source::bounded(const Type& type, Text value) {
  if (turns_ == 1 || type.is(TypeKind::Float) || type.is(TypeKind::Bool) || type.is_tensor())
    return value;
  if (!type.is(TypeKind::Int)) return plain(type);
  if (value.s.find_first_of("*(<") == std::string::npos) return value;
  static constexpr const char* kLimits[] = {"1000", "97", "65536", "-31", "1000003"};
  return {"(" + value.s + ") % " + kLimits[choices_.below(std::size(kLimits))], kProduct};
}

void Source::bind(const std::string& name, const Type& type, const Text& value, bool annotate) {
  line(name + (annotate ? ": " + annotation(type) : "") + " = " + value.s);
}

void Source::define() {
  if (choices_.chance(0.1)) return make_object();
  Type type = draw_type(0);
  Text value = bounded(type, expression(type, 0));
  std::string name = fresh("v");
  bind(name, type, value, is_wide(type) || choices_.chance(0.3));
  int64_t least = value.s[0] == '[' && value.level == kAtom ? 1 : 0;
  vars_.push_back({name, type, false, least});
}

// A variable of a named tuple or an enum.
void Source::define_record() {
  if (records_.empty()) return define();
  const Type type = choices_.pick(records_);
  std::string name = fresh("v");
  line(name + " = " + bounded(type, expression(type, 0)).s);
  vars_.push_back({name, type});
}

void Source::assign(const Var& v) {
  Text value = bounded(v.type, expression(v.type, 0));
  line(v.name + " = " + value.s);
  for (Var& own : vars_) {
    if (own.name == v.name) own.least = 0;
  }
}

void Source::augment() {
  std::vector<const Var*> known;
  for (const Var& v : vars_) {
    bool number = v.type.is(TypeKind::Int) || v.type.is(TypeKind::Float);
    bool field = v.name.find('.') != std::string::npos;
    if (number && !v.fixed && !(field && !tensors_)) known.push_back(&v);
  }
  if (known.empty()) return define();
  const Var v = *choices_.pick(known);
  bool whole = v.type.is(TypeKind::Int);
  static constexpr const char* kOps[] = {" += ", " -= ", " *= ", " %= "};
  uint64_t op = choices_.below(4);
  // A loop may not multiply what it carries by what it carries.
  if (op == 2 && turns_ > 1) {
    line(v.name + " *= " + (whole ? "-1" : "0.5"));
  } else if (op == 3) {
    line(v.name + " %= " + divisor(v.type, 1).s);
  } else {
    Type right = whole || choices_.chance(0.7) ? v.type : Type(TypeKind::Int);
    line(v.name + kOps[op] + bounded(right, expression(right, 1)).s);
  }
}

void Source::append() {
  std::vector<const Var*> lists;
  for (const Var& v : vars_) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  if (lists.empty() || frozen_ > 0) return augment();
  if (choices_.chance(0.4)) return change_list();
  const Var v = *choices_.pick(lists);
  line(v.name + ".append(" + bounded(v.type.element(), expression(v.type.element(), 1)).s + ")");
}

void Source::store_item() {
  std::vector<const Var*> lists;
  for (const Var& v : vars_) {
    if (v.type.is(TypeKind::List)) lists.push_back(&v);
  }
  if (lists.empty() || frozen_ > 0) return define();
  const Var v = *choices_.pick(lists);
  line(item_of(v).s + " = " + bounded(v.type.element(), expression(v.type.element(), 1)).s);
}

// a, b = b, a
void Source::swap() {
  std::vector<std::pair<const Var*, const Var*>> pairs;
  for (const Var& a : vars_) {
    for (const Var& b : vars_) {
      if (&a != &b && a.type == b.type && !a.fixed && !b.fixed) pairs.emplace_back(&a, &b);
    }
  }
  if (pairs.empty()) return define();
  auto [a, b] = choices_.pick(pairs);
  int64_t least = std::min(a->least, b->least);
  line(fmt::format("{0}, {1} = {1}, {0}", a->name, b->name));
  for (Var& v : vars_) {
    if (v.name == a->name || v.name == b->name) v.least = least;
  }
}

// a, b, *c = [..]: the length is known when it runs only, and now and then it does not fit the
// names.
void Source::unpack_list() {
  const Type item = draw_item();
  const int64_t count = choices_.between(2, 3);
  const int64_t starred = choices_.chance(0.3) ? choices_.between(0, count - 1) : -1;
  const int64_t length = choices_.chance(0.95) ? count : choices_.between(1, 4);
  std::vector<std::string> items, targets;
  for (int64_t i = 0; i < length; ++i) items.push_back(bounded(item, expression(item, 1)).s);
  std::string value = "[" + join(items, ", ") + "]";
  if (choices_.chance(0.6)) {
    std::string name = fresh("v");
    line(name + " = " + value);
    vars_.push_back({name, Type::list(item), false, length});
    value = name;
  }
  std::vector<Var> made;
  for (int64_t i = 0; i < count; ++i) {
    made.push_back({fresh("v"), i == starred ? Type::list(item) : item});
    targets.push_back((i == starred ? "*" : "") + made.back().name);
  }
  line(join(targets, ", ") + " = " + value);
  vars_.insert(vars_.end(), made.begin(), made.end());
}

void Source::unpack() {
  if (choices_.chance(0.3)) return unpack_list();
  std::vector<Type> types;
  for (uint64_t n = 2 + choices_.below(2); types.size() < n;) types.push_back(draw_item());
  Type nested = Type::tuple({types[0], Type::tuple({types.begin() + 1, types.end()})});
  bool deep = types.size() > 2 && choices_.chance(0.4);
  Type type = deep ? nested : Type::tuple(types);
  std::string value = bounded(type, expression(type, 0)).s;
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i) names.push_back(fresh("v"));
  std::string targets = names[0] + ", " + (deep ? "(" : "") + names[1];
  if (types.size() > 2) targets += ", " + names[2];
  line(targets + (deep ? ")" : "") + " = " + value);
  for (size_t i = 0; i < types.size(); ++i) vars_.push_back({names[i], types[i]});
}

void Source::check() {
  Text decides = expression(TypeKind::Bool, 1);
  if (decides.level < kOr) decides = {"(" + decides.s + ")"};
  if (choices_.chance(0.5)) return line("assert " + decides.s + " or True, \"never\"");
  line("assert " +
       (choices_.chance(0.3) ? decides.s
                             : "(" + decides.s + ") or " + operand(TypeKind::Bool, 2, kAnd).s) +
       fmt::format(", \"check {}\"", names_++));
}

// A write to what a task was given, which it may not see.
void Source::write_behind(const std::string& given) {
  std::vector<const Var*> fitting;
  for (const Var* v : tensor_vars()) {
    if (mentions(given, v->name) && !overlaps(v->type.info())) fitting.push_back(v);
  }
  if (fitting.empty()) return;
  const Var base = *choices_.pick(fitting);
  if (base.type.info().sizes.rank() == 0) return line(base.name + ".zero_()");
  Type type;
  const std::string part = part_of(base, &type);
  write_part(part, type);
}

// t1 = torch.jit.fork(f, a, b)
bool Source::fork_statement() {
  std::vector<const Callee*> found;
  for (const Callee& f : callees_)
    if (forkable(f) && !f.result.is(TypeKind::None)) found.push_back(&f);
  if (found.empty()) return false;
  const Callee f = *choices_.pick(found);
  for (const Argument& a : f.arguments) {
    if (policy_.tasks == 0 || !a.type.is_tensor() || !of_type(a.type).empty()) continue;
    vars_.push_back({fresh("v"), a.type});  // tensors with names can be written behind
    line(vars_.back().name + " = " + tensor_literal(a.type).s);
  }
  const std::string given = arguments(f, 1);
  const std::string name = fresh("t");
  line(name + " = torch.jit.fork(" + f.name + (given.empty() ? "" : ", ") + given + ")");
  tasks_.push_back({name, f.result, f.pure});
  if (policy_.tasks > 0 && choices_.chance(0.8)) write_behind(given);
  return true;
}

// Until only so many are left. Now and then nobody waits: for one that writes nothing, since a pass
// may remove what raises in it, and what would be written behind is told by no error.
void Source::wait_for(size_t tasks) {
  while (tasks_.size() > tasks) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    if (choices_.chance(0.1) && task.pure) continue;
    const std::string name = fresh("v");
    const bool method = choices_.chance(0.3);
    const std::string waits = method ? task.name + ".wait()" : "torch.jit.wait(" + task.name + ")";
    bind(name, task.type, bounded(task.type, {waits}), false);
    vars_.push_back({name, task.type});
    if (policy_.tasks > 0) waited_.push_back(name);
  }
}

void Source::call_statement() {
  if (tensors_ && choices_.chance(0.3) && fork_statement()) return;
  const Callee* f = callable(TypeKind::None);
  if (!f) return append();
  line(call(*f, 1).s);
}

Source::End Source::exit_statement() {
  uint64_t kind = choices_.below(8);
  if (loops_ > 0 && kind < 5) {
    line(choices_.chance(0.5) ? "break" : "continue");
  } else if (kind == 7) {
    static constexpr const char* kErrors[] = {"ValueError", "RuntimeError", "IndexError",
                                              "NotImplementedError"};
    line(fmt::format("raise {}(\"stop {}\")", kErrors[choices_.below(std::size(kErrors))],
                     names_++));
  } else {
    return_statement();
  }
  return End::Leaves;
}

// Any end may leave; a name that all ends define is known behind.
void Source::branch(int depth) {
  size_t known = vars_.size();
  Type type = draw_item();
  std::string joined = choices_.chance(0.4) ? fresh("v") : "";
  bool falls = false;
  std::vector<const Var*> wide = wide_vars();
  bool refines = !wide.empty() && choices_.chance(0.4);
  Var asked = refines ? *choices_.pick(wide) : Var{};
  size_t callees = callees_.size();
  auto arm = [&](const std::string& head, const Type* known_as, bool may_leave) {
    line(head);
    ++indent_;
    const std::vector<Var> before = vars_;
    if (known_as) learn(asked.name, *known_as);
    End end = block(static_cast<int>(choices_.between(1, 3)), depth + 1);
    if (end == End::Falls && may_leave && choices_.chance(0.3)) end = exit_statement();
    if (end == End::Falls && !joined.empty())
      line(joined + " = " + bounded(type, expression(type, 1)).s);
    falls = falls || end == End::Falls;
    vars_.resize(known);
    callees_.erase(callees_.begin() + static_cast<long>(callees), callees_.end());
    --indent_;
    forget(before);
  };
  const char* word = "if ";
  auto arm_if = [&] {
    Test t = refines ? test_of(asked) : Test{condition(0).s, kTernary, "", {}, {}};
    arm(word + t.text + ":", refines ? &t.holds : nullptr, true);
    word = "elif ";
    asked.type = t.fails;
  };
  arm_if();
  while (refines ? options_of(asked.type).size() > 1 && choices_.chance(0.5)
                 : choices_.chance(0.15))
    arm_if();
  bool otherwise = !joined.empty() || choices_.chance(0.4);
  if (otherwise) arm("else:", refines ? &asked.type : nullptr, falls);
  else if (refines && !falls) learn(asked.name, asked.type);
  if (!joined.empty()) vars_.push_back({joined, type});
}

void Source::loop(int depth, const std::string& head, int64_t turns, const std::vector<Var>& own,
                  const std::string& first) {
  line(head);
  ++indent_;
  ++loops_;
  turns_ *= turns;
  size_t known = vars_.size();
  const std::vector<Var> before = vars_;
  size_t callees = callees_.size();
  if (!first.empty()) line(first);
  for (const Var& v : own) vars_.push_back(v);
  block(static_cast<int>(choices_.between(1, 3)), depth + 1);
  --indent_;
  vars_.resize(known);
  forget(before);
  callees_.erase(callees_.begin() + static_cast<long>(callees), callees_.end());
  turns_ /= turns;
  --loops_;
}

void Source::for_range(int depth) {
  std::string name = fresh("i");
  int64_t turns = choices_.between(0, 4);
  int64_t step = choices_.between(1, 3);
  int64_t start = choices_.between(-3, 5);
  std::string range;
  switch (choices_.below(4)) {
    case 0:
      range = fmt::format("{}, {}", start, start + turns);
      break;
    case 1:
      range = fmt::format("{}, {}, {}", start,
                          start + turns * step - static_cast<int64_t>(choices_.below(2)), step);
      break;
    case 2:
      range = fmt::format("{}, {}, {}", start,
                          start - turns * step + static_cast<int64_t>(choices_.below(2)), -step);
      break;
    default:
      turns = 4;
      range = operand(TypeKind::Int, 2, kProduct).s + " % 5";
  }
  loop(depth, fmt::format("for {} in range({}):", name, range), std::max<int64_t>(turns, 1),
       {{name, TypeKind::Int, true}}, "");
}

void Source::for_items(int depth) {
  std::string name = fresh("i");
  Type element = draw_item();
  if (choices_.chance(0.35)) return for_pairs(depth);
  if (choices_.chance(0.35) && for_dict(depth)) return;
  for (const Var& v : vars_) {
    if (v.type.is(TypeKind::List) && is_wide(v.type) && choices_.chance(0.4))
      element = v.type.element();
  }
  std::vector<const Var*> lists = lists_of(element);
  bool known = !lists.empty() && choices_.chance(0.6);
  std::string items = known ? choices_.pick(lists)->name : literal(Type::list(element)).s;
  frozen_ += known;
  loop(depth, fmt::format("for {} in {}:", name, items), 4, {{name, element, true}}, "");
  frozen_ -= known;
}

// Over two things at once, or one with its index.
void Source::for_pairs(int depth) {
  std::string a = fresh("i");
  std::string b = fresh("i");
  Type first = draw_scalar();
  Type second = draw_item();
  std::string items = literal(Type::list(second)).s;
  std::string head;
  if (choices_.chance(0.5)) {
    first = TypeKind::Int;
    head = fmt::format("for {}, {} in enumerate({}):", a, b, items);
  } else {
    head = fmt::format("for {}, {} in zip({}, {}):", a, b, literal(Type::list(first)).s, items);
  }
  loop(depth, head, 3, {{a, first, true}, {b, second, true}}, "");
}

void Source::while_loop(int depth) {
  std::string name = fresh("w");
  line(name + " = 0");
  int64_t turns = choices_.between(1, 4);
  std::string head = fmt::format("while {} < {}", name, turns);
  if (choices_.chance(0.5)) {
    Text decides = condition(1);
    head += " and " + (decides.level < kNot ? "(" + decides.s + ")" : decides.s);
  }
  vars_.push_back({name, TypeKind::Int, true});
  loop(depth, head + ":", turns, {}, name + " += 1");
}

Source::End Source::statement(int depth) {
  cost_ += turns_;
  if (indent_ == outer_ + 1) use_added();
  bool nest = depth < kMostNesting && turns_ < kMostTurns;
  if (choices_.chance(0.03) && certainty()) return End::Falls;
  const bool forks = policy_.tasks > 0 && !pure_ && choices_.chance(policy_.tasks);
  if (forks && fork_statement()) return End::Falls;
  if (tensors_ && choices_.chance(0.55)) {
    bool rows = nest && choices_.chance(0.06) && for_rows(depth);
    if (!rows) tensor_statement();
    return End::Falls;
  }
  uint64_t kind = choices_.below(nest ? 38 : 27);
  bool manages = nest && (tensors_ || !managers_.empty());
  if (kind >= 36) return manages ? with_statement(depth) : (define(), End::Falls);
  if (kind == 35) define_dict();
  else if (kind >= 33) branch(depth);
  else if (kind >= 31) for_range(depth);
  else if (kind >= 29) for_items(depth);
  else if (kind >= 27) while_loop(depth);
  else if (kind >= 25) change_dict();
  else if (kind == 24) {
    if (wide_vars().empty()) define_wide();
    else if (choices_.chance(0.3)) widen();
    else refine();
  } else if (kind == 23) define_record();
  else if (kind >= 15) define();
  else if (kind >= 11) augment();
  else if (kind == 10) check();
  else if (kind == 9) append();
  else if (kind == 8) store_item();
  else if (kind == 7) swap();
  else if (kind == 6) unpack();
  else if (kind == 5) call_statement();
  else {
    std::vector<const Var*> known;
    for (const Var& v : vars_) {
      if (!v.fixed) known.push_back(&v);
    }
    if (known.empty()) define();
    else assign(Var(*choices_.pick(known)));
  }
  return End::Falls;
}

Source::End Source::block(int statements, int depth) {
  End end = End::Falls;
  const size_t tasks = tasks_.size();
  for (int i = 0; i < statements && end == End::Falls; ++i) end = statement(depth);
  if (end == End::Falls) wait_for(tasks);
  tasks_.resize(std::min(tasks, tasks_.size()));
  if (end == End::Falls && depth > 0 && choices_.chance(0.12)) end = exit_statement();
  return end;
}

}  // namespace fusillade::fuzz

// Statements of a constructor; see elaborate.h.
#include "engine/front/elaborate.h"

#include "engine/base/text.h"
#include "engine/front/dotted.h"
#include "engine/front/problem.h"
#include "engine/ir/composite.h"
#include "engine/ir/interpret.h"

namespace fusillade::front {
namespace {

constexpr int64_t kMaxSteps = 1000000;
constexpr int kMaxFrames = 100;
constexpr size_t kReportedCallers = 20;  // in one message
constexpr std::string_view kHere = "<--- HERE";

}  // namespace

Py* PyDict::find(const IValue& key) {
  for (auto& [k, v] : items) {
    if (equal_values(k, key)) return &v;
  }
  return nullptr;
}

std::shared_ptr<PySeq> sequence(std::vector<Py> items, bool list) {
  auto out = std::make_shared<PySeq>();
  out->list = list;
  out->items = std::move(items);
  return out;
}

Py pair_of(Py a, Py b) { return sequence({std::move(a), std::move(b)}, false); }

const Py* PyArgs::find(size_t i, std::string_view name) const {
  if (i < positional.size()) return &positional[i];
  for (const auto& [key, value] : keywords) {
    if (key == name) return &value;
  }
  return nullptr;
}

PyArgs together(PyArgs first, const PyArgs& then) {
  first.positional.insert(first.positional.end(), then.positional.begin(), then.positional.end());
  for (const auto& [key, value] : then.keywords) {
    std::erase_if(first.keywords, [&](const auto& k) { return k.first == key; });
    first.keywords.emplace_back(key, value);
  }
  return first;
}

Instance::Attr* Instance::find(const std::string& name) {
  for (Attr& a : attrs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

void Instance::erase(const std::string& name) {
  for (size_t i = 0; i < attrs.size(); ++i) {
    if (attrs[i].name == name) return void(attrs.erase(attrs.begin() + static_cast<long>(i)));
  }
}

void Elaborator::wrong(const Expr& at, std::string_view message) const {
  fail_at(frame_ ? frame_->unit->source() : program_.main().source(), at.begin, at.end, message);
}

void Elaborator::step(const Expr& at) {
  if (++steps_ > kMaxSteps)
    wrong(at, fmt::format("the constructor takes more than {} steps", kMaxSteps));
}

Py Elaborator::run(Unit& unit, const Expr& e) {
  Frame frame;
  frame.unit = &unit;
  Frame* before = frame_;
  if (++depth_ > kMaxFrames)
    wrong(e, fmt::format("constants refer to each other more than {} deep", kMaxFrames));
  frame_ = &frame;
  Py out = eval(e);
  frame_ = before;
  --depth_;
  return out;
}

IValue Elaborator::constant(Unit& unit, const Expr& e) {
  Frame frame;
  frame.unit = &unit;
  frame_ = &frame;
  IValue out = value_of(eval(e), e);
  frame_ = nullptr;
  return out;
}

Py Elaborator::construct(const ClassPlace& place, const std::vector<IValue>& args,
                         const std::vector<std::pair<std::string, IValue>>& kwargs) {
  Frame frame;
  frame.unit = place.unit;
  frame_ = &frame;
  PyArgs given;
  for (const IValue& v : args) given.positional.push_back(wrap(v));
  for (const auto& [key, value] : kwargs) given.keywords.emplace_back(key, wrap(value));
  Expr at;
  at.begin = place.syntax->begin;
  at.end = place.syntax->end;
  Py out = construct(place, given, at);
  frame_ = nullptr;
  return out;
}

Py Elaborator::call_function(const MethodPlace& f, const Py* self, const PyArgs& args,
                             const Expr& at) {
  if (!f.function->errors.empty()) throw Error(join(f.function->errors, "\n"));
  if (++depth_ > max_call_depth()) wrong(at, too_deep_text());
  Frame frame;
  frame.unit = f.cls.unit;
  frame.method = f;
  size_t first = 0;
  if (self && !decorated_with(f.function->decorators, "staticmethod")) {
    if (f.function->parameters.empty()) wrong(at, "a method needs a parameter 'self'");
    frame.locals[f.function->parameters[0].name] = *self;
    first = 1;
  }
  bind(*f.function, frame, first, args, at);
  Frame* before = frame_;
  frame_ = &frame;
  try {
    run(f.function->body);
  } catch (const Error& e) {
    if (!before || !before->method.function) throw;
    Problems problems = problems_of(e);
    for (Problem& p : problems) add_caller(p, *f.function, *before, at);
    throw Failed(std::move(problems));
  }
  frame_ = before;
  --depth_;
  return frame.result;
}

// One caller more in the chain of an error, until it is long enough.
void Elaborator::add_caller(Problem& problem, const Function& called, const Frame& by,
                            const Expr& at) const {
  size_t callers = 0;
  for (size_t i = problem.chain.find(kHere); i != std::string::npos;
       i = problem.chain.find(kHere, i + 1))
    ++callers;
  if (callers >= kReportedCallers) return;
  SourceRange range{by.unit->source(), at.begin, at.end};
  problem.chain += "\n" + range.highlight(fmt::format("{}: '{}' was called here", range.where(),
                                                      program_.title(called)));
}

void Elaborator::bind(const Function& f, Frame& frame, size_t first, const PyArgs& args,
                      const Expr& at) {
  auto plain = [](const Parameter& p) { return p.name[0] != '*'; };
  std::vector<Py> items;                    // of *args
  auto words = std::make_shared<PyDict>();  // of **kwargs
  const Parameter* rest[2] = {};
  for (const Parameter& p : f.parameters)
    if (!plain(p)) rest[p.name[1] == '*'] = &p;
  size_t count = first;  // parameters that a position fills
  while (count < f.parameters.size() && plain(f.parameters[count]) &&
         !f.parameters[count].keyword_only)
    ++count;
  for (size_t i = 0; i < args.positional.size(); ++i) {
    if (first + i < count) frame.locals[f.parameters[first + i].name] = args.positional[i];
    else items.push_back(args.positional[i]);
  }
  if (!items.empty() && !rest[0]) {
    wrong(at, fmt::format("'{}' takes {} positional arguments, {} given", f.name, count - first,
                          args.positional.size()));
  }
  for (const auto& [key, value] : args.keywords) {
    bool known = false;
    for (size_t i = first; i < f.parameters.size(); ++i)
      known = known || f.parameters[i].name == key;
    if (!known && rest[1] && !words->find(IValue::str(key))) {
      words->items.emplace_back(IValue::str(key), value);
      continue;
    }
    if (!known || frame.locals.count(key)) {
      wrong(at, fmt::format("'{}' {} argument '{}'", f.name,
                            known ? "is given twice the" : "has no", key));
    }
    frame.locals[key] = value;
  }
  if (rest[0]) frame.locals[rest[0]->name.substr(1)] = sequence(std::move(items), false);
  if (rest[1]) frame.locals[rest[1]->name.substr(2)] = words;
  Frame* before = frame_;
  Frame defaults;
  defaults.unit = frame.unit;
  for (const Parameter& p : f.parameters) {
    if (!plain(p) || frame.locals.count(p.name)) continue;
    if (!p.default_value) wrong(at, fmt::format("'{}': argument '{}' is missing", f.name, p.name));
    frame_ = &defaults;
    frame.locals[p.name] = eval(*p.default_value);
    frame_ = before;
  }
}

Elaborator::Flow Elaborator::run(const StmtList& list) {
  for (const StmtPtr& s : list) {
    Flow flow = run(*s);
    if (flow != Flow::Falls) return flow;
  }
  return Flow::Falls;
}

Elaborator::Flow Elaborator::run(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Assign:
      run_assignment(s);
      return Flow::Falls;
    case StmtKind::AugAssign:
      run_augmented(s);
      return Flow::Falls;
    case StmtKind::If:
      return run(truth(eval(*s.value), *s.value) ? s.body : s.orelse);
    case StmtKind::While:
    case StmtKind::For:
      return run_loop(s);
    case StmtKind::With:
      if (!s.targets.empty()) wrong(*s.value, "'with ... as' is not supported in a constructor");
      return run(s.body);
    case StmtKind::Return:
      frame_->result = s.value ? eval(*s.value) : Py(IValue());
      return Flow::Returns;
    case StmtKind::Raise:
      run_raise(s);
    case StmtKind::Assert:
      if (truth(eval(*s.value), *s.value)) return Flow::Falls;
      wrong(*s.value,
            "AssertionError: " +
                (s.message && s.message->is(ExprKind::Str) ? s.message->text : std::string()));
    case StmtKind::Break:
      return Flow::Breaks;
    case StmtKind::Continue:
      return Flow::Continues;
    case StmtKind::Expression:
      eval(*s.value);
      return Flow::Falls;
    default:
      return Flow::Falls;
  }
}

Elaborator::Flow Elaborator::run_loop(const Stmt& s) {
  bool is_for = s.kind == StmtKind::For;
  std::vector<Py> items;
  if (is_for) items = iterate(eval(*s.value), *s.value);
  for (size_t i = 0; is_for ? i < items.size() : truth(eval(*s.value), *s.value); ++i) {
    step(*s.value);
    if (is_for) assign(*s.targets[0], items[i]);
    Flow flow = run(s.body);
    if (flow == Flow::Returns) return flow;
    if (flow == Flow::Breaks) break;
  }
  return Flow::Falls;
}

void Elaborator::run_raise(const Stmt& s) {
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  const Expr* e = s.value.get();
  if (!e || !e->is(ExprKind::Call))
    wrong(at, e && e->is(ExprKind::Name) ? e->text : "an exception is raised");
  std::string message = e->kids[0]->text;
  for (size_t i = 1; i < e->kids.size(); ++i) {
    Py part = eval(*e->kids[i]);
    message +=
        (i == 1 ? ": " : ", ") + (part.is_str() ? part.value()->as_str() : std::string("..."));
  }
  wrong(at, message);
}

void Elaborator::run_assignment(const Stmt& s) {
  const Expr& first = *s.targets[0];
  if (!s.annotation) {
    Py value = eval(*s.value);
    for (const ExprPtr& t : s.targets) assign(*t, value);
    return;
  }
  if (!s.value) return;
  assign(first, eval(*s.value));
  if (!first.is(ExprKind::Attribute)) return;
  Py of = eval(*first.kids[0]);
  if (!of.instance()) return;
  Instance::Attr* attr = of.instance()->find(first.text);
  const Expr* annotation = s.annotation.get();
  if (is_final(*annotation)) {
    attr->constant = true;
    annotation = annotation->kids[1].get();
  }
  // The type of a module is its instance's; an annotation of one, or of a tensor as a Parameter, is
  // a comment.
  bool ignorable = attr->value.is_none() || attr->value.is_tensor() ||
                   (attr->value.instance() && attr->value.instance()->module);
  try {
    attr->declared = annotated_type(*frame_->unit, *annotation);
    attr->by_constructor = true;
  } catch (const Error&) {
    if (!ignorable) throw;
  }
}

void Elaborator::run_augmented(const Stmt& s) {
  const Expr& target = *s.targets[0];
  Py left = eval(target);
  Py right = eval(*s.value);
  if (PySeq* list = left.seq(); list && list->list && s.sign == Sign::Add) {
    for (Py& item : iterate(right, *s.value)) list->items.push_back(item);
    return;
  }
  Expr at;
  at.begin = s.begin;
  at.end = s.value->end;
  Py result = binary_of(s.sign, left, right, at);
  if (left.is_tensor() && result.is_tensor()) {
    copy_into(left.value()->as_tensor(), result.value()->as_tensor());
    return;
  }
  assign(target, result);
}

void Elaborator::assign(const Expr& target, const Py& value) {
  step(target);
  if (target.is(ExprKind::Name)) {
    frame_->locals[target.text] = value;
  } else if (target.is(ExprKind::Attribute)) {
    Py of = eval(*target.kids[0]);
    if (target.text == "data" && of.is_tensor() && value.is_tensor())
      return copy_into(of.value()->as_tensor(), value.value()->as_tensor());
    if (target.text == "requires_grad" && of.is_tensor())
      return want_gradient(of, truth(value, target));
    if (!of.instance())
      wrong(target, "only attributes of objects can be assigned in a constructor");
    const ClassPlace& place = of.instance()->place;
    if (has_option(place.syntax->decorators, "dataclass", "frozen"))
      wrong(target, frozen_text(place));
    if (MethodPlace setter = program_.find_setter(place, target.text)) {
      call_function(setter, &of, {{value}, {}}, target);
      return;
    }
    set_attr(*of.instance(), target.text, value, target);
  } else if (target.is(ExprKind::Subscript)) {
    assign_item(target, value);
  } else {
    std::vector<Py> items = iterate(value, target);
    if (items.size() != target.kids.size())
      wrong(target, fmt::format("{} values are unpacked into {} targets", items.size(),
                                target.kids.size()));
    for (size_t i = 0; i < items.size(); ++i) assign(*target.kids[i], items[i]);
  }
}

void Elaborator::assign_item(const Expr& target, const Py& value) {
  Py of = eval(*target.kids[0]);
  const Expr& index = *target.kids[1];
  if (PyDict* dict = of.dict()) {
    return put(*dict, eval(index), value, index);
  }
  if (Instance* self = of.instance(); self && self->container != Container::None) {
    Py key = eval(index);
    std::string name = key.is_str() ? key.value()->as_str() : std::to_string(integer(key, index));
    return set_item(*this, *self, name, value, target);
  }
  if (PySeq* list = of.seq(); list && list->list) {
    int64_t count = static_cast<int64_t>(list->items.size());
    int64_t i = integer(eval(index), index);
    if (i < -count || i >= count)
      wrong(index, fmt::format("list index {} is out of range for {} items", i, count));
    list->items[static_cast<size_t>(i < 0 ? i + count : i)] = value;
    return;
  }
  if (!of.is_tensor()) wrong(target, "items of lists, dicts and tensors can be assigned");
  Py place = subscript(target);
  if (!place.is_tensor()) wrong(target, "not a place in a tensor");
  Tensor into = place.value()->as_tensor();
  if (value.is_tensor()) return copy_into(into, value.value()->as_tensor());
  IValue number = value_of(value, target);
  if (!number.is_number()) wrong(target, "an element of a tensor is a number");
  for (int64_t i = 0; i < into.numel(); ++i) set_element(into, i, number.as_double());
}

}  // namespace fusillade::front

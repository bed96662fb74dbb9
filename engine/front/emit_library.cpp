// Calls of functions of the library, which engine/front/nn holds as text.
//
// One whose body is an expression, perhaps behind assertions, is written out where it is called:
// its parameters are names of the values given, of the types that these have. So types and
// constants decide its conditions, calls on constants are computed, and what is left is an op as a
// rule:
//
//   F.relu(x)                        torch.relu(x)
//   F.mse_loss(x, y, reduction=s)    torch.mse_loss(x, y, _reduction(s, None, None))
//
// Whatever it emits, and what is wrong with it, lies at the call. Any other is compiled and called.
#include <algorithm>
#include <utility>

#include "engine/front/class.h"
#include "engine/ir/interpret.h"
#include "engine/ops/text.h"

namespace fusillade::front {
namespace {

bool is_constant(const Value* v) { return v->node()->is(prim::constant()); }

// Is it an expression, perhaps behind assertions?
bool is_written_out(const Function& f) {
  const bool ends = !f.body.empty() && f.body.back()->kind == StmtKind::Return &&
                    f.body.back()->value && f.errors.empty();
  return ends && std::all_of(f.body.begin(), f.body.end() - 1,
                             [](const StmtPtr& s) { return s->kind == StmtKind::Assert; });
}

// Final[bool]
bool is_final(const Parameter& p) {
  return p.annotation && p.annotation->is(ExprKind::Subscript) &&
         p.annotation->kids[0]->is_name("Final");
}

}  // namespace

// While a function of the library is written out: its text, and no names but its parameters.
class Emitter::Inside {
 public:
  Inside(Emitter& of, Unit& unit, const Expr& at)
      : of_(of),
        unit_(std::exchange(of.unit_, &unit)),
        site_(std::exchange(of.site_, &of.site(at))),
        hint_(std::exchange(of.choice_hint_, nullptr)),
        fresh_(std::exchange(of.fresh_, false)),
        scopes_(std::exchange(of.scopes_, Scopes())) {
    of.scopes_.push();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    of_.unit_ = unit_;
    of_.site_ = site_;
    of_.choice_hint_ = hint_;
    of_.fresh_ = fresh_;
    of_.scopes_ = std::move(scopes_);
  }

 private:
  Emitter& of_;
  Unit* unit_;
  const Expr* site_;
  const Type* hint_;
  bool fresh_;
  Scopes scopes_;
};

Value* Emitter::library_call(const std::string& path, std::vector<Argument> args, const Expr& e) {
  MethodPlace place = unit_->program().library_function(path);
  return place ? library_call(*place.cls.unit, *place.function, std::move(args), e) : nullptr;
}

// An int counts as a float where one is wanted, as in Python.
Value* Emitter::library_call(Unit& unit, const Function& f, std::vector<Argument> args,
                             const Expr& e) {
  const bool written_out = is_written_out(f);
  const Schema& schema =
      written_out ? unit.schema_of(f) : unit.callee(f.name, function_.source, site(e)).schema;
  for (size_t i = 0; i < args.size(); ++i) {
    for (size_t k = 0; k < schema.args.size(); ++k) {
      const bool here = args[i].keyword.empty() ? i == k : args[i].keyword == schema.args[k].name;
      if (!here) continue;
      const bool as_written = e.is(ExprKind::Call) && e.kids.size() == args.size() + 1;
      if (is_final(f.parameters[k]) && !is_constant(args[i].value))
        wrong(as_written ? *e.kids[i + 1] : e,
              fmt::format("'{}' is True or False as it is written: it decides what the call gives",
                          f.parameters[k].name));
      args[i].value = as_floats(args[i].value, schema.args[k].type, e);
    }
  }
  if (written_out) return write_out(unit, f, schema, args, e);
  return compiled_call(unit.callee(f.name, function_.source, site(e)),
                       unit.program().qualified_function(unit, f.name), std::move(args), e);
}

Value* Emitter::write_out(Unit& unit, const Function& f, const Schema& schema,
                          const std::vector<Argument>& args, const Expr& e) {
  std::string why;
  std::optional<Fit> found = fit(schema, args, Round::Implicit, &why);
  if (!found) found = fit(schema, args, Round::Boolean, nullptr);
  if (!found) wrong(e, fmt::format("the call does not fit {}: {}", schema.text(), why));
  const std::vector<Value*> given = realise(schema, *found, e);
  const Inside inside(*this, unit, e);
  for (size_t i = 0; i < given.size(); ++i)
    scopes_.set(schema.args[i].name, {given[i], std::nullopt, ""});
  for (size_t i = 0; i + 1 < f.body.size(); ++i) {
    const Stmt& s = *f.body[i];
    if (static_condition(*s.value) == false) wrong(e, s.message ? s.message->text : "");
    assert_true(s);
  }
  return emit(*f.body.back()->value);
}

// The result on constants; null where these are not all constants, or it is no number and no text.
Value* Emitter::compute(const Compiled& callee, const std::vector<Value*>& inputs, const Expr& e) {
  const bool plain = callee.result.is(TypeKind::Int) || callee.result.is(TypeKind::Bool) ||
                     callee.result.is(TypeKind::Float) || callee.result.is(TypeKind::Str);
  if (!plain || !std::all_of(inputs.begin(), inputs.end(), &is_constant)) return nullptr;
  std::vector<IValue> values;
  for (const Value* v : inputs) values.push_back(v->node()->constant());
  try {
    return constant(interpret(*callee.graph, values).at(0), e);
  } catch (const Error& error) {
    wrong(e, error.what());
  }
}

// Of a literal, or of a parameter that was given a constant.
std::optional<IValue> Emitter::known_value(const Expr& e) const {
  if (!e.is(ExprKind::Name)) return literal_value(e);
  const Value* v = scopes_.value(e.text);
  return v && is_constant(v) ? std::optional<IValue>(v->node()->constant()) : std::nullopt;
}

// A flag that is constant, or == of two constants.
std::optional<bool> Emitter::known_condition(const Expr& e) const {
  if (e.is(ExprKind::Name)) {
    const std::optional<IValue> flag = known_value(e);
    return flag && flag->is_bool() ? std::optional<bool>(flag->as_bool()) : std::nullopt;
  }
  if (!e.is(ExprKind::Compare) || e.words != std::vector<std::string>{"=="}) return std::nullopt;
  const std::optional<IValue> a = known_value(*e.kids[0]), b = known_value(*e.kids[1]);
  return a && b ? std::optional<bool>(equal_values(*a, *b)) : std::nullopt;
}

}  // namespace fusillade::front

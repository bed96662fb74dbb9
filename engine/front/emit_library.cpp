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
#include "engine/front/dotted.h"
#include "engine/front/emit_call.h"
#include "engine/front/emit_condition.h"
#include "engine/front/emit_raise.h"
#include "engine/ir/interpret.h"

namespace fusillade::front {
namespace {

// Is it an expression, perhaps behind assertions?
bool is_written_out(const Function& f) {
  const bool ends = !f.body.empty() && f.body.back()->kind == StmtKind::Return &&
                    f.body.back()->value && f.errors.empty();
  return ends && std::all_of(f.body.begin(), f.body.end() - 1,
                             [](const StmtPtr& s) { return s->kind == StmtKind::Assert; });
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
        scopes_(std::exchange(of.scopes_, Scopes())) {
    of.scopes_.push();
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    of_.unit_ = unit_;
    of_.site_ = site_;
    of_.choice_hint_ = hint_;
    of_.scopes_ = std::move(scopes_);
  }

 private:
  Emitter& of_;
  Unit* unit_;
  const Expr* site_;
  const Type* hint_;
  Scopes scopes_;
};

Value* CallEmitter::library_call(const std::string& path, std::vector<Argument> args,
                                 const Expr& e) {
  MethodPlace place = to_.program().library_function(path);
  return place ? library_call(*place.cls.unit, *place.function, std::move(args), e) : nullptr;
}

// An int counts as a float where one is wanted, as in Python.
Value* CallEmitter::library_call(Unit& unit, const Function& f, std::vector<Argument> args,
                                 const Expr& e) {
  const bool written_out = is_written_out(f);
  const Schema& schema =
      written_out ? unit.schema_of(f) : unit.callee(f.name, to_.source(), to_.site(e)).schema;
  for (size_t i = 0; i < args.size(); ++i) {
    for (size_t k = 0; k < schema.args.size(); ++k) {
      const bool here = args[i].keyword.empty() ? i == k : args[i].keyword == schema.args[k].name;
      if (!here) continue;
      const bool as_written = e.is(ExprKind::Call) && e.kids.size() == args.size() + 1;
      if (f.parameters[k].annotation && is_final(*f.parameters[k].annotation) &&
          !is_constant(args[i].value))
        to_.wrong(
            as_written ? *e.kids[i + 1] : e,
            fmt::format("'{}' is True or False as it is written: it decides what the call gives",
                        f.parameters[k].name));
      args[i].value = to_.as_floats(args[i].value, schema.args[k].type, e);
    }
  }
  if (written_out) return write_out(unit, f, schema, args, e);
  return compiled_call(unit.callee(f.name, to_.source(), to_.site(e)),
                       unit.program().qualified_function(unit, f.name), std::move(args), e);
}

Value* CallEmitter::write_out(Unit& unit, const Function& f, const Schema& schema,
                              const std::vector<Argument>& args, const Expr& e) {
  const std::vector<Value*> given = to_.fit_arguments(schema, args, e, true);
  const Emitter::Inside inside(to_, unit, e);
  for (size_t i = 0; i < given.size(); ++i)
    to_.scopes().set(schema.args[i].name, {given[i], std::nullopt, ""});
  for (size_t i = 0; i + 1 < f.body.size(); ++i) {
    const Stmt& s = *f.body[i];
    if (to_.conditions().static_condition(*s.value) == false)
      to_.wrong(e, s.message ? s.message->text : "");
    assert_statement(to_, s);
  }
  return to_.emit(*f.body.back()->value);
}

// The result on constants; null where these are not all constants, or it is no number and no text.
Value* CallEmitter::compute(const Compiled& callee, const std::vector<Value*>& inputs,
                            const Expr& e) {
  const bool plain = callee.result.is(TypeKind::Int) || callee.result.is(TypeKind::Bool) ||
                     callee.result.is(TypeKind::Float) || callee.result.is(TypeKind::Str);
  if (!plain || !std::all_of(inputs.begin(), inputs.end(), &is_constant)) return nullptr;
  std::vector<IValue> values;
  for (const Value* v : inputs) values.push_back(v->node()->constant());
  try {
    return to_.constant(interpret(*callee.graph, values).at(0), e);
  } catch (const Error& error) {
    to_.wrong(e, error.what());
  }
}

}  // namespace fusillade::front

// Calls: functions of torch, of torch.nn.functional and of math, methods, Python's built-in
// functions, and functions of the same file.
#include <algorithm>

#include "engine/base/text.h"
#include "engine/front/emit.h"

namespace fusillade::front {
namespace {

std::string supported_builtins() {
  return "range (in for), int, float, bool, " + join(builtin_names(), ", ");
}

}  // namespace

// The dotted path of a name that stands for a module or something in it; empty for values.
std::string Emitter::module_path(const Expr& e) const {
  if (e.is(ExprKind::Attribute)) {
    std::string base = module_path(*e.kids[0]);
    return base.empty() ? base : base + "." + e.text;
  }
  return e.is(ExprKind::Name) && !scopes_.find(e.text) ? unit_.path(e) : "";
}

std::vector<Argument> Emitter::arguments(const Expr& e) {
  return arguments(e, Schema(), 0);
}

Value* Emitter::call(const Expr& e) {
  const Expr& callee = *e.kids[0];
  if (Value* v = class_call(e)) return v;
  std::string path = module_path(callee);
  if (path == "torch.jit.annotate" && e.kids.size() == 3) {
    Type type = annotated_type(unit_, *e.kids[1]);
    return emit(*e.kids[2], &type);
  }
  if (!path.empty()) return module_call(path, e);
  if (callee.is(ExprKind::Attribute)) return method(e);
  if (!callee.is(ExprKind::Name)) wrong(callee, "only functions and methods are called by name");
  if (scopes_.find(callee.text))
    wrong(callee, fmt::format("'{}' is a value and cannot be called", callee.text));
  if (unit_.has_function(callee.text)) return user_call(callee.text, e);
  return builtin(callee.text, e);
}

Value* Emitter::method(const Expr& e) {
  const Expr& callee = *e.kids[0];
  std::vector<Argument> args{{emit(*callee.kids[0]), ""}};
  const Type& self = args[0].value->type();
  if (self.is(TypeKind::Class)) return object_call(args[0].value, callee.text, e);
  std::optional<DType> dtype = converting_method(callee.text);
  if (dtype && self.is_tensor() && e.kids.size() == 1) {
    args.push_back({constant(IValue(row_of(*dtype).aten_code), e), ""});
    return rows(op::kTo, args, e);
  }
  std::string base = method_op(callee.text);
  if (overloads(base).empty()) {
    wrong(e, fmt::format("'{}' has no method '{}'{}", self.text(), callee.text,
                         near_misses(callee.text, op_names())));
  }
  for (Argument& a : arguments(e)) args.push_back(std::move(a));
  return rows(base, args, e);
}

Value* Emitter::module_call(const std::string& path, const Expr& e) {
  std::string base = module_op(path);
  if (base.empty()) {
    wrong(*e.kids[0],
          fmt::format("'{}' cannot be called; functions of torch, torch.nn.functional and math can",
                      path));
  }
  std::vector<Argument> args;
  bool in_place = false;
  for (size_t i = 1; i < e.kids.size(); ++i) {
    const Expr& kid = *e.kids[i];
    if (e.words[i - 1] != "inplace") {
      args.push_back({emit(kid), e.words[i - 1]});
      continue;
    }
    if (!kid.is(ExprKind::True) && !kid.is(ExprKind::False))
      wrong(kid, "'inplace' is True or False");
    in_place = kid.is(ExprKind::True);
  }
  return rows(base + (in_place ? "_" : ""), args, e);
}

Value* Emitter::builtin(const std::string& name, const Expr& e) {
  if (name == "int" || name == "float" || name == "bool") return cast(name, e);
  if (name == "range") wrong(e, "range(...) stands only in 'for ... in range(...)'");
  std::vector<std::string> known = builtin_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    std::vector<Argument> args = arguments(e);
    if (Value* v = args.size() == 1 ? class_builtin(name, args[0].value, e) : nullptr) return v;
    bool tuple = !args.empty() && args[0].value->type().is(TypeKind::Tuple);
    if (name == "len" && tuple) {
      return constant(IValue(static_cast<int64_t>(args[0].value->type().elements().size())), e);
    }
    std::vector<std::string> bases =
        builtin_ops(name, !args.empty() && args[0].value->type().is_tensor());
    bool second = bases.size() > 1 && overloads(bases[0]).empty();
    return rows(bases[second ? 1 : 0], args, e);
  }
  for (const std::string& f : unit_.function_names()) known.push_back(f);
  wrong(*e.kids[0],
        fmt::format("unknown function '{}'{}; supported are the functions of this file, torch.*, "
                    "torch.nn.functional.*, math.*, methods, and {}",
                    name, near_misses(name, known), supported_builtins()));
}

Value* Emitter::cast(const std::string& name, const Expr& e) {
  if (e.kids.size() != 2 || !e.words[0].empty())
    wrong(e, fmt::format("{}() takes one value", name));
  const Expr& kid = *e.kids[1];
  if (name == "float" && kid.is(ExprKind::Str)) {
    double value = 0;
    if (!parse_double(kid.text, &value))
      wrong(kid, "not a float: write float('inf'), float('-inf'), float('nan')");
    return constant(IValue(value), e);
  }
  Value* of = emit(kid);
  if (name == "bool") return to_bool(of, kid);
  bool is_int = name == "int";
  if (of->type().is(is_int ? TypeKind::Int : TypeKind::Float)) return of;
  return apply(is_int ? op::kInt : op::kFloat, {of}, e);
}

Value* Emitter::user_call(const std::string& name, const Expr& e) {
  const Compiled& callee = unit_.callee(name, e);
  return compiled_call(callee, name, arguments(e, callee.schema, 0), e);
}

}  // namespace fusillade::front

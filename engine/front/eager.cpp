// See eager.h.
#include "engine/front/eager.h"

#include <functional>

#include "engine/front/sign.h"
#include "engine/front/spelling.h"
#include "engine/front/trace.h"
#include "engine/ops/device.h"
#include "engine/ops/device_mode.h"

namespace fusillade::eager {
namespace {

using Kind = TraceWarning::Kind;

thread_local bool training_mode = false;

// What the operator computes; an op of a user may call other ops, which are no part of a trace.
std::vector<IValue> run(const Operator& op, const std::vector<Any>& args) {
  LiftModes recorded(ModeKind::Trace);
  std::vector<IValue> values, results;
  for (const Any& a : args) values.push_back(a.value());
  const std::optional<Device> asked = device_asked(op, values);
  const DeviceScope devices(asked && asked->type != DeviceType::Cpu);
  fusillade::call(op, Site{}, values, results);
  return results;
}

// An argument as the schema wants it: one number for a list of them, an int for a float.
Any fit_argument(const Any& a, const SchemaArg& formal) {
  const Type& type = formal.type.is(TypeKind::Optional) ? formal.type.element() : formal.type;
  if (type.is(TypeKind::List) && !a.value().is_sequence() && !a.value().is_none()) {
    size_t count = static_cast<size_t>(std::max(1, formal.fixed_size));
    return Any::list(std::vector<Any>(count, a), type.element());
  }
  if (type.is(TypeKind::Device)) return as_wanted_device(a.value(), type);
  if (type.is(TypeKind::Float) && a.value().is_int()) {
    if (a.mark()) return op(front::op::kFloat, {a});
    return Any(a.value().as_double());
  }
  return a;
}

std::vector<Any> complete_args(const Operator& op, std::vector<Any> args) {
  const Schema& s = op.schema;
  if (s.varargs) return args;
  if (args.size() > s.args.size())
    fail("{}: takes {} arguments, {} given", op.name, s.args.size(), args.size());
  for (size_t i = 0; i < args.size(); ++i) args[i] = fit_argument(args[i], s.args[i]);
  for (size_t i = args.size(); i < s.args.size(); ++i) {
    if (!s.args[i].has_default) fail("{}: argument '{}' is missing", op.name, s.args[i].name);
    args.emplace_back(s.args[i].default_value);
  }
  return args;
}

const Operator& find(std::string_view name, const std::vector<Any>& args) {
  std::string base = name.find("::") == std::string_view::npos ? front::method_op(std::string(name))
                                                               : std::string(name);
  if (base.find('.') != std::string::npos) return operator_named(base);
  std::vector<Type> types;
  for (const Any& a : args) types.push_back(a.value().type());
  return resolve(base, types);
}

const Tensor one_element(const Tensor& t) {
  if (t.numel() != 1) fail("a tensor with one element, given {}", describe(t));
  return t;
}

void warn_baked(Kind kind, const char* what, const char* into, Where at) {
  if (Tracer* tracer = Tracer::current()) {
    tracer->warn(
        kind, fmt::format("{} became a C++ {}: the trace keeps the value of this run", what, into),
        at);
  }
}

bool is_recorded(const Int& i) {
  Tracer* tracer = Tracer::current();
  return tracer && tracer->knows(i.mark());
}

}  // namespace

int64_t Int::read(Where at) const {
  if (is_recorded(*this)) warn_baked(Kind::ToInt, "a size", "integer", at);
  return value_;
}

Any::Any(std::vector<Tensor> tensors) {
  std::vector<Any> items(tensors.begin(), tensors.end());
  *this = list(std::move(items), TypeKind::Tensor);
}

Any::Any(Ints ints) {
  std::vector<Any> items(ints.begin(), ints.end());
  *this = list(std::move(items), TypeKind::Int);
}

Any::Any(Tensor t) {
  if (!t.is_defined())
    fail("an undefined tensor was given: make one with Tensor::empty, zeros or tensor");
  value_ = std::move(t);
}

Any Any::with_mark(IValue value, uint64_t mark) {
  Any out;
  out.value_ = std::move(value);
  out.mark_ = mark;
  return out;
}

Any::Any(IValue value) : value_(std::move(value)) {
  if (!value_.is_sequence()) return;
  for (const IValue& v : value_.items()) items_.emplace_back(v);
}

Any Any::list(std::vector<Any> items, Type element) {
  std::vector<IValue> values;
  for (const Any& a : items) values.push_back(a.value());
  Any out;
  out.value_ = IValue::list(std::move(values), std::move(element));
  out.items_ = std::move(items);
  return out;
}

Any Any::tuple(std::vector<Any> items) {
  std::vector<IValue> values;
  for (const Any& a : items) values.push_back(a.value());
  Any out;
  out.value_ = IValue::tuple(std::move(values));
  out.items_ = std::move(items);
  return out;
}

Tensor Any::tensor() const {
  if (!value_.is_tensor()) fail("a tensor is wanted, given {}", describe(value_));
  return value_.as_tensor();
}

Int Any::integer() const {
  if (!value_.is_int()) fail("an int is wanted, given {}", describe(value_));
  return Int::with_mark(value_.as_int(), mark_);
}

std::vector<Any> Any::items() const {
  if (!value_.is_sequence()) fail("a list or tuple is wanted, given {}", describe(value_));
  Tracer* tracer = Tracer::current();
  if (mark_ && tracer && tracer->knows(mark_)) return tracer->unpack(*this);
  if (items_.size() == value_.items().size()) return items_;
  return {value_.items().begin(), value_.items().end()};
}

std::vector<Tensor> Any::tensors() const {
  std::vector<Tensor> out;
  for (const Any& a : items()) out.push_back(a.tensor());
  return out;
}

std::vector<Any> call(const Operator& op, std::vector<Any> args, Where at) {
  args = complete_args(op, std::move(args));
  Tracer* tracer = Tracer::current();
  std::vector<Value*> operands;
  if (tracer) operands = tracer->operands(args, at);
  std::vector<IValue> values = run(op, args);
  std::vector<Any> results(values.begin(), values.end());
  if (tracer) tracer->calls(op, operands, args, results, at);
  return results;
}

Any op(std::string_view name, std::vector<Any> args, Where at) {
  const Operator& op = find(name, args);
  std::vector<Any> results = call(op, std::move(args), at);
  if (results.empty()) return {};
  return results.size() == 1 ? results[0] : Any::tuple(std::move(results));
}

bool truth(const Tensor& t, Where at) {
  warn_baked(Kind::ToBool, "a tensor", "bool", at);
  return element_as_double(one_element(t), 0) != 0;
}

int64_t integer(const Tensor& t, Where at) {
  warn_baked(Kind::ToInt, "a tensor", "integer", at);
  return element_as_int(one_element(t), 0);
}

double number(const Tensor& t, Where at) {
  warn_baked(Kind::ToFloat, "a tensor", "double", at);
  return element_as_double(one_element(t), 0);
}

std::vector<Tensor> iterate(const Tensor& t, Where at) {
  if (Tracer* tracer = Tracer::current()) {
    tracer->warn(Kind::Iterating,
                 "a loop over a tensor: the trace keeps as many iterations as it had rows", at);
  }
  return op("unbind", {t, 0}, at).tensors();
}

Tensor tensor(const std::vector<double>& data, DType dtype, Where at) {
  Tensor out = Tensor::empty({static_cast<int64_t>(data.size())}, dtype);
  for (size_t i = 0; i < data.size(); ++i) set_element(out, static_cast<int64_t>(i), data[i]);
  Tracer* tracer = Tracer::current();
  if (!tracer) return out;
  tracer->warn(Kind::ConstantData, "a tensor made from C++ data is a constant of the trace", at);
  return clone(out, at);  // each run writes its own
}

Int size(const Tensor& t, int64_t dim, Where at) { return op("size", {t, dim}, at).integer(); }

Ints sizes(const Tensor& t, Where at) {
  Ints out;
  for (int d = 0; d < t.rank(); ++d) out.push_back(size(t, d, at));
  return out;
}

Int numel(const Tensor& t, Where at) { return op("numel", {t}, at).integer(); }

bool training() { return training_mode; }
TrainingScope::TrainingScope(bool on) : saved_(training_mode) { training_mode = on; }
TrainingScope::~TrainingScope() { training_mode = saved_; }

Any infix(std::string_view spelling, const Any& left, const Any& right, Where at) {
  bool tensor_left = left.value().is_tensor();
  const char* base = front::op_of(front::sign_of(spelling), tensor_left);
  FUS_CHECK(base, "no operator '{}'", spelling);
  if (tensor_left || !right.value().is_tensor()) return op(base, {left, right}, at);
  const front::Turned* turned = front::turned_op(base);
  if (!turned) fail("a number {} a tensor: write the tensor first", spelling);
  Any tensor = turned->first ? op(turned->first, {right}, at) : right;
  return op(turned->second, {tensor, left}, at);
}

bool compare(std::string_view spelling, Int left, Int right, Where at) {
  if (is_recorded(left) || is_recorded(right))
    warn_baked(Kind::ToBool, "a comparison of sizes", "bool", at);
  int64_t a = left.peek(), b = right.peek();
  if (spelling == "<") return a < b;
  if (spelling == "<=") return a <= b;
  if (spelling == ">") return a > b;
  if (spelling == ">=") return a >= b;
  return (a == b) == (spelling == "==");
}

Any call_graph(const Graph& callee, const std::string& name, std::vector<Any> args,
               const std::function<IValue(const std::vector<IValue>&)>& run, Where at) {
  Tracer* tracer = Tracer::current();
  std::vector<Value*> operands;
  if (tracer) operands = tracer->operands(args, at);
  std::vector<IValue> values;
  for (const Any& a : args) values.push_back(a.value());
  Any result;
  {
    LiftModes recorded(ModeKind::Trace);
    result = Any(run(values));
  }
  if (tracer) tracer->calls_graph(callee, name, operands, args, result, at);
  return result;
}

}  // namespace fusillade::eager

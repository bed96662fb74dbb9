// Prims: structure and control flow. Executors understand those with blocks; the others run like
// any operator.
#include "engine/ops/operator.h"

namespace fusillade {
namespace {

void run_list(const Operator&, const Site& site, std::span<const IValue> args,
              std::vector<IValue>& results) {
  std::vector<IValue> items(args.begin(), args.end());
  if (site.type)
    return void(results.push_back(IValue::list(std::move(items), site.type->element())));
  Type element = items.empty() ? Type(TypeKind::Tensor) : items[0].type().without_shapes();
  results.push_back(IValue::list(std::move(items), element));
}

void infer_list(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  Type element = args.empty() ? Type(TypeKind::Tensor) : args[0].type.without_shapes();
  results.push_back(Type::list(element));
}

void run_tuple(const Operator&, std::span<const IValue> args, std::vector<IValue>& results) {
  results.push_back(IValue::tuple({args.begin(), args.end()}));
}

void infer_tuple(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  std::vector<Type> elements;
  for (const ArgInfo& a : args) elements.push_back(a.type);
  results.push_back(Type::tuple(std::move(elements)));
}

void run_unpack(const Operator&, const Site& site, std::span<const IValue> args,
                std::vector<IValue>& results) {
  const std::vector<IValue>& items = args[0].items();
  int count = static_cast<int>(items.size());
  if (site.results >= 0 && count != site.results)
    fail("ValueError: {} values to unpack, {} wanted", count, site.results);
  results.insert(results.end(), items.begin(), items.end());
}

void infer_tuple_unpack(const Operator& op, std::span<const ArgInfo> args,
                        std::vector<Type>& results) {
  if (!args[0].type.is(TypeKind::Tuple)) fail("{} of a {}", op.name, args[0].type.text());
  results = args[0].type.elements();
}

void run_raise(const Operator&, std::span<const IValue> args, std::vector<IValue>&) {
  fail("{}", args[0].as_str());
}

// A true value of the type, for what the program never looks at; None where there is no plain one.
IValue dummy_value(const Type& type) {
  switch (type.kind()) {
    case TypeKind::Int:
    case TypeKind::Number:
      return IValue(0);
    case TypeKind::Float:
      return IValue(0.0);
    case TypeKind::Bool:
      return IValue(false);
    case TypeKind::Str:
      return IValue::str("");
    case TypeKind::Device:
      return Device();
    case TypeKind::Tensor:
      return Tensor::zeros({0}, DType::F32);
    case TypeKind::List:
      return IValue::list({}, type.element());
    case TypeKind::Dict:
      return IValue::dict(type.key(), type.value_type());
    case TypeKind::Tuple: {
      std::vector<IValue> items;
      for (const Type& t : type.elements()) items.push_back(dummy_value(t));
      return type.class_type() ? IValue::named_tuple(std::move(items), type)
                               : IValue::tuple(std::move(items));
    }
    default:
      return IValue();
  }
}

void run_uninitialized(const Operator&, const Site& site, std::span<const IValue>,
                       std::vector<IValue>& results) {
  results.push_back(dummy_value(*site.type));
}

Operator prim_operator(const char* schema) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "prims";
  r.generate = false;
  return r;
}

const Operator& add(Operator op) { return OperatorTable::instance().add(std::move(op)); }

const Operator& plain(const char* schema) { return add(prim_operator(schema)); }

const Operator& running(const char* schema, RunFn run, RunAtFn run_at, InferFn infer) {
  Operator r = prim_operator(schema);
  r.run = run;
  r.run_at = run_at;
  r.infer = infer;
  return add(std::move(r));
}

// Its result's type is the node's: two of them are never the same.
const Operator& uninitialized_operator() {
  Operator r = prim_operator("prim::Uninitialized() -> Any");
  r.run_at = &run_uninitialized;
  r.nondeterministic = true;
  return add(std::move(r));
}

const Operator& raise_operator() {
  Operator r = prim_operator("prim::RaiseException(str message, str? cls=None) -> ()");
  r.run = &run_raise;
  r.side_effect = true;
  return add(std::move(r));
}

const Operator* const kRegistered[] = {
    &plain("prim::Param() -> ..."),
    &plain("prim::Return(...) -> ..."),
    &plain("prim::Constant() -> Any"),
    &plain("prim::If(bool condition) -> ..."),
    &plain("prim::Loop(int trip, bool condition, ...) -> ..."),
    &plain("prim::CallFunction(...) -> ..."),
    &plain("prim::TensorExprGroup(...) -> ..."),
    &plain("prim::DifferentiableGraph(...) -> ..."),
    &plain("prim::FallbackGraph(...) -> ..."),
    &uninitialized_operator(),
    &running("prim::ListConstruct(...) -> Any[]", nullptr, &run_list, &infer_list),
    &running("prim::ListUnpack(t[] list) -> ...", nullptr, &run_unpack, nullptr),
    &running("prim::TupleConstruct(...) -> Any", &run_tuple, nullptr, &infer_tuple),
    &running("prim::TupleUnpack(Any tuple) -> ...", nullptr, &run_unpack, &infer_tuple_unpack),
    &raise_operator(),
};

}  // namespace
}  // namespace fusillade

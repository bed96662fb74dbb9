// Prims: structure and control flow. Executors understand those with blocks; the others run like any row.
#include "engine/ops/row.h"

namespace fusillade {
namespace {

void run_list(const Row&, std::span<const IValue> args, std::vector<IValue>& results) {
  std::vector<IValue> items(args.begin(), args.end());
  Type element = items.empty() ? Type(TypeKind::Tensor) : items[0].type().unshaped();
  results.push_back(IValue::list(std::move(items), element));
}

void infer_list(const Row&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  Type element = args.empty() ? Type(TypeKind::Tensor) : args[0].type.unshaped();
  results.push_back(Type::list(element));
}

void run_tuple(const Row&, std::span<const IValue> args, std::vector<IValue>& results) {
  results.push_back(IValue::tuple({args.begin(), args.end()}));
}

void infer_tuple(const Row&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  std::vector<Type> elements;
  for (const ArgInfo& a : args) elements.push_back(a.type);
  results.push_back(Type::tuple(std::move(elements)));
}

void run_unpack(const Row&, std::span<const IValue> args, std::vector<IValue>& results) {
  for (const IValue& v : args[0].items()) results.push_back(v);
}

void infer_tuple_unpack(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  if (!args[0].type.is(TypeKind::Tuple)) fail("{} of a {}", row.name, args[0].type.text());
  results = args[0].type.elements();
}

void run_raise(const Row&, std::span<const IValue> args, std::vector<IValue>&) {
  fail("{}", args[0].as_str());
}

Row prim_row(const char* schema) {
  Row r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "prims";
  r.generate = false;
  return r;
}

const Row& add(Row row) { return RowTable::instance().add(std::move(row)); }

const Row& plain(const char* schema) { return add(prim_row(schema)); }

const Row& running(const char* schema, RunFn run, InferFn infer) {
  Row r = prim_row(schema);
  r.run = run;
  r.infer = infer;
  return add(std::move(r));
}

const Row& raise_row() {
  Row r = prim_row("prim::RaiseException(str message, str? cls=None) -> ()");
  r.run = &run_raise;
  r.side_effect = true;
  return add(std::move(r));
}

const Row* const kRegistered[] = {
    &plain("prim::Param() -> ..."),
    &plain("prim::Return(...) -> ..."),
    &plain("prim::Constant() -> Any"),
    &plain("prim::If(bool condition) -> ..."),
    &plain("prim::Loop(int trip, bool condition, ...) -> ..."),
    &plain("prim::CallFunction(...) -> ..."),
    &plain("prim::TensorExprGroup(...) -> ..."),
    &plain("prim::Uninitialized() -> Any"),
    &running("prim::ListConstruct(...) -> Any[]", &run_list, &infer_list),
    &running("prim::ListUnpack(t[] list) -> ...", &run_unpack, nullptr),
    &running("prim::TupleConstruct(...) -> Any", &run_tuple, &infer_tuple),
    &running("prim::TupleUnpack(Any tuple) -> ...", &run_unpack, &infer_tuple_unpack),
    &raise_row(),
};

}  // namespace
}  // namespace fusillade

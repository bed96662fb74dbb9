// prim::TupleIndex: one element of a tuple by a constant index, negative ones from the end.
#include "engine/ops/operator.h"

namespace fusillade {
namespace {

size_t wrapped_index(int64_t index, size_t count) {
  int64_t n = static_cast<int64_t>(count);
  int64_t i = index < 0 ? index + n : index;
  if (i < 0 || i >= n) fail("index {} is out of range for a tuple of {}", index, n);
  return static_cast<size_t>(i);
}

void run_tuple_index(const Operator&, std::span<const IValue> args, std::vector<IValue>& results) {
  const std::vector<IValue>& items = args[0].items();
  results.push_back(items[wrapped_index(args[1].as_int(), items.size())]);
}

void infer_tuple_index(const Operator& op, std::span<const ArgInfo> args,
                       std::vector<Type>& results) {
  if (!args[0].type.is(TypeKind::Tuple)) fail("{} of a {}", op.name, args[0].type.text());
  if (!args[1].known) fail("{}: the index must be a constant", op.name);
  const std::vector<Type>& elements = args[0].type.elements();
  results.push_back(elements[wrapped_index(args[1].value.as_int(), elements.size())]);
}

Operator tuple_index() {
  Operator r;
  r.schema = parse_schema("prim::TupleIndex(Any tuple, int index) -> Any");
  r.name = r.schema.full_name();
  r.kind = OpKind::Prim;
  r.family = "prims";
  r.generate = false;
  r.run = &run_tuple_index;
  r.infer = &infer_tuple_index;
  return r;
}

const Operator& kTupleIndex = OperatorTable::instance().add(tuple_index());

}  // namespace
}  // namespace fusillade

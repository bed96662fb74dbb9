// What saved modules of torch.nn ask of PyTorch around them: autocast mode, warnings.
//
// Casts of torch.autocast are nodes (front/emit_autocast.cpp), so that mode is off. A warning goes
// to stderr, each time it is met. Nested tensors do not exist: their operators are there so that
// modules which name them load.
#include <cstdio>

#include "engine/ops/opaque_operator.h"
#include "engine/ops/scalar_operator.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "ambient";

// The sizes of a result of both, as broadcasting makes them.
IValue infer_size(Values v) {
  Dims sizes[2];
  for (size_t i = 0; i < 2; ++i)
    for (const IValue& item : v[i].items()) sizes[i].push_back(item.as_int());
  std::vector<IValue> items;
  for (int64_t size : broadcast(sizes[0], sizes[1])) items.emplace_back(size);
  return IValue::list(std::move(items), TypeKind::Int);
}

void run_warn(const Operator&, Values v, std::vector<IValue>&) {
  std::string line = "warning: " + v[0].as_str() + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// What torch.nn.functional.normalize writes into `out`, which has its result's size there.
void run_div_out(const Operator& op, Values v, std::vector<IValue>& results) {
  IValue quotient = call(fusillade::operator_named("aten::div.Tensor"), v.first(2)).at(0);
  if (!(quotient.as_tensor().sizes() == v[2].as_tensor().sizes()))
    decline("{}: out of another size is not supported", op.name);
  const IValue copied[] = {v[2], quotient};
  results = call(fusillade::operator_named("aten::copy_"), copied);
}

void infer_out(const Operator&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  results.push_back(args[2].type);
}

void run_nested(const Operator& op, Values, std::vector<IValue>&) {
  decline("{}: nested tensors are not supported", op.name);
}

void add_nested(const char* schema) {
  Operator r = opaque_operator(schema, kFamily, &run_nested, &infer_bound);
  r.nondeterministic = true;  // its result is never seen
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  ScalarOptions plain;
  plain.generate = false;
  for (const char* mode : {"is_autocast_enabled", "is_autocast_cpu_enabled"})
    add_scalar(
        fmt::format("aten::{}() -> bool", mode), [](Values) { return IValue(false); }, plain);
  add_scalar(
      "aten::_infer_size(int[] a, int[] b) -> int[]", [](Values v) { return infer_size(v); },
      plain);
  OperatorTable::instance().add(
      effect_operator("aten::warn(str message, int stacklevel=2) -> ()", kFamily, &run_warn));
  OperatorTable::instance().add(
      opaque_operator("aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
                      kFamily, &run_div_out, &infer_out));
  add_nested(
      "aten::_nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor");
  add_nested("aten::_nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool");
  add_nested(
      "aten::to_padded_tensor(Tensor self, float padding, int[]? output_size=None) -> Tensor");
  return true;
}();

}  // namespace
}  // namespace fusillade

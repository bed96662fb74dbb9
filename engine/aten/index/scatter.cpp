// Writing and adding along one dimension: scatter, scatter_add, index_add, index_fill, index_copy.
//
// The in-place operators are prims: prim::scatter_set_ moves elements, prim::scatter_accumulate_
// adds them up. ATen's operators are bodies over these; those without "_" clone first.
#include <algorithm>

#include "engine/aten/index/index.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_operator.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "index";

void need_one_dtype(const Operator& op, DType self, DType source) {
  if (self == source) return;
  fail("{}: self and source must have one dtype, got {} and {}", op.schema.name, name_of(self),
       name_of(source));
}

// self, dim, index, source: source's element at index's position goes where gather would read.
Scatter along_index(const Operator& op, Values args) {
  Scatter plan;
  plan.self = args[0].as_tensor();
  Tensor index = args[2].as_tensor();
  Tensor source = args[3].as_tensor();
  need_writable(op, plan.self);
  need_one_dtype(op, plan.self.dtype(), source.dtype());
  plan.indices = gather_indices(op, plan.self, args[1].as_int(), index);
  bool fits = std::max(source.rank(), 1) == std::max(index.rank(), 1);
  for (int d = 0; fits && d < index.rank(); ++d)
    fits = index.sizes()[d] <= (source.rank() ? source.sizes()[d] : 1);
  if (!fits && index.numel() > 0) {
    fail("{}: an index of {} does not fit a source of {}", op.schema.name, to_string(index.sizes()),
         to_string(source.sizes()));
  }
  Dims strides = source.rank() == index.rank() ? source.strides() : Dims(index.rank());
  if (index.numel() == 0) plan.values = Tensor::empty(index.sizes(), source.dtype());
  else plan.values = Tensor::view_of(source, source.offset(), index.sizes(), strides);
  return plan;
}

// self, dim, index, source: slice i of source goes to slice index[i] of self. A number is a vector
// of one element, as self and as source.
Scatter to_slices(const Operator& op, Values args) {
  Scatter plan;
  plan.self = args[0].as_tensor();
  Tensor index = args[2].as_tensor();
  Tensor source = args[3].as_tensor();
  need_writable(op, plan.self);
  check_numbers(op, index.dtype(), op.scatter != nullptr);
  need_one_dtype(op, plan.self.dtype(), source.dtype());
  if (index.rank() > 1)
    fail("{}: the index must be a vector, got {}", op.schema.name, to_string(index.sizes()));
  int d = wrap_dim(args[1].as_int(), plan.self.rank());
  Dims wanted = plan.self.sizes();
  if (wanted.rank()) wanted[d] = index.numel();
  else wanted.push_back(index.numel());
  const Dims given = source.rank() ? source.sizes() : Dims{1};
  if (!(given == wanted)) {
    fail("{}: a source of {} where {} is expected, by an index of {}", op.schema.name,
         to_string(source.sizes()), to_string(wanted), to_string(index.sizes()));
  }
  if (!source.rank()) source = Tensor::view_of(source, source.offset(), Dims{1}, Dims{1});
  int64_t size = plan.self.rank() ? plan.self.sizes()[d] : 1;
  int64_t step = plan.self.rank() ? plan.self.strides()[d] : 0;
  Dims outer, outer_strides, inner, inner_strides;
  for (int k = 0; k < plan.self.rank(); ++k) {
    if (k == d) continue;
    (k < d ? outer : inner).push_back(plan.self.sizes()[k]);
    (k < d ? outer_strides : inner_strides).push_back(plan.self.strides()[k]);
  }
  Integers numbers(index);
  for (int64_t n : numbers) check_index(op, n, size, false);
  Walk walk = runs_of(inner, inner_strides);
  plan.indices.run = walk.run;
  if (source.numel() > 0) {
    for_each_element(outer, outer_strides, plan.self.offset(), [&](int64_t start) {
      for (int64_t n : numbers) {
        for_each_element(walk.sizes, walk.strides, start + n * step,
                         [&](int64_t at) { plan.indices.starts.push_back(at); });
      }
    });
  }
  plan.values = source;
  return plan;
}

using ScatterFn = Scatter (*)(const Operator& op, Values args);

template <ScatterFn scatter>
ScatterPlan plan(const Operator& op, Values args) {
  return plan_of(scatter(op, args));
}

template <ScatterFn scatter>
void run_set(const Operator& op, Values args, std::vector<IValue>& results) {
  put(scatter(op, args));
  results.push_back(args[0]);
}

template <ScatterFn scatter>
void run_add(const Operator& op, Values args, std::vector<IValue>& results) {
  run_accumulate(scatter(op, args), args, results);
}

void infer_self(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& source = args[3].type.info();
  if (self.has_dtype && source.has_dtype) need_one_dtype(op, self.dtype, source.dtype);
  results.push_back(args[0].type);
}

// ---------------------------------------------------------------------------- drawing

template <bool slices>
std::vector<ArgRequest> draw(const Operator& op, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == 0) return {};
  int d = static_cast<int>(chooser.between(0, offered->sizes.rank() - 1));
  if (offered->sizes[d] == 0) return {};
  Dims source = offered->sizes;
  for (int k = 0; k < source.rank(); ++k) {
    if (k == d) source[k] = chooser.between(0, 4);
    else if (!slices) source[k] = chooser.between(0, source[k]);
  }
  std::vector<ArgRequest> out{
      ArgRequest::offered_value(), ArgRequest::of(IValue(static_cast<int64_t>(d))),
      ArgRequest::indices(slices ? Dims{source[d]} : source, 0, offered->sizes[d] - 1)};
  if (op.schema.args[3].type.is_tensor()) out.push_back(ArgRequest::tensor(offered->dtype, source));
  else out.push_back(ArgRequest::of(IValue(chooser.between(0, 3))));
  if (op.schema.args.size() == 5)
    out.push_back(ArgRequest::of(IValue(chooser.between(offered->dtype == DType::U8 ? 0 : -1, 2))));
  return out;
}

Operator prim_operator(const std::string& schema, RunFn run) {
  return opaque_operator(schema, kFamily, run, &infer_self,
                         {Role::Default, Role::Default, Role::Indices, Role::Default});
}

[[maybe_unused]] const bool kRegistered = [] {
  for (bool slices : {false, true}) {
    std::string name = slices ? "prim::slices" : "prim::scatter";
    const char* rest = "(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)";
    Operator set = prim_operator(name + "_set_" + rest,
                                 slices ? &run_set<&to_slices> : &run_set<&along_index>);
    set.movement = true;
    OperatorTable::instance().add(std::move(set));
    Operator add = prim_operator(name + "_accumulate_" + rest,
                                 slices ? &run_add<&to_slices> : &run_add<&along_index>);
    add.scatter = slices ? &plan<&to_slices> : &plan<&along_index>;
    OperatorTable::instance().add(std::move(add));
  }
  for (std::string_view name : {"aten::scatter.src", "aten::scatter_.src", "aten::scatter.value",
                                "aten::scatter_.value", "aten::scatter_add", "aten::scatter_add_"})
    add_composite({.name = name, .draw = &draw<false>});
  for (std::string_view name :
       {"aten::index_add", "aten::index_add_", "aten::index_copy", "aten::index_copy_",
        "aten::index_fill.int_Scalar", "aten::index_fill_.int_Scalar"})
    add_composite({.name = name, .draw = &draw<true>});
  return true;
}();

}  // namespace
}  // namespace fusillade

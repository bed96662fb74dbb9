// Tensors' metadata, and scalars read from tensors.
#include <cmath>

#include "engine/ops/memory_format.h"
#include "engine/ops/scalar_operator.h"
#include "engine/tensor/domain.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

IValue element_of(const IValue& v) {
  Tensor t = v.as_tensor();
  if (t.numel() != 1) fail("a tensor with {} elements cannot be converted to a scalar", t.numel());
  if (!is_float(t.dtype())) {
    int64_t i = element_as_int(t, 0);
    return t.dtype() == DType::Bool ? IValue(i != 0) : IValue(i);
  }
  if (current_domain() == Domain::Real) return IValue(element_as_double(t, 0));
  // The residue's signed reading.
  switch (size_of(t.dtype())) {
    case 2:
      return IValue(static_cast<double>(*t.data<int16_t>()));
    case 4:
      return IValue(static_cast<double>(*t.data<int32_t>()));
    default:
      return IValue(static_cast<double>(*t.data<int64_t>()));
  }
}

IValue int_element(const IValue& v) {
  IValue e = element_of(v);
  if (!e.is_float()) return IValue(e.as_int());
  double d = e.as_double();
  if (!(d >= -0x1p63 && d < 0x1p63)) fail("cannot convert float {} to int", d);
  return IValue(static_cast<int64_t>(d));
}

// What a Tensor must be to convert to a number implicitly.
const IValue& implicit(const IValue& v, bool to_int) {
  Tensor t = v.as_tensor();
  if (t.rank() != 0)
    fail("a tensor of {} dimensions cannot be taken for a number; only one of 0 dimensions can",
         t.rank());
  bool integral = !is_float(t.dtype()) && t.dtype() != DType::Bool;
  if (to_int && !integral)
    fail(
        "a tensor of {} cannot be taken for an int; write int(...), or let the variable start as a "
        "tensor: "
        "torch.zeros(())",
        name_of(t.dtype()));
  return v;
}

ScalarOptions undrawn() {
  ScalarOptions o;
  o.generate = false;
  return o;
}

ScalarOptions metadata() {
  ScalarOptions o = undrawn();
  o.metadata = true;
  return o;
}

// An element as a number.
void elements() {
  const ScalarOptions plain = undrawn();
  add_scalar("aten::Bool.Tensor(Tensor a) -> bool", [](Values v) {
    IValue e = element_of(v[0]);
    return IValue(e.is_float() ? e.as_double() != 0 : e.as_int() != 0);
  });
  add_scalar(
      "aten::Int.Tensor(Tensor a) -> int", [](Values v) { return int_element(v[0]); }, plain);
  add_scalar(
      "aten::IntImplicit(Tensor a) -> int",
      [](Values v) { return int_element(implicit(v[0], true)); }, plain);
  add_scalar(
      "aten::Float.Tensor(Tensor a) -> float",
      [](Values v) { return IValue(element_of(v[0]).as_double()); }, plain);
  add_scalar(
      "aten::FloatImplicit(Tensor a) -> float",
      [](Values v) { return IValue(element_of(implicit(v[0], false)).as_double()); }, plain);
  add_scalar(
      "aten::ScalarImplicit(Tensor a) -> Scalar",
      [](Values v) { return element_of(implicit(v[0], false)); }, plain);
  add_scalar("aten::item(Tensor self) -> Scalar", [](Values v) { return element_of(v[0]); }, plain);
}

// Sizes and strides.
void shapes() {
  const ScalarOptions meta = metadata();
  add_scalar(
      "aten::size(Tensor self) -> int[]",
      [](Values v) { return IValue::int_list(v[0].as_tensor().sizes()); }, meta);
  add_scalar(
      "aten::size.int(Tensor self, int dim) -> int",
      [](Values v) {
        Tensor t = v[0].as_tensor();
        if (t.rank() == 0)
          fail("dimension specified as {} but the tensor has no dimensions", v[1].as_int());
        return IValue(t.sizes()[wrap_dim(v[1].as_int(), t.rank())]);
      },
      meta);
  add_scalar(
      "aten::stride(Tensor self) -> int[]",
      [](Values v) { return IValue::int_list(v[0].as_tensor().strides()); }, meta);
  add_scalar(
      "aten::stride.int(Tensor self, int dim) -> int",
      [](Values v) {
        Tensor t = v[0].as_tensor();
        if (t.rank() == 0)
          fail("dimension specified as {} but the tensor has no dimensions", v[1].as_int());
        return IValue(t.strides()[wrap_dim(v[1].as_int(), t.rank())]);
      },
      meta);
  add_scalar(
      "aten::dim(Tensor self) -> int", [](Values v) { return IValue(v[0].as_tensor().rank()); },
      meta);
  add_scalar(
      "aten::element_size(Tensor self) -> int",
      [](Values v) { return IValue(static_cast<int64_t>(size_of(v[0].as_tensor().dtype()))); },
      meta);
  add_scalar(
      "aten::numel(Tensor self) -> int", [](Values v) { return IValue(v[0].as_tensor().numel()); },
      meta);
  add_scalar(
      "aten::len.Tensor(Tensor t) -> int",
      [](Values v) {
        Tensor t = v[0].as_tensor();
        if (t.rank() == 0) fail("len() of a 0-d tensor");
        return IValue(t.sizes()[0]);
      },
      meta);
}

// Of which kind the elements are, where they lie and how.
void kinds() {
  const ScalarOptions meta = metadata();
  add_scalar(
      "aten::is_floating_point(Tensor self) -> bool",
      [](Values v) { return IValue(is_float(v[0].as_tensor().dtype())); }, meta);
  add_scalar("aten::is_complex(Tensor self) -> bool", [](Values) { return IValue(false); }, meta);
  ScalarOptions place = meta;
  place.reads_device = true;
  add_scalar(
      "aten::get_device(Tensor self) -> int",
      [](Values v) { return IValue(v[0].as_tensor().device().index); }, place);  // the cpu's is -1
  add_scalar(
      "aten::storage_offset(Tensor self) -> int",
      [](Values v) { return IValue(v[0].as_tensor().offset()); }, meta);
  add_scalar(
      "aten::can_cast(ScalarType from, ScalarType to) -> bool",
      [](Values v) {
        return IValue(category_of(dtype_from_aten(v[0].as_int())) <=
                      category_of(dtype_from_aten(v[1].as_int())));
      },
      undrawn());
  add_scalar(
      "aten::is_contiguous(Tensor self) -> bool",
      [](Values v) { return IValue(v[0].as_tensor().is_contiguous()); }, meta);
  add_scalar(
      "aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool",
      [](Values v) {
        const Tensor& t = v[0].as_tensor();
        return IValue(lies_in(memory_format(v[1].as_int()), t.sizes(), t.strides()));
      },
      meta);
  add_scalar(
      "prim::dtype(Tensor a) -> int",
      [](Values v) {
        return IValue(static_cast<int64_t>(row_of(v[0].as_tensor().dtype()).aten_code));
      },
      meta);
  add_scalar("prim::layout(Tensor a) -> int", [](Values) { return IValue(0); }, meta);  // strided
}

[[maybe_unused]] const bool kRegistered = [] {
  elements();
  shapes();
  kinds();
  return true;
}();

}  // namespace
}  // namespace fusillade

// Creation: tensors from sizes and numbers. See also fill.h.
//
// Layout, device and pin_memory are taken as None or their defaults; anything else is an error.
// Values are rounded once from double, or from int64 for integers; in the ring they are residues.
// What ATen leaves uninitialised (empty) is zeros here.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "engine/aten/create/fill.h"
#include "engine/aten/index/index.h"
#include "engine/ops/device.h"
#include "engine/ops/memory_format.h"
#include "engine/ops/operator.h"
#include "engine/ops/pointwise.h"
#include "engine/scalar/ring.h"
#include "engine/tensor/block.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;

// Element i of a fresh tensor: start + i * step.
struct Ramp {
  IValue start{int64_t{0}};
  IValue step{int64_t{0}};
};

template <class T>
T number_as(const IValue& v) {
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(ring_literal(v.as_double()));
  else if constexpr (std::is_same_v<T, int64_t>)
    return v.is_float() ? float_to_int(v.as_double()) : v.as_int();
  else return v.is_float() ? static_cast<T>(v.as_double()) : static_cast<T>(v.as_int());
}

template <class T>
void fill(const Tensor& t, const Ramp& ramp) {
  using Step = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;
  Step start = static_cast<Step>(number_as<T>(ramp.start));
  Step step = static_cast<Step>(number_as<T>(ramp.step));
  T block[kBlock];
  int64_t n = t.numel();
  if (step == 0) {
    block[0] = static_cast<T>(start);
    uint64_t element = 0;
    store_block<T>(t.dtype(), &element, 1, 1, block);
    with_size(t.dtype(), [&](auto e) {
      std::memcpy(&e, &element, sizeof e);
      std::fill_n(reinterpret_cast<decltype(e)*>(t.raw()), n, e);
    });
    return;
  }
  for (int64_t at = 0; at < n; at += kBlock) {
    int64_t count = std::min(kBlock, n - at);
    for (int64_t i = 0; i < count; ++i) {
      block[i] = static_cast<T>(start + step * static_cast<Step>(at + i));
    }
    store_block<T>(t.dtype(), t.raw() + at * static_cast<int64_t>(size_of(t.dtype())), 1, count,
                   block);
  }
}

// `t` is dense: elements in memory order are those of the ramp.
void fill(const Tensor& t, const Ramp& ramp) {
  bool ring = current_domain() == Domain::Ring;
  switch (compute_of(t.dtype())) {
    case Model::F32:
    case Model::F64:
      if (ring && t.dtype() == DType::F64) return fill<uint64_t>(t, ramp);
      if (ring) return fill<uint32_t>(t, ramp);
      return fill<double>(t, ramp);
    default:
      return fill<int64_t>(t, ramp);
  }
}

size_t index_of(const Operator& op, const char* name) {
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (op.schema.args[i].name == name) return i;
  }
  return op.schema.args.size();
}

DType number_dtype(const Type& t) {
  return t.is(TypeKind::Bool) ? DType::Bool : t.is(TypeKind::Int) ? DType::I64 : DType::F32;
}

DType asked_dtype(const Operator& op, Args args, DType fallback) {
  size_t i = index_of(op, "dtype");
  if (args[i].type.is(TypeKind::None)) return fallback;
  if (!args[i].known) decline("{}: dtype is not constant", op.name);
  return args[i].value.is_none() ? fallback : dtype_from_aten(args[i].value.as_int());
}

Dims asked_size(const Operator& op, Args args) {
  if (!args[0].known) decline("{}: size is not constant", op.name);
  Dims sizes = args[0].value.as_dims();
  for (int64_t s : sizes) {
    if (s < 0) fail("{}: trying to create a tensor with negative dimension {}", op.schema.name, s);
  }
  return sizes;
}

// What an operator makes: type and ramp.
struct CreatePlan {
  TensorInfo info;
  Ramp ramp;
};

TensorInfo fresh_info(DType dtype, const Dims& sizes) { return Type::tensor(dtype, sizes).info(); }

// The number of `a`, unconverted, which must fit `dtype`; 0 where it is known only at run time.
IValue fill_number(const Operator& op, const ArgInfo& a, DType dtype) {
  if (!a.known) {
    if (!scalar_always_fits(a.type, dtype))
      decline("{}: it is not known whether the number fits", op.name);
    return IValue(int64_t{0});
  }
  if (scalar_fits(a.value, dtype))
    return dtype == DType::Bool ? IValue(int64_t{a.value.as_double() != 0}) : a.value;
  fail("{}: {} cannot be converted to {} without overflow", op.schema.name, describe(a.value),
       name_of(dtype));
}

// `like`: null where there is no operand whose strides may be kept.
void set_strides(const Operator& op, Args args, const TensorInfo* like, TensorInfo& info) {
  const auto format =
      asked_format(op, args, like ? MemoryFormat::Preserve : MemoryFormat::Contiguous);
  info.strides_known = format && (!like || like->complete());
  if (!info.strides_known) info.strides = Dims();
  else if (like) info.strides = strides_like(op, *format, like->sizes, like->strides);
  else info.strides = strides_in(op, *format, info.sizes);
}

CreatePlan make_sized(const Operator& op, Args args, DType fallback, IValue value) {
  CreatePlan m{fresh_info(asked_dtype(op, args, fallback), asked_size(op, args)),
               {value, IValue(int64_t{0})}};
  set_strides(op, args, nullptr, m.info);
  return m;
}

CreatePlan make_zeros(const Operator& op, Args args) {
  return make_sized(op, args, DType::F32, IValue(int64_t{0}));
}
CreatePlan make_ones(const Operator& op, Args args) {
  return make_sized(op, args, DType::F32, IValue(int64_t{1}));
}
CreatePlan make_full(const Operator& op, Args args) {
  DType dtype = asked_dtype(op, args, number_dtype(args[1].type));
  return make_sized(op, args, dtype, fill_number(op, args[1], dtype));
}

CreatePlan make_like(const Operator& op, Args args, IValue value) {
  const TensorInfo& like = args[0].type.info();
  if (!like.has_dtype) decline("{}: the operand's dtype is unknown", op.name);
  CreatePlan m{like, {value, IValue(int64_t{0})}};
  m.info.dtype = asked_dtype(op, args, like.dtype);
  set_strides(op, args, &like, m.info);
  return m;
}

CreatePlan make_zeros_like(const Operator& op, Args args) {
  return make_like(op, args, IValue(int64_t{0}));
}
CreatePlan make_ones_like(const Operator& op, Args args) {
  return make_like(op, args, IValue(int64_t{1}));
}
CreatePlan make_full_like(const Operator& op, Args args) {
  const TensorInfo& like = args[0].type.info();
  if (!like.has_dtype) decline("{}: the operand's dtype is unknown", op.name);
  return make_like(op, args, fill_number(op, args[1], asked_dtype(op, args, like.dtype)));
}

// new_zeros and its kind: a size of one's own, the operand's dtype.
CreatePlan make_new(const Operator& op, Args args, IValue value) {
  const TensorInfo& like = args[0].type.info();
  if (!like.has_dtype) decline("{}: the operand's dtype is unknown", op.name);
  return {fresh_info(asked_dtype(op, args, like.dtype), asked_size(op, args.subspan(1))),
          {value, IValue(int64_t{0})}};
}

CreatePlan make_new_zeros(const Operator& op, Args args) {
  return make_new(op, args, IValue(int64_t{0}));
}
CreatePlan make_new_ones(const Operator& op, Args args) {
  return make_new(op, args, IValue(int64_t{1}));
}
CreatePlan make_new_full(const Operator& op, Args args) {
  const TensorInfo& like = args[0].type.info();
  if (!like.has_dtype) decline("{}: the operand's dtype is unknown", op.name);
  return make_new(op, args, fill_number(op, args[2], asked_dtype(op, args, like.dtype)));
}

// A 0-d tensor of the operand's dtype: the number as an operand of operators that compute nothing.
CreatePlan make_fill_like(const Operator& op, Args args) {
  const TensorInfo& like = args[0].type.info();
  if (!like.has_dtype) decline("{}: the operand's dtype is unknown", op.name);
  return {fresh_info(like.dtype, Dims()),
          {fill_number(op, args[1], like.dtype), IValue(int64_t{0})}};
}

CreatePlan make_scalar_tensor(const Operator& op, Args args) {
  DType dtype = asked_dtype(op, args, DType::F32);
  return {fresh_info(dtype, Dims()), {fill_number(op, args[0], dtype), IValue(int64_t{0})}};
}

// The number as a 0-d tensor of its own type: bool, i64, f64.
CreatePlan make_number_tensor(const Operator& op, Args args) {
  const Type& type = args[0].known ? args[0].value.type() : args[0].type;
  if (type.is(TypeKind::Number)) decline("{}: the number's type is unknown", op.name);
  DType dtype = type.is(TypeKind::Float) ? DType::F64 : number_dtype(type);
  return {fresh_info(dtype, Dims()), {fill_number(op, args[0], dtype), IValue(int64_t{0})}};
}

CreatePlan make_arange(const Operator& op, Args args) {
  bool starts = index_of(op, "start") == 0;
  bool steps = index_of(op, "step") == 2;
  size_t numbers = starts ? (steps ? 3 : 2) : 1;
  bool any_float = false;
  for (size_t i = 0; i < numbers; ++i) {
    if (!args[i].known) decline("{}: {} is not constant", op.name, op.schema.args[i].name);
    any_float = any_float || args[i].value.is_float();
  }
  IValue start = starts ? args[0].value : IValue(int64_t{0});
  IValue end = starts ? args[1].value : args[0].value;
  IValue step = steps ? args[2].value : IValue(int64_t{1});
  DType dtype = asked_dtype(op, args, any_float ? DType::F32 : DType::I64);
  if (dtype == DType::Bool) fail("{} is not defined for bool", op.schema.name);
  double a = start.as_double(), b = end.as_double(), by = step.as_double();
  if (dtype == DType::I64) {  // counts in whole numbers, as ATen does for this dtype alone
    a = std::trunc(a), b = std::trunc(b), by = std::trunc(by);
  }
  if (by == 0 || std::isnan(by)) fail("{}: step must be nonzero", op.schema.name);
  if (!std::isfinite(a) || !std::isfinite(b))
    fail("{}: unsupported range: {} -> {}", op.schema.name, a, b);
  if ((by > 0) != (b >= a) && a != b)
    fail("{}: upper bound and lower bound are inconsistent with the step's sign", op.schema.name);
  double count = std::ceil((b - a) / by);
  if (!(count < 0x1p40)) fail("{}: {} elements are too many", op.schema.name, count);
  return {fresh_info(dtype, Dims{static_cast<int64_t>(count)}), {start, step}};
}

using MakeFn = CreatePlan (*)(const Operator& op, Args args);

// The strided layout (0) and memory that is not pinned are what there is.
bool is_usual(const IValue& v) {
  if (v.is_none()) return true;
  return (v.is_bool() || v.is_int()) && v.as_int() == 0;
}

void no_options(const Operator& op, Args args) {
  check_devices(op, args);
  for (const char* name : {"layout", "pin_memory"}) {
    size_t i = index_of(op, name);
    if (i < args.size() && args[i].known && !is_usual(args[i].value)) {
      fail("{}: {} must be None, got {}", op.schema.name, name, describe(args[i].value));
    }
  }
}

// Operators whose tensors are of one number, and how.
std::map<RunFn, MakeFn>& fills() {
  static auto* table = new std::map<RunFn, MakeFn>;
  return *table;
}

template <MakeFn make>
void infer_create(const Operator& op, Args args, std::vector<Type>& results) {
  no_options(op, args);
  try {
    results.push_back(Type::tensor(make(op, args).info));
  } catch (const Unsupported&) {
    results.push_back(TypeKind::Tensor);
  }
}

template <MakeFn make>
void run_create(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  std::vector<ArgInfo> infos = infos_of(args);
  no_options(op, infos);
  CreatePlan m = make(op, infos);
  Tensor t = Tensor::empty(m.info.sizes, m.info.dtype);
  fill(t, m.ramp);
  t.impl()->strides = m.info.strides;
  results.emplace_back(t);
}

Operator create_operator(const std::string& schema) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Create;
  r.family = "create";
  for (const SchemaArg& a : r.schema.args) {
    Role role = Role::Default;
    if (a.name == "size") role = Role::FreshSize;
    else if (a.type.is_tensor()) role = Role::Operand;
    else if (a.name == "dtype") role = Role::DTypeCode;
    else if (a.type.is(TypeKind::Number)) role = Role::Number;
    r.roles.push_back(role);
  }
  return r;
}

template <MakeFn make, bool ramps = false>
void add(const std::string& schema, bool generate = true) {
  Operator r = create_operator(schema);
  r.run = &run_create<make>;
  r.infer = &infer_create<make>;
  r.generate = generate;
  r.metadata = true;
  if (!ramps) fills()[r.run] = make;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  const std::string options =
      "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
  add<&make_zeros>("aten::zeros(int[] size, *, " + options + ") -> Tensor");
  add<&make_ones>("aten::ones(int[] size, *, " + options + ") -> Tensor");
  add<&make_full>("aten::full(int[] size, Scalar fill_value, *, " + options + ") -> Tensor");
  const std::string like = ", *, " + options + ", MemoryFormat? memory_format=None) -> Tensor";
  add<&make_zeros_like>("aten::zeros_like(Tensor self" + like);
  add<&make_ones_like>("aten::ones_like(Tensor self" + like);
  add<&make_full_like>("aten::full_like(Tensor self, Scalar fill_value" + like);
  add<&make_fill_like>("prim::fill_like(Tensor self, Scalar value) -> Tensor", false);
  add<&make_zeros_like>("aten::empty_like(Tensor self" + like);
  add<&make_zeros>("aten::empty.memory_format(int[] size, *, " + options +
                       ", MemoryFormat? memory_format=None) -> Tensor",
                   false);
  add<&make_new_zeros>("aten::new_zeros(Tensor self, int[] size, *, " + options + ") -> Tensor");
  add<&make_new_zeros>("aten::new_empty(Tensor self, int[] size, *, " + options + ") -> Tensor");
  add<&make_new_ones>("aten::new_ones(Tensor self, int[] size, *, " + options + ") -> Tensor");
  add<&make_new_full>("aten::new_full(Tensor self, int[] size, Scalar fill_value, *, " + options +
                      ") -> Tensor");
  add<&make_scalar_tensor>("aten::scalar_tensor(Scalar s, *, " + options + ") -> Tensor");
  add<&make_number_tensor>("prim::NumToTensor.Scalar(Scalar a) -> Tensor", false);
  add<&make_number_tensor>("prim::NumToTensor.bool(bool a) -> Tensor", false);
  add<&make_arange, true>("aten::arange(Scalar end, *, " + options + ") -> Tensor", false);
  add<&make_arange, true>(
      "aten::arange.start(Scalar start, Scalar end, *, " + options + ") -> Tensor", false);
  add<&make_arange, true>("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, " +
                              options + ") -> Tensor",
                          false);
  return true;
}();

}  // namespace

bool is_fill(const Operator& op) { return fills().contains(op.run); }

IValue filled_with(const Operator& op, Args args) {
  const CreatePlan plan = fills().at(op.run)(op, args);
  for (const ArgInfo& a : args)
    if (!a.known && !a.type.is_tensor()) decline("{}: a number is not known", op.name);
  return plan.ramp.start;
}

}  // namespace fusillade

// torch.tensor and torch.as_tensor: tensors from numbers and nested lists of them.
//
// Without a dtype, bools give bool, ints i64 and floats f32, the widest where they are mixed. Lists
// must be rectangular. requires_grad is taken of floats; a tape records what is computed from such
// a tensor.
#include <algorithm>
#include <optional>

#include "engine/ops/device.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/tape.h"
#include "engine/scalar/ring.h"
#include "engine/tensor/block.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Values = std::span<const IValue>;

bool is_list(const IValue& v) { return v.tag() == IValue::Tag::List; }

// Sizes of nested lists; throws Error where they differ.
Dims sizes_of(const Operator& op, const IValue& data) {
  Dims out;
  if (!is_list(data)) return out;
  out.push_back(static_cast<int64_t>(data.items().size()));
  Dims inner;
  for (size_t i = 0; i < data.items().size(); ++i) {
    Dims next = sizes_of(op, data.items()[i]);
    if (i > 0 && !(next == inner)) fail("{}: expected a rectangular list of lists", op.schema.name);
    inner = next;
  }
  for (int64_t s : inner) out.push_back(s);
  return out;
}

// Nothing where the dtype is known only at run time: a Scalar, numbers of several kinds.
std::optional<DType> dtype_of_type(const Operator& op, const Type& t) {
  const Type& element = t.is(TypeKind::List) ? t.element() : t;
  if (element.is(TypeKind::List)) return dtype_of_type(op, element);
  if (element.is(TypeKind::Bool)) return DType::Bool;
  if (element.is(TypeKind::Int)) return DType::I64;
  if (element.is(TypeKind::Float)) return DType::F32;
  if (element.is(TypeKind::Number)) return std::nullopt;
  bool mixed = element.is(TypeKind::Union);
  for (size_t i = 0; mixed && i < element.elements().size(); ++i)
    dtype_of_type(op, element.elements()[i]);
  if (mixed) return std::nullopt;
  fail("{}: the list must hold ints, floats or bools, got {}", op.schema.name, t.text());
}

// The widest of what there is.
DType dtype_of_values(const std::vector<IValue>& values) {
  DType out = DType::Bool;
  for (const IValue& v : values) {
    if (v.is_float()) return DType::F32;
    if (v.is_int()) out = DType::I64;
  }
  return values.empty() ? DType::F32 : out;
}

size_t dtype_argument(const Operator& op) {
  size_t i = 0;
  while (op.schema.args[i].name != "dtype") ++i;
  return i;
}

void collect(const IValue& data, std::vector<IValue>& out) {
  if (!is_list(data)) {
    out.push_back(data);
    return;
  }
  for (const IValue& v : data.items()) collect(v, out);
}

template <class T>
void store(const Tensor& t, const std::vector<IValue>& values, T (*number)(const IValue&)) {
  std::vector<T> block;
  for (const IValue& v : values) block.push_back(number(v));
  store_block<T>(t.dtype(), t.raw(), 1, static_cast<int64_t>(block.size()), block.data());
}

void run(const Operator& op, Values args, std::vector<IValue>& results) {
  check_devices(op, infos_of(args));
  Type type = is_list(args[0]) ? Type::list(args[0].seq()->element) : args[0].type();
  const IValue& asked = args[dtype_argument(op)];
  std::vector<IValue> values;
  collect(args[0], values);
  DType dtype = asked.is_none() ? dtype_of_type(op, type).value_or(dtype_of_values(values))
                                : dtype_from_aten(asked.as_int());
  for (const IValue& v : values) {
    if (!v.is_number())
      fail("{}: the list must hold ints, floats or bools, got {}", op.schema.name, describe(v));
    if (!scalar_fits(v, dtype)) {
      fail("{}: {} cannot be converted to {} without overflow", op.schema.name, describe(v),
           name_of(dtype));
    }
  }
  bool gradients = op.schema.args.back().name == "requires_grad" && args.back().as_bool();
  if (gradients && !is_float(dtype))
    fail("{}: a tensor of {} has no gradient to require", op.schema.name, name_of(dtype));
  Tensor t = Tensor::empty(sizes_of(op, args[0]), dtype);
  bool ring = current_domain() == Domain::Ring;
  if (dtype == DType::Bool) {
    store<int64_t>(t, values,
                   [](const IValue& v) { return static_cast<int64_t>(v.as_double() != 0); });
  } else if (!is_float(dtype)) {
    store<int64_t>(t, values, [](const IValue& v) {
      return v.is_float() ? float_to_int(v.as_double()) : v.as_int();
    });
  } else if (!ring) {
    store<double>(t, values, [](const IValue& v) { return v.as_double(); });
  } else if (dtype == DType::F64) {
    store<uint64_t>(t, values, [](const IValue& v) { return ring_literal(v.as_double()); });
  } else {
    store<uint32_t>(t, values, [](const IValue& v) {
      return static_cast<uint32_t>(ring_literal(v.as_double()));
    });
  }
  if (gradients && current_tape()) current_tape()->require_grad(t, true);
  results.emplace_back(t);
}

void infer(const Operator& op, Args args, std::vector<Type>& results) {
  const ArgInfo& asked = args[dtype_argument(op)];
  if (!asked.known) return results.push_back(TypeKind::Tensor);
  TensorInfo out;
  std::optional<DType> dtype = asked.value.is_none() ? dtype_of_type(op, args[0].type)
                                                     : dtype_from_aten(asked.value.as_int());
  if (!dtype) return results.push_back(TypeKind::Tensor);
  out.has_dtype = true;
  out.dtype = *dtype;
  bool known = args[0].known || !args[0].type.is(TypeKind::List);
  Dims sizes = args[0].known ? sizes_of(op, args[0].value) : Dims();
  results.push_back(known ? Type::tensor(out.dtype, sizes) : Type::tensor(out));
}

void add(const std::string& schema) {
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Create;
  r.family = "create";
  r.run = &run;
  r.infer = &infer;
  r.roles.resize(r.schema.args.size(), Role::Default);
  r.generate = false;
  r.metadata = true;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  const std::string rest = ", *, ScalarType? dtype=None, Device? device=None";
  for (const char* name : {"tensor", "as_tensor"}) {
    bool as = std::string(name) == "as_tensor";
    std::string end = rest + (as ? ") -> Tensor" : ", bool requires_grad=False) -> Tensor");
    for (const char* kind : {"float", "int", "bool", "list"}) {
      bool list = std::string(kind) == "list";
      std::string overload = list && !as ? "" : std::string(".") + kind;
      add(fmt::format("aten::{}{}({} {}{}", name, overload, list ? "t[]" : kind,
                      list ? "data" : "t", end));
    }
  }
  return true;
}();

}  // namespace
}  // namespace fusillade

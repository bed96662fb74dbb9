// See reshape_in_place.h. What a tensor becomes is what the operator without the underscore gives,
// whose formula a tape takes as well; only resize_ and resize_as_ have none.
#include "engine/aten/view/reshape_in_place.h"

#include <algorithm>

#include "engine/ops/infer.h"
#include "engine/ops/memory_format.h"
#include "engine/ops/opaque_operator.h"
#include "engine/ops/traits.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "view";

const Operator& view_of(const Operator& op) {
  const Schema& s = op.schema;
  const std::string base = s.name.substr(0, s.name.size() - 1);
  if (s.overload.empty() && !find_operator(base)) return fusillade::operator_named(base + ".int");
  return fusillade::operator_named(s.overload.empty() ? base : base + "." + s.overload);
}

void run_reshaped(const Operator& op, Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const std::vector<IValue> outputs = call(view_of(op), args);
  const Tensor view = outputs[0].as_tensor();
  FUS_CHECK(view.shares_storage(self), "{}: its view lies elsewhere", op.name);
  self.impl()->sizes = view.sizes();
  self.impl()->strides = view.strides();
  self.impl()->offset = view.offset();
  results.push_back(args[0]);
}

// More memory than there is, for all that share it.
void grow(const Tensor& self, int64_t elements) {
  const size_t bytes = static_cast<size_t>(elements) * size_of(self.dtype());
  if (bytes <= self.storage()->bytes()) return;
  const Tensor more = Tensor::zeros(Dims{elements}, self.dtype(), self.device());
  const int64_t had = static_cast<int64_t>(self.storage()->bytes() / size_of(self.dtype()));
  copy_into(Tensor::view_of(more, 0, Dims{had}, Dims{1}),
            Tensor::view_of(self, 0, Dims{had}, Dims{1}));
  self.impl()->storage->exchange_memory(*more.impl()->storage);
  more.impl()->sizes = Dims{had};  // what it has now
}

// Sizes whose bytes, behind the offset, are counted by 64 bits, also where one of them is 0.
void check_sizes(const Operator& op, const Tensor& self, const Dims& sizes) {
  int64_t bytes = static_cast<int64_t>(size_of(self.dtype()));
  int64_t before = 0;
  bool over = __builtin_mul_overflow(self.offset(), bytes, &before);
  for (int64_t size : sizes) {
    if (size < 0) fail("{}: a size of {} is negative", op.schema.name, to_string(sizes));
    over = over || __builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes);
  }
  if (over || __builtin_add_overflow(bytes, before, &bytes))
    fail("{}: {} elements of {} are more than memory can hold", op.schema.name, to_string(sizes),
         name_of(self.dtype()));
}

// Strides of what had `own_sizes` and `own_strides`, by the format if one is asked for.
Dims resized_strides(const Operator& op, const Dims& sizes, std::optional<MemoryFormat> format,
                     const Dims& own_sizes, const Dims& own_strides) {
  if (format) return strides_in(op, *format, sizes);
  return sizes == own_sizes ? own_strides : contiguous_strides(sizes);
}

void resize(const Operator& op, const Tensor& self, const Dims& sizes,
            std::optional<MemoryFormat> format) {
  check_sizes(op, self, sizes);
  const Dims strides = resized_strides(op, sizes, format, self.sizes(), self.strides());
  if (numel_of(sizes) > 0) grow(self, self.offset() + numel_of(sizes));
  self.impl()->sizes = sizes;
  self.impl()->strides = strides;
}

std::optional<MemoryFormat> format_in(const IValue& v) {
  if (v.is_none()) return std::nullopt;
  return memory_format(v.as_int());
}

void run_resize(const Operator& op, Values args, std::vector<IValue>& results) {
  resize(op, args[0].as_tensor(), args[1].as_dims(), format_in(args[2]));
  results.push_back(args[0]);
}

// `preserve` is the template's format.
std::optional<MemoryFormat> of_template(std::optional<MemoryFormat> format, const Dims& sizes,
                                        const Dims& strides) {
  return format == MemoryFormat::Preserve ? format_of(sizes, strides) : format;
}

void run_resize_as(const Operator& op, Values args, std::vector<IValue>& results) {
  const Tensor like = args[1].as_tensor();
  resize(op, args[0].as_tensor(), like.sizes(),
         of_template(format_in(args[2]), like.sizes(), like.strides()));
  results.push_back(args[0]);
}

// The inferred type is the result's at the point where it is computed.
void infer_reshaped(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  infer_results(view_of(op), args, results);
}

Type resized_type(const Operator& op, const Type& self, const Dims& sizes,
                  std::optional<MemoryFormat> format) {
  TensorInfo info = self.info();
  if (!info.complete()) return self.without_shapes();
  info.strides = resized_strides(op, sizes, format, info.sizes, info.strides);
  info.sizes = sizes;
  return Type::tensor(info);
}

void infer_resize(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const bool known = args[1].known && args[2].known;
  results.push_back(
      known ? resized_type(op, args[0].type, args[1].value.as_dims(), format_in(args[2].value))
            : args[0].type.without_shapes());
}

void infer_resize_as(const Operator& op, std::span<const ArgInfo> args,
                     std::vector<Type>& results) {
  const TensorInfo& like = args[1].type.info();
  const bool known = like.complete() && args[2].known;
  results.push_back(
      known ? resized_type(op, args[0].type, like.sizes,
                           of_template(format_in(args[2].value), like.sizes, like.strides))
            : args[0].type.without_shapes());
}

// Throws where `result` cannot be stored in a tensor of `out`, as the out= forms of PyTorch do.
void check_cast(DType out, DType result, const std::string& op, bool exact) {
  if (out == result) return;
  if (exact)
    fail("{}: Expected out tensor to have dtype {}, but got {} instead", op, row_of(result).title,
         row_of(out).title);
  if (category_of(result) > category_of(out))
    fail("{}: result type {} can't be cast to the desired output type {}", op, row_of(result).title,
         row_of(out).title);
}

// out, result, op, exact
void run_fit_to(const Operator& op, Values args, std::vector<IValue>& results) {
  const Tensor out = args[0].as_tensor(), result = args[1].as_tensor();
  check_cast(out.dtype(), result.dtype(), args[2].as_str(), args[3].as_bool());
  if (!(out.sizes() == result.sizes())) resize(op, out, result.sizes(), std::nullopt);
  results.push_back(args[0]);
}

void infer_fit_to(const Operator& op, std::span<const ArgInfo> args, std::vector<Type>& results) {
  const TensorInfo &out = args[0].type.info(), &result = args[1].type.info();
  if (out.has_dtype && result.has_dtype && args[2].known && args[3].known)
    check_cast(out.dtype, result.dtype, args[2].value.as_str(), args[3].value.as_bool());
  results.push_back(out.complete() && result.complete()
                        ? resized_type(op, args[0].type, result.sizes, std::nullopt)
                        : args[0].type.without_shapes());
}

void add(const std::string& schema, RunFn run, InferFn infer) {
  OperatorTable::instance().add(opaque_operator(schema, kFamily, run, infer));
}

[[maybe_unused]] const bool kRegistered = [] {
  const std::string self = "(Tensor(a!) self", result = ") -> Tensor(a!)";
  for (const char* call : {"unsqueeze_|, int dim", "squeeze_|", "squeeze_.dim|, int dim",
                           "squeeze_.dims|, int[] dim", "t_|", "transpose_|, int dim0, int dim1",
                           "swapaxes_|, int axis0, int axis1", "swapdims_|, int dim0, int dim1",
                           "as_strided_|, int[] size, int[] stride, int? storage_offset=None"}) {
    const std::string text = call;
    const size_t bar = text.find('|');
    add("aten::" + text.substr(0, bar) + self + text.substr(bar + 1) + result, &run_reshaped,
        &infer_reshaped);
  }
  add("aten::resize_(Tensor(a!) self, int[] size, *, MemoryFormat? memory_format=None) -> "
      "Tensor(a!)",
      &run_resize, &infer_resize);
  add("aten::resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) "
      "-> Tensor(a!)",
      &run_resize_as, &infer_resize_as);
  add("prim::fit_to(Tensor(a!) out, Tensor result, str op, bool exact) -> Tensor(a!)", &run_fit_to,
      &infer_fit_to);
  return true;
}();

}  // namespace

bool fits_out(const Operator& op) { return op.name == kInto; }

bool reshapes_in_place(const Operator& op) { return has_trait(op, Trait::Reshapes); }

}  // namespace fusillade

// See reshape_in_place.h. What a tensor becomes is what the row without the underscore gives, whose
// formula a tape takes as well; only resize_ has none.
#include "engine/ops/reshape_in_place.h"

#include <algorithm>

#include "engine/ops/infer.h"
#include "engine/ops/memory_format.h"
#include "engine/ops/opaque_row.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "reshape_in_place";

const Row& view_of(const Row& row) {
  const Schema& s = row.schema;
  const std::string base = s.name.substr(0, s.name.size() - 1);
  if (s.overload.empty() && !find_row(base)) return fusillade::row(base + ".int");
  return fusillade::row(s.overload.empty() ? base : base + "." + s.overload);
}

void run_reshaped(const Row& row, Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const std::vector<IValue> made = call(view_of(row), args);
  const Tensor view = made[0].as_tensor();
  FUS_CHECK(view.shares_storage(self), "{}: its view lies elsewhere", row.name);
  self.impl()->sizes = view.sizes();
  self.impl()->strides = view.strides();
  self.impl()->offset = view.offset();
  results.push_back(args[0]);
}

// More memory than there is: only one who alone holds it may have other memory.
void grow(const Row& row, const Tensor& self, int64_t elements) {
  const size_t bytes = static_cast<size_t>(elements) * size_of(self.dtype());
  if (bytes <= self.storage()->bytes()) return;
  if (self.storage_uses() > 1)
    decline("{}: {} elements do not fit the memory, which other tensors share", row.name, elements);
  const Tensor more = Tensor::zeros(Dims{elements}, self.dtype(), self.device());
  const int64_t had = static_cast<int64_t>(self.storage()->bytes() / size_of(self.dtype()));
  copy_into(Tensor::view_of(more, 0, Dims{had}, Dims{1}),
            Tensor::view_of(self, 0, Dims{had}, Dims{1}));
  self.impl()->storage = more.storage_ref();
}

// Sizes whose bytes, behind the offset, are counted by 64 bits, also where one of them is 0.
void check_sizes(const Row& row, const Tensor& self, const Dims& sizes) {
  int64_t bytes = static_cast<int64_t>(size_of(self.dtype()));
  int64_t before = 0;
  bool over = __builtin_mul_overflow(self.offset(), bytes, &before);
  for (int64_t size : sizes) {
    if (size < 0) fail("{}: a size of {} is negative", row.schema.name, to_string(sizes));
    over = over || __builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes);
  }
  if (over || __builtin_add_overflow(bytes, before, &bytes))
    fail("{}: {} elements of {} are more than memory can hold", row.schema.name, to_string(sizes),
         name_of(self.dtype()));
}

void run_resize(const Row& row, Values args, std::vector<IValue>& results) {
  const Tensor self = args[0].as_tensor();
  const Dims sizes = args[1].as_dims();
  check_sizes(row, self, sizes);
  const bool formatted = !args[2].is_none();
  Dims strides = sizes == self.sizes() ? self.strides() : contiguous_strides(sizes);
  if (formatted) strides = strides_in(row, memory_format(args[2].as_int()), sizes);
  if (numel_of(sizes) > 0) grow(row, self, self.offset() + numel_of(sizes));
  self.impl()->sizes = sizes;
  self.impl()->strides = strides;
  results.push_back(args[0]);
}

// What is told is the result's where it is computed.
void infer_reshaped(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  infer_results(view_of(row), args, results);
}

void infer_resize(const Row& row, std::span<const ArgInfo> args, std::vector<Type>& results) {
  TensorInfo info = args[0].type.info();
  const auto format = asked_format(row, args);
  if (!args[1].known || !format || !info.complete()) {
    results.push_back(Type(args[0].type).unshaped());
    return;
  }
  const Dims sizes = args[1].value.as_dims();
  if (!args[2].value.is_none()) info.strides = strides_in(row, *format, sizes);
  else if (!(sizes == info.sizes)) info.strides = contiguous_strides(sizes);
  info.sizes = sizes;
  results.push_back(Type::tensor(info));
}

void add(const std::string& schema, RunFn run, InferFn infer) {
  RowTable::instance().add(opaque_row(schema, kFamily, run, infer));
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
  return true;
}();

}  // namespace

bool reshapes_in_place(const Row& row) {
  return row.run == &run_reshaped || row.run == &run_resize;
}

}  // namespace fusillade

// Reading and writing elements chosen by tensors of numbers or masks.
//
// One description serves index, index_put and accumulation: the offsets in self's storage, in the
// result's order. Numbers count from the end when negative, where ATen's do. Masks become the
// numbers of their true elements, so the result's shape depends on their values.
#include <algorithm>
#include <cstring>

#include "engine/aten/index/index.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_operator.h"
#include "engine/tensor/block.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "index";

}  // namespace

void refuse_index(const Operator& op, int64_t index, int64_t size) {
  fail("{}: index {} is out of range for a dimension of size {}", op.schema.name, index, size);
}

namespace {

// ---------------------------------------------------------------------------- index, index_put

// One dimension of self: all of it, or the numbers of what is taken.
struct Taken {
  bool all = true;
  Dims sizes;                    // of the numbers
  std::vector<int64_t> numbers;  // empty when only shapes are known
};

bool is_mask(DType dtype) { return dtype == DType::Bool || dtype == DType::U8; }

void check_index_type(const Operator& op, const Dims& self, int at, DType dtype,
                      const Dims& sizes) {
  if (!is_mask(dtype)) {
    if (dtype != DType::I64)
      fail("{}: indices must be i64, bool or u8 tensors, got {}", op.schema.name, name_of(dtype));
    if (at >= self.rank())
      fail("{}: too many indices for a tensor of {} dimensions", op.schema.name, self.rank());
    return;
  }
  bool fits = at + sizes.rank() <= self.rank();
  for (int d = 0; fits && d < sizes.rank(); ++d) fits = sizes[d] == self[at + d];
  if (!fits) {
    fail("{}: a mask of {} does not match dimensions {} and on of {}", op.schema.name,
         to_string(sizes), at, to_string(self));
  }
}

std::vector<int64_t> numbers_in(const Tensor& t) {
  Integers all(t);
  return {all.begin(), all.end()};
}

// A mask of r dimensions takes r dimensions, each by the numbers of its true elements.
void take_mask(const Tensor& mask, std::vector<Taken>& out) {
  const Tensor packed = contiguous(mask);
  const uint8_t* byte = packed.raw();
  const int rank = mask.rank();
  const int64_t count = mask.numel() - std::count(byte, byte + mask.numel(), uint8_t{0});
  std::vector<std::vector<int64_t>> numbers(static_cast<size_t>(rank));
  for (auto& n : numbers) n.resize(static_cast<size_t>(count));
  const int64_t line = rank ? mask.sizes().back() : 1;
  Dims at(rank);
  for (int64_t found = 0; found < count;) {
    for (int64_t j = 0; j < line; ++j, ++byte) {
      if (*byte == 0) continue;
      for (int d = 0; d < rank; ++d)
        numbers[static_cast<size_t>(d)][static_cast<size_t>(found)] = d == rank - 1 ? j : at[d];
      ++found;
    }
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[d] < mask.sizes()[d]) break;
      at[d] = 0;
    }
  }
  for (auto& n : numbers) out.push_back({false, Dims{count}, std::move(n)});
}

std::vector<Taken> taken_by(const Operator& op, const Dims& self,
                            const std::vector<IValue>& indices) {
  std::vector<Taken> out;
  for (const IValue& v : indices) {
    int at = static_cast<int>(out.size());
    if (v.is_none()) {
      if (at >= self.rank())
        fail("{}: too many indices for a tensor of {} dimensions", op.schema.name, self.rank());
      out.push_back({});
      continue;
    }
    Tensor t = v.as_tensor();
    check_index_type(op, self, at, t.dtype(), t.sizes());
    if (is_mask(t.dtype())) take_mask(t, out);
    else out.push_back({false, t.sizes(), numbers_in(t)});
  }
  out.resize(static_cast<size_t>(self.rank()));
  return out;
}

// The result's dimensions: those of the broadcast numbers are at the first indexed dimension if the
// indexed ones are adjacent, else in front.
struct Layout {
  Dims numbers;           // broadcast sizes of all numbers
  int at = 0;             // their first dimension in the result
  Dims sizes;             // of the result
  std::vector<int> kept;  // dimensions of self that stay whole
};

Layout layout_of(const Operator& op, const Dims& self, const std::vector<Taken>& taken) {
  Layout l;
  int first = -1, last = -1, count = 0;
  for (int d = 0; d < self.rank(); ++d) {
    const Taken& t = taken[static_cast<size_t>(d)];
    if (t.all) {
      l.kept.push_back(d);
      continue;
    }
    l.numbers = broadcast(l.numbers, t.sizes);
    if (first < 0) first = d;
    last = d;
    ++count;
  }
  bool neighbours = count > 0 && last - first + 1 == count;
  l.at = neighbours ? first : 0;
  int before = l.at;
  for (int d : l.kept) {
    if (before-- == 0) {
      for (int64_t s : l.numbers) l.sizes.push_back(s);
    }
    l.sizes.push_back(self[d]);
  }
  if (before >= 0) {
    for (int64_t s : l.numbers) l.sizes.push_back(s);
  }
  if (count == 0) fail("{}: at least one index must be a tensor", op.schema.name);
  return l;
}

// f(offset, run) for each run of the result's elements, in order; offsets in self's storage.
template <class F>
void for_each_run(const Operator& op, const Tensor& self, const std::vector<Taken>& taken,
                  const Layout& l, F f) {
  std::vector<int64_t> offsets(
      static_cast<size_t>(numel_of(l.numbers)));  // of the indexed dimensions, together
  for (int d = 0; d < self.rank(); ++d) {
    const Taken& t = taken[static_cast<size_t>(d)];
    if (t.all) continue;
    Dims strides = broadcast_strides(t.sizes, contiguous_strides(t.sizes), l.numbers);
    size_t i = 0;
    for_each_element(l.numbers, strides, 0, [&](int64_t at) {
      int64_t index = check_index(op, t.numbers[static_cast<size_t>(at)], self.sizes()[d]);
      offsets[i++] += index * self.strides()[d];
    });
  }
  Dims outer, outer_strides, inner, inner_strides;
  for (size_t k = 0; k < l.kept.size(); ++k) {
    bool before = static_cast<int>(k) < l.at;
    (before ? outer : inner).push_back(self.sizes()[l.kept[k]]);
    (before ? outer_strides : inner_strides).push_back(self.strides()[l.kept[k]]);
  }
  if (numel_of(l.sizes) == 0) return;
  Walk walk = runs_of(inner, inner_strides);
  for_each_element(outer, outer_strides, self.offset(), [&](int64_t start) {
    if (walk.sizes.empty() && walk.run == 1) {
      for (int64_t offset : offsets) f(start + offset, 1);
      return;
    }
    for (int64_t offset : offsets) {
      for_each_element(walk.sizes, walk.strides, start + offset,
                       [&](int64_t at) { f(at, walk.run); });
    }
  });
}

Indices indices_of(const Operator& op, const Tensor& self, const std::vector<Taken>& taken,
                   const Layout& l) {
  Indices out;
  for_each_run(op, self, taken, l, [&](int64_t at, int64_t run) {
    out.starts.push_back(at);
    out.run = run;
  });
  return out;
}

// What `walk(f)` goes through, f(place, run), of self's storage: a tensor of `sizes`.
template <class Run>
Tensor gather_elements(const Tensor& self, const Dims& sizes, Run walk) {
  Tensor out = Tensor::empty(sizes, self.dtype());
  with_size(self.dtype(), [&](auto element) {
    using E = decltype(element);
    const E* from = reinterpret_cast<const E*>(self.storage()->data());
    E* to = out.data<E>();
    walk([&](int64_t at, int64_t run) {
      if (run == 1) *to = from[at];
      else std::memcpy(to, from + at, static_cast<size_t>(run) * sizeof(E));
      to += run;
    });
  });
  return out;
}

Tensor taken_from(const Operator& op, const Tensor& self, const std::vector<Taken>& taken,
                  const Layout& l, const Dims& sizes) {
  return gather_elements(self, sizes, [&](auto f) { for_each_run(op, self, taken, l, f); });
}

void run_index(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  std::vector<Taken> taken = taken_by(op, self.sizes(), args[1].items());
  Layout l = layout_of(op, self.sizes(), taken);
  results.emplace_back(taken_from(op, self, taken, l, l.sizes));
}

// Types of the indices, None where there is none; false when they are not known.
bool index_types(const ArgInfo& arg, std::vector<Type>& out) {
  if (arg.known) {
    for (const IValue& v : arg.value.items()) out.push_back(v.type());
    return true;
  }
  out = arg.items;
  return !out.empty();
}

// The layout where shapes alone decide it.
bool infer_layout(const Operator& op, Args args, Layout* l) {
  const TensorInfo& self = args[0].type.info();
  std::vector<Type> types;
  if (!self.complete() || !index_types(args[1], types)) return false;
  std::vector<Taken> taken;
  for (const Type& t : types) {
    if (t.is(TypeKind::None)) {
      taken.push_back({});
      continue;
    }
    if (!t.is_tensor() || !t.info().complete()) return false;
    check_index_type(op, self.sizes, static_cast<int>(taken.size()), t.info().dtype,
                     t.info().sizes);
    if (is_mask(t.info().dtype)) return false;
    taken.push_back({false, t.info().sizes, {}});
  }
  if (static_cast<int>(taken.size()) > self.sizes.rank()) {
    fail("{}: too many indices for a tensor of {} dimensions", op.schema.name, self.sizes.rank());
  }
  taken.resize(static_cast<size_t>(self.sizes.rank()));
  *l = layout_of(op, self.sizes, taken);
  return true;
}

void infer_index(const Operator& op, Args args, std::vector<Type>& results) {
  Layout l;
  if (infer_layout(op, args, &l)) {
    results.push_back(Type::tensor(args[0].type.info().dtype, l.sizes));
    return;
  }
  TensorInfo out;
  out.has_dtype = args[0].type.info().has_dtype;
  out.dtype = args[0].type.info().dtype;
  results.push_back(Type::tensor(out));
}

}  // namespace

void need_writable(const Operator& op, const Tensor& self) {
  if (!self.may_overlap_itself()) return;
  fail("{}: more than one element of self ({}, strides {}) shares a memory location",
       op.schema.name, describe(self), to_string(self.strides()));
}

namespace {

// self, indices, values: where each value goes. `values` is broadcast.
Scatter scatter_of_put(const Operator& op, Values args) {
  Scatter plan;
  plan.self = args[0].as_tensor();
  Tensor values = args[2].as_tensor();
  need_writable(op, plan.self);
  if (plan.self.dtype() != values.dtype()) {
    fail("{}: self and values must have one dtype, got {} and {}", op.schema.name,
         name_of(plan.self.dtype()), name_of(values.dtype()));
  }
  std::vector<Taken> taken = taken_by(op, plan.self.sizes(), args[1].items());
  Layout l = layout_of(op, plan.self.sizes(), taken);
  plan.indices = indices_of(op, plan.self, taken, l);
  if (!(broadcast(values.sizes(), l.sizes) == l.sizes)) {
    fail("{}: values of {} do not broadcast to {}", op.schema.name, to_string(values.sizes()),
         to_string(l.sizes));
  }
  plan.values = Tensor::view_of(values, values.offset(), l.sizes,
                                broadcast_strides(values.sizes(), values.strides(), l.sizes));
  return plan;
}

ScatterPlan plan_put(const Operator& op, Values args) { return plan_of(scatter_of_put(op, args)); }

// One value, put where a mask of the first dimensions says, without listing indices. False:
// anything else, and what is illegal.
bool fill_by_mask(Values args) {
  const Tensor self = args[0].as_tensor(), values = args[2].as_tensor();
  const auto& indices = args[1].items();
  if (indices.size() != 1 || indices[0].is_none()) return false;
  const Tensor mask = indices[0].as_tensor();
  if (!self.is_contiguous() || !mask.is_contiguous() || mask.shares_storage(self)) return false;
  const bool one = values.numel() == 1 && values.rank() <= 1 && values.dtype() == self.dtype();
  if (!one || mask.dtype() != DType::Bool || mask.rank() == 0 || mask.numel() == 0 ||
      mask.rank() > self.rank())
    return false;
  for (int d = 0; d < mask.rank(); ++d)
    if (mask.sizes()[d] != self.sizes()[d]) return false;
  const uint8_t* where = mask.raw();
  const int64_t mask_size = mask.numel(), run = self.numel() / mask_size;
  with_size(self.dtype(), [&](auto element) {
    using E = decltype(element);
    const E value = *values.data<E>();
    E* to = self.data<E>();
    if (run == 1) {
      for (int64_t i = 0; i < mask_size; ++i) to[i] = where[i] ? value : to[i];
      return;
    }
    for (int64_t i = 0; i < mask_size; ++i)
      if (where[i]) std::fill_n(to + i * run, run, value);
  });
  return true;
}

void run_set(const Operator& op, Values args, std::vector<IValue>& results) {
  if (!fill_by_mask(args)) put(scatter_of_put(op, args));
  results.push_back(args[0]);
}

void run_put_accumulate(const Operator& op, Values args, std::vector<IValue>& results) {
  run_accumulate(scatter_of_put(op, args), args, results);
}

void infer_put(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& values = args[2].type.info();
  Layout l;
  if (infer_layout(op, args, &l) && values.complete()) {
    bool fits = broadcast(values.sizes, l.sizes) == l.sizes && values.dtype == self.dtype;
    if (!fits) {
      fail("{}: values {} do not fit {} of {}", op.schema.name, args[2].type.text(),
           to_string(l.sizes), args[0].type.text());
    }
  }
  results.push_back(args[0].type);
}

// ---------------------------------------------------------------------------- along one dimension

}  // namespace

void check_numbers(const Operator& op, DType dtype, bool i32) {
  if (dtype == DType::I64 || (i32 && dtype == DType::I32)) return;
  fail("{}: the index must be an i64 tensor, got {}", op.schema.name, name_of(dtype));
}

namespace {

// index_select: whole slices of one dimension.
Dims select_sizes(const Operator& op, const Dims& self, int64_t dim, DType dtype,
                  const Dims& index) {
  check_numbers(op, dtype);
  if (index.rank() > 1)
    fail("{}: the index must be a vector, got {}", op.schema.name, to_string(index));
  int d = wrap_dim(dim, self.rank());
  Dims out = self;
  if (self.rank()) out[d] = numel_of(index);
  else if (numel_of(index) != 1)
    fail("{}: a scalar takes one index, got {}", op.schema.name, to_string(index));
  return out;
}

void run_select(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Tensor index = args[2].as_tensor();
  Dims sizes = select_sizes(op, self.sizes(), args[1].as_int(), index.dtype(), index.sizes());
  std::vector<Taken> taken(static_cast<size_t>(self.rank()));
  std::vector<int64_t> numbers = numbers_in(index);
  int d = wrap_dim(args[1].as_int(), self.rank());
  for (int64_t n : numbers) check_index(op, n, self.rank() ? self.sizes()[d] : 1, false);
  if (self.rank() == 0) {
    results.emplace_back(contiguous(self, true));
    return;
  }
  taken[static_cast<size_t>(d)] = {false, Dims{index.numel()}, std::move(numbers)};
  Layout l = layout_of(op, self.sizes(), taken);
  results.emplace_back(taken_from(op, self, taken, l, sizes));
}

// The type of elements read from a tensor: of its dtype; of a size only when all that `sizes_of`
// reads is known.
template <class SizesOf>
Type type_read_from(const TensorInfo& from, bool known, SizesOf sizes_of) {
  if (known) return Type::tensor(from.dtype, sizes_of());
  TensorInfo out;
  out.has_dtype = from.has_dtype;
  out.dtype = from.dtype;
  return Type::tensor(out);
}

void infer_select(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& index = args[2].type.info();
  bool known = self.complete() && index.complete() && args[1].known;
  results.push_back(type_read_from(self, known, [&] {
    return select_sizes(op, self.sizes, args[1].value.as_int(), index.dtype, index.sizes);
  }));
}

// embedding: rows of a matrix, in the indices' shape.
Dims embedding_sizes(const Operator& op, const Dims& weight, DType dtype, const Dims& index) {
  check_numbers(op, dtype);
  if (weight.rank() != 2)
    fail("{}: the weight must be a matrix, got {}", op.schema.name, to_string(weight));
  Dims out = index;
  out.push_back(weight[1]);
  return out;
}

void run_embedding(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor weight = args[0].as_tensor();
  Tensor index = args[1].as_tensor();
  Dims sizes = embedding_sizes(op, weight.sizes(), index.dtype(), index.sizes());
  std::vector<int64_t> numbers = numbers_in(index);
  for (int64_t n : numbers) check_index(op, n, weight.sizes()[0], false);
  std::vector<Taken> taken(2);
  taken[0] = {false, Dims{index.numel()}, std::move(numbers)};
  Layout l = layout_of(op, weight.sizes(), taken);
  results.emplace_back(taken_from(op, weight, taken, l, sizes));
}

void infer_embedding(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& weight = args[0].type.info();
  const TensorInfo& index = args[1].type.info();
  results.push_back(type_read_from(weight, weight.complete() && index.complete(), [&] {
    return embedding_sizes(op, weight.sizes, index.dtype, index.sizes);
  }));
}

}  // namespace

// gather: out[i][j] = self[index[i][j]][j] for dim 0.

void check_gather(const Operator& op, const Dims& self, int64_t dim, DType dtype,
                  const Dims& index) {
  int d = wrap_dim(dim, self.rank());
  if (numel_of(index) == 0) return;  // of any dtype
  check_numbers(op, dtype);
  bool fits = std::max(self.rank(), 1) == std::max(index.rank(), 1);
  for (int k = 0; fits && k < std::min(self.rank(), index.rank()); ++k)
    fits = k == d || index[k] <= self[k];
  if (!fits) {
    fail("{}: an index of {} does not fit {} apart from dimension {}", op.schema.name,
         to_string(index), to_string(self), d);
  }
}

namespace {

// f(place, along, step, numbers, count) for each line of `index`, in order: element i lies at
// place + i * along + numbers[i] * step. All numbers are legal.
template <class F>
void for_each_gathered_line(const Operator& op, const Tensor& self, int64_t dim,
                            const Tensor& index, F f) {
  check_gather(op, self.sizes(), dim, index.dtype(), index.sizes());
  if (index.numel() == 0) return;
  int d = wrap_dim(dim, self.rank());
  Dims sizes = index.sizes();
  Dims strides = index.rank() == self.rank() ? self.strides() : Dims(index.rank());
  int64_t size = self.rank() ? self.sizes()[d] : 1;
  int64_t step = self.rank() ? self.strides()[d] : 0;
  if (strides.rank()) strides[d] = 0;
  if (sizes.empty()) {
    sizes.push_back(1);
    strides.push_back(0);
  }
  int64_t line = sizes.back(), along = strides.back();
  sizes.pop_back();
  strides.pop_back();
  Integers numbers(index);
  bool beyond = false;
  for (int64_t n : numbers) beyond |= static_cast<uint64_t>(n) >= static_cast<uint64_t>(size);
  if (beyond)
    for (int64_t n : numbers) check_index(op, n, size, false);
  const int64_t* number = numbers.begin();
  for_each_element(sizes, strides, self.offset(), [&](int64_t at) {
    f(at, along, step, number, line);
    number += line;
  });
}

// f(place) for each element of `index`, in order.
template <class F>
void for_each_gathered(const Operator& op, const Tensor& self, int64_t dim, const Tensor& index,
                       F f) {
  for_each_gathered_line(
      op, self, dim, index,
      [&](int64_t at, int64_t along, int64_t step, const int64_t* number, int64_t count) {
        for (int64_t i = 0; i < count; ++i) f(at + i * along + number[i] * step);
      });
}

}  // namespace

Indices gather_indices(const Operator& op, const Tensor& self, int64_t dim, const Tensor& index) {
  Indices out;
  out.starts.resize(static_cast<size_t>(index.numel()));
  int64_t* to = out.starts.data();
  for_each_gathered(op, self, dim, index, [&](int64_t at) { *to++ = at; });
  return out;
}

namespace {

void run_gather(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Tensor index = args[2].as_tensor();
  results.emplace_back(gather_elements(self, index.sizes(), [&](auto f) {
    for_each_gathered(op, self, args[1].as_int(), index, [&](int64_t at) { f(at, 1); });
  }));
}

void infer_gather(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  const TensorInfo& index = args[2].type.info();
  TensorInfo out;
  out.has_dtype = self.has_dtype;
  out.dtype = self.dtype;
  if (self.complete() && index.complete() && args[1].known) {
    check_gather(op, self.sizes, args[1].value.as_int(), index.dtype, index.sizes);
    results.push_back(Type::tensor(self.dtype, index.sizes));
    return;
  }
  results.push_back(Type::tensor(out));
}

// masked_select: what lies under the true elements.
void run_masked_select(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Tensor mask = args[1].as_tensor();
  if (!is_mask(mask.dtype()))
    fail("{}: the mask must be bool, got {}", op.schema.name, name_of(mask.dtype()));
  Dims full = broadcast(self.sizes(), mask.sizes());
  std::vector<int64_t> indices;
  Dims mask_strides = broadcast_strides(mask.sizes(), mask.strides(), full);
  Tensor spread = contiguous(Tensor::view_of(mask, mask.offset(), full, mask_strides));
  const uint8_t* chosen = spread.raw();
  for_each_element(full, broadcast_strides(self.sizes(), self.strides(), full), self.offset(),
                   [&](int64_t at) {
                     if (*chosen++ != 0) indices.push_back(at);
                   });
  Dims sizes{static_cast<int64_t>(indices.size())};
  results.emplace_back(gather_elements(self, sizes, [&](auto f) {
    for (int64_t at : indices) f(at, 1);
  }));
}

void infer_masked_select(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& mask = args[1].type.info();
  if (mask.has_dtype && !is_mask(mask.dtype)) {
    fail("{}: the mask must be bool, got {}", op.schema.name, name_of(mask.dtype));
  }
  TensorInfo out;
  out.has_dtype = args[0].type.info().has_dtype;
  out.dtype = args[0].type.info().dtype;
  results.push_back(Type::tensor(out));
}

void infer_self(const Operator&, Args args, std::vector<Type>& results) {
  results.push_back(args[0].type);
}

// ---------------------------------------------------------------------------- drawing

Dims small_size(Chooser& chooser, int most_rank) {
  Dims out;
  int rank = static_cast<int>(chooser.between(0, most_rank));
  for (int d = 0; d < rank; ++d) out.push_back(chooser.between(1, 4));
  return out;
}

// Indices for some dimensions of `self`; their broadcast sizes go to `numbers`.
ArgRequest draw_indices(Chooser& chooser, const Dims& self) {
  Dims numbers = small_size(chooser, 2);
  std::vector<ArgRequest> items;
  bool any = false;
  int last = static_cast<int>(chooser.between(0, self.rank() - 1));
  for (int d = 0; d <= last; ++d) {
    bool take = d == last ? !any || chooser.percent(60) : chooser.percent(50);
    if (!take || self[d] == 0) {
      items.push_back(ArgRequest::of(IValue()));
      continue;
    }
    any = true;
    Dims sizes = numbers;
    for (int64_t& s : sizes) {
      if (chooser.percent(20)) s = 1;
    }
    items.push_back(ArgRequest::indices(sizes, -self[d], self[d] - 1));
  }
  return any ? ArgRequest::list(std::move(items)) : ArgRequest::of(IValue());
}

std::vector<ArgRequest> draw_index(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == 0 || offered->sizes.rank() > 4) return {};
  ArgRequest indices = draw_indices(chooser, offered->sizes);
  if (indices.kind != ArgRequest::Kind::List) return {};
  return {ArgRequest::offered_value(), std::move(indices)};
}

// Values of one element fit whatever the indices take.
std::vector<ArgRequest> draw_put(const Operator& op, Chooser& chooser, const TensorInfo* offered) {
  std::vector<ArgRequest> out = draw_index(op, chooser, offered);
  if (out.empty()) return {};
  Dims last;
  int64_t size = offered->sizes.back();
  if (chooser.percent(60) && out[1].items.size() < static_cast<size_t>(offered->sizes.rank()))
    last.push_back(size);
  out.push_back(ArgRequest::tensor(offered->dtype, last));
  out.push_back(ArgRequest::of(IValue(chooser.percent(40))));
  return out;
}

std::vector<ArgRequest> draw_select(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == 0) return {};
  int d = static_cast<int>(chooser.between(0, offered->sizes.rank() - 1));
  if (offered->sizes[d] == 0) return {};
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(static_cast<int64_t>(d))),
          ArgRequest::indices(Dims{chooser.between(0, 5)}, 0, offered->sizes[d] - 1)};
}

std::vector<ArgRequest> draw_embedding(const Operator&, Chooser& chooser,
                                       const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() != 2 || offered->sizes[0] == 0) return {};
  return {ArgRequest::offered_value(),
          ArgRequest::indices(small_size(chooser, 2), 0, offered->sizes[0] - 1)};
}

std::vector<ArgRequest> draw_gather(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == 0) return {};
  int d = static_cast<int>(chooser.between(0, offered->sizes.rank() - 1));
  if (offered->sizes[d] == 0) return {};
  Dims sizes = offered->sizes;
  for (int k = 0; k < sizes.rank(); ++k)
    sizes[k] = k == d ? chooser.between(0, 4) : chooser.between(0, sizes[k]);
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(static_cast<int64_t>(d))),
          ArgRequest::indices(sizes, 0, offered->sizes[d] - 1)};
}

// ---------------------------------------------------------------------------- operators

void add_movement(const char* schema, RunFn run, InferFn infer, std::vector<Role> roles,
                  DrawFn draw) {
  Operator r = opaque_operator(schema, kFamily, run, infer, std::move(roles), draw);
  r.movement = true;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add_movement("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", &run_index,
               &infer_index, {Operand, Indices}, &draw_index);
  add_movement("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", &run_select,
               &infer_select, {Operand, Default, Indices}, &draw_select);
  add_movement(
      "aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool "
      "scale_grad_by_freq=False, "
      "bool sparse=False) -> Tensor",
      &run_embedding, &infer_embedding, {Operand, Indices}, &draw_embedding);
  add_movement(
      "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
      &run_gather, &infer_gather, {Operand, Default, Indices}, &draw_gather);
  add_movement("aten::masked_select(Tensor self, Tensor mask) -> Tensor", &run_masked_select,
               &infer_masked_select, {Operand, Indices}, nullptr);
  add_movement("prim::index_set_(Tensor(a!) self, Tensor?[] indices, Tensor values) -> Tensor(a!)",
               &run_set, &infer_put, {Operand, Indices, Operand}, nullptr);
  Operator accumulate = opaque_operator(
      "prim::index_accumulate_(Tensor(a!) self, Tensor?[] indices, Tensor values) -> Tensor(a!)",
      kFamily, &run_put_accumulate, &infer_self);
  accumulate.scatter = &plan_put;
  OperatorTable::instance().add(std::move(accumulate));
  for (std::string_view name : {"aten::index_put_", "aten::index_put"})
    add_composite({.name = name, .draw = &draw_put});
  return true;
}();

}  // namespace
}  // namespace fusillade

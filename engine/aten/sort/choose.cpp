// Operators that compare elements and pick: argmax, max over a dimension, sort, topk, one_hot;
// running sums.
//
// NaN is greater than any number; of equal elements the first comes first. In the ring, floats are
// ordered by their residues.
#include "engine/aten/sort/choose.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/aten/scan/lines.h"
#include "engine/aten/sort/order.h"
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_operator.h"
#include "engine/ops/traits.h"
#include "engine/tensor/block.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Values = std::span<const IValue>;

constexpr const char* kFamily = "sort";

// ---------------------------------------------------------------------------- lines

// f(first, step): each line of `sizes` along dimension d, as positions in a contiguous tensor.
template <class F>
void for_each_line(const Dims& sizes, int d, F f) {
  int64_t step = 1, outer = 1;
  for (int k = d + 1; k < sizes.rank(); ++k) step *= sizes[k];
  for (int k = 0; k < d; ++k) outer *= sizes[k];
  int64_t length = sizes.rank() ? sizes[d] : 1;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < step; ++i) f(o * length * step + i, step);
  }
}

Tensor index_tensor(const Dims& sizes, const std::vector<int64_t>& values) {
  Tensor out = Tensor::empty(sizes, DType::I64);
  std::copy(values.begin(), values.end(), out.data<int64_t>());
  return out;
}

// ---------------------------------------------------------------------------- the greatest of a
// line

Dims reduced_sizes(const Dims& sizes, int d, bool keep) {
  Dims out = sizes;
  if (!sizes.rank()) return out;
  if (keep) out[d] = 1;
  else out.erase(d);
  return out;
}

void need_elements(const Operator& op, const Dims& sizes, int d) {
  if (sizes.rank() && sizes[d] == 0) fail("{}: dimension {} is empty", op.schema.name, d);
}

void need_order(const Operator& op, DType dtype) {
  if (dtype == DType::Bool && op.schema.results.size() == 1)  // argmax and argmin
    fail("{} is not defined for bool", op.schema.name);
}

bool is_least(const Operator& op) { return has_trait(op, Trait::Least); }

// The first element of each line that is `best`'s, or NaN where that is; the first of all where
// none is, for in the ring the best may be the value that a reduction starts with. Lines whose
// elements are not neighbours are read side by side, from the end.
template <class T>
void find_best(const Tensor& self, int d, const Tensor& best, int64_t* indices) {
  int64_t length = self.rank() ? self.sizes()[d] : 1, step = 1, outer = 1;
  for (int k = d + 1; k < self.rank(); ++k) step *= self.sizes()[k];
  for (int k = 0; k < d; ++k) outer *= self.sizes()[k];
  int64_t size = static_cast<int64_t>(size_of(self.dtype()));
  T wanted[kBlock], block[kBlock];
  auto is = [](T v, T w) { return (v == w) | ((v != v) & (w != w)); };
  for (int64_t o = 0; o < outer; ++o) {
    const uint8_t* line = self.raw() + o * length * step * size;
    if (step == 1) {
      load_block<T>(self.dtype(), best.raw() + o * size, 1, 1, wanted);
      int64_t found = length;
      for (int64_t i = 0; i < length && found == length; i += kBlock) {
        int64_t n = std::min(kBlock, length - i);
        load_block<T>(self.dtype(), line + i * size, 1, n, block);
        const T* at = std::find_if(block, block + n, [&](T v) { return is(v, wanted[0]); });
        if (at != block + n) found = i + (at - block);
      }
      indices[o] = found == length ? 0 : found;
      continue;
    }
    for (int64_t c = 0; c < step; c += kBlock) {
      int64_t n = std::min(kBlock, step - c);
      load_block<T>(self.dtype(), best.raw() + (o * step + c) * size, 1, n, wanted);
      int64_t* to = indices + o * step + c;
      for (int64_t i = length - 1; i >= 0; --i) {
        load_block<T>(self.dtype(), line + (i * step + c) * size, 1, n, block);
        for (int64_t j = 0; j < n; ++j) to[j] = is(block[j], wanted[j]) ? i : to[j];
      }
    }
  }
}

// Positions along d of the greatest (or least) element of each line.
std::vector<int64_t> extreme_indices(const Operator& op, const Tensor& given, int d) {
  need_elements(op, given.sizes(), d);
  Tensor self = contiguous(given);
  const Operator& extreme = fusillade::operator_named(is_least(op) ? "aten::amin" : "aten::amax");
  IValue args[] = {IValue(self), IValue::int_list(Dims{d}), IValue(true)};
  Tensor best = call(extreme, args)[0].as_tensor();
  std::vector<int64_t> out(static_cast<size_t>(best.numel()));
  bool ring = current_domain() == Domain::Ring;
  switch (compute_of(self.dtype())) {
    case Model::F32:
      ring ? find_best<uint32_t>(self, d, best, out.data())
           : find_best<float>(self, d, best, out.data());
      break;
    case Model::F64:
      ring ? find_best<uint64_t>(self, d, best, out.data())
           : find_best<double>(self, d, best, out.data());
      break;
    default:
      find_best<int64_t>(self, d, best, out.data());
  }
  return out;
}

// The elements at these positions along d, one for each line.
Tensor elements_at(const Tensor& self, int d, const std::vector<int64_t>& indices,
                   const Dims& sizes) {
  Tensor packed = contiguous(self);
  Tensor out = Tensor::empty(sizes, self.dtype());
  size_t size = size_of(self.dtype());
  size_t k = 0;
  for_each_line(self.sizes(), d, [&](int64_t first, int64_t step) {
    std::memcpy(out.raw() + k * size,
                packed.raw() + static_cast<size_t>(first + indices[k] * step) * size, size);
    ++k;
  });
  return out;
}

// argmax, argmin: of all elements when dim is None.
void run_arg(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  need_order(op, self.dtype());
  if (!args[1].is_none()) {
    int d = wrap_dim(args[1].as_int(), self.rank());
    std::vector<int64_t> indices = extreme_indices(op, self, d);
    results.emplace_back(index_tensor(reduced_sizes(self.sizes(), d, args[2].as_bool()), indices));
    return;
  }
  Dims sizes;
  if (args[2].as_bool()) sizes = Dims(self.rank(), 1);
  Tensor packed = contiguous(self);
  Tensor line = Tensor::view_of(packed, packed.offset(), Dims{self.numel()}, Dims{1});
  results.emplace_back(index_tensor(sizes, extreme_indices(op, line, 0)));
}

void infer_arg(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  if (self.has_dtype) need_order(op, self.dtype);
  bool known = self.complete() && args[1].known && args[2].known;
  if (!known) {
    TensorInfo out;
    out.has_dtype = true;
    out.dtype = DType::I64;
    results.push_back(Type::tensor(out));
    return;
  }
  bool keep = args[2].value.as_bool();
  if (args[1].value.is_none()) {
    if (numel_of(self.sizes) == 0) fail("{}: there is no element", op.schema.name);
    results.push_back(Type::tensor(DType::I64, keep ? Dims(self.sizes.rank(), 1) : Dims()));
    return;
  }
  int d = wrap_dim(args[1].value.as_int(), self.sizes.rank());
  need_elements(op, self.sizes, d);
  results.push_back(Type::tensor(DType::I64, reduced_sizes(self.sizes, d, keep)));
}

// max.dim, min.dim: the elements and where they were.
void run_best(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  int d = wrap_dim(args[1].as_int(), self.rank());
  std::vector<int64_t> indices = extreme_indices(op, self, d);
  Dims sizes = reduced_sizes(self.sizes(), d, args[2].as_bool());
  results.emplace_back(elements_at(self, d, indices, sizes));
  results.emplace_back(index_tensor(sizes, indices));
}

void two_results(const TensorInfo& self, bool known, const Dims& sizes,
                 std::vector<Type>& results) {
  for (DType dtype : {self.dtype, DType::I64}) {
    TensorInfo out;
    out.has_dtype = self.has_dtype || dtype == DType::I64;
    out.dtype = dtype;
    results.push_back(known ? Type::tensor(dtype, sizes) : Type::tensor(out));
  }
}

void infer_best(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  if (!self.complete() || !args[1].known || !args[2].known)
    return two_results(self, false, Dims(), results);
  int d = wrap_dim(args[1].value.as_int(), self.sizes.rank());
  need_elements(op, self.sizes, d);
  two_results(self, true, reduced_sizes(self.sizes, d, args[2].value.as_bool()), results);
}

// kthvalue: self, k (from 1), dim, keepdim.
int64_t kth_rank(const Operator& op, int64_t k, const Dims& sizes, int d) {
  int64_t length = sizes.rank() ? sizes[d] : 1;
  if (k < 1 || k > length) fail("{}: k must be from 1 to {}, got {}", op.schema.name, length, k);
  return k - 1;
}

void run_kth(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  int d = wrap_dim(args[2].as_int(), self.rank());
  int64_t k = kth_rank(op, args[1].as_int(), self.sizes(), d);
  Tensor packed = contiguous(self);
  int64_t length = self.rank() ? self.sizes()[d] : 1;
  std::vector<uint64_t> keys(static_cast<size_t>(length));
  std::vector<int64_t> indices;
  for_each_line(self.sizes(), d, [&](int64_t first, int64_t step) {
    load_keys(self.dtype(), packed.raw() + static_cast<size_t>(first) * size_of(self.dtype()), step,
              length, keys.data());
    indices.push_back(kth_key(self.dtype(), keys.data(), length, k).index);
  });
  Dims sizes = reduced_sizes(self.sizes(), d, args[3].as_bool());
  results.emplace_back(elements_at(self, d, indices, sizes));
  results.emplace_back(index_tensor(sizes, indices));
}

void infer_kth(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  if (!self.complete() || !args[1].known || !args[2].known || !args[3].known)
    return two_results(self, false, Dims(), results);
  int d = wrap_dim(args[2].value.as_int(), self.sizes.rank());
  kth_rank(op, args[1].value.as_int(), self.sizes, d);
  two_results(self, true, reduced_sizes(self.sizes, d, args[3].value.as_bool()), results);
}

// ---------------------------------------------------------------------------- sorting

// The first of each line that `ordered` gives, and where they were: of a length of -1, all.
template <class F>
void order_lines(const Operator& op, const Tensor& self, int64_t k, int64_t dim, F ordered,
                 std::vector<IValue>& results) {
  int d = wrap_dim(dim, self.rank());
  int64_t length = self.rank() ? self.sizes()[d] : 1;
  if (k < 0) k = length;
  if (k > length)
    fail("{}: selected index k {} out of range for {} elements", op.schema.name, k, length);
  if (self.rank() == 0) k = 1;  // a 0-d result holds the element, for k of 0 too
  Dims sizes = self.sizes();
  if (self.rank()) sizes[d] = k;
  Tensor packed = contiguous(self);
  Tensor values = Tensor::empty(sizes, self.dtype());
  Tensor indices = Tensor::empty(sizes, DType::I64);
  size_t size = size_of(self.dtype());
  int64_t line = 0;
  std::vector<uint64_t> keys(static_cast<size_t>(length));
  std::vector<Ranked> order;
  for_each_line(self.sizes(), d, [&](int64_t first, int64_t step) {
    load_keys(self.dtype(), packed.raw() + static_cast<size_t>(first) * size, step, length,
              keys.data());
    ordered(keys.data(), length, k, order);
    int64_t to = line / step * k * step + line % step;
    for (const Ranked& r : order) {
      int64_t from = first + r.index * step;
      std::memcpy(values.raw() + static_cast<size_t>(to) * size,
                  packed.raw() + static_cast<size_t>(from) * size, size);
      indices.data<int64_t>()[to] = r.index;
      to += step;
    }
    ++line;
  });
  results.emplace_back(values);
  results.emplace_back(indices);
}

void sort_lines(const Operator& op, const Tensor& self, int64_t dim, bool descending,
                std::vector<IValue>& results) {
  auto sort_line = [&](const uint64_t* keys, int64_t n, int64_t, std::vector<Ranked>& out) {
    sort_keys(self.dtype(), keys, n, descending, out);
  };
  order_lines(op, self, -1, dim, sort_line, results);
}

void run_sort(const Operator& op, Values args, std::vector<IValue>& results) {
  sort_lines(op, args[0].as_tensor(), args[1].as_int(), args[2].as_bool(), results);
}

void run_stable_sort(const Operator& op, Values args, std::vector<IValue>& results) {
  sort_lines(op, args[0].as_tensor(), args[2].as_int(), args[3].as_bool(), results);
}

void run_argsort(const Operator& op, Values args, std::vector<IValue>& results) {
  std::vector<IValue> both;
  run_sort(op, args, both);
  results.push_back(both[1]);
}

void run_topk(const Operator& op, Values args, std::vector<IValue>& results) {
  if (args[0].as_tensor().dtype() == DType::Bool)
    fail("{} is not defined for bool", op.schema.name);
  if (args[1].as_int() < 0)
    fail("{}: k must not be negative, got {}", op.schema.name, args[1].as_int());
  Tensor self = args[0].as_tensor();
  auto first = [&](const uint64_t* keys, int64_t n, int64_t k, std::vector<Ranked>& out) {
    top_keys(self.dtype(), keys, n, k, args[3].as_bool(), args[4].as_bool(), out);
  };
  order_lines(op, self, args[1].as_int(), args[2].as_int(), first, results);
}

size_t index_of(const Operator& op, const char* name) {
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (op.schema.args[i].name == name) return i;
  }
  return op.schema.args.size();
}

void infer_sort(const Operator& op, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  const ArgInfo& dim = args[index_of(op, "dim")];
  size_t k = index_of(op, "k");
  if (k < args.size() && self.has_dtype && self.dtype == DType::Bool)
    fail("{} is not defined for bool", op.schema.name);
  bool known = self.complete() && dim.known && (k == args.size() || args[k].known);
  Dims sizes = self.sizes;
  if (known) {
    int d = wrap_dim(dim.value.as_int(), sizes.rank());
    if (k < args.size()) {
      int64_t wanted = args[k].value.as_int(), length = sizes.rank() ? sizes[d] : 1;
      if (wanted < 0 || wanted > length) {
        fail("{}: selected index k {} out of range for {} elements", op.schema.name, wanted,
             length);
      }
      if (sizes.rank()) sizes[d] = wanted;
    }
  }
  two_results(self, known, sizes, results);
  if (op.schema.results.size() == 1) results.erase(results.end() - 2);
}

// ---------------------------------------------------------------------------- one_hot, cumsum

void run_one_hot(const Operator& op, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (self.dtype() != DType::I64)
    fail("{}: the operand must be i64, got {}", op.schema.name, name_of(self.dtype()));
  Tensor packed = contiguous(self);
  const int64_t* at = packed.data<int64_t>();
  int64_t n = packed.numel(), classes = args[1].as_int();
  if (n == 0 && classes <= 0)
    fail("{}: the number of classes is unknown without elements", op.schema.name);
  int64_t most = n ? *std::max_element(at, at + n) : 0;
  int64_t least = n ? *std::min_element(at, at + n) : 0;
  if (least < 0) fail("{}: class values must be non-negative, got {}", op.schema.name, least);
  if (classes == -1) classes = most + 1;
  if (classes < 1 || (n && most >= classes)) {
    fail("{}: class values must be smaller than num_classes, got {} and {}", op.schema.name, most,
         classes);
  }
  Dims sizes = self.sizes();
  sizes.push_back(classes);
  Tensor out = Tensor::zeros(sizes, DType::I64);
  for (int64_t i = 0; i < n; ++i) out.data<int64_t>()[i * classes + at[i]] = 1;
  results.emplace_back(out);
}

void infer_one_hot(const Operator&, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  TensorInfo out;
  out.has_dtype = true;
  out.dtype = DType::I64;
  if (self.complete() && args[1].known && args[1].value.as_int() > 0) {
    Dims sizes = self.sizes;
    sizes.push_back(args[1].value.as_int());
    results.push_back(Type::tensor(DType::I64, sizes));
    return;
  }
  results.push_back(Type::tensor(out));
}

DType sum_dtype(const ArgInfo& asked, DType self) {
  if (asked.known && !asked.value.is_none()) return dtype_from_aten(asked.value.as_int());
  return is_float(self) ? self : DType::I64;
}

template <class T>
T add_wrapping(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}

void run_cumsum(const Operator&, Values args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  int d = wrap_dim(args[1].as_int(), self.rank());
  DType dtype = sum_dtype(infos_of(args)[2], self.dtype());
  results.emplace_back(
      scan_lines(self, dtype, d, [](auto a, auto b) { return add_wrapping(a, b); }));
}

void infer_cumsum(const Operator&, Args args, std::vector<Type>& results) {
  const TensorInfo& self = args[0].type.info();
  if (!self.complete() || !args[1].known || !args[2].known)
    return results.push_back(TypeKind::Tensor);
  wrap_dim(args[1].value.as_int(), self.sizes.rank());
  results.push_back(Type::tensor(sum_dtype(args[2], self.dtype), self.sizes));
}

// ---------------------------------------------------------------------------- drawing

bool has_line(const TensorInfo* offered) { return offered && numel_of(offered->sizes) > 0; }

IValue draw_dim(Chooser& chooser, const Dims& sizes) {
  int64_t reach = std::max(sizes.rank(), 1);
  return IValue(chooser.between(-reach, reach - 1));
}

std::vector<ArgRequest> draw_arg(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!has_line(offered) || offered->dtype == DType::Bool) return {};
  IValue dim = chooser.percent(30) ? IValue() : draw_dim(chooser, offered->sizes);
  return {ArgRequest::offered_value(), ArgRequest::of(dim),
          ArgRequest::of(IValue(chooser.percent(30)))};
}

std::vector<ArgRequest> draw_best(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!has_line(offered)) return {};
  return {ArgRequest::offered_value(), ArgRequest::of(draw_dim(chooser, offered->sizes)),
          ArgRequest::of(IValue(chooser.percent(30)))};
}

std::vector<ArgRequest> draw_topk(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!has_line(offered) || offered->dtype == DType::Bool) return {};
  IValue dim = draw_dim(chooser, offered->sizes);
  int d = wrap_dim(dim.as_int(), offered->sizes.rank());
  int64_t length = offered->sizes.rank() ? offered->sizes[d] : 1;
  return {ArgRequest::offered_value(),
          ArgRequest::of(IValue(chooser.between(0, std::min<int64_t>(length, 3)))),
          ArgRequest::of(dim), ArgRequest::of(IValue(chooser.percent(60))),
          ArgRequest::of(IValue(true))};
}

std::vector<ArgRequest> draw_one_hot(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (offered) return {};
  int64_t classes = chooser.between(1, 5);
  return {ArgRequest::indices(Dims{chooser.between(1, 4)}, 0, classes - 1),
          ArgRequest::of(IValue(classes))};
}

std::vector<ArgRequest> draw_cumsum(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  return {ArgRequest::offered_value(), ArgRequest::of(draw_dim(chooser, offered->sizes)),
          ArgRequest::of(IValue())};
}

// ---------------------------------------------------------------------------- operators

void add(const char* schema, RunFn run, InferFn infer, DrawFn draw, bool chooses = true,
         std::vector<Role> roles = {}) {
  Operator r = opaque_operator(schema, kFamily, run, infer, std::move(roles), draw);
  r.chooses = chooses;
  OperatorTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const char* name : {"argmax", "argmin"}) {
    std::string schema =
        fmt::format("aten::{}(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", name);
    add(schema.c_str(), &run_arg, &infer_arg, &draw_arg);
  }
  for (const char* name : {"max", "min"}) {
    std::string schema = fmt::format(
        "aten::{}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
        name);
    add(schema.c_str(), &run_best, &infer_best, &draw_best);
  }
  const std::string both = " -> (Tensor values, Tensor indices)";
  add(("aten::sort(Tensor self, int dim=-1, bool descending=False)" + both).c_str(), &run_sort,
      &infer_sort, &draw_best);
  add(("aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False)" + both)
          .c_str(),
      &run_stable_sort, &infer_sort, nullptr);
  add("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", &run_argsort,
      &infer_sort, nullptr);
  add(("aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True)" + both)
          .c_str(),
      &run_topk, &infer_sort, &draw_topk);
  add(("aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False)" + both).c_str(),
      &run_kth, &infer_kth, nullptr);
  add("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", &run_one_hot, &infer_one_hot,
      &draw_one_hot, true, {Role::Indices});
  add("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", &run_cumsum,
      &infer_cumsum, &draw_cumsum, false);
  return true;
}();

}  // namespace

bool finds_extreme(const Operator& op) { return has_trait(op, Trait::Greatest) || is_least(op); }

Extreme plan_extreme(const Operator& op, Args args) {
  static const Operator& greatest = fusillade::operator_named("aten::amax");
  static const Operator& least = fusillade::operator_named("aten::amin");
  const TensorInfo& self = args[0].type.info();
  if (!self.complete() || !args[1].known || !args[2].known)
    decline("{}: what is looked through is not known", op.name);
  need_order(op, self.dtype);
  Extreme e{is_least(op) ? &least : &greatest, &least, {}, args[2].value.as_bool(), false};
  e.of_all = args[1].value.is_none();
  if (e.of_all) {
    for (int d = 0; d < self.sizes.rank(); ++d) e.axes.push_back(d);
    if (numel_of(self.sizes) == 0) fail("{}: there is no element", op.schema.name);
    return e;
  }
  const int d = wrap_dim(args[1].value.as_int(), self.sizes.rank());
  need_elements(op, self.sizes, d);
  if (self.sizes.rank()) e.axes.push_back(d);
  return e;
}

bool is_scan(const Operator& op) {
  return has_trait(op, Trait::Sums) || has_trait(op, Trait::Products);
}

DrawFn draw_of_scans() { return &draw_cumsum; }

Scan plan_scan(const Operator& op, Args args) {
  static const Operator& sum = fusillade::operator_named("aten::sum.dim_IntList");
  static const Operator& product = fusillade::operator_named("aten::prod.dim_int");
  const TensorInfo& self = args[0].type.info();
  if (!self.complete() || !args[1].known || !args[2].known)
    decline("{}: what is gone along is not known", op.name);
  const bool adds = has_trait(op, Trait::Sums);
  const DType dtype = sum_dtype(args[2], self.dtype);
  return {wrap_dim(args[1].value.as_int(), self.sizes.rank()), dtype, accumulate_dtype(dtype),
          adds ? &sum : &product, adds ? -0.0 : 1.0};
}

}  // namespace fusillade

// Matrix products: beta * bias + alpha * (a @ b).
//
// f32 and f64 go to BLAS, one call for each matrix of a batch, or one for all where they meet one;
// f16 and bf16 are computed in f32 and rounded once; integers wrap; the ring domain computes
// residues. Operands have one dtype, bool is illegal.
#include "engine/aten/product/contract.h"

#include <algorithm>
#include <cmath>

#include "engine/base/thread_pool.h"
#include "engine/ops/operator.h"
#include "engine/ops/pointwise.h"
#include "engine/scalar/ring.h"
#include "engine/tensor/block.h"
#include "engine/tensor/free_list.h"
#include "engine/tensor/memory_pool.h"
#include "engine/tensor/product.h"

namespace fusillade {

enum class ContractForm { Mm, Bmm, Matmul, Linear, Addmm, Mv, Dot, Baddbmm, Convolve };

struct ContractDef {
  ContractForm form;
  int a, b, bias;  // arguments; -1: none
};

namespace {

using Form = ContractForm;
using Def = ContractDef;
using Args = std::span<const ArgInfo>;

// Shapes of a product: batch sizes, m, k, n, and which operands were vectors.
struct Shape {
  Dims batch;
  int64_t m = 1, k = 0, n = 1;
  bool a_vector = false, b_vector = false;
  Dims result() const {
    Dims out = batch;
    if (!a_vector) out.push_back(m);
    if (!b_vector) out.push_back(n);
    return out;
  }
};

Dims leading(const Dims& sizes) {
  Dims out;
  for (int d = 0; d + 2 < sizes.rank(); ++d) out.push_back(sizes[d]);
  return out;
}

void need_rank(const Operator& op, const char* name, const Dims& sizes, int rank) {
  if (sizes.rank() != rank) {
    fail("{}: {} must have {} dimensions, got {}", op.schema.name, name, rank, to_string(sizes));
  }
}

// Filters [o, k] times columns [n, g, k, l]: a product for each image n and group g of o / g
// filters.
Shape convolution_shape(const Operator& op, const Dims& filters, const Dims& columns) {
  need_rank(op, "the filters", filters, 2);
  need_rank(op, "the columns", columns, 4);
  int64_t groups = columns[1];
  if (columns[2] != filters[1] || groups == 0 || filters[0] % groups != 0) {
    fail("{}: filters {} do not fit columns {}", op.schema.name, to_string(filters),
         to_string(columns));
  }
  Shape s;
  s.batch = Dims{columns[0], groups};
  s.m = filters[0] / groups;
  s.k = filters[1];
  s.n = columns[3];
  return s;
}

// With a bias a matrix of inputs meets a matrix of weights, as in addmm.
void check_biased(const Operator& op, Form form, const Dims& input, const Dims& weight) {
  if (form == Form::Linear && input.rank() == 2) need_rank(op, "the weight", weight, 2);
}

// Of sizes that are both known.
bool differ(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }

// Of convolutions every size is known, of others some may not be.
Shape shape_of(const Operator& op, Form form, const Dims& a, const Dims& b_given) {
  Dims b = b_given;
  switch (form) {
    case Form::Mm:
    case Form::Addmm:
      need_rank(op, "the left matrix", a, 2);
      need_rank(op, "the right matrix", b, 2);
      break;
    case Form::Bmm:
    case Form::Baddbmm:
      need_rank(op, "the left batch", a, 3);
      need_rank(op, "the right batch", b, 3);
      if (differ(a[0], b[0])) fail("{}: batches of {} and {}", op.schema.name, a[0], b[0]);
      break;
    case Form::Mv:
      need_rank(op, "the matrix", a, 2);
      need_rank(op, "the vector", b, 1);
      break;
    case Form::Dot:
      need_rank(op, "the left vector", a, 1);
      need_rank(op, "the right vector", b, 1);
      break;
    case Form::Convolve:
      return convolution_shape(op, a, b);
    case Form::Linear:
      if (a.rank() == 0) fail("{}: the input must have a dimension", op.schema.name);
      if (b.rank() != 1) need_rank(op, "the weight", b, 2);
      if (b.rank() == 2) std::swap(b[0], b[1]);
      break;
    case Form::Matmul:
      if (a.rank() == 0 || b.rank() == 0)
        fail("{}: both operands need at least 1 dimension", op.schema.name);
      break;
  }
  Shape s;
  s.a_vector = a.rank() == 1;
  s.b_vector = b.rank() == 1;
  s.m = s.a_vector ? 1 : a[a.rank() - 2];
  s.k = a.back();
  s.n = s.b_vector ? 1 : b.back();
  int64_t inner = s.b_vector ? b[0] : b[b.rank() - 2];
  if (differ(inner, s.k)) {
    fail("{}: {} and {} cannot be multiplied: {} columns meet {} rows", op.schema.name,
         to_string(a), to_string(b_given), s.k, inner);
  }
  s.batch = broadcast_known(leading(a), leading(b));
  return s;
}

const Def& def_of(const Operator& op) { return *op.contract_def; }

void check_dtypes(const Operator& op, std::initializer_list<DType> dtypes) {
  DType first = *dtypes.begin();
  for (DType d : dtypes) {
    if (d != first)
      fail("{}: operands must have one dtype, got {} and {}", op.schema.name, name_of(first),
           name_of(d));
  }
  if (first == DType::Bool) fail("{} is not defined for bool", op.schema.name);
}

void check_bias(const Operator& op, const Dims& bias, const Dims& result) {
  if (broadcast(bias, result) == result) return;
  fail("{}: a bias of shape {} does not broadcast to {}", op.schema.name, to_string(bias),
       to_string(result));
}

void infer_contract(const Operator& op, Args args, std::vector<Type>& results) {
  const Def& def = def_of(op);
  const Type& a = args[static_cast<size_t>(def.a)].type;
  const Type& b = args[static_cast<size_t>(def.b)].type;
  TensorInfo out;
  bool has_bias = def.bias >= 0 && args[static_cast<size_t>(def.bias)].type.is_tensor();
  const TensorInfo* bias = has_bias ? &args[static_cast<size_t>(def.bias)].type.info() : nullptr;
  if (a.info().has_dtype && b.info().has_dtype) check_dtypes(op, {a.info().dtype, b.info().dtype});
  if (bias && bias->has_dtype && a.info().has_dtype)
    check_dtypes(op, {a.info().dtype, bias->dtype});
  auto read = [&](const TensorInfo& t) {
    return def.form == Form::Convolve ? t.complete() : t.rank_known;
  };
  if (read(a.info()) && read(b.info())) {
    Dims sizes = shape_of(op, def.form, a.info().sizes, b.info().sizes).result();
    out = Type::tensor(a.info().dtype, sizes).info();
    if (bias) check_biased(op, def.form, a.info().sizes, b.info().sizes);
    if (out.strides_known && bias && bias->complete() && def.form != Form::Convolve)
      check_bias(op, bias->sizes, out.sizes);
  }
  out.has_dtype = a.info().has_dtype;
  out.dtype = a.info().dtype;
  results.push_back(Type::tensor(out));
}

// t as [batch..., rows, columns], expanded to `batch`.
Tensor matrices(const Tensor& t, const Dims& batch, bool left, bool transposed) {
  Dims sizes = t.sizes();
  Dims strides = t.strides();
  if (sizes.rank() == 1) {
    sizes.insert(left ? 0 : 1, 1);
    strides.insert(left ? 0 : 1, 0);
  } else if (transposed) {
    int r = sizes.rank();
    std::swap(sizes[r - 1], sizes[r - 2]);
    std::swap(strides[r - 1], strides[r - 2]);
  }
  Dims full = batch;
  Dims full_strides(batch.rank());
  int skip = batch.rank() - (sizes.rank() - 2);
  for (int d = 0; d + 2 < sizes.rank(); ++d)
    full_strides[skip + d] = sizes[d] == batch[skip + d] ? strides[d] : 0;
  for (int d = sizes.rank() - 2; d < sizes.rank(); ++d) {
    full.push_back(sizes[d]);
    full_strides.push_back(strides[d]);
  }
  return Tensor::view_of(t, t.offset(), full, full_strides);
}

// alpha or beta: it must fit the dtype that is computed in; among integers it is cut to one.
double factor(const Operator& op, const char* name, const IValue& v, DType dtype) {
  DType computed = size_of(dtype) == 2 && is_float(dtype) ? DType::F32 : dtype;
  if (!scalar_fits(v, computed)) {
    fail("{}: {} = {} cannot be converted to {} without overflow", op.schema.name, name,
         describe(v), name_of(computed));
  }
  return is_float(dtype) ? v.as_double() : std::trunc(v.as_double());
}

// The filters of every group, for every image; the bias of every filter.
void plan_filters(const Shape& s, ContractPlan& plan) {
  int64_t filter = plan.a.strides()[0];
  plan.a = Tensor::view_of(plan.a, plan.a.offset(), Dims{s.batch[0], s.batch[1], s.m, s.k},
                           Dims{0, s.m * filter, filter, plan.a.strides()[1]});
  if (!plan.bias.is_defined()) return;
  int64_t step = plan.bias.strides()[0];
  plan.bias = Tensor::view_of(plan.bias, plan.bias.offset(), Dims{s.batch[1], s.m, 1},
                              Dims{s.m * step, step, 0});
}

ContractPlan plan_contract(const Operator& op, std::span<const IValue> args) {
  const Def& def = def_of(op);
  Tensor a = args[static_cast<size_t>(def.a)].as_tensor();
  Tensor b = args[static_cast<size_t>(def.b)].as_tensor();
  check_dtypes(op, {a.dtype(), b.dtype()});
  Shape s = shape_of(op, def.form, a.sizes(), b.sizes());
  ContractPlan plan;
  bool filters = def.form == Form::Convolve;
  plan.a = filters ? a : matrices(a, s.batch, true, false);
  plan.b = filters ? b : matrices(b, s.batch, false, def.form == Form::Linear);
  plan.sizes = s.result();
  if (def.bias >= 0 && args[static_cast<size_t>(def.bias)].is_tensor()) {
    plan.bias = args[static_cast<size_t>(def.bias)].as_tensor();
    check_dtypes(op, {a.dtype(), plan.bias.dtype()});
    check_biased(op, def.form, a.sizes(), b.sizes());
    if (!filters) check_bias(op, plan.bias.sizes(), plan.sizes);
  }
  if (filters) plan_filters(s, plan);
  if (def.form == Form::Addmm || def.form == Form::Baddbmm) {
    plan.beta = factor(op, "beta", args[3], a.dtype());
    plan.alpha = factor(op, "alpha", args[4], a.dtype());
  }
  return plan;
}

template <class T>
T number(double v) {
  if constexpr (std::is_unsigned_v<T>) return static_cast<T>(ring_literal(v));
  else return static_cast<T>(v);
}

template <class T>
T scale_by(double by, T v) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(static_cast<uint64_t>(v) *
                                static_cast<uint64_t>(static_cast<int64_t>(by)));
  } else {
    return number<T>(by) * v;
  }
}

template <class T>
T sum_of(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>)
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}

// The matrices of one operand in the compute type: read where they lie if they are of that type and
// the product can read their strides, else brought; a matrix that serves several batches in a row
// is brought once. One that lies transposed is brought as it lies.
template <class T>
class Matrices {
 public:
  explicit Matrices(const Tensor& t) : t_(t) {
    int r = t.rank();
    rows_ = t.sizes()[r - 2], columns_ = t.sizes()[r - 1];
    row_stride_ = t.strides()[r - 2], column_stride_ = t.strides()[r - 1];
    bool stored = !is_float(t.dtype()) ? t.dtype() == DType::I64
                                       : t.dtype() == DType::F32 || t.dtype() == DType::F64;
    direct_ = stored && (!std::is_floating_point_v<T> ||
                         blas_reads(rows_, columns_, row_stride_, column_stride_));
    Dims sizes, strides;
    for (int d = 0; d + 2 < r; ++d) {
      sizes.push_back(t.sizes()[d]);
      strides.push_back(t.strides()[d]);
    }
    Dims full = contiguous_strides(sizes);
    int64_t batches = numel_of(sizes);
    for (int64_t i = 0; i < batches; ++i) {
      int64_t at = t.offset();
      for (int d = 0; d < sizes.rank(); ++d) at += i / full[d] % sizes[d] * strides[d];
      offsets_.push_back(at);
    }
  }
  int64_t batches() const { return static_cast<int64_t>(offsets_.size()); }
  bool direct() const { return direct_; }  // at() may be asked by several threads
  MatrixIn<T> at(int64_t batch) {
    int64_t offset = offsets_[static_cast<size_t>(batch)];
    if (direct_) {
      const T* data = reinterpret_cast<const T*>(t_.storage()->data()) + offset;
      return {data, rows_, columns_, row_stride_, column_stride_};
    }
    bool turned = row_stride_ < column_stride_;
    if (offset != brought_) bring(offset, turned);
    if (turned) return {block_.data(), rows_, columns_, 1, rows_};
    return {block_.data(), rows_, columns_, columns_, 1};
  }

 private:
  void bring(int64_t offset, bool turned) {
    Dims sizes = turned ? Dims{columns_, rows_} : Dims{rows_, columns_};
    Dims strides = turned ? Dims{column_stride_, row_stride_} : Dims{row_stride_, column_stride_};
    Tensor packed = contiguous(Tensor::view_of(t_, offset, sizes, strides));
    block_.resize(static_cast<size_t>(packed.numel()));
    load_block<T>(packed.dtype(), packed.raw(), 1, packed.numel(), block_.data());
    brought_ = offset;
  }

  const Tensor& t_;
  int64_t rows_ = 0, columns_ = 0, row_stride_ = 0, column_stride_ = 0;
  bool direct_ = false;
  Scratch<int64_t> offsets_;
  int64_t brought_ = -1;
  Scratch<T> block_;
};

template <class T>
void add_bias(const ContractPlan& plan, DType dtype, std::span<T> c) {
  Tensor spread = Tensor::empty(plan.sizes, dtype);
  copy_into(spread, plan.bias);
  Scratch<T> bias(c.size());
  load_block<T>(dtype, spread.raw(), 1, static_cast<int64_t>(c.size()), bias.data());
  for (size_t i = 0; i < c.size(); ++i) {
    c[i] = sum_of(plan.beta == 1 ? bias[i] : scale_by(plan.beta, bias[i]), c[i]);
  }
}

// Of a batch at least as many as threads; a thread takes each whole.
template <class T>
bool shared_out(Matrices<T>& a, Matrices<T>& b) {
  if constexpr (std::is_floating_point_v<T>)
    return a.batches() > 1 && a.batches() >= thread_count() && a.direct() && b.direct() &&
           multiplies_on_many_threads(a.at(0), b.at(0));
  else return false;
}

template <class T>
void products(const ContractPlan& plan, DType dtype, std::span<T> c) {
  Matrices<T> a(plan.a);
  Matrices<T> b(plan.b);
  size_t each = a.batches() == 0 ? 0 : c.size() / static_cast<size_t>(a.batches());
  if (each != 0) {
    constexpr int64_t kWorthThreads = 1 << 20;  // products of numbers
    const int64_t work = static_cast<int64_t>(each) * plan.a.sizes()[plan.a.rank() - 1];
    const int64_t grain =
        shared_out(a, b) ? kWorthThreads / std::max<int64_t>(work, 1) + 1 : a.batches();
    parallel(a.batches(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        multiply(a.at(i), b.at(i), c.data() + static_cast<size_t>(i) * each);
    });
  }
  if (plan.alpha != 1) {
    for (T& v : c) v = scale_by(plan.alpha, v);
  }
  if (plan.bias.is_defined() && plan.beta != 0) add_bias(plan, dtype, c);
}

// Whether memory of `dtype` holds values of the compute type T as they are.
template <class T>
bool holds(DType dtype) {
  if constexpr (std::is_same_v<T, float>) return dtype == DType::F32;
  else if constexpr (std::is_same_v<T, double>) return dtype == DType::F64;
  else return std::is_same_v<T, int64_t> && dtype == DType::I64;
}

// The products are added to a result that begins as the bias.
template <class T>
void onto_bias(const ContractPlan& plan, const Tensor& out) {
  copy_into(out, plan.bias);
  Matrices<T> a(plan.a);
  Matrices<T> b(plan.b);
  if (a.batches() == 0) return;
  const int64_t each = out.numel() / a.batches();
  for (int64_t i = 0; i < a.batches(); ++i) {
    const MatrixIn<T> right = b.at(i);
    multiply_add(a.at(i), right, out.data<T>() + i * each, right.columns);
  }
}

template <class T>
Tensor compute(const ContractPlan& plan, DType dtype) {
  // Throws when there is no such size or no such memory.
  Tensor out = Tensor::empty(plan.sizes, dtype);
  size_t n = static_cast<size_t>(out.numel());
  if (holds<T>(dtype)) {
    if constexpr (std::is_floating_point_v<T>) {
      if (plan.bias.is_defined() && plan.alpha == 1 && plan.beta == 1) {
        onto_bias<T>(plan, out);
        return out;
      }
    }
    products<T>(plan, dtype, {reinterpret_cast<T*>(out.raw()), n});
    return out;
  }
  Scratch<T> c(n);
  products<T>(plan, dtype, c);
  store_block<T>(dtype, out.raw(), 1, out.numel(), c.data());
  return out;
}

// Lines that meet one matrix are lines of one product, where they lie evenly: BLAS packs that
// matrix once, not for each of the batch.
void join_batch(ContractPlan& plan) {
  const Dims sizes = plan.a.sizes(), steps = plan.a.strides(), b_steps = plan.b.strides();
  int r = sizes.rank();
  if (r == 2) return;
  if (plan.a.numel() == 0 || plan.b.numel() == 0) return;  // no first matrix to use for all
  int64_t lines = sizes[r - 2], step = steps[r - 2];
  for (int d = r - 3; d >= 0; --d) {
    if (sizes[d] == 1) continue;
    if (lines == 1) step = steps[d];
    if (b_steps[d] != 0 || steps[d] != lines * step) return;
    lines *= sizes[d];
  }
  plan.a =
      Tensor::view_of(plan.a, plan.a.offset(), Dims{lines, sizes[r - 1]}, Dims{step, steps[r - 1]});
  plan.b =
      Tensor::view_of(plan.b, plan.b.offset(), Dims{plan.b.sizes()[r - 2], plan.b.sizes()[r - 1]},
                      Dims{b_steps[r - 2], b_steps[r - 1]});
}

void run_contract(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  ContractPlan plan = plan_contract(op, args);
  join_batch(plan);
  DType dtype = plan.a.dtype();
  bool ring = current_domain() == Domain::Ring;
  switch (compute_of(dtype)) {
    case Model::F32:
      results.emplace_back(ring ? compute<uint32_t>(plan, dtype) : compute<float>(plan, dtype));
      break;
    case Model::F64:
      results.emplace_back(ring ? compute<uint64_t>(plan, dtype) : compute<double>(plan, dtype));
      break;
    default:
      results.emplace_back(compute<int64_t>(plan, dtype));
  }
  if (!current_free_list) return;
  for (Tensor* view : {&plan.a, &plan.b, &plan.bias})
    if (view->is_defined()) current_free_list->offer(std::move(*view));
}

struct Entry {
  Def def;
  const char* schema;
  std::vector<Role> roles;
  DrawFn draw = nullptr;
  bool generate = true;
};

std::vector<ArgRequest> draw_dot(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (offered && (offered->sizes.rank() != 1 || offered->dtype == DType::Bool)) return {};
  if (offered)
    return {ArgRequest::offered_value(), ArgRequest::tensor(offered->dtype, offered->sizes)};
  Dims sizes{chooser.between(0, 9)};
  return {ArgRequest::tensor(DType::F32, sizes), ArgRequest::tensor(DType::F32, sizes)};
}

std::vector<ArgRequest> draw_baddbmm(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (offered && (offered->sizes.rank() != 3 || offered->dtype == DType::Bool)) return {};
  Dims bias = offered ? offered->sizes
                      : Dims{chooser.between(1, 3), chooser.between(1, 5), chooser.between(1, 5)};
  DType dtype = offered ? offered->dtype : DType::F32;
  int64_t k = chooser.between(0, 5);
  IValue beta(chooser.between(-1, 2)), alpha(chooser.between(-1, 2));
  return {offered ? ArgRequest::offered_value() : ArgRequest::tensor(dtype, bias),
          ArgRequest::tensor(dtype, Dims{bias[0], bias[1], k}),
          ArgRequest::tensor(dtype, Dims{bias[0], k, bias[2]}), ArgRequest::of(beta),
          ArgRequest::of(alpha)};
}

const std::vector<Entry>& entries() {
  using enum Role;
  static const std::vector<Entry> all = {
      {{Form::Mm, 0, 1, -1}, "aten::mm(Tensor self, Tensor mat2) -> Tensor", {Matrix, MatrixRight}},
      {{Form::Bmm, 0, 1, -1}, "aten::bmm(Tensor self, Tensor mat2) -> Tensor", {Batch, BatchRight}},
      {{Form::Mv, 0, 1, -1}, "aten::mv(Tensor self, Tensor vec) -> Tensor", {Matrix, Vector}},
      {{Form::Matmul, 0, 1, -1},
       "aten::matmul(Tensor self, Tensor other) -> Tensor",
       {Matrix, MatrixRight}},
      {{Form::Linear, 0, 1, 2},
       "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
       {Matrix, Weight, Bias}},
      {{Form::Addmm, 1, 2, 0},
       "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> "
       "Tensor",
       {Bias, Matrix, MatrixRight, Number, Number}},
      {{Form::Dot, 0, 1, -1}, "aten::dot(Tensor self, Tensor tensor) -> Tensor", {}, &draw_dot},
      {{Form::Baddbmm, 1, 2, 0},
       "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) "
       "-> Tensor",
       {},
       &draw_baddbmm},
      {{Form::Convolve, 0, 1, 2},
       "prim::conv_product(Tensor filters, Tensor columns, Tensor? bias) -> Tensor",
       {Default, Default, Default},
       nullptr,
       false},
  };
  return all;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Entry& e : entries()) {
    Operator r;
    r.schema = parse_schema(e.schema);
    r.name = r.schema.full_name();
    r.kind = OpKind::Contract;
    r.family = "product";
    r.contract_def = &e.def;
    r.run = &run_contract;
    r.infer = &infer_contract;
    r.contract = &plan_contract;
    r.roles = e.roles;
    r.roles.resize(r.schema.args.size(), Role::Default);
    r.draw = e.draw;
    r.generate = e.generate;
    r.drawn_dtypes = kAllDTypes & ~(1u << int(DType::Bool));
    OperatorTable::instance().add(std::move(r));
  }
  return true;
}();

}  // namespace

bool is_matrix_product(const Operator& op) {
  return op.kind == OpKind::Contract && def_of(op).form != Form::Convolve;
}

MatrixProduct matrix_product(const Operator& op, Args args) {
  const Def& def = def_of(op);
  std::vector<Type> results;
  infer_contract(op, args, results);
  if (!results[0].info().complete()) decline("{}: its type is not known", op.name);
  const Dims& a = args[static_cast<size_t>(def.a)].type.info().sizes;
  const Dims& b = args[static_cast<size_t>(def.b)].type.info().sizes;
  MatrixProduct p;
  p.left = def.a, p.right = def.b;
  p.left_vector = a.rank() == 1, p.right_vector = b.rank() == 1;
  p.right_turned = def.form == Form::Linear && !p.right_vector;
  p.k = a.back();
  p.sizes = results[0].info().sizes;
  p.dtype = results[0].info().dtype;
  if (def.form == Form::Addmm || def.form == Form::Baddbmm) {
    if (!args[3].known || !args[4].known) decline("{}: a factor is not known", op.name);
    p.beta = factor(op, "beta", args[3].value, p.dtype);
    p.alpha = factor(op, "alpha", args[4].value, p.dtype);
  }
  const bool given = def.bias >= 0 && args[static_cast<size_t>(def.bias)].type.is_tensor();
  if (given && p.beta != 0) p.bias = def.bias;
  return p;
}

}  // namespace fusillade

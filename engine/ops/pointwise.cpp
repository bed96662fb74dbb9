// Plans, inference and eager execution of element-wise operators.
#include "engine/ops/pointwise.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

#include "engine/base/thread_pool.h"
#include "engine/ops/conversion.h"
#include "engine/ops/memory_format.h"
#include "engine/ops/pointwise_bool.h"
#include "engine/ops/pointwise_narrow.h"
#include "engine/tensor/block.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

double largest_finite(DType dtype) {
  if (dtype == DType::F16) return 65504;
  if (dtype == DType::BF16) return 0x1.fep127;
  return dtype == DType::F32 ? FLT_MAX : DBL_MAX;
}

Model model_of(DType dtype) { return dtype == DType::Bool ? Model::I64 : compute_of(dtype); }

DType number_dtype(const Operator& op, const Type& t) {
  if (t.is(TypeKind::Bool)) return DType::Bool;
  if (t.is(TypeKind::Int)) return DType::I64;
  if (!t.is(TypeKind::Float)) decline("{}: it is not known which number {} is", op.name, t.text());
  return DType::F64;
}

Operand promoting_operand(const Operator& op, const ArgInfo& a) {
  if (!a.type.is_tensor()) return {number_dtype(op, a.type), Operand::Rank::Number};
  const TensorInfo& info = a.type.info();
  if (!info.has_dtype || !info.rank_known)
    decline("{}: an operand's dtype or rank is unknown", op.name);
  return {info.dtype, info.sizes.rank() ? Operand::Rank::Dimensioned : Operand::Rank::ZeroDim};
}

DType target_dtype(const Operator& op, std::span<const ArgInfo> args) {
  const PointwiseDef& def = *op.pointwise_def;
  if (def.dtype_arg < 0 && def.dtype_code >= 0) return dtype_from_aten(def.dtype_code);
  const ArgInfo* a = &args[static_cast<size_t>(std::max(def.dtype_arg, 0))];
  if (a->type.is(TypeKind::None) || (a->known && a->value.is_none())) a = &args[0];
  if (a->type.is_tensor()) {
    if (!a->type.info().has_dtype) decline("{}: the target dtype is unknown", op.name);
    return a->type.info().dtype;
  }
  if (!a->known) decline("{}: the target dtype is not constant", op.name);
  return dtype_from_aten(a->value.as_int());
}

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

DType common_dtype(const Operator& op, const PointwiseDef& def, std::span<const ArgInfo> args) {
  Operand operands[kMaxOperands];
  size_t n = 0;
  for (int arg : def.operands) {
    if (contains(def.silent, arg)) continue;
    if (args[arg].type.is(TypeKind::None)) continue;
    operands[n++] = promoting_operand(op, args[arg]);
  }
  return result_type(operands, n);
}

// The operator's own formulas, or those of the mode asked for.
PointwiseMode choose_mode(const Operator& op, const PointwiseDef& def,
                          std::span<const ArgInfo> args) {
  if (def.mode_arg < 0) return {nullptr, def.promotion, def.real, def.integer};
  const ArgInfo& a = args[static_cast<size_t>(def.mode_arg)];
  const std::string& name = op.schema.args[static_cast<size_t>(def.mode_arg)].name;
  if (!a.known) decline("{}: {} is not constant", op.name, name);
  std::string legal;
  for (const PointwiseMode& m : def.modes) {
    if (m.name ? !a.value.is_none() && a.value.as_str() == m.name : a.value.is_none()) return m;
    legal += (legal.empty() ? "" : ", ") + std::string(m.name ? m.name : "None");
  }
  fail("{}: {} is {}; it can be {}", op.schema.name, name, describe(a.value), legal);
}

void choose_types(const Operator& op, const PointwiseDef& def, Promotion promotion,
                  std::span<const ArgInfo> args, PointwisePlan& plan) {
  DType common =
      promotion == Promotion::Target ? target_dtype(op, args) : common_dtype(op, def, args);
  if (common == DType::Bool && def.bool_as_int) common = DType::I64;
  plan.compute = plan.result = common;
  if (promotion == Promotion::Float && !is_float(common)) plan.compute = plan.result = DType::F32;
  if (promotion == Promotion::Logical) plan.compute = DType::Bool;
  if (promotion == Promotion::Predicate || promotion == Promotion::Logical)
    plan.result = DType::Bool;
}

const Formula* formula_for(const Operator& op, const PointwiseMode& mode, DType compute) {
  const PointwiseDef& def = *op.pointwise_def;
  const Formula* f = is_float(compute) ? mode.real : mode.integer;
  if (compute == DType::Bool)
    f = def.bool_illegal ? nullptr : def.boolean ? def.boolean : mode.integer;
  if (!f) fail("{} is not defined for {}", op.schema.name, name_of(compute));
  return f;
}

// Must this argument fit the compute dtype?
bool must_fit(const Operator& op, int arg) {
  const PointwiseDef& def = *op.pointwise_def;
  bool number = op.schema.args[static_cast<size_t>(arg)].type.is(TypeKind::Number);
  return (number && contains(def.silent, arg)) || contains(def.checked, arg);
}

void check_fits(const Operator& op, int arg, const IValue& value, DType compute) {
  if (!must_fit(op, arg) || scalar_fits(value, compute)) return;
  fail("{}: {} = {} cannot be converted to {} without overflow", op.schema.name,
       op.schema.args[static_cast<size_t>(arg)].name, describe(value), name_of(compute));
}

// A float among integers is cut to an integer; of bools, any number but 0 is 1.
IValue literal_in(const IValue& v, DType compute) {
  if (compute == DType::Bool) return IValue(static_cast<int64_t>(v.as_double() != 0));
  return v.is_float() && !is_float(compute) ? IValue(float_to_int(v.as_double())) : v;
}

// `absent`: a bit for each operand that is None.
void apply_specials(const PointwiseDef& def, unsigned absent, PointwisePlan& plan) {
  for (const PointwiseSpecial& s : def.specials) {
    const auto& o = plan.operands[static_cast<size_t>(s.operand)];
    const Formula* f = is_float(plan.compute) ? s.real : s.integer;
    bool none = std::isnan(s.value) && (absent >> s.operand & 1);
    if (o.arg >= 0 || !f || !(none || o.literal.as_double() == s.value)) continue;
    plan.operands.erase(plan.operands.begin() + s.operand);
    plan.formula = f;
    return;
  }
}

void check_one_dtype(const Operator& op, std::span<const ArgInfo> args) {
  const TensorInfo& self = args[0].type.info();
  for (const ArgInfo& a : args) {
    if (!a.type.is_tensor() || !a.type.info().has_dtype || a.type.info().dtype == self.dtype)
      continue;
    fail("{}: dtypes {} and {} differ", op.schema.name, name_of(self.dtype),
         name_of(a.type.info().dtype));
  }
}

PointwisePlan plan_pointwise(const Operator& op, std::span<const ArgInfo> args) {
  const PointwiseDef& def = *op.pointwise_def;
  PointwisePlan plan;
  PointwiseMode mode = choose_mode(op, def, args);
  choose_types(op, def, mode.promotion, args, plan);
  if (def.one_dtype) check_one_dtype(op, args);
  if (def.check) def.check(op, args, plan);
  plan.formula = formula_for(op, mode, plan.compute);
  plan.operands.reserve(def.operands.size());
  unsigned absent = 0;
  for (size_t i = 0; i < def.operands.size(); ++i) {
    int arg = def.operands[i];
    const ArgInfo& a = args[static_cast<size_t>(arg)];
    if (a.type.is(TypeKind::None)) {
      absent |= 1u << i;
      plan.operands.push_back(
          {-1, literal_in(absent_literal(def.absent[i], plan.compute), plan.compute)});
    } else if (a.type.is(TypeKind::Optional)) {
      decline("{}: it is not known whether {} is None", op.name, op.schema.args[arg].name);
    } else if (a.known && a.value.is_number()) {
      check_fits(op, arg, a.value, plan.compute);
      plan.operands.push_back({-1, literal_in(a.value, plan.compute)});
    } else {
      // Eager execution would look; a kernel cannot.
      if (!a.type.is_tensor() && must_fit(op, arg) && !scalar_always_fits(a.type, plan.compute)) {
        decline("{}: it is not known whether {} is legal", op.name, op.schema.args[arg].name);
      }
      plan.operands.push_back({arg, {}});
    }
  }
  if (plan.compute == DType::F16 && def.half) plan.formula = def.half;
  else apply_specials(def, absent, plan);
  return plan;
}

// The broadcast shape of the tensor operands.
Dims full_shape(const PointwiseDef& def, std::span<const ArgInfo> args) {
  Dims full;
  for (int arg : def.operands) {
    if (args[arg].type.is_tensor()) full = broadcast(full, args[arg].type.info().sizes);
  }
  return full;
}

bool any_unknown(const PointwiseDef& def, std::span<const ArgInfo> args) {
  for (int arg : def.operands) {
    if (args[arg].type.is_tensor() && !args[arg].type.info().complete()) return true;
  }
  return false;
}

// The result's rank and sizes, as far as the operands determine them.
void size_partly(const PointwiseDef& def, std::span<const ArgInfo> args, TensorInfo& info) {
  for (int arg : def.operands)
    if (args[arg].type.is_tensor() && !args[arg].type.info().rank_known) return;
  info.rank_known = true;
  for (int arg : def.operands)
    if (args[arg].type.is_tensor())
      info.sizes = broadcast_known(info.sizes, args[arg].type.info().sizes);
}

// `to(..., copy=True)`; nothing where the flag is not known.
std::optional<bool> copy_asked(const Operator& op, std::span<const ArgInfo> args) {
  for (size_t i = 0; i < op.schema.args.size(); ++i) {
    if (op.schema.args[i].name != "copy") continue;
    return args[i].known ? std::optional(args[i].value.as_bool()) : std::nullopt;
  }
  return false;
}

// Is self, of the result's dtype, the result of a conversion? Nothing where it is not known.
std::optional<bool> is_itself(const Operator& op, std::span<const ArgInfo> args) {
  const std::optional<bool> copies = copy_asked(op, args);
  const auto format = asked_format(op, args);
  if (!copies || !format) return std::nullopt;
  const TensorInfo& self = args[0].type.info();
  return !*copies &&
         (format == MemoryFormat::Preserve || format == format_of(self.sizes, self.strides));
}

// Strides of a fresh result: those that the operands have in common, or what a conversion asks for.
Dims fresh_strides(const Operator& op, std::span<const ArgInfo> args, const Dims& full,
                   std::span<const OperandLayout> operands) {
  const PointwiseDef& def = *op.pointwise_def;
  if (def.lies == Lies::Usual) return contiguous_strides(full);
  if (def.lies == Lies::Common) return elementwise_strides(full, operands, def.wraps_numbers);
  const auto format = asked_format(op, args);
  if (!format) decline("{}: memory_format is not constant", op.name);
  return strides_like(op, *format, full, args[0].type.info().strides);
}

// Where all operands promote together, one of unknown dtype or rank leaves nothing to plan.
bool is_undecided(const PointwiseDef& def, std::span<const ArgInfo> args) {
  if (def.mode_arg >= 0 || def.promotion == Promotion::Target) return false;
  for (int arg : def.operands) {
    const Type& t = args[static_cast<size_t>(arg)].type;
    if (t.is_tensor() && !contains(def.silent, arg) && !(t.info().has_dtype && t.info().rank_known))
      return true;
  }
  return false;
}

// `info`: dtype and sizes of the result.
void set_strides(const Operator& op, std::span<const ArgInfo> args,
                 std::span<const OperandLayout> operands, TensorInfo& info) {
  std::optional<Dims> fresh;
  if (!op.pointwise_def->may_return_self || asked_format(op, args))
    fresh = fresh_strides(op, args, info.sizes, operands);
  const TensorInfo& self = args[0].type.info();
  const bool may_be_self = op.pointwise_def->may_return_self && self.dtype == info.dtype;
  const std::optional<bool> itself = may_be_self ? is_itself(op, args) : false;
  info.strides_known = itself == true || (fresh && (itself || *fresh == self.strides));
  info.strides = !info.strides_known ? Dims() : itself == true ? self.strides : *fresh;
}

void infer_pointwise(const Operator& op, std::span<const ArgInfo> args,
                     std::vector<Type>& results) {
  const PointwiseDef& def = *op.pointwise_def;
  if (op.in_place) {
    results.push_back(args[0].type);
    return;
  }
  if (is_undecided(def, args)) {
    results.emplace_back(TypeKind::Tensor);
    return;
  }
  TensorInfo info;
  bool sized = !any_unknown(def, args);
  try {
    info.dtype = plan_pointwise(op, args).result;
    info.has_dtype = true;
  } catch (const Unsupported&) {
    sized = false;
  }
  if (!sized) {
    if (info.has_dtype) size_partly(def, args, info);
    results.push_back(Type::tensor(info));
    return;
  }
  info.rank_known = info.strides_known = true;
  info.sizes = full_shape(def, args);
  OperandLayout layouts[kMaxOperands];
  size_t n = 0;
  for (int arg : def.operands) {
    if (!args[arg].type.is_tensor()) continue;
    layouts[n++] = {&args[arg].type.info().sizes, &args[arg].type.info().strides};
  }
  set_strides(op, args, {layouts, n}, info);
  results.push_back(Type::tensor(info));
}

// One operand during execution.
struct Source {
  Tensor tensor;        // undefined: a literal
  bool direct = false;  // memory already is the compute type
  bool round = false;   // elements are rounded to the compute dtype after loading
};

template <class T>
T literal_value(const IValue& v, DType compute) {
  T out;
  if (compute == DType::Bool) {
    out = v.as_double() != 0;
  } else if constexpr (std::is_unsigned_v<T>) {
    out = v.is_float() ? static_cast<T>(ring_literal(v.as_double())) : static_cast<T>(v.as_int());
  } else if constexpr (std::is_same_v<T, int64_t>) {
    out = v.is_float() ? float_to_int(v.as_double()) : v.as_int();
  } else {
    out = v.is_float() ? static_cast<T>(v.as_double()) : static_cast<T>(v.as_int());
  }
  round_block<T>(compute, 1, &out);
  return out;
}

// Floats as bools or residues, by way of a type that holds them: bools are "!= 0" (0.5 is true),
// and in the ring domain a payload becomes the integer that its signed reading is. What is no
// residue is asked for as a bool.
template <class Wide, class T>
void load_floats(DType dtype, const void* memory, int64_t stride, int64_t n, bool truth, T* out) {
  Wide wide[kBlock];
  load_block<Wide>(dtype, memory, stride, n, wide);
  for (int64_t i = 0; i < n; ++i) {
    if (truth) out[i] = wide[i] != 0;
    else if constexpr (std::is_unsigned_v<Wide>)
      out[i] = static_cast<T>(std::make_signed_t<Wide>(wide[i]));
  }
}

constexpr int64_t kPiece = 64 * kBlock;  // elements that are worth a thread's while

template <class T>
class Execution {
 public:
  Execution(const PointwisePlan& plan, std::span<const IValue> args, const Tensor& out,
            NativeLoop loop)
      : plan_(plan), out_(out), loop_(loop) {
    for (size_t k = 0; k < plan.operands.size(); ++k) {
      const auto& o = plan.operands[k];
      Source s;
      if (o.arg < 0 || !args[o.arg].is_tensor()) {
        T value = literal_value<T>(o.arg < 0 ? o.literal : args[o.arg], plan.compute);
        std::fill(blocks_[k], blocks_[k] + kBlock, value);
      } else {
        s.tensor = args[o.arg].as_tensor();
        s.direct = native(s.tensor.dtype()) && s.tensor.dtype() == plan.compute;
        s.round = s.tensor.dtype() != plan.compute;
      }
      sources_.push_back(std::move(s));
    }
    direct_out_ = !plan.formula->predicate && native(out.dtype()) && out.dtype() == plan.compute;
  }

  void run() {
    std::vector<Dims> strides{out_.strides()};
    for (const Source& s : sources_) {
      strides.push_back(s.tensor.is_defined()
                            ? broadcast_strides(s.tensor.sizes(), s.tensor.strides(), out_.sizes())
                            : Dims(out_.rank()));
    }
    StridedLoop walk(out_.sizes(), strides.data(), static_cast<int>(strides.size()));
    auto some = [&walk](Execution& by, int64_t begin, int64_t end) {
      walk.run(begin, end, [&](const int64_t* offsets, int64_t n, const int64_t* steps) {
        by.row(offsets, n, steps);
      });
    };
    const int64_t all = walk.outermost();
    if (out_.numel() <= kPiece || !walk.is_disjoint()) return some(*this, 0, all);
    parallel(all, kPiece / (out_.numel() / all) + 1, [&](int64_t begin, int64_t end) {
      if (begin == 0 && end == all) return some(*this, begin, end);
      auto piece = std::make_unique<Execution>(*this);
      some(*piece, begin, end);
    });
  }

 private:
  // Is memory of this dtype an array of T?
  static bool native(DType d) {
    if (std::is_same_v<T, float> || std::is_same_v<T, uint32_t>) return d == DType::F32;
    if (std::is_same_v<T, double> || std::is_same_v<T, uint64_t>) return d == DType::F64;
    return d == DType::I64;
  }

  void row(const int64_t* offsets, int64_t n, const int64_t* steps) {
    for (int64_t i = 0; i < n; i += kBlock) {
      int64_t count = std::min(kBlock, n - i);
      const void* in[4];
      for (size_t k = 0; k < sources_.size(); ++k) {
        in[k] = operand(k, offsets[k + 1] + i * steps[k + 1], steps[k + 1], count);
      }
      uint8_t* to =
          out_.raw() + (offsets[0] + i * steps[0]) * static_cast<int64_t>(size_of(out_.dtype()));
      if (direct_out_ && steps[0] == 1) {
        loop_(in, to, count);
      } else if (plan_.formula->predicate) {
        loop_(in, bytes_, count);
        store_bools(to, steps[0], count, bytes_);
      } else {
        loop_(in, result_, count);
        store_block<T>(out_.dtype(), to, steps[0], count, result_);
      }
    }
  }

  const void* operand(size_t k, int64_t offset, int64_t step, int64_t count) {
    const Source& s = sources_[k];
    if (!s.tensor.is_defined()) return blocks_[k];
    const uint8_t* at = s.tensor.raw() + offset * static_cast<int64_t>(size_of(s.tensor.dtype()));
    if (s.direct && step == 1) return at;
    DType from = s.tensor.dtype();
    bool truth = plan_.compute == DType::Bool, ring = ring_;
    if (is_float(from) && !is_float(plan_.compute) && (truth || ring)) {
      if (!ring) load_floats<double>(from, at, step, count, truth, blocks_[k]);
      else if (from == DType::F64) load_floats<uint64_t>(from, at, step, count, truth, blocks_[k]);
      else load_floats<uint32_t>(from, at, step, count, truth, blocks_[k]);
      if (!truth) round_block<T>(plan_.compute, count, blocks_[k]);
      return blocks_[k];
    }
    load_block<T>(from, at, step, count, blocks_[k]);
    if (s.round) round_block<T>(plan_.compute, count, blocks_[k]);
    return blocks_[k];
  }

  const PointwisePlan& plan_;
  const Tensor& out_;
  NativeLoop loop_;
  std::vector<Source> sources_;
  bool direct_out_ = false;
  bool ring_ = current_domain() == Domain::Ring;
  alignas(64) T blocks_[4][kBlock];
  alignas(64) T result_[kBlock];
  uint8_t bytes_[kBlock];
};

// Of contiguous integers.
bool has_zero(const Tensor& t) {
  int64_t block[kBlock];
  const int64_t size = static_cast<int64_t>(size_of(t.dtype()));
  for (int64_t i = 0; i < t.numel(); i += kBlock) {
    const int64_t n = std::min(kBlock, t.numel() - i);
    load_block<int64_t>(t.dtype(), t.raw() + i * size, 1, n, block);
    int64_t zeros = 0;
    for (int64_t k = 0; k < n; ++k) zeros += block[k] == 0;
    if (zeros) return true;
  }
  return false;
}

void check_divisor(const Operator& op, const PointwiseDef& def, const PointwisePlan& plan,
                   std::span<const IValue> args) {
  if (def.divisor < 0 || is_float(plan.compute)) return;
  const auto& o = plan.operands[static_cast<size_t>(def.divisor)];
  const IValue& v = o.arg < 0 ? o.literal : args[o.arg];
  bool zero = false;
  if (!v.is_tensor()) {
    zero = v.as_double() == 0;
  } else {
    const Tensor given = v.as_tensor();
    zero =
        has_zero(given.dtype() == plan.compute ? contiguous(given) : to_dtype(given, plan.compute));
  }
  if (zero) fail("{}: integer division by zero (ZeroDivisionError)", op.schema.name);
}

// Can a result of these sizes be computed into `self`, where it is an operand? Others that lie in
// its memory lie there as it does.
bool fits_in_place(const Tensor& self, const Dims& full, const PointwisePlan& plan,
                   std::span<const IValue> args) {
  if (plan.result != self.dtype() || !(full == self.sizes())) return false;
  for (const PointwisePlan::Operand& o : plan.operands) {
    if (o.arg < 0 || !args[o.arg].is_tensor()) continue;
    Tensor t = args[o.arg].as_tensor();
    if (!t.shares_storage(self)) continue;
    bool same = t.dtype() == self.dtype() && t.offset() == self.offset() &&
                t.sizes() == self.sizes() && t.strides() == self.strides();
    if (!same) return false;
  }
  return true;
}

// Into `self` where it is given and the result can be.
Tensor compute(const Operator& op, std::span<const IValue> args, const Tensor* self = nullptr) {
  const PointwiseDef& def = *op.pointwise_def;
  std::vector<ArgInfo> infos = infos_of(args);
  PointwisePlan plan = plan_pointwise(op, infos);
  OperandLayout layouts[kMaxOperands];
  size_t n = 0;
  for (int arg : def.operands) {
    const Type& t = infos[static_cast<size_t>(arg)].type;
    if (t.is_tensor()) layouts[n++] = {&t.info().sizes, &t.info().strides};
  }
  Dims full = full_shape(def, infos);
  if (numel_of(full) > 0) check_divisor(op, def, plan, args);
  bool in_place = self && fits_in_place(*self, full, plan, args);
  Tensor out = in_place ? *self : Tensor::empty(full, plan.result);
  if (!in_place) out.impl()->strides = fresh_strides(op, infos, full, {layouts, n});
  Domain domain = current_domain();
  if (def.converts && domain == Domain::Real && args[0].is_tensor()) {
    copy_into(out, args[0].as_tensor());
    return out;
  }
  Model model = model_of(plan.compute);
  NativeLoop loop = plan.formula->loop[static_cast<int>(domain)][static_cast<int>(model)];
  FUS_CHECK(loop, "{} has no loop for {}", op.name, name_of(plan.compute));
  bool ring = domain == Domain::Ring;
  if (is_bool_plan(plan, args)) {
    run_bools(plan, args, loop, out);
  } else if (NativeLoop narrow = narrow_loop(plan, args)) {
    run_narrow(plan, args, narrow, out);
  } else if (model == Model::I64) {
    Execution<int64_t>(plan, args, out, loop).run();
  } else if (model == Model::F32) {
    if (ring) Execution<uint32_t>(plan, args, out, loop).run();
    else Execution<float>(plan, args, out, loop).run();
  } else {
    if (ring) Execution<uint64_t>(plan, args, out, loop).run();
    else Execution<double>(plan, args, out, loop).run();
  }
  return out;
}

void run_pointwise(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  const PointwiseDef& def = *op.pointwise_def;
  if (def.may_return_self) {
    std::vector<ArgInfo> infos = infos_of(args);
    plan_pointwise(op, infos);  // its checks
    if (returns_self(op, infos)) {
      results.push_back(args[0]);
      return;
    }
  }
  results.emplace_back(compute(op, args));
}

void run_in_place(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  if (self.may_overlap_itself()) {
    fail("{}: elements of self ({}, strides {}) share a memory location; clone it first",
         op.schema.name, describe(self), to_string(self.strides()));
  }
  Tensor value = compute(op, args, &self);
  if (value.same(self)) return results.push_back(args[0]);
  if (!(value.sizes() == self.sizes())) {
    fail("{}: the result's shape {} is not self's {}", op.schema.name, to_string(value.sizes()),
         to_string(self.sizes()));
  }
  if (static_cast<int>(category_of(value.dtype())) > static_cast<int>(category_of(self.dtype()))) {
    fail("{}: result type {} can't be cast to self's {}", op.schema.name, name_of(value.dtype()),
         name_of(self.dtype()));
  }
  copy_into(self, value);
  results.push_back(args[0]);
}

// Is a number there an operand without dims to ATen? Overloads for numbers say so; some hand it to
// the kernel.
bool takes_number_as_tensor(const Schema& s) {
  const bool to_kernel =
      s.name == "aten::pow" || s.name == "aten::lerp" || s.name == "aten::masked_fill";
  return s.overload.find("Scalar") != std::string::npos && !to_kernel;
}

std::vector<int> default_operands(const Schema& s) {
  std::vector<int> out;
  for (size_t i = 0; i < s.args.size(); ++i) {
    const Type* t = &s.args[i].type;
    if (t->is(TypeKind::Optional)) t = &t->element();
    if (t->is_tensor() || t->is(TypeKind::Number)) out.push_back(static_cast<int>(i));
  }
  return out;
}

Schema in_place_schema(const Schema& s, const char* in_place_name) {
  Schema t = s;
  std::string name =
      in_place_name ? in_place_name : s.name + "_" + (s.overload.empty() ? "" : "." + s.overload);
  size_t dot = name.find('.');
  t.name = name.substr(0, dot);
  t.overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  t.args[0].alias = "a";
  t.args[0].written = true;
  t.results[0] = t.args[0];
  t.results[0].name.clear();
  return t;
}

std::vector<Role> roles_of(const Schema& s) {
  std::vector<Role> out;
  for (const SchemaArg& a : s.args) {
    const Type* t = &a.type;
    if (t->is(TypeKind::Optional)) t = &t->element();
    out.push_back(t->is_tensor()            ? Role::Operand
                  : t->is(TypeKind::Number) ? Role::Number
                                            : Role::Default);
    if (a.name == "dtype") out.back() = Role::DTypeCode;
  }
  return out;
}

}  // namespace

bool returns_self(const Operator& op, std::span<const ArgInfo> args) {
  return op.pointwise_def->may_return_self && is_itself(op, args) == true &&
         args[0].type.info().dtype == target_dtype(op, args);
}

bool scalar_fits(const IValue& v, DType dtype) {
  double x = v.as_double();
  if (dtype == DType::Bool || (dtype == DType::I64 && !v.is_float())) return true;
  if (is_float(dtype)) return !std::isfinite(x) || std::fabs(x) <= largest_finite(dtype);
  double limit = std::ldexp(1.0, row_of(dtype).significand);
  double low = dtype != DType::U8 ? -limit : v.is_float() ? 0 : 1 - limit;
  return x >= low && x < limit;
}

bool scalar_always_fits(const Type& number, DType dtype) {
  if (dtype == DType::F64 || dtype == DType::Bool) return true;
  bool wide = dtype == DType::I64 || dtype == DType::F32 || dtype == DType::BF16;
  return wide && (number.is(TypeKind::Int) || number.is(TypeKind::Bool));
}

IValue absent_literal(double value, DType compute) {
  bool largest = std::fabs(value) == DBL_MAX;
  if (!largest && (is_float(compute) || !std::isinf(value))) return IValue(value);
  if (is_float(compute)) return IValue(std::copysign(largest_finite(compute), value));
  int bits = row_of(compute).significand;
  int64_t most = static_cast<int64_t>(~uint64_t{0} >> (64 - bits));
  bool is_signed = compute != DType::U8 && compute != DType::Bool;
  return IValue(value > 0 ? most : is_signed ? -most - 1 : 0);
}

const Operator& add_pointwise(const char* schema, PointwiseDef def, const char* family,
                              bool in_place) {
  static std::deque<PointwiseDef> defs;
  Operator r;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::Pointwise;
  r.family = family;
  if (def.operands.empty()) def.operands = default_operands(r.schema);
  def.absent.resize(def.operands.size(), 0);
  def.wraps_numbers = takes_number_as_tensor(r.schema);
  r.generate = def.generate;
  r.moves_to = def.moves_to;
  FUS_CHECK(def.operands.size() < size_t{kMaxOperands}, "{} has {} operands", r.name,
            def.operands.size());
  r.pointwise_def = &defs.emplace_back(std::move(def));
  r.run = &run_pointwise;
  r.infer = &infer_pointwise;
  r.pointwise = &plan_pointwise;
  r.roles = roles_of(r.schema);
  const Operator& added = OperatorTable::instance().add(r);
  if (!in_place) return added;
  Operator form = r;
  form.schema = in_place_schema(r.schema, r.pointwise_def->in_place_name);
  form.name = form.schema.full_name();
  form.in_place = true;
  form.functional = &added;
  form.run = &run_in_place;
  OperatorTable::instance().add(std::move(form));
  return added;
}

}  // namespace fusillade

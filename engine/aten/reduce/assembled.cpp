// Rows that are a few others in a line: products of vectors, maxima of everything, truth of many,
// norms, gates.
#include <cmath>

#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"
#include "engine/ops/opaque_row.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_row.h"
#include "engine/tensor/iterate.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "reduce";

void add(const std::string& schema, const std::string& body, std::vector<Role> roles,
         DrawFn draw = nullptr, uint16_t dtypes = kAllDTypes) {
  add_composite({.schema = schema,
                 .body = std::string(kLiterals) + body,
                 .family = kFamily,
                 .draw = draw,
                 .roles = std::move(roles),
                 .drawn_dtypes = dtypes});
}

// ---------------------------------------------------------------------------- products

std::vector<Wish> draw_outer(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (offered && offered->sizes.rank() != 1) return {};
  DType dtype = offered ? offered->dtype : DType::F32;
  return {offered ? Wish::offered() : Wish::tensor(dtype, Dims{chooser.between(0, 5)}),
          Wish::tensor(dtype, Dims{chooser.between(0, 5)})};
}

void products() {
  const std::string outer = R"(  %x : Tensor = prim::vector(%self)
  %y : Tensor = prim::vector(%vec2)
  %column : Tensor = aten::unsqueeze(%x, %one)
  %result : Tensor = aten::mul(%column, %y)
  return (%result)
)";
  add("aten::outer(Tensor self, Tensor vec2) -> Tensor", outer, {}, &draw_outer);
  add("aten::ger(Tensor self, Tensor vec2) -> Tensor", outer, {});
  add_view(
      "prim::vector(Tensor(a) self) -> Tensor(a)",
      [](const Row&, std::span<const ArgInfo>, const Dims& sizes, const Dims& strides) {
        if (sizes.rank() != 1) fail("aten::outer: expected a vector, got {}", to_string(sizes));
        return std::vector<ViewGeometry>{{sizes, strides, 0, false}};
      },
      {Role::Operand}, kFamily, false);
}

// ---------------------------------------------------------------------------- reductions

// Sums count; u8 answers in u8.
void truths() {
  using enum Role;
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;
  add_scalar(
      "prim::truth_dtype(Tensor self) -> int",
      [](Values v) {
        bool byte = v[0].as_tensor().dtype() == DType::U8;
        return IValue(static_cast<int64_t>(row_of(byte ? DType::U8 : DType::Bool).aten_code));
      },
      o);
  for (bool all : {false, true}) {
    std::string name = all ? "aten::all" : "aten::any";
    auto body = [&](const char* dims, const char* keep) {
      return fmt::format(
          R"(  %code : int = prim::truth_dtype(%self)
  %counted : Tensor = aten::{}(%self, %zero)
{}  %count : Tensor = aten::sum(%counted, {}, {}, %none)
  %truth : Tensor = aten::{}(%count, %zero)
  %result : Tensor = aten::to(%truth, %code, %no, %no, %none)
  return (%result)
)",
          all ? "eq" : "ne",
          *dims == '%' && dims[1] == 'd' ? "  %dims : int[] = prim::ListConstruct(%dim)\n" : "",
          dims, keep, all ? "eq" : "ne");
    };
    add(name + "(Tensor self) -> Tensor", body("%none", "%no"), {Operand});
    add(name + ".dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
        body("%dims", "%keepdim"), {Operand, Dim, Flag});
  }
}

void extremes() {
  using enum Role;
  for (const char* name : {"max", "min"}) {
    add(fmt::format("aten::{}(Tensor self) -> Tensor", name),
        fmt::format(R"(  %all : int[] = prim::ListConstruct()
  %result : Tensor = aten::a{}(%self, %all, %no)
  return (%result)
)",
                    name),
        {Operand});
  }
  PointwiseDef finite;
  finite.real = &real_formula<1>([](auto x) {
    using N = decltype(x);
    return select(x - x == N(0.0), x, N(0.0));
  });
  finite.generate = false;
  add_pointwise("prim::finite_or_zero(Tensor self) -> Tensor", finite, kFamily, false);
  // Infinities of one line: the finite maximum keeps inf - inf away.
  add("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
      R"(  %x : Tensor = prim::floating(%self)
  %top : Tensor = prim::amax_or_least(%x, %dim, %yes)
  %whole : Tensor = prim::finite_or_zero(%top)
  %shifted : Tensor = aten::sub(%x, %whole, %one)
  %e : Tensor = aten::exp(%shifted)
  %total : Tensor = aten::sum(%e, %dim, %yes, %none)
  %log : Tensor = aten::log(%total)
  %kept : Tensor = aten::add(%log, %whole, %one)
  %result : Tensor = aten::sum(%kept, %dim, %keepdim, %none)
  return (%result)
)",
      {Operand, DimList, Flag}, nullptr, kFloatDTypes);
}

// ---------------------------------------------------------------------------- norms

// What is reduced by `dims`, for every power; halves in float, rounded once. Of a line of one
// element it is the magnitude, which no power overflows, and the sum of magnitudes needs none.
std::string norm_body(const char* dims, const char* keep) {
  return fmt::format(
      R"(  %op : str = prim::Constant[value="aten::norm"]()
  %given : Tensor = prim::require_floating(%self, %op)
  %own : int = prim::dtype(%given)
  %code : int = prim::wide_dtype(%given)
  %x : Tensor = aten::to(%given, %code, %no, %no, %none)
{2}  %power : float = prim::norm_power(%p)
  %most : float = prim::Constant[value=inf]()
  %least : float = prim::Constant[value=-inf]()
  %is_most : bool = aten::eq(%power, %most)
  %is_least : bool = aten::eq(%power, %least)
  %is_two : bool = aten::eq(%power, %two)
  %is_count : bool = aten::eq(%power, %zero)
  %wide : Tensor = prim::If(%is_most)
    block0():
      %size : Tensor = aten::abs(%x)
      %top : Tensor = aten::amax(%size, {0}, {1})
      -> (%top)
    block1():
      %rest : Tensor = prim::If(%is_least)
        block0():
          %least_size : Tensor = aten::abs(%x)
          %bottom : Tensor = aten::amin(%least_size, {0}, {1})
          -> (%bottom)
        block1():
          %sums : Tensor = prim::If(%is_two)
            block0():
              %square : Tensor = aten::mul(%x, %x)
              %total : Tensor = aten::sum(%square, {0}, {1}, %none)
              %root : Tensor = aten::sqrt(%total)
              -> (%root)
            block1():
              %other : Tensor = prim::If(%is_count)
                block0():
                  %some : Tensor = aten::ne(%x, %zero)
                  %count : Tensor = aten::sum(%some, {0}, {1}, %code)
                  -> (%count)
                block1():
                  %base : Tensor = aten::abs(%x)
                  %all_of : Tensor = aten::sum(%base, {0}, {1}, %none)
                  %before : int = aten::numel(%base)
                  %behind : int = aten::numel(%all_of)
                  %single : bool = aten::eq(%before, %behind)
                  %is_one : bool = aten::eq(%power, %one)
                  %as_it_is : bool = aten::__or__(%single, %is_one)
                  %general : Tensor = prim::If(%as_it_is)
                    block0():
                      -> (%all_of)
                    block1():
                      %divides : bool = aten::lt(%power, %zero)
                      %lines : Tensor = prim::If(%divides)
                        block0():
                          %some_lines : Tensor = prim::lines_checked(%base, %power, {0})
                          -> (%some_lines)
                        block1():
                          -> (%base)
                      %powers : Tensor = aten::pow(%lines, %power)
                      %sum : Tensor = aten::sum(%powers, {0}, {1}, %none)
                      %inverse : float = aten::div(%one, %power)
                      %root_of : Tensor = aten::pow(%sum, %inverse)
                      -> (%root_of)
                  -> (%general)
              -> (%other)
          -> (%sums)
      -> (%rest)
  %result : Tensor = aten::to(%wide, %own, %no, %no, %none)
  return (%result)
)",
      dims, keep, *dims == '%' && dims[1] == 'a' ? "  %all : int[] = prim::ListConstruct()\n" : "");
}

// The operand itself; for a power below 0 its lines must have elements.
std::vector<ViewGeometry> plan_lines_checked(const Row& row, std::span<const ArgInfo> args,
                                             const Dims& sizes, const Dims& strides) {
  if (!args[1].known) decline("{}: the power is not constant", row.name);
  const Dims dims = known_dims(row, args, 2);
  const bool empty = args[1].value.as_double() < 0 && numel_of(sizes) == 0;
  for (int d = 0; empty && d < sizes.rank(); ++d) {
    const auto is_d = [&](int64_t dim) { return wrap_dim(dim, sizes.rank()) == d; };
    if (sizes[d] == 0 && (dims.empty() || std::any_of(dims.begin(), dims.end(), is_d)))
      fail("a norm of negative order takes lines that have elements");
  }
  return {{sizes, strides}};
}

IValue draw_power(Chooser& chooser) {
  const double powers[] = {2, 2, 1, 0, INFINITY, -INFINITY, 3};
  return IValue(powers[chooser.between(0, 6)]);
}

std::vector<Wish> draw_norm(const Row& row, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype) || numel_of(offered->sizes) == 0) return {};
  std::vector<Wish> out{Wish::offered(), Wish::of(draw_power(chooser))};
  if (row.schema.args.size() == 2) return out;
  Dims dims;
  for (int d = 0; d < offered->sizes.rank(); ++d) {
    if (chooser.percent(50)) dims.push_back(d);
  }
  out.push_back(Wish::of(IValue::int_list(dims)));
  out.push_back(Wish::of(IValue(chooser.percent(40))));
  return out;
}

void norms() {
  ScalarOptions o;
  o.generate = false;
  add_scalar(
      "prim::norm_power(Scalar? p) -> float",
      [](Values v) { return IValue(v[0].is_none() ? 2.0 : v[0].as_double()); }, o);
  add_view("prim::lines_checked(Tensor(a) self, float power, int[] dim) -> Tensor(a)",
           &plan_lines_checked, {Role::Operand, Role::Default, Role::Default}, kFamily, false);
  add("aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", norm_body("%all", "%no"), {},
      &draw_norm);
  add("aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
      norm_body("%dim", "%keepdim"), {}, &draw_norm);
}

// ---------------------------------------------------------------------------- gates

std::vector<Wish> draw_prelu(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype)) return {};
  bool each = offered->sizes.rank() >= 2 && chooser.percent(50);
  return {Wish::offered(), Wish::tensor(offered->dtype, Dims{each ? offered->sizes[1] : 1})};
}

std::vector<Wish> draw_glu(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || !is_float(offered->dtype) || offered->sizes.rank() == 0) return {};
  int64_t d = chooser.between(0, offered->sizes.rank() - 1);
  if (offered->sizes[static_cast<int>(d)] % 2) return {};
  return {Wish::offered(), Wish::of(IValue(d))};
}

void gates() {
  using enum Role;
  PointwiseDef leak;
  leak.real = &real_formula<2>([](auto x, auto w) {
    using N = decltype(x);
    return select(x > N(0.0), x, w * x);
  });
  leak.generate = false;
  add_pointwise("prim::leaked(Tensor self, Tensor weight) -> Tensor", leak, kFamily, false);
  ScalarOptions o;
  o.generate = false;
  o.metadata = true;
  add_scalar(
      "prim::channel_dim(Tensor self, Tensor weight) -> int",
      [](Values v) {
        Tensor self = v[0].as_tensor(), weight = v[1].as_tensor();
        int64_t channels = self.rank() >= 2 ? self.sizes()[1] : 1;
        bool fits = weight.rank() <= 1 && (weight.numel() == 1 || weight.numel() == channels);
        if (!fits || self.dtype() != weight.dtype()) {
          fail("aten::prelu: a weight of {} does not fit {}", describe(weight), describe(self));
        }
        return IValue(self.rank() >= 2 ? 1 : -1);
      },
      o);
  add("aten::prelu(Tensor self, Tensor weight) -> Tensor",
      R"(  %dim : int = prim::channel_dim(%self, %weight)
  %last : Tensor = aten::transpose(%self, %dim, %minus)
  %leaked : Tensor = prim::leaked(%last, %weight)
  %back : Tensor = aten::transpose(%leaked, %dim, %minus)
  %result : Tensor = aten::view_as(%back, %self)
  return (%result)
)",
      {}, &draw_prelu);
  add_scalar(
      "prim::half_of(Tensor self, int dim) -> int",
      [](Values v) {
        Tensor self = v[0].as_tensor();
        if (self.rank() == 0) fail("aten::glu: does not support 0-d tensors");
        int64_t size = self.sizes()[wrap_dim(v[1].as_int(), self.rank())];
        if (size % 2)
          fail("aten::glu: halving dimension must be even, but dimension {} is of size {}",
               v[1].as_int(), size);
        return IValue(size / 2);
      },
      o);
  add("aten::glu(Tensor self, int dim=-1) -> Tensor",
      R"(  %op : str = prim::Constant[value="aten::glu"]()
  %x : Tensor = prim::require_floating(%self, %op)
  %half : int = prim::half_of(%x, %dim)
  %a : Tensor = aten::narrow(%x, %dim, %zero, %half)
  %b : Tensor = aten::narrow(%x, %dim, %half, %half)
  %gate : Tensor = aten::sigmoid(%b)
  %result : Tensor = aten::mul(%a, %gate)
  return (%result)
)",
      {}, &draw_glu);
}

// ---------------------------------------------------------------------------- broadcasting

void run_broadcast(const Row&, Values args, std::vector<IValue>& results) {
  Dims full;
  for (const IValue& v : args[0].items()) full = broadcast(full, v.as_tensor().sizes());
  std::vector<IValue> items;
  for (const IValue& v : args[0].items()) {
    Tensor t = v.as_tensor();
    items.emplace_back(
        Tensor::view_of(t, t.offset(), full, broadcast_strides(t.sizes(), t.strides(), full)));
  }
  results.push_back(IValue::list(std::move(items), TypeKind::Tensor));
}

void broadcasts() {
  InferFn infer = [](const Row&, std::span<const ArgInfo>, std::vector<Type>& results) {
    results.push_back(Type::list(TypeKind::Tensor));
  };
  Row r = opaque_row("aten::broadcast_tensors(Tensor(a -> *)[] tensors) -> Tensor(a)[]", kFamily,
                     &run_broadcast, infer);
  r.metadata = true;  // its results are the operands' memory
  RowTable::instance().add(std::move(r));
}

// ---------------------------------------------------------------------------- a tensor's memory,
// seen otherwise

void run_as_strided(const Row& row, Values args, std::vector<IValue>& results) {
  const Tensor& self = args[0].as_tensor();
  Dims sizes = args[1].as_dims(), strides = args[2].as_dims();
  int64_t offset = args[3].is_none() ? self.offset() : args[3].as_int();
  bool legal = sizes.rank() == strides.rank() && offset >= 0;
  for (int d = 0; legal && d < sizes.rank(); ++d) legal = sizes[d] >= 0 && strides[d] >= 0;
  if (!legal) fail("{}: as many strides as sizes are wanted, and nothing below 0", row.name);
  results.emplace_back(Tensor::view_of(self, offset, sizes, strides));
}

void infer_as_strided(const Row&, std::span<const ArgInfo> args, std::vector<Type>& results) {
  TensorInfo info;
  info.has_dtype = args[0].type.info().has_dtype;
  info.dtype = args[0].type.info().dtype;
  if (args[1].known && args[2].known) {
    info.rank_known = info.strides_known = true;
    info.sizes = args[1].value.as_dims();
    info.strides = args[2].value.as_dims();
  }
  results.push_back(Type::tensor(info));
}

void memory() {
  Row r = opaque_row(
      "aten::as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> "
      "Tensor(a)",
      kFamily, &run_as_strided, &infer_as_strided);
  r.metadata = true;  // its result is the operand's memory
  RowTable::instance().add(std::move(r));
}

[[maybe_unused]] const bool kRegistered = [] {
  norms();
  gates();
  broadcasts();
  memory();
  products();
  truths();
  extremes();
  return true;
}();

}  // namespace
}  // namespace fusillade

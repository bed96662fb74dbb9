// Rows that are a few others in a line: products of vectors, maxima of everything, truth of many, norms, gates.
#include "engine/ops/composite.h"
#include "engine/ops/pointwise.h"
#include "engine/ops/scalar_row.h"
#include "engine/ops/view.h"

namespace fusillade {
namespace {

using Values = std::span<const IValue>;

constexpr const char* kFamily = "assembled";

void add(const std::string& schema, const std::string& body, std::vector<Role> roles, DrawFn draw = nullptr,
         uint16_t dtypes = kAllDTypes) {
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
  add_view("prim::vector(Tensor(a) self) -> Tensor(a)",
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
  add_scalar("prim::truth_dtype(Tensor self) -> int", [](Values v) {
    bool byte = v[0].as_tensor().dtype() == DType::U8;
    return IValue(static_cast<int64_t>(row_of(byte ? DType::U8 : DType::Bool).aten_code));
  }, o);
  for (bool all : {false, true}) {
    std::string name = all ? "aten::all" : "aten::any";
    auto body = [&](const char* dims, const char* keep) {
      return fmt::format(R"(  %code : int = prim::truth_dtype(%self)
  %counted : Tensor = aten::{}(%self, %zero)
{}  %count : Tensor = aten::sum(%counted, {}, {}, %none)
  %truth : Tensor = aten::{}(%count, %zero)
  %result : Tensor = aten::to(%truth, %code, %no, %no, %none)
  return (%result)
)", all ? "eq" : "ne", *dims == '%' && dims[1] == 'd' ? "  %dims : int[] = prim::ListConstruct(%dim)\n" : "", dims,
                         keep, all ? "eq" : "ne");
    };
    add(name + "(Tensor self) -> Tensor", body("%none", "%no"), {Operand});
    add(name + ".dim(Tensor self, int dim, bool keepdim=False) -> Tensor", body("%dims", "%keepdim"),
        {Operand, Dim, Flag});
  }
}

void extremes() {
  using enum Role;
  for (const char* name : {"max", "min"}) {
    add(fmt::format("aten::{}(Tensor self) -> Tensor", name), fmt::format(R"(  %all : int[] = prim::ListConstruct()
  %result : Tensor = aten::a{}(%self, %all, %no)
  return (%result)
)", name), {Operand});
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
      R"(  %op : str = prim::Constant[value="aten::logsumexp"]()
  %x : Tensor = prim::require_floating(%self, %op)
  %top : Tensor = prim::amax_or_least(%x, %dim, %yes)
  %whole : Tensor = prim::finite_or_zero(%top)
  %shifted : Tensor = aten::sub(%x, %whole, %one)
  %e : Tensor = aten::exp(%shifted)
  %total : Tensor = aten::sum(%e, %dim, %yes, %none)
  %log : Tensor = aten::log(%total)
  %kept : Tensor = aten::add(%log, %whole, %one)
  %result : Tensor = aten::sum(%kept, %dim, %keepdim, %none)
  return (%result)
)", {Operand, DimList, Flag}, nullptr, kFloatDTypes);
}

[[maybe_unused]] const bool kRegistered = [] {
  products();
  truths();
  extremes();
  return true;
}();

}  // namespace
}  // namespace fusillade

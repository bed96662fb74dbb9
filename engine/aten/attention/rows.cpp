// Attention as PyTorch's inference path calls it: _native_multi_head_attention, and a transformer
// encoder's whole layer.
//
// Masks are bool, true where nothing is attended to: [t, s] (mask_type 0), [n, s] (1), or of the
// scores' rank. Not here: nested tensors.
#include "engine/aten/view/view.h"
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;

constexpr const char* kFamily = "attention";

// A mask as it broadcasts with scores [n, heads, t, s].
Views plan_mask(const Row& row, Args args, const Dims& sizes, const Dims& strides) {
  ViewGeometry g{sizes, strides, 0, false};
  bool keys = args[1].known && !args[1].value.is_none() && args[1].value.as_int() == 1;
  if (!args[1].known) decline("{}: mask_type is not constant", row.name);
  if (sizes.rank() != 2 && sizes.rank() != 4) {
    fail("aten::_native_multi_head_attention: a mask must have 2 or 4 dimensions, got {}",
         to_string(sizes));
  }
  if (sizes.rank() == 2 && keys) {
    for (int i = 0; i < 2; ++i) {
      g.sizes.insert(1, 1);
      g.strides.insert(1, 0);
    }
  }
  return {g};
}

// query [n, t, e], key and value [n, s, e], three parts of the projection's weight and bias.
constexpr const char* kProject = R"(  %three : int = prim::Constant[value=3]()
  %parts : int[] = prim::ListConstruct(%three, %embed_dim)
  %weight_parts : Tensor = aten::unflatten(%qkv_weight, %zero, %parts)
  %bias_parts : Tensor = aten::unflatten(%qkv_bias, %zero, %parts)
  %weights : Tensor[] = aten::unbind(%weight_parts, %zero)
  %biases : Tensor[] = aten::unbind(%bias_parts, %zero)
  %w_q : Tensor, %w_k : Tensor, %w_v : Tensor = prim::ListUnpack(%weights)
  %b_q : Tensor, %b_k : Tensor, %b_v : Tensor = prim::ListUnpack(%biases)
  %width_asked : int[] = prim::ListConstruct(%embed_dim)
  %checked : Tensor = aten::unflatten(%query, %two, %width_asked)
  %wide_q : Tensor = aten::linear(%checked, %w_q, %b_q)
  %wide_k : Tensor = aten::linear(%key, %w_k, %b_k)
  %wide_v : Tensor = aten::linear(%value, %w_v, %b_v)
  %split : int[] = prim::ListConstruct(%num_head, %minus)
  %tall_q : Tensor = aten::unflatten(%wide_q, %two, %split)
  %tall_k : Tensor = aten::unflatten(%wide_k, %two, %split)
  %tall_v : Tensor = aten::unflatten(%wide_v, %two, %split)
  %q : Tensor = aten::transpose(%tall_q, %one, %two)
  %k : Tensor = aten::transpose(%tall_k, %one, %two)
  %v : Tensor = aten::transpose(%tall_v, %one, %two)
)";

constexpr const char* kAttend = R"(  %width : int = aten::size(%q, %minus)
  %root : float = aten::sqrt(%width)
  %scaled : Tensor = aten::div(%q, %root)
  %k_t : Tensor = aten::transpose(%k, %two, %three)
  %scores : Tensor = aten::matmul(%scaled, %k_t)
  %has_mask : bool = aten::__isnot__(%mask, %none)
  %masked : Tensor = prim::If(%has_mask)
    block0():
      %given : Tensor = prim::unchecked_cast(%mask)
      %least : float = prim::Constant[value=-inf]()
      %shaped : Tensor = prim::attention_mask(%given, %mask_type)
      %bools : Tensor = aten::ne(%shaped, %zero)
      %filled : Tensor = aten::masked_fill(%scores, %bools, %least)
      -> (%filled)
    block1():
      -> (%scores)
  %attention : Tensor = aten::softmax(%masked, %three, %none)
  %context : Tensor = aten::matmul(%attention, %v)
  %rows : Tensor = aten::transpose(%context, %one, %two)
  %joined : Tensor = aten::flatten(%rows, %two, %three)
  %result : Tensor = aten::linear(%joined, %proj_weight, %proj_bias)
  %shown : Tensor = prim::If(%need_weights)
    block0():
      %averaged : Tensor = prim::If(%average_attn_weights)
        block0():
          %heads : int[] = prim::ListConstruct(%one)
          %mean : Tensor = aten::mean(%attention, %heads, %no, %none)
          -> (%mean)
        block1():
          -> (%attention)
      -> (%averaged)
    block1():
      %empty : int[] = prim::ListConstruct(%zero)
      %nothing : Tensor = aten::zeros(%empty, %none, %none, %none, %none)
      -> (%nothing)
  return (%result, %shown)
)";

constexpr const char* kEncoder = R"(  %shape : int[] = prim::ListConstruct(%embed_dim)
  %first : Tensor = prim::If(%norm_first)
    block0():
      %normed : Tensor = aten::layer_norm(%src, %shape, %norm_weight_1, %norm_bias_1, %eps, %no)
      -> (%normed)
    block1():
      -> (%src)
  %attended : Tensor, %weights : Tensor = aten::_native_multi_head_attention(%first, %first, %first, %embed_dim, %num_heads, %qkv_weight, %qkv_bias, %proj_weight, %proj_bias, %mask, %no, %no, %mask_type)
  %residual : Tensor = aten::add(%attended, %src, %one)
  %middle : Tensor, %inner : Tensor = prim::If(%norm_first)
    block0():
      %normed_2 : Tensor = aten::layer_norm(%residual, %shape, %norm_weight_2, %norm_bias_2, %eps, %no)
      -> (%residual, %normed_2)
    block1():
      %normed_1 : Tensor = aten::layer_norm(%residual, %shape, %norm_weight_1, %norm_bias_1, %eps, %no)
      -> (%normed_1, %normed_1)
  %up : Tensor = aten::linear(%inner, %ffn_weight_1, %ffn_bias_1)
  %active : Tensor = prim::If(%use_gelu)
    block0():
      %gelu_kind : str = prim::Constant[value="none"]()
      %smooth : Tensor = aten::gelu(%up, %gelu_kind)
      -> (%smooth)
    block1():
      %sharp : Tensor = aten::relu(%up)
      -> (%sharp)
  %down : Tensor = aten::linear(%active, %ffn_weight_2, %ffn_bias_2)
  %sum : Tensor = aten::add(%down, %middle, %one)
  %result : Tensor = prim::If(%norm_first)
    block0():
      -> (%sum)
    block1():
      %last : Tensor = aten::layer_norm(%sum, %shape, %norm_weight_2, %norm_bias_2, %eps, %no)
      -> (%last)
  return (%result)
)";

std::vector<Wish> draw_attention(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (offered && (offered->sizes.rank() != 3 || offered->dtype != DType::F32 ||
                  numel_of(offered->sizes) > 90 || numel_of(offered->sizes) == 0)) {
    return {};
  }
  Dims in = offered ? offered->sizes
                    : Dims{chooser.between(1, 2), chooser.between(1, 3), chooser.between(1, 3) * 2};
  int64_t e = in[2];
  int64_t heads = e % 2 == 0 && chooser.percent(60) ? 2 : 1;
  Wish query = offered ? Wish::offered() : Wish::tensor(DType::F32, in);
  auto memory = [&] { return Wish::tensor(DType::F32, in); };
  return {query,
          memory(),
          memory(),
          Wish::of(IValue(e)),
          Wish::of(IValue(heads)),
          Wish::tensor(DType::F32, Dims{3 * e, e}),
          Wish::tensor(DType::F32, Dims{3 * e}),
          Wish::tensor(DType::F32, Dims{e, e}),
          Wish::tensor(DType::F32, Dims{e}),
          Wish::of(IValue()),
          Wish::of(IValue(chooser.percent(50))),
          Wish::of(IValue(chooser.percent(50))),
          Wish::of(IValue())};
}

[[maybe_unused]] const bool kRegistered = [] {
  add_view("prim::attention_mask(Tensor(a) mask, int? mask_type) -> Tensor(a)", &plan_mask,
           {Role::Operand, Role::Default}, kFamily, false);
  add_composite({.schema =
                     "aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, "
                     "int embed_dim, "
                     "int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor "
                     "proj_bias, "
                     "Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, "
                     "int? mask_type=None) -> (Tensor, Tensor)",
                 .body = std::string(kLiterals) + kProject + kAttend,
                 .family = kFamily,
                 .draw = &draw_attention});
  add_composite(
      {.schema =
           "aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, "
           "Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool "
           "use_gelu, "
           "bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, "
           "Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, "
           "Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> "
           "Tensor",
       .body = std::string(kLiterals) + kEncoder,
       .family = kFamily});
  return true;
}();

}  // namespace
}  // namespace fusillade

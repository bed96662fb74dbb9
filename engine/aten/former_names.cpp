// Operators of ours that earlier versions called otherwise: graphs in files may still say so.
#include "engine/ops/operator.h"

namespace fusillade {
namespace {

constexpr const char* kFormer[][2] = {
    {"prim::adaptive_maxed", "prim::adaptive_max_pool"},
    {"prim::binned", "prim::count_in_bins"},
    {"prim::box_aligned", "prim::align_box"},
    {"prim::brought_inside", "prim::pad_coordinates"},
    {"prim::clipped_to", "prim::clip_to_size"},
    {"prim::completed", "prim::complete_basis"},
    {"prim::conv_transposed", "prim::conv_transpose"},
    {"prim::convolved3d", "prim::convolve3d"},
    {"prim::dropped", "prim::apply_dropout"},
    {"prim::edge_places", "prim::bin_indices"},
    {"prim::eliminated", "prim::eliminate"},
    {"prim::exchanged", "prim::swap_symmetric"},
    {"prim::factored_ldl", "prim::factor_ldl"},
    {"prim::factored_lu", "prim::factor_lu"},
    {"prim::fitted", "prim::fit_size"},
    {"prim::fraction_pooled", "prim::fractional_max_pool"},
    {"prim::fresh", "prim::contiguous_copy"},
    {"prim::gradient_by_places", "prim::gradient_by_indices"},
    {"prim::grouped", "prim::group_channels"},
    {"prim::grown", "prim::grow"},
    {"prim::halves_widened", "prim::widen_halves"},
    {"prim::held_inside", "prim::clamped_indices"},
    {"prim::interpolated", "prim::interpolate_quantile"},
    {"prim::laid_out", "prim::as_shape"},
    {"prim::leaked", "prim::prelu"},
    {"prim::max_pooled", "prim::max_pool"},
    {"prim::mean_pooled3d", "prim::mean_pool3d"},
    {"prim::padded", "prim::pad"},
    {"prim::permuted_back", "prim::permute_back"},
    {"prim::places", "prim::element_indices"},
    {"prim::places_between", "prim::sample_positions"},
    {"prim::pooled_places", "prim::pooled_indices"},
    {"prim::reached_by", "prim::extent_of"},
    {"prim::reduced", "prim::reduce"},
    {"prim::reflected", "prim::householder_qr"},
    {"prim::resized", "prim::resize_dim"},
    {"prim::resized_bytes", "prim::resize_bytes"},
    {"prim::resized_cubic", "prim::resize_cubic"},
    {"prim::resized_each", "prim::resize_dims"},
    {"prim::resized_smooth", "prim::resize_smooth"},
    {"prim::restored", "prim::restore_dims"},
    {"prim::rotated", "prim::jacobi_svd"},
    {"prim::sampled_cubic", "prim::sample_cubic"},
    {"prim::scattered", "prim::scatter_reduce"},
    {"prim::solved", "prim::solve"},
    {"prim::stands_beside", "prim::check_diff"},
    {"prim::summed_channels", "prim::channel_sums"},
    {"prim::summed_nothing", "prim::empty_sums"},
    {"prim::summed_repeats", "prim::sum_repeats"},
    {"prim::turns", "prim::phase_steps"},
    {"prim::unnormalised", "prim::unnormalise"},
    {"prim::unpooled", "prim::unpool"},
    {"prim::upsampled", "prim::upsample"},
    {"prim::view_places", "prim::view_indices"},
    {"prim::widened", "prim::widen"},
    {"prim::without", "prim::remove_dims"},
    {"prim::without_own", "prim::zero_own_mirrors"},
    {"prim::written", "prim::write_to"},
};

[[maybe_unused]] const bool kAdded = [] {
  for (const auto& [former, now] : kFormer) OperatorTable::instance().add_former_name(former, now);
  return true;
}();

}  // namespace
}  // namespace fusillade

// Products, norms and other layers of ONNX. (law: rules name ops)
#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

using Ints = std::vector<int64_t>;

Arg optional_tensor(Reading& r, size_t i) {
  if (!r.has(i)) return std::nullopt;
  return r.tensor(i);
}

// ---- products

void matmul(Reading& r) { r.give(r.call("aten::matmul", {r.tensor(0), r.tensor(1)})); }

Term flip(Reading& r, const Term& x, bool turn) { return turn ? r.call("aten::t", {x}) : x; }

void gemm(Reading& r) {
  const Term a = flip(r, r.tensor(0), r.integer("transA", 0) != 0), b = r.tensor(1);
  const bool right = r.integer("transB", 0) != 0, bias = r.has(2);
  const double alpha = r.real("alpha", 1), beta = bias ? r.real("beta", 1) : 0;
  if (a.rank() != 2 || b.rank() != 2) fail("matrices of {} and {} dimensions", a.rank(), b.rank());
  if (right && alpha == 1 && (!bias || (beta == 1 && r.tensor(2).rank() == 1)))
    return r.give(r.call("aten::linear", {a, b, optional_tensor(r, 2)}));
  if (bias) return r.give(r.call("aten::addmm", {r.tensor(2), a, flip(r, b, right), beta, alpha}));
  const Term product = r.call("aten::mm", {a, flip(r, b, right)});
  r.give(alpha == 1 ? product : r.call("aten::mul.Scalar", {product, alpha}));
}

void einsum(Reading& r) {
  std::vector<Term> parts;
  for (size_t i = 0; i < r.inputs(); ++i) parts.push_back(r.tensor(i));
  r.give(r.call("aten::einsum", {r.text("equation", "").c_str(), parts, std::nullopt}));
}

// Heads of an input of three dimensions: they lie side by side.
Term heads(Reading& r, const Term& x, const char* attribute) {
  if (x.rank() == 4) return x;
  const int64_t count = r.integer(attribute, 0);
  if (x.rank() != 3 || count < 1) fail("{} = {} of {} dimensions", attribute, count, x.rank());
  Builder& b = r.build();
  const Count width = b.arithmetic("floordiv", b.size(x, 2), count);
  const Term y = r.call("aten::reshape", {x, Counts{b.size(x, 0), b.size(x, 1), count, width}});
  return r.call("aten::permute", {y, Ints{0, 2, 1, 3}});
}

void attention(Reading& r) {
  for (size_t i = 4; i < r.inputs(); ++i)
    if (r.has(i)) fail("input {} (a cache or its lengths) is not supported", i);
  for (size_t i = 1; i < 4; ++i)
    if (r.wants(i)) fail("result {} is not supported", i);
  if (r.real("softcap", 0) != 0) fail("softcap is not supported");
  const bool flat = r.tensor(0).rank() == 3, causal = r.integer("is_causal", 0) != 0;
  if (causal && r.has(3)) fail("is_causal with a mask is not supported");
  const Term q = heads(r, r.tensor(0), "q_num_heads");
  const Term k = heads(r, r.tensor(1), "kv_num_heads"), v = heads(r, r.tensor(2), "kv_num_heads");
  const Arg scale = r.has_attribute("scale") ? Arg(r.real("scale", 1)) : Arg(std::nullopt);
  Builder& b = r.build();
  const bool grouped = b.size(q, 1).trial != b.size(k, 1).trial;
  Term y = r.call("aten::scaled_dot_product_attention",
                  {q, k, v, optional_tensor(r, 3), 0.0, causal, scale, grouped});
  if (flat) {
    y = r.call("aten::permute", {y, Ints{0, 2, 1, 3}});
    y = r.call("aten::reshape", {y, Counts{b.size(y, 0), b.size(y, 1), -1}});
  }
  r.give(y);
}

// ---- norms

// Every dimension but that of channels.
Ints all_but_channels(const Term& x) {
  Ints out;
  for (int d = 0; d < x.rank(); ++d)
    if (d != 1) out.push_back(d);
  return out;
}

// Norms by mean and variance of this batch, and moves the running ones towards these. The running
// variance is that of a population, which is not PyTorch's.
void batch_norm_in_training(Reading& r, double momentum, double eps) {
  const Term x = r.tensor(0);
  if (x.rank() < 2) fail("an input of {} dimensions", x.rank());
  r.give(r.call("aten::batch_norm",
                {x, r.tensor(1), r.tensor(2), std::nullopt, std::nullopt, true, 0.0, eps, false}));
  const Ints dims = all_but_channels(x);
  const Term now[] = {r.call("aten::mean.dim", {x, dims, false, std::nullopt}),
                      r.call("aten::var.dim", {x, dims, false, false})};
  for (size_t i = 0; i < 2; ++i) {
    const Term kept = r.call("aten::mul.Scalar", {r.tensor(i + 3), momentum});
    const Term fresh = r.call("aten::mul.Scalar", {now[i], 1 - momentum});
    r.give(r.call("aten::add.Tensor", {kept, fresh, 1}));
  }
}

void batch_norm(Reading& r) {
  const double momentum = r.real("momentum", double{0.9f}), eps = r.real("epsilon", double{1e-5f});
  if (r.integer("training_mode", 0) != 0) return batch_norm_in_training(r, momentum, eps);
  r.give(r.call("aten::batch_norm", {r.tensor(0), r.tensor(1), r.tensor(2), r.tensor(3),
                                     r.tensor(4), false, 1 - momentum, eps, false}));
}

void instance_norm(Reading& r) {
  r.give(r.call("aten::instance_norm",
                {r.tensor(0), r.tensor(1), r.tensor(2), std::nullopt, std::nullopt, true, 0.1,
                 r.real("epsilon", double{1e-5f}), false}));
}

// The sizes from `axis` on, which the norm is over.
Counts normal_sizes(Reading& r, const Term& x) {
  const Counts all = r.build().sizes(x);
  return {all.begin() + axis_of(r.integer("axis", -1), x.rank()), all.end()};
}

bool has_sizes(Reading& r, size_t input, const Counts& sizes) {
  const Counts given = r.build().sizes(r.tensor(input));
  if (given.size() != sizes.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (given[i].trial != sizes[i].trial) return false;
  return true;
}

void layer_norm(Reading& r) {
  if (r.wants(1) || r.wants(2)) fail("the results Mean and InvStdDev are not supported");
  const Term x = r.tensor(0);
  const Counts sizes = normal_sizes(r, x);
  const double eps = r.real("epsilon", double{1e-5f});
  const bool within = has_sizes(r, 1, sizes) && (!r.has(2) || has_sizes(r, 2, sizes));
  if (within)
    return r.give(
        r.call("aten::layer_norm", {x, sizes, r.tensor(1), optional_tensor(r, 2), eps, false}));
  Term y = r.call("aten::layer_norm", {x, sizes, std::nullopt, std::nullopt, eps, false});
  y = r.call("aten::mul.Tensor", {y, r.tensor(1)});
  r.give(r.has(2) ? r.call("aten::add.Tensor", {y, r.tensor(2)}) : y);
}

void rms_norm(Reading& r) {
  const Term x = r.tensor(0);
  const Counts sizes = normal_sizes(r, x);
  const double eps = r.real("epsilon", double{1e-5f});
  if (has_sizes(r, 1, sizes)) return r.give(r.call("aten::rms_norm", {x, sizes, r.tensor(1), eps}));
  const Term y = r.call("aten::rms_norm", {x, sizes, std::nullopt, eps});
  r.give(r.call("aten::mul.Tensor", {y, r.tensor(1)}));
}

// Until opset 20 scale and bias are of groups, then of channels.
void group_norm(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t groups = r.integer("num_groups", 0);
  const double eps = r.real("epsilon", double{1e-5f});
  if (groups < 1 || x.rank() < 2) fail("num_groups = {} of {} dimensions", groups, x.rank());
  constexpr int64_t kOfChannels = 21;
  if (r.opset() >= kOfChannels)
    return r.give(r.call("aten::group_norm", {x, groups, r.tensor(1), r.tensor(2), eps, false}));
  Builder& b = r.build();
  const Term y = r.call("aten::group_norm", {x, groups, std::nullopt, std::nullopt, eps, false});
  const Count each = b.arithmetic("floordiv", b.size(x, 1), groups);
  const auto by_channel = [&](size_t i) {
    const Term column = r.call("aten::reshape", {r.tensor(i), Ints{groups, 1}});
    Counts sizes(static_cast<size_t>(x.rank()), 1);
    sizes[1] = b.size(x, 1);
    const Term all = r.call("aten::expand", {column, Counts{groups, each}});
    return r.call("aten::reshape", {all, sizes});
  };
  const Term scaled = r.call("aten::mul.Tensor", {y, by_channel(1)});
  r.give(r.call("aten::add.Tensor", {scaled, by_channel(2)}));
}

void lrn(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t size = r.integer("size", 1);
  constexpr int64_t kMost = 1 << 16;
  if (size < 1 || size > kMost || x.rank() < 3) fail("size = {} of {} dimensions", size, x.rank());
  // A mean over channels, of squares.
  Term y = r.call("aten::mul.Tensor", {x, x});
  Counts flat{r.build().size(x, 0), 1, r.build().size(x, 1), -1};
  y = r.call("aten::reshape", {y, flat});
  y = r.call("aten::constant_pad_nd", {y, Ints{0, 0, (size - 1) / 2, size / 2}, 0.0});
  y = r.call("aten::avg_pool2d", {y, Ints{size, 1}, Ints{1, 1}, Ints{0, 0}, false, true});
  y = r.call("aten::reshape", {y, r.build().sizes(x)});
  y = r.call("aten::mul.Scalar", {y, r.real("alpha", double{1e-4f})});
  y = r.call("aten::add.Scalar", {y, r.real("bias", 1)});
  y = r.call("aten::pow.Tensor_Scalar", {y, r.real("beta", 0.75)});
  r.give(r.call("aten::div.Tensor", {x, y}));
}

void lp_norm(Reading& r) {
  const Term x = r.tensor(0);
  const int64_t axis = axis_of(r.integer("axis", -1), x.rank()), p = r.integer("p", 2);
  if (p != 1 && p != 2) fail("p = {} (legal: 1, 2)", p);
  const Term part = p == 1 ? r.call("aten::abs", {x}) : r.call("aten::mul.Tensor", {x, x});
  Term norm = r.call("aten::sum.dim_IntList", {part, Ints{axis}, true, std::nullopt});
  if (p == 2) norm = r.call("aten::sqrt", {norm});
  r.give(r.call("aten::div.Tensor", {x, norm}));
}

// ---- images of other sizes

// The number of an input or an attribute of floats, by dimension.
std::vector<double> scales_of(Reading& r, size_t i) {
  std::vector<double> out;
  const Tensor* known = r.has(i) ? r.constant(i) : nullptr;
  if (r.has(i) && !known) fail("scales that the model computes");
  for (int64_t k = 0; known && k < known->numel(); ++k) out.push_back(element_as_double(*known, k));
  return out;
}

struct Resized {
  Counts sizes;             // of the image
  std::vector<Arg> scales;  // as floats or None
};

Resized new_sizes(Reading& r, const Term& x) {
  const auto dims = static_cast<size_t>(x.rank() - 2);
  Resized out;
  const std::vector<double> scales = scales_of(r, 2);
  if (!scales.empty()) {
    if (scales.size() != dims + 2 || scales[0] != 1 || scales[1] != 1)
      fail("scales of batch and channels");
    for (size_t d = 0; d < dims; ++d) {
      const Count n = r.build().size(x, static_cast<int>(d) + 2);
      const double scaled = static_cast<double>(n.number()) * scales[d + 2];
      constexpr double kMost = 1 << 30;
      if (!n.is_known() || !(scaled >= 1 && scaled < kMost))
        fail("a scale of {} of size {}{}", scales[d + 2], n.number(),
             n.is_known() ? "" : " (open)");
      out.sizes.emplace_back(static_cast<int64_t>(scaled));
      out.scales.emplace_back(scales[d + 2]);
    }
    return out;
  }
  const Counts& sizes = r.counts(3);
  if (sizes.size() != dims + 2) fail("{} sizes of {} dimensions", sizes.size(), x.rank());
  for (size_t d = 0; d < dims; ++d) {
    out.sizes.push_back(sizes[d + 2]);
    out.scales.emplace_back(std::nullopt);
  }
  return out;
}

// ATen's name for a way of interpolation. The first pair is what ONNX calls it.
std::string name_of_way(Reading& r, int dims, bool& corners) {
  const std::string mode = r.text("mode", "nearest");
  const std::string at = r.text("coordinate_transformation_mode", "half_pixel");
  const std::string rounds = r.text("nearest_mode", "round_prefer_floor");
  const bool half = at == "half_pixel" || at == "pytorch_half_pixel";
  corners = at == "align_corners";
  if (mode == "nearest" && at == "asymmetric" && rounds == "floor")
    return fmt::format("aten::upsample_nearest{}d", dims);
  if (mode == "linear" && (half || corners)) {
    constexpr const char* kNames[] = {"", "linear1d", "bilinear2d", "trilinear3d"};
    return std::string("aten::upsample_") + kNames[dims];
  }
  if (mode == "cubic" && (half || corners) && dims == 2 &&
      r.real("cubic_coeff_a", -0.75) == -0.75 && r.integer("exclude_outside", 0) == 0)
    return "aten::upsample_bicubic2d";
  fail(
      "mode = '{}' of {} dimensions with coordinate_transformation_mode = '{}', nearest_mode = "
      "'{}'",
      mode, dims, at, rounds);
}

void resize(Reading& r) {
  const Term x = r.tensor(0);
  const int dims = x.rank() - 2;
  if (dims < 1 || dims > 3) fail("an input of {} dimensions (supported: 3 to 5)", x.rank());
  if (r.has_attribute("axes")) fail("axes are not supported");
  r.only("antialias", 0);
  r.only("keep_aspect_ratio_policy", std::string("stretch"));
  bool corners = false;
  const std::string name = name_of_way(r, dims, corners);
  const Resized to = new_sizes(r, x);
  Args args{x, to.sizes};
  if (name.find("nearest") == std::string::npos) args.emplace_back(corners);
  args.insert(args.end(), to.scales.begin(), to.scales.end());
  r.give(r.call(name, std::move(args)));
}

const Rows kRegistered{{"MatMul", 13, matmul},
                       {"Gemm", 13, gemm},
                       {"Einsum", 12, einsum},
                       {"Attention", 23, attention},
                       {"BatchNormalization", 9, batch_norm},
                       {"InstanceNormalization", 6, instance_norm},
                       {"LayerNormalization", 17, layer_norm},
                       {"RMSNormalization", 23, rms_norm},
                       {"GroupNormalization", 18, group_norm},
                       {"LRN", 13, lrn},
                       {"LpNormalization", 1, lp_norm},
                       {"Resize", 13, resize}};

}  // namespace
}  // namespace fusillade::onnx

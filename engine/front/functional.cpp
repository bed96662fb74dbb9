// See functional.h.
//
// A row reads "function(parameters) -> op(arguments)". An argument is a parameter's name, a
// literal, word=argument, name! for a reduction, or name|literal where None becomes the literal.
// size_average and reduce, which old programs gave, are of the reduction; other parameters that no
// argument uses take their default only.
#include "engine/front/functional.h"

#include <map>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::front {
namespace {

constexpr const char* kRows[] = {
    "softmax(input, dim=None, _stacklevel=3, dtype=None) -> aten::softmax(input, dim, dtype)",
    "log_softmax(input, dim=None, _stacklevel=3, dtype=None) -> aten::log_softmax(input, dim, "
    "dtype)",
    "dropout(input, p=0.5, training=True) -> aten::dropout(input, p, training)",
    "dropout2d(input, p=0.5, training=True) -> aten::feature_dropout(input, p, training)",
    "layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)"
    " -> aten::layer_norm(input, normalized_shape, weight, bias, eps, False)",
    "embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, "
    "scale_grad_by_freq=False, sparse=False)"
    " -> aten::embedding(weight, input, padding_idx|-1, scale_grad_by_freq, sparse)",
    "cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, "
    "reduction='mean',"
    " label_smoothing=0.0) -> aten::cross_entropy_loss(input, target, weight, reduction!, "
    "ignore_index, label_smoothing)",
    "nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, "
    "reduction='mean')"
    " -> aten::nll_loss_nd(input, target, weight, reduction!, ignore_index)",
    "mse_loss(input, target, size_average=None, reduce=None, reduction='mean')"
    " -> aten::mse_loss(input, target, reduction!)",
    "l1_loss(input, target, size_average=None, reduce=None, reduction='mean')"
    " -> aten::l1_loss(input, target, reduction!)",
    "smooth_l1_loss(input, target, size_average=None, reduce=None, reduction='mean', beta=1.0)"
    " -> aten::smooth_l1_loss(input, target, reduction!, beta)",
    "huber_loss(input, target, reduction='mean', delta=1.0) -> aten::huber_loss(input, target, "
    "reduction!, delta)",
    "kl_div(input, target, size_average=None, reduce=None, reduction='mean', log_target=False)"
    " -> aten::kl_div(input, target, reduction!, log_target=log_target)",
    "poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-08, "
    "reduce=None,"
    " reduction='mean') -> aten::poisson_nll_loss(input, target, log_input, full, eps, reduction!)",
    "margin_ranking_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, "
    "reduction='mean')"
    " -> aten::margin_ranking_loss(input1, input2, target, margin, reduction!)",
    "hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, "
    "reduction='mean')"
    " -> aten::hinge_embedding_loss(input, target, margin, reduction!)",
    "soft_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')"
    " -> aten::soft_margin_loss(input, target, reduction!)",
    "triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, "
    "size_average=None,"
    " reduce=None, reduction='mean')"
    " -> aten::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction!)",
    "cosine_embedding_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, "
    "reduction='mean')"
    " -> aten::cosine_embedding_loss(input1, input2, target, margin, reduction!)",
    "multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction='mean')"
    " -> aten::multilabel_margin_loss(input, target, reduction!)",
    "multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, "
    "reduce=None, reduction='mean')"
    " -> aten::multi_margin_loss(input, target, p, margin, weight, reduction!)",
    "bilinear(input1, input2, weight, bias=None) -> aten::bilinear(input1, input2, weight, bias)",
    "alpha_dropout(input, p=0.5, training=False) -> aten::alpha_dropout(input, p, training)",
    "feature_alpha_dropout(input, p=0.5, training=False) -> aten::feature_alpha_dropout(input, p, "
    "training)",
    "max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False)"
    " -> aten::max_pool1d(input, kernel_size, stride|[], padding, dilation, ceil_mode)",
    "max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False)"
    " -> aten::max_pool2d(input, kernel_size, stride|[], padding, dilation, ceil_mode)",
    "avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)"
    " -> aten::avg_pool1d(input, kernel_size, stride|[], padding, ceil_mode, count_include_pad)",
    "avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True,"
    " divisor_override=None) -> aten::avg_pool2d(input, kernel_size, stride|[], padding, "
    "ceil_mode, count_include_pad,"
    " divisor_override)",
    "unfold(input, kernel_size, dilation=1, padding=0, stride=1)"
    " -> aten::im2col(input, kernel_size, dilation, padding, stride)",
    "fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)"
    " -> aten::col2im(input, output_size, kernel_size, dilation, padding, stride)",
    "max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, "
    "ceil_mode=False,"
    " return_indices=False)"
    " -> aten::max_pool1d_with_indices(input, kernel_size, stride|[], padding, dilation, "
    "ceil_mode)",
    "max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, "
    "ceil_mode=False,"
    " return_indices=False)"
    " -> aten::max_pool2d_with_indices(input, kernel_size, stride|[], padding, dilation, "
    "ceil_mode)",
    "max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, "
    "ceil_mode=False,"
    " return_indices=False)"
    " -> aten::max_pool3d_with_indices(input, kernel_size, stride|[], padding, dilation, "
    "ceil_mode)",
    "max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False)"
    " -> aten::max_pool3d(input, kernel_size, stride|[], padding, dilation, ceil_mode)",
    "avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True,"
    " divisor_override=None) -> aten::avg_pool3d(input, kernel_size, stride|[], padding, "
    "ceil_mode, count_include_pad,"
    " divisor_override)",
    "logsigmoid(input) -> aten::log_sigmoid(input)"};

// A literal's value; nothing for a name.
std::optional<IValue> literal(const std::string& text) {
  int64_t i = 0;
  double d = 0;
  if (text == "None") return IValue();
  if (text == "True" || text == "False") return IValue(text == "True");
  if (text == "[]") return IValue::list({}, TypeKind::Int);
  if (text[0] == '\'') return IValue::str(text.substr(1, text.size() - 2));
  if (parse_int(text, &i)) return IValue(i);
  if (parse_double(text, &d)) return IValue(d);
  return std::nullopt;
}

// "name(a, b)" as its name and the words between the brackets.
std::vector<std::string> words(const std::string& text, std::string* name) {
  size_t open = text.find('(');
  *name = std::string(trim(text.substr(0, open)));
  std::vector<std::string> out;
  size_t close = text.rfind(')');
  for (const std::string& w : split_outside_brackets(text.substr(open + 1, close - open - 1), ','))
    out.emplace_back(trim(w));
  return out;
}

FunctionalArgument argument(std::string word) {
  FunctionalArgument a;
  size_t equals = word.find('=');
  if (equals != std::string::npos) {
    a.keyword = word.substr(0, equals);
    word = word.substr(equals + 1);
  }
  size_t bar = word.find('|');
  a.replaced = bar != std::string::npos;
  a.literal = literal(a.replaced ? word.substr(bar + 1) : word);
  if (a.literal && !a.replaced) return a;
  a.reduction = word.back() == '!';
  a.parameter = word.substr(0, a.replaced ? bar : word.size() - a.reduction);
  return a;
}

std::map<std::string, Functional> parse_table() {
  std::map<std::string, Functional> out;
  for (std::string row : kRows) {
    size_t arrow = row.find(" -> ");
    Functional f;
    for (const std::string& w : words(row.substr(0, arrow), &f.name)) {
      size_t equals = w.find('=');
      FunctionalParameter p{w.substr(0, equals), std::nullopt};
      if (equals != std::string::npos) p.value = literal(w.substr(equals + 1));
      f.parameters.push_back(std::move(p));
    }
    for (const std::string& w : words(row.substr(arrow + 4), &f.op))
      f.arguments.push_back(argument(w));
    out.emplace(f.name, std::move(f));
  }
  return out;
}

}  // namespace

const Functional* functional(const std::string& path) {
  static const std::map<std::string, Functional> table = parse_table();
  static const std::string kPrefix = "torch.nn.functional.";
  if (path.rfind(kPrefix, 0) != 0) return nullptr;
  auto it = table.find(path.substr(kPrefix.size()));
  return it == table.end() ? nullptr : &it->second;
}

}  // namespace fusillade::front

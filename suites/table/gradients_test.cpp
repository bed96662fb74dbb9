// Every gradient against PyTorch 1.13.1, and against the operators themselves.
//
// gradients/*.txt holds what make_gradients.py asked PyTorch: gradients of a weighted sum of a
// call's results. Beyond that each operator that the tape can walk back is compared with central
// differences of itself in f64, on the same calls and on those of samples/*.txt: where the operator
// has a kink or a jump, which shows in one-sided differences, only PyTorch's answer counts. An
// operator with an entry in the table of gradients and no call to try it on fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "engine/ops/gradient.h"
#include "suites/table/gradient_harness.h"

namespace fusillade {
namespace {

using table::at;
using table::calling;
using table::close;
using table::copies_of;
using table::floats_of;
using table::for_each_line;
using table::gradients_of;
using table::parse_sample;
using table::Sample;
using table::tensors_of;
using table::weight;
using table::weighted_sum;

// Leaves are the arguments of f64 that the operator has a formula for, if it has any.
std::vector<Tensor> leaves_of(const Operator& op, const std::vector<IValue>& args) {
  const Gradient* g = gradient_of(op);
  std::vector<Tensor> out;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto is_its = [&](const auto& f) { return f.arg == op.schema.args[i].name; };
    if (g && !g->formulas.empty() && !std::ranges::any_of(g->formulas, is_its)) continue;
    for (const Tensor& t : floats_of({args[i]})) out.push_back(t);
  }
  return out;
}

// Empty when the tape says what PyTorch does.
std::string disagreement(const Sample& s) {
  std::vector<IValue> args = copies_of(s.args, false);
  std::vector<Tensor> grads = gradients_of(calling(operator_named(s.op)), args, floats_of(args));
  if (grads.size() != s.results.size()) return fmt::format("{} gradients", grads.size());
  for (size_t k = 0; k < grads.size(); ++k) {
    if (s.results[k].is_none()) continue;
    Tensor expected = s.results[k].as_tensor();
    if (grads[k].is_defined() && describe(grads[k]) != describe(expected))
      return fmt::format("gradient {}: {}, not {}", k, describe(grads[k]), describe(expected));
    for (int64_t i = 0; i < expected.numel(); ++i)
      if (!close(at(grads[k], i), element_as_double(expected, i), 1e-7))
        return fmt::format("gradient {}, element {}: {}, not {}", k, i, at(grads[k], i),
                           element_as_double(expected, i));
  }
  return "";
}

// ---------------------------------------------------------------------------- differences

// All floats as f64, in memory of their own; an ordinary number in place of one from which no
// difference can be taken.
IValue to_doubles(const IValue& v) {
  if (v.is_tensor()) {
    if (!is_float(v.as_tensor().dtype())) return contiguous(v.as_tensor(), true);
    Tensor t = contiguous(to_dtype(v.as_tensor(), DType::F64), true);
    for (int64_t i = 0; i < t.numel(); ++i) {
      const double size = std::fabs(element_as_double(t, i));
      const bool usable = size == 0 || (size > 1e-3 && size < 1e3);
      if (!usable) set_element(t, i, static_cast<double>(7 * i % 13) / 4 - 1.4);
    }
    return t;
  }
  if (v.tag() != IValue::Tag::List) return v;
  std::vector<IValue> items;
  for (const IValue& item : v.items()) items.push_back(to_doubles(item));
  return IValue::list(std::move(items), v.seq()->element);
}

std::vector<IValue> all_doubled(const std::vector<IValue>& args) {
  std::vector<IValue> out;
  for (const IValue& v : args) out.push_back(to_doubles(v));
  return out;
}

// A number that a call's arguments decide, and what the tape says of its slopes.
class Slopes {
 public:
  using Number = std::function<double(const std::vector<IValue>&)>;
  Slopes(std::vector<IValue> args, std::vector<Tensor> leaves, Number number)
      : args_(std::move(args)), leaves_(std::move(leaves)), number_(std::move(number)) {}

  // Compares up to `most` elements; empty when they agree.
  std::string disagreement(const std::vector<Tensor>& grads, int64_t most) {
    here_ = number_(args_);
    if (!std::isfinite(here_)) return "";
    for (size_t k = 0; k < leaves_.size(); ++k) {
      const int64_t n = leaves_[k].numel();
      const int64_t step = std::max<int64_t>(1, n / most);
      for (int64_t i = 0; i < n; i += step) {
        std::optional<double> slope = slope_at(leaves_[k], i);
        if (!slope) continue;
        ++compared;
        const double said = at(grads[k], i);
        const double slack = 1e-4 * (1 + std::fabs(*slope)) + 1e-8 * std::fabs(here_);
        if (!(std::fabs(said - *slope) <= slack))
          return fmt::format("gradient {}, element {}: the tape says {}, differences {}", k, i,
                             said, *slope);
      }
    }
    return "";
  }

  int compared = 0;

 private:
  double eval_perturbed(const Tensor& leaf, int64_t i, double by) {
    const double x = element_as_double(leaf, i);
    set_element(leaf, i, x + by);
    double out = NAN;
    try {
      out = number_(args_);
    } catch (const Error&) {  // no longer legal
    }
    set_element(leaf, i, x);
    return out;
  }

  // Nothing at kinks, jumps and where it is not finite.
  std::optional<double> slope_at(const Tensor& leaf, int64_t i) {
    const double x = element_as_double(leaf, i);
    if (!std::isfinite(x) || std::fabs(x) > 1e6) return std::nullopt;
    const double h = 1e-5 * std::max(1.0, std::fabs(x));
    const double up = eval_perturbed(leaf, i, h), down = eval_perturbed(leaf, i, -h);
    const double right = (up - here_) / h, left = (here_ - down) / h;
    const double slope = (up - down) / (2 * h);
    const double closer =
        (eval_perturbed(leaf, i, h / 4) - eval_perturbed(leaf, i, -h / 4)) / (h / 2);
    if (!std::isfinite(slope)) return std::nullopt;
    const double slack = 1e-3 * (1 + std::fabs(slope)) + 1e-6 * std::fabs(here_);
    const bool smooth = std::fabs(right - left) <= slack && std::fabs(slope - closer) <= slack;
    return smooth ? std::optional(slope) : std::nullopt;
  }

  std::vector<IValue> args_;
  std::vector<Tensor> leaves_;
  Number number_;
  double here_ = 0;
};

bool narrow_results(const Operator& op, const std::vector<IValue>& args) {
  for (const Tensor& t : tensors_of(calling(op)(args)))
    if (is_float(t.dtype()) && t.dtype() != DType::F64) return true;
  return false;
}

// A weighted sum of the gradients themselves, for slopes of second order.
double weighted_gradients(const Operator& op, const std::vector<IValue>& given,
                          std::vector<Tensor>* second) {
  std::vector<IValue> args = all_doubled(given);
  eager::Gradients on;
  std::vector<Tensor> leaves = leaves_of(op, args);
  for (const Tensor& t : leaves) eager::requires_grad(t);
  std::vector<Tensor> results, seeds;
  for (const Tensor& t : tensors_of(calling(op)(args))) {
    if (!is_float(t.dtype()) || !t.requires_grad()) continue;
    Tensor seed = Tensor::empty(t.sizes(), t.dtype());
    for (int64_t i = 0; i < t.numel(); ++i) set_element(seed, i, weight(i, results.size()));
    results.push_back(t);
    seeds.push_back(seed);
  }
  if (second) second->resize(leaves.size());
  if (results.empty()) return 0;
  std::vector<Tensor> grads = eager::gradients(
      results, leaves, {.seeds = seeds, .create_graph = second != nullptr, .allow_unused = true});
  double total = 0;
  std::vector<Tensor> outputs, weights;
  for (size_t k = 0; k < grads.size(); ++k) {
    if (!grads[k].is_defined()) continue;
    Tensor own = Tensor::empty(grads[k].sizes(), grads[k].dtype());
    for (int64_t i = 0; i < own.numel(); ++i) {
      set_element(own, i, weight(i, k + 1));
      total += weight(i, k + 1) * element_as_double(grads[k], i);
    }
    if (!grads[k].requires_grad()) continue;
    outputs.push_back(grads[k]);
    weights.push_back(own);
  }
  if (second && !outputs.empty())
    *second = eager::gradients(outputs, leaves, {.seeds = weights, .allow_unused = true});
  return total;
}

struct Tried {
  int lines = 0;
  int first = 0;   // elements compared
  int second = 0;  // of the second order
};

constexpr int kLines = 12;  // of one operator
constexpr int64_t kElements = 12;

void try_line(const Sample& s, Tried& tried) {
  const Operator& r = operator_named(s.op);
  if (s.error || r.nondeterministic || tried.lines >= kLines) return;
  std::vector<IValue> args = all_doubled(s.args);
  std::vector<Tensor> leaves = leaves_of(r, args);
  int64_t elements = 0;
  for (const Tensor& t : leaves) elements += t.numel();
  if (elements == 0 || elements > 600) return;
  try {
    if (narrow_results(r, args)) return;
  } catch (const Error&) {  // not of f64
    return;
  }
  ++tried.lines;
  Slopes first(args, leaves,
               [&](const auto& a) { return weighted_sum(calling(r), a, {}, nullptr); });
  std::vector<IValue> recorded = all_doubled(args);
  std::string problem =
      first.disagreement(gradients_of(calling(r), recorded, leaves_of(r, recorded)), kElements);
  EXPECT_TRUE(problem.empty()) << s.op << ": " << problem;
  tried.first += first.compared;
  if (tried.lines > 3) return;
  std::vector<Tensor> said;
  weighted_gradients(r, args, &said);
  Slopes second(args, leaves, [&](const auto& a) { return weighted_gradients(r, a, nullptr); });
  problem = second.disagreement(said, kElements / 3);
  EXPECT_TRUE(problem.empty()) << s.op << ", second order: " << problem;
  tried.second += second.compared;
}

// ---------------------------------------------------------------------------- tests

TEST(Gradients, EveryCallAgreesWithPyTorch) {
  int calls = 0;
  for_each_line("gradients", [&](const std::string& line) {
    ++calls;
    std::string problem;
    try {
      problem = disagreement(parse_sample(line));
    } catch (const Exception& e) {
      problem = e.what();
    }
    EXPECT_TRUE(problem.empty()) << line.substr(0, 600) << "\n  " << problem;
  });
  EXPECT_GT(calls, 1500);
}

// Operators whose results are narrower than f64 whatever they are given; operators that read one
// half of a matrix and give, as PyTorch does, a gradient for both; and steps whose gradient is that
// of the slope they approximate: PyTorch's answers justify them. cuda needs a GPU:
// device_tensors_test.cpp.
const std::set<std::string> kWithoutDifferences{
    "aten::cuda",        "aten::_cast_Float",     "aten::_cast_Half",
    "aten::cholesky",    "aten::linalg_cholesky", "aten::linalg_cholesky_ex",
    "aten::linalg_eigh", "aten::linalg_eigvalsh", "aten::fake_quantize_per_tensor_affine"};

// Rows of which a call may write one element twice, leave a row out, or have bounds of 0, where the
// gradient is not the slope: tried on calls that do not.
const std::set<std::string> kOwnCalls{"aten::index_put", "aten::scatter.src", "aten::embedding",
                                      "aten::hardshrink", "aten::softshrink"};

TEST(Gradients, EveryEntryAgreesWithDifferences) {
  std::map<std::string, Tried> tried;
  for (const Gradient& g : gradients())
    if (!g.formulas.empty() && !kWithoutDifferences.count(g.name)) tried[g.name];
  for (const char* folder : {"gradient_calls", "gradients", "samples"}) {
    for_each_line(folder, [&](const std::string& line) {
      auto known = tried.find(line.substr(0, line.find('|')));
      if (known == tried.end()) return;
      if (kOwnCalls.count(known->first) && folder != std::string_view("gradient_calls")) return;
      try {
        try_line(parse_sample(line), known->second);
      } catch (const Exception& e) {
        ADD_FAILURE() << line.substr(0, 400) << "\n  " << e.what();
      }
    });
  }
  int second = 0;
  for (const auto& [name, t] : tried) {
    EXPECT_GT(t.first, 0) << name << " has a gradient and no call that shows it; add one to "
                          << "gradient_calls";
    second += t.second > 0;
  }
  EXPECT_GT(second, 100);
  RecordProperty("rows", static_cast<int>(tried.size()));
}

// An operator in place gives the gradients of the operator that it is the form of.
TEST(Gradients, InPlaceOperatorsAgreeWithTheOthers) {
  std::set<std::string> seen;
  for_each_line("samples", [&](const std::string& line) {
    Sample s = parse_sample(line);
    const Operator& r = operator_named(s.op);
    const Gradient* g = gradient_of(r);
    const bool in_place = g && !g->formulas.empty() && g->name != r.name;
    if (s.error || !in_place || r.nondeterministic || s.args.empty()) return;
    std::vector<IValue> args = all_doubled(s.args);
    if (floats_of(args).empty() || !args[0].is_tensor()) return;
    if (args[0].as_tensor().dtype() != DType::F64) return;
    std::vector<Tensor> expected, said;
    try {
      const std::vector<IValue> doubles = all_doubled(args);
      expected = gradients_of(calling(operator_named(g->name)), doubles,
                              leaves_of(operator_named(g->name), doubles));
    } catch (const Exception&) {
      return;
    }
    eager::Gradients on;
    std::vector<Tensor> leaves = leaves_of(operator_named(g->name), args);
    for (const Tensor& t : leaves) eager::requires_grad(t);
    weighted_sum(calling(r), args, leaves, &said);
    ASSERT_EQ(said.size(), expected.size()) << line.substr(0, 300);
    for (size_t k = 0; k < said.size(); ++k)
      for (int64_t i = 0; i < leaves[k].numel(); ++i)
        ASSERT_TRUE(close(at(said[k], i), at(expected[k], i), 1e-12)) << line.substr(0, 300);
    seen.insert(s.op);
  });
  EXPECT_GT(seen.size(), 60u);
}

}  // namespace
}  // namespace fusillade

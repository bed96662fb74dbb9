// See tangents.h.
#include "fuzz/run/tangents.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/text.h"
#include "engine/front/autograd.h"
#include "engine/ops/draws.h"
#include "engine/ops/gradient.h"
#include "engine/ops/leaves.h"
#include "fuzz/case/case.h"
#include "fuzz/run/entry_lines.h"

namespace fusillade::fuzz {
namespace {

// Over it the rounding of a difference and the curvature of what it is of are alike: the third root
// of a unit in the last place.
constexpr double kSmallStep = 0x1p-17;

template <class F>
void each_tensor(const IValue& v, F f) {
  for_each_tensor_once(v, [&](const Tensor& t) {
    if (t.is_defined()) f(t);
  });
}

template <class F>
void each_tensor(std::span<const IValue> values, F f) {
  for (const IValue& v : values) each_tensor(v, f);
}

bool of_doubles(const Tensor& t) { return t.dtype() == DType::F64; }

void doubles_only(const Operator& op, std::span<const IValue> values) {
  each_tensor(values, [&](const Tensor& t) {
    if (is_float(t.dtype()) && !of_doubles(t)) decline("{} of {}", op.name, name_of(t.dtype()));
  });
}

bool shares(const Tensor& t, std::span<const IValue> args) {
  bool shared = false;
  each_tensor(args, [&](const Tensor& a) { shared = shared || a.shares_storage(t); });
  return shared;
}

template <class F>
void each_written(const Operator& op, std::span<const IValue> args, F f) {
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i)
    if (op.schema.args[i].written)
      each_tensor(args[i], [&](const Tensor& t) {
        if (of_doubles(t)) f(t);
      });
}

// What an operator gives that moves: fresh results, then what it wrote.
std::vector<Tensor> moved_by(const Operator& op, std::span<const IValue> args,
                             std::span<const IValue> results) {
  std::vector<Tensor> out;
  each_tensor(results, [&](const Tensor& t) {
    if (of_doubles(t) && !shares(t, args)) out.push_back(t);
  });
  each_written(op, args, [&](const Tensor& t) { out.push_back(t); });
  return out;
}

Tensor broadcast_to(const Tensor& t, const Dims& sizes) {
  Dims strides(sizes.rank(), 0);
  const int shift = sizes.rank() - t.rank();
  for (int d = 0; d < t.rank(); ++d)
    if (t.sizes()[d] != 1) strides[d + shift] = t.strides()[d];
  return Tensor::view_of(t, t.offset(), sizes, strides);
}

// What the `slopes` lines of entries say (tangents.h).
bool says(const Operator& op, std::string_view fact) {
  return std::ranges::count(lines_of<LineKind::Slopes>(op, &parse_slopes), fact) > 0;
}

bool always(const Operator&, std::span<const IValue>) { return true; }

bool bounds_meet(const Operator&, std::span<const IValue> args) {
  for (const IValue& v : args)
    if (v.is_float() && std::isnan(v.as_double())) return true;
  if (args.size() < 3) return false;
  if (!args[1].is_tensor() || !args[2].is_tensor()) return false;
  const Tensor min = args[1].as_tensor(), max = args[2].as_tensor();
  const Dims sizes = broadcast(min.sizes(), max.sizes());
  const Tensor a = broadcast_to(min, sizes), b = broadcast_to(max, sizes);
  for (int64_t i = 0; i < a.numel(); ++i)
    if (element_as_double(a, i) == element_as_double(b, i)) return true;
  return false;
}

bool asked_otherwise(const Operator& op, std::span<const IValue> args) {
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i) {
    const std::string& name = op.schema.args[i].name;
    if (name == "padding_idx" && args[i].is_int() && args[i].as_int() != -1) return true;
    if (name == "scale_grad_by_freq" && args[i].is_bool() && args[i].as_bool()) return true;
  }
  return false;
}

bool sign_of_nan(const Operator&, std::span<const IValue> args) {
  if (!args[1].is_tensor()) return false;
  const Tensor sign = args[1].as_tensor();
  for (int64_t i = 0; i < sign.numel(); ++i)
    if (std::isnan(element_as_double(sign, i))) return true;
  return false;
}

bool is_place_named_twice(const Operator&, std::span<const IValue> args) {
  const Dims sizes = args[0].as_tensor().sizes();
  bool twice = false;
  each_tensor(args, [&](const Tensor& t) {
    if (is_float(t.dtype())) return;
    std::set<int64_t> seen;
    auto see = [&](int64_t index) { twice = !seen.insert(index).second || twice; };
    for (int64_t i = 0; i < t.numel(); ++i) {
      const int64_t index = element_as_int(t, i);
      if (index >= 0) see(index);
      else
        for (int64_t size : std::set<int64_t>(sizes.begin(), sizes.end())) see(index + size);
    }
  });
  return twice;
}

// Cases without a derivative to compare a gradient with, whatever rounding does.
struct NoGradient {
  std::string_view fact;  // in a `slopes` line; empty: of every operator
  bool (*holds)(const Operator& op, std::span<const IValue> args);
  const char* reason;
};
constexpr NoGradient kNoGradient[] = {
    {"places twice", &is_place_named_twice,
     "a place written twice holds one of two values, and nobody promises which"},
    {"bounds meet", &bounds_meet,
     "bounds that meet, or are no numbers, have no inside, and whose value it is nobody says"},
    {"any basis", &always,
     "singular vectors of a zero are any basis: a function of the program only where "
     "it ignores which"},
    {"asymmetric", &always,
     "of eigenvectors the gradient is known but for what symmetric matrices do not see"},
    {"", &asked_otherwise, "asked for are gradients without the padding, or by frequency"},
    {"sign of NaN", &sign_of_nan,
     "the sign of a NaN, which decides its slope, is promised by nobody"},
    {"finer steps", &always,
     "steps of it may be finer than ours: its derivative is 0 and its slope is 1"}};
constexpr std::string_view kDetached = "detached";
constexpr std::string_view kSymmetric = "symmetric";

bool finite(const Tensor& t) {
  for (int64_t i = 0; i < t.numel(); ++i)
    if (!std::isfinite(element_as_double(t, i))) return false;
  return true;
}

}  // namespace

std::vector<std::string> parse_slopes(std::string_view line) {
  std::vector<std::string> legal{std::string(kDetached), std::string(kSymmetric)};
  for (const NoGradient& n : kNoGradient)
    if (!n.fact.empty()) legal.emplace_back(n.fact);
  std::vector<std::string> out;
  for (const std::string& part : split_outside_brackets(line, ';')) {
    out.emplace_back(trim(part));
    if (!std::ranges::count(legal, out.back()))
      fail("'{}' is said of no slope{}; there are: {}", out.back(), near_misses(out.back(), legal),
           join(legal, ", "));
  }
  return out;
}

bool writes_twice(const Operator& op, std::span<const IValue> args) {
  return says(op, "places twice") && is_place_named_twice(op, args);
}

Tensor Tangents::of(const Tensor& t) {
  auto [at, fresh] = tangents_.try_emplace(t.storage());
  if (fresh) {
    const auto count = static_cast<int64_t>(t.storage()->bytes() / sizeof(double));
    at->second = {t.storage_ref(), Tensor::zeros({count}, DType::F64)};
  }
  return Tensor::view_of(at->second.moves, t.offset(), t.sizes(), t.strides());
}

bool Tangents::moves(const Tensor& t) {
  if (!of_doubles(t) || !tangents_.count(t.storage())) return false;
  const Tensor d = of(t);
  for (int64_t i = 0; i < d.numel(); ++i)
    if (element_as_double(d, i) != 0) return true;
  return false;
}

void Tangents::call(const Operator& op, const Site& site, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  bool any = false;
  each_tensor(args, [&](const Tensor& t) { any = any || moves(t); });
  const bool hands_on = op.kind == OpKind::Prim || op.kind == OpKind::Scalar;
  if (hands_on) return fusillade::call(op, site, args, results);
  const Gradient* g = gradient_of(op);
  const bool none = says(op, kDetached) ||  // whatever the table says
                    (g && g->formulas.empty() && !g->unknown);
  const bool cuts = op.schema.aliases() && (none || !eager::records());
  if (!any && !cuts) return fusillade::call(op, site, args, results);
  if (op.nondeterministic && may_draw(op, infos_of(args)))
    decline("{} draws random numbers", op.name);
  for (const NoGradient& none_here : kNoGradient)
    if ((none_here.fact.empty() || says(op, none_here.fact)) && none_here.holds(op, args))
      decline("{}: {}", op.name, none_here.reason);
  doubles_only(op, args);
  if (detached_ && op.schema.writes()) decline("{} writes beside what stands still", op.name);
  const size_t first = results.size();
  Slopes known;
  if (op.schema.writes()) known = slopes(op, site, args);
  fusillade::call(op, site, args, results);
  const std::span<const IValue> new_results(results.begin() + static_cast<ptrdiff_t>(first),
                                            results.end());
  doubles_only(op, new_results);
  const std::vector<Tensor> moved = moved_by(op, args, new_results);
  bool shared = false;
  each_tensor(new_results,
              [&](const Tensor& t) { shared = shared || (of_doubles(t) && shares(t, args)); });
  if (shared && (none || !eager::records())) return detach_results(op, results, first);
  if (!eager::records()) return;
  if (moved.empty()) return;
  if (!op.schema.writes()) known = slopes(op, site, args);
  if (known.size() != moved.size()) decline("{} gives another number of results", op.name);
  for (size_t i = 0; i < moved.size(); ++i) {
    if (!finite(moved[i]) || !finite(known[i])) decline("{} is not finite", op.name);
    copy_into(of(moved[i]), known[i]);
    if (op.pointwise) round_anew(moved[i]);
  }
}

// Formulas of gradients read results, whose rounding they may blow up: 1 + expm1(x). Not of
// operators that choose an element, whose formulas ask which one it is.
void Tangents::round_anew(const Tensor& t) {
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, draw_.perturb(element_as_double(t, i)));
}

// A detached result shares memory with what moves, yet its tangent is 0: so it becomes a copy. Not
// where it is written, or was.
void Tangents::detach_results(const Operator& op, std::vector<IValue>& results, size_t first) {
  if (op.schema.writes()) decline("{} writes without being recorded", op.name);
  detached_ = true;
  for (size_t i = first; i < results.size(); ++i) {
    if (!results[i].is_tensor()) decline("{} gives a list that stands still", op.name);
    results[i] = contiguous(results[i].as_tensor(), true);
  }
}

Tangents::Slopes Tangents::slopes(const Operator& op, const Site& site,
                                  std::span<const IValue> args) {
  // Of matrices that count as symmetric one half is read, and the gradient is that of a function of
  // symmetric matrices: symmetric itself, and to be met by symmetric directions.
  if (says(op, kSymmetric)) return along_symmetric(op, site, args);
  if (!op.pointwise || op.schema.results.size() != 1) return by_steps(op, site, args);
  const PointwisePlan plan = op.pointwise(op, infos_of(args));
  if (!plan.formula->dual || plan.compute != DType::F64 || plan.result != DType::F64)
    return by_steps(op, site, args);
  Dims sizes;
  for (const auto& o : plan.operands)
    if (o.arg >= 0 && args[static_cast<size_t>(o.arg)].is_tensor())
      sizes = broadcast(sizes, args[static_cast<size_t>(o.arg)].as_tensor().sizes());
  return by_formula(plan, args, sizes);
}

// Where slopes jump, those on two sides differ by as much however close they are: by what is left
// of the difference as their distance goes to 0. Nor may the point itself have a slope of its own.
Tangents::Slopes Tangents::by_formula(const PointwisePlan& plan, std::span<const IValue> args,
                                      const Dims& sizes) {
  const size_t count = plan.operands.size();
  std::vector<Tensor> values(count), directions(count);
  std::vector<double> own(count), along(count);
  std::vector<Dual> now(count);
  std::vector<const Dual*> in(count);
  for (size_t k = 0; k < count; ++k) {
    const auto& o = plan.operands[k];
    const IValue& v = o.arg < 0 ? o.literal : args[static_cast<size_t>(o.arg)];
    in[k] = &now[k];
    if (!v.is_tensor()) {
      own[k] = v.as_double();
      continue;
    }
    values[k] = broadcast_to(v.as_tensor(), sizes);
    if (of_doubles(v.as_tensor())) directions[k] = broadcast_to(of(v.as_tensor()), sizes);
  }
  Tensor out = Tensor::empty(sizes, DType::F64);
  auto slope_at = [&](double step) {
    for (size_t k = 0; k < count; ++k) now[k] = Dual::of(own[k] + step * along[k], along[k]);
    Dual result;
    plan.formula->dual(in.data(), &result, 1);
    return result.d;
  };
  for (int64_t i = 0; i < out.numel(); ++i) {
    for (size_t k = 0; k < count; ++k) {
      if (!values[k].is_defined()) continue;
      own[k] = element_as_double(values[k], i);
      if (!directions[k].is_defined()) continue;
      own[k] = draw_.perturb(own[k]);
      along[k] = element_as_double(directions[k], i);
    }
    const double h = draw_.step(kSmallStep), slope = slope_at(0);
    const double above = slope_at(h), below = slope_at(-h), up = slope_at(2 * h),
                 down = slope_at(-2 * h);
    const double jump = 2 * (above - below) - (up - down);
    const double alone = slope - (4 * (above + below) - (up + down)) / 6;
    set_element(out, i, draw_.within(slope, std::abs(jump) + std::abs(alone)));
  }
  return {out};
}

Tangents::Slopes Tangents::along_symmetric(const Operator& op, const Site& site,
                                           std::span<const IValue> args) {
  const Tensor given = args[0].as_tensor();
  if (op.schema.writes() || given.rank() < 2) decline("{} of one half of a matrix", op.name);
  const Tensor from = of(given);
  const Tensor copy = contiguous(given, true);
  const Tensor to = of(copy);
  const int64_t n = given.sizes()[given.rank() - 1];
  for (int64_t i = 0; i < to.numel(); ++i) {
    const int64_t row_at = i / n % n, column = i % n;
    const int64_t mirrored = i + (column - row_at) * n + (row_at - column);
    set_element(to, i, (element_as_double(from, i) + element_as_double(from, mirrored)) / 2);
  }
  std::vector<IValue> own(args.begin(), args.end());
  own[0] = copy;
  return by_steps(op, site, own);
}

// The operator some steps along the direction. `chosen` collects what is no float.
std::vector<Tensor> Tangents::run_along(const Operator& op, const Site& site,
                                        std::span<const IValue> args, double steps,
                                        std::vector<int64_t>& chosen) {
  const Call copy = copy_call(Call{{args.begin(), args.end()}});
  std::vector<Tensor> from, to;
  each_tensor(args, [&](const Tensor& t) { from.push_back(t); });
  each_tensor(copy.inputs, [&](const Tensor& t) { to.push_back(t); });
  std::vector<const Storage*> done;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!of_doubles(from[i]) || std::ranges::count(done, to[i].storage())) continue;
    done.push_back(to[i].storage());
    of(from[i]);
    const Tensor& tangent = tangents_.at(from[i].storage()).moves;
    auto* at = reinterpret_cast<double*>(to[i].storage()->data());
    for (int64_t e = 0; e < tangent.numel(); ++e)
      at[e] = draw_.perturb(at[e]) + steps * tangent.data<double>()[e];
  }
  std::vector<IValue> results;
  fusillade::call(op, site, copy.inputs, results);
  each_tensor(results, [&](const Tensor& t) {
    for (int64_t e = 0; !is_float(t.dtype()) && e < t.numel(); ++e)
      chosen.push_back(element_as_int(t, e));
  });
  std::vector<Tensor> out;
  for (const Tensor& t : moved_by(op, copy.inputs, results)) out.push_back(contiguous(t, true));
  return out;
}

// On a parabola the slopes over one step and over two are equal, and so are the bends.
std::optional<Tangents::Fit> Tangents::fit(const Operator& op, const Site& site,
                                           std::span<const IValue> args, double step) {
  std::vector<Tensor> at[5];
  std::vector<int64_t> chosen[5];
  const double steps[5] = {-2, -1, 1, 2, 0};
  try {
    for (int k = 0; k < 5; ++k) at[k] = run_along(op, site, args, steps[k] * step, chosen[k]);
  } catch (const Error&) {
    return std::nullopt;  // a step away it is illegal
  }
  Fit out;
  double total_misfit = 0, size = 0;
  for (int k = 1; k < 5; ++k)
    if (at[k].size() != at[0].size() || chosen[k] != chosen[0]) return std::nullopt;
  for (size_t r = 0; r < at[0].size(); ++r) {
    for (int k = 1; k < 5; ++k)
      if (!(at[k][r].sizes() == at[0][r].sizes())) return std::nullopt;
    Tensor slope = Tensor::empty(at[0][r].sizes(), DType::F64);
    for (int64_t i = 0; i < slope.numel(); ++i) {
      double v[5];
      for (int k = 0; k < 5; ++k) v[k] = draw_.perturb(element_as_double(at[k][r], i));
      const double inner = (v[2] - v[1]) / (2 * step), far = (v[3] - v[0]) / (4 * step);
      const double bend = (v[2] - v[4] - (v[4] - v[1])) / step;
      const double wide = (v[3] - v[4] - (v[4] - v[0])) / (2 * step);
      const double misfit = std::abs(far - inner) + std::abs(2 * bend - wide);
      if (!std::isfinite(misfit)) return std::nullopt;
      total_misfit += misfit;
      size += std::abs(v[4]) / step + std::abs(inner);
      set_element(slope, i, draw_.within((4 * inner - far) / 3, misfit));
    }
    out.slopes.push_back(slope);
  }
  out.exact = total_misfit <= 16 * Noise::kUnit * size;  // as roundings of the five are
  return out;
}

// What is linear, or a product of two, lies on a parabola at any distance, where steps are large
// compared with rounding. Anything else is measured by small steps, over which it bends least.
Tangents::Slopes Tangents::by_steps(const Operator& op, const Site& site,
                                    std::span<const IValue> args) {
  std::optional<Fit> found = fit(op, site, args, draw_.step(1));
  if (!found || !found->exact) found = fit(op, site, args, draw_.step(kSmallStep));
  if (!found) decline("{} chooses otherwise a step away, or is not finite there", op.name);
  return found->slopes;
}

}  // namespace fusillade::fuzz

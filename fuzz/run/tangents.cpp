// See tangents.h.
#include "fuzz/run/tangents.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/front/autograd.h"
#include "engine/ops/gradient.h"
#include "fuzz/case/case.h"

namespace fusillade::fuzz {
namespace {

template <class F>
void each_tensor(const IValue& v, F f) {
  if (v.is_tensor()) {
    if (v.as_tensor().defined()) f(v.as_tensor());
  } else if (v.is_sequence()) {
    for (const IValue& item : v.items()) each_tensor(item, f);
  }
}

template <class F>
void each_tensor(std::span<const IValue> values, F f) {
  for (const IValue& v : values) each_tensor(v, f);
}

bool of_doubles(const Tensor& t) { return t.dtype() == DType::F64; }

void doubles_only(const Row& row, std::span<const IValue> values) {
  each_tensor(values, [&](const Tensor& t) {
    if (is_float(t.dtype()) && !of_doubles(t)) decline("{} of {}", row.name, name_of(t.dtype()));
  });
}

bool shares(const Tensor& t, std::span<const IValue> args) {
  bool shared = false;
  each_tensor(args, [&](const Tensor& a) { shared = shared || a.shares_storage(t); });
  return shared;
}

template <class F>
void each_written(const Row& row, std::span<const IValue> args, F f) {
  for (size_t i = 0; i < args.size() && i < row.schema.args.size(); ++i)
    if (row.schema.args[i].written)
      each_tensor(args[i], [&](const Tensor& t) {
        if (of_doubles(t)) f(t);
      });
}

// What a row gives that moves: fresh results, then what it wrote.
std::vector<Tensor> moved_by(const Row& row, std::span<const IValue> args,
                             std::span<const IValue> results) {
  std::vector<Tensor> out;
  each_tensor(results, [&](const Tensor& t) {
    if (of_doubles(t) && !shares(t, args)) out.push_back(t);
  });
  each_written(row, args, [&](const Tensor& t) { out.push_back(t); });
  return out;
}

Tensor broadcast_to(const Tensor& t, const Dims& sizes) {
  Dims strides(sizes.rank(), 0);
  const int shift = sizes.rank() - t.rank();
  for (int d = 0; d < t.rank(); ++d)
    if (t.sizes()[d] != 1) strides[d + shift] = t.strides()[d];
  return Tensor::view_of(t, t.offset(), sizes, strides);
}

// Where a row writes places that integers name, one may be named twice, and which value stays there
// nobody promises.
bool writes_twice(const Row& row, std::span<const IValue> args) {
  static const std::set<std::string> names = {"index_copy", "index_put", "_index_put_impl",
                                              "scatter", "put"};
  std::string name = row.schema.name.substr(row.schema.name.find("::") + 2);
  if (name.back() == '_') name.pop_back();
  if (!names.count(name)) return false;
  const Dims sizes = args[0].as_tensor().sizes();
  bool twice = false;
  each_tensor(args, [&](const Tensor& t) {
    if (is_float(t.dtype())) return;
    std::set<int64_t> seen;
    auto see = [&](int64_t place) { twice = !seen.insert(place).second || twice; };
    for (int64_t i = 0; i < t.numel(); ++i) {
      const int64_t place = element_as_int(t, i);
      if (place >= 0) see(place);
      else
        for (int64_t size : std::set<int64_t>(sizes.begin(), sizes.end())) see(place + size);
    }
  });
  return twice;
}

// Bounds that meet or are no numbers: what lies between them is a matter of taste.
bool bounds_meet(const Row& row, std::span<const IValue> args) {
  if (!row.schema.name.starts_with("aten::clamp")) return false;
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

// Matrices that count as symmetric whichever half is read have gradients that are symmetric, too;
// singular vectors of a zero are anything.
bool is_loose(const Row& row) {
  for (const char* word : {"eigh", "eigvalsh", "cholesky", "svd"})
    if (row.schema.name.find(word) != std::string::npos) return true;
  return false;
}

// Beside larger numbers a step is lost.
constexpr double kLargest = 1e4;
constexpr double kLost = 1e-10;  // of a number: less is rounding

bool too_large(const Tensor& t) {
  for (int64_t i = 0; i < t.numel(); ++i)
    if (!(std::abs(element_as_double(t, i)) < kLargest)) return true;
  return false;
}

bool finite(const Tensor& t) {
  for (int64_t i = 0; i < t.numel(); ++i)
    if (!std::isfinite(element_as_double(t, i))) return false;
  return true;
}

}  // namespace

Tensor Tangents::of(const Tensor& t) {
  auto [at, fresh] = twins_.try_emplace(t.storage());
  if (fresh) {
    const auto count = static_cast<int64_t>(t.storage()->bytes() / sizeof(double));
    at->second = {t.storage_ref(), Tensor::zeros({count}, DType::F64)};
  }
  return Tensor::view_of(at->second.moves, t.offset(), t.sizes(), t.strides());
}

bool Tangents::moves(const Tensor& t) {
  if (!of_doubles(t) || !twins_.count(t.storage())) return false;
  const Tensor d = of(t);
  for (int64_t i = 0; i < d.numel(); ++i)
    if (element_as_double(d, i) != 0) return true;
  return false;
}

void Tangents::call(const Row& row, const Site& site, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  bool any = false;
  each_tensor(args, [&](const Tensor& t) { any = any || moves(t); });
  const bool hands_on = row.kind == OpKind::Prim || row.kind == OpKind::Scalar;
  if (hands_on) return fusillade::call(row, site, args, results);
  const Gradient* g = gradient_of(row);
  const bool none = row.schema.name.starts_with("aten::detach") ||  // whatever the table says
                    (g && g->formulas.empty() && !g->unknown);
  const bool cuts = row.schema.aliases() && (none || !eager::records());
  if (!any && !cuts) return fusillade::call(row, site, args, results);
  if (row.nondeterministic) decline("{} draws random numbers", row.name);
  if (writes_twice(row, args)) decline("{} writes a place twice", row.name);
  if (bounds_meet(row, args)) decline("{} with bounds that meet", row.name);
  if (row.schema.name.starts_with("aten::round")) decline("{} has finer steps", row.name);
  if (is_loose(row)) decline("{} has more than one gradient", row.name);
  doubles_only(row, args);
  if (apart_ && row.schema.writes()) decline("{} writes beside what stands still", row.name);
  const size_t first = results.size();
  Slopes known;
  if (row.schema.writes()) known = slopes(row, site, args);
  fusillade::call(row, site, args, results);
  const std::span<const IValue> made(results.begin() + static_cast<ptrdiff_t>(first),
                                     results.end());
  doubles_only(row, made);
  const std::vector<Tensor> moved = moved_by(row, args, made);
  bool shared = false;
  each_tensor(made,
              [&](const Tensor& t) { shared = shared || (of_doubles(t) && shares(t, args)); });
  if (shared && (none || !eager::records())) return stand_apart(row, results, first);
  if (!eager::records()) return;
  if (moved.empty()) return;
  if (!row.schema.writes()) known = slopes(row, site, args);
  if (known.size() != moved.size()) decline("{} gives another number of results", row.name);
  for (size_t i = 0; i < moved.size(); ++i) {
    if (!finite(moved[i]) || !finite(known[i])) decline("{} is not finite", row.name);
    copy_into(of(moved[i]), known[i]);
  }
}

// What is cut off from its history shares memory with what moves, and stands still: a copy does.
// Not where it is written, or was.
void Tangents::stand_apart(const Row& row, std::vector<IValue>& results, size_t first) {
  if (row.schema.writes()) decline("{} writes without being recorded", row.name);
  apart_ = true;
  for (size_t i = first; i < results.size(); ++i) {
    if (!results[i].is_tensor()) decline("{} gives a list that stands still", row.name);
    results[i] = contiguous(results[i].as_tensor(), true);
  }
}

Tangents::Slopes Tangents::slopes(const Row& row, const Site& site, std::span<const IValue> args) {
  if (!row.pointwise || row.schema.results.size() != 1) return by_steps(row, site, args);
  const PointwisePlan plan = row.pointwise(row, infos_of(args));
  if (!plan.formula->dual || plan.compute != DType::F64 || plan.result != DType::F64)
    return by_steps(row, site, args);
  Dims sizes;
  for (const auto& o : plan.operands)
    if (o.arg >= 0 && args[static_cast<size_t>(o.arg)].is_tensor())
      sizes = broadcast(sizes, args[static_cast<size_t>(o.arg)].as_tensor().sizes());
  return by_formula(plan, args, sizes);
}

Tangents::Slopes Tangents::by_formula(const PointwisePlan& plan, std::span<const IValue> args,
                                      const Dims& sizes) {
  const size_t count = plan.operands.size();
  std::vector<Tensor> values(count), directions(count);
  std::vector<Dual> now(count);
  std::vector<const Dual*> in(count);
  for (size_t k = 0; k < count; ++k) {
    const auto& o = plan.operands[k];
    const IValue& v = o.arg < 0 ? o.literal : args[static_cast<size_t>(o.arg)];
    in[k] = &now[k];
    if (!v.is_tensor()) {
      now[k] = Dual(v.as_double());
      continue;
    }
    if (of_doubles(v.as_tensor()) && too_large(v.as_tensor()))
      decline("an element-wise row of large numbers");
    values[k] = broadcast_to(v.as_tensor(), sizes);
    if (of_doubles(v.as_tensor())) directions[k] = broadcast_to(of(v.as_tensor()), sizes);
  }
  Tensor out = Tensor::empty(sizes, DType::F64);
  auto slope_at = [&](int64_t i, double steps) {
    for (size_t k = 0; k < count; ++k) {
      if (!values[k].defined()) continue;
      const double d = directions[k].defined() ? element_as_double(directions[k], i) : 0;
      now[k] = Dual::of(element_as_double(values[k], i) + steps * step_ * d, d);
    }
    Dual result;
    plan.formula->dual(in.data(), &result, 1);
    return result.d;
  };
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double d = slope_at(i, 0);
    const double turn = std::abs(slope_at(i, 1e-3) - slope_at(i, -1e-3));
    if (turn > 1e-2 * (1 + std::abs(d))) decline("an element-wise row has a kink");
    set_element(out, i, d);
  }
  return {out};
}

// The row a few steps along the direction. `chosen` collects what is no float.
std::vector<Tensor> Tangents::ran(const Row& row, const Site& site, std::span<const IValue> args,
                                  double steps, std::vector<int64_t>& chosen) {
  const Call copy = copy_call(Call{{args.begin(), args.end()}});
  std::vector<Tensor> from, to;
  each_tensor(args, [&](const Tensor& t) { from.push_back(t); });
  each_tensor(copy.inputs, [&](const Tensor& t) { to.push_back(t); });
  std::vector<const Storage*> done;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!of_doubles(from[i]) || std::ranges::count(done, to[i].storage())) continue;
    done.push_back(to[i].storage());
    of(from[i]);
    const Tensor& twin = twins_.at(from[i].storage()).moves;
    auto* at = reinterpret_cast<double*>(to[i].storage()->data());
    for (int64_t e = 0; e < twin.numel(); ++e) at[e] += steps * step_ * twin.data<double>()[e];
  }
  std::vector<IValue> results;
  fusillade::call(row, site, copy.inputs, results);
  each_tensor(results, [&](const Tensor& t) {
    for (int64_t e = 0; !is_float(t.dtype()) && e < t.numel(); ++e)
      chosen.push_back(element_as_int(t, e));
  });
  std::vector<Tensor> out;
  for (const Tensor& t : moved_by(row, copy.inputs, results)) out.push_back(contiguous(t, true));
  return out;
}

Tangents::Slopes Tangents::by_steps(const Row& row, const Site& site,
                                    std::span<const IValue> args) {
  std::vector<Tensor> at[5];
  std::vector<int64_t> chosen[5];
  const double steps[5] = {-2, -1, 1, 2, 0};
  each_tensor(args, [&](const Tensor& t) {
    if (of_doubles(t) && too_large(t)) decline("{} of large numbers", row.name);
  });
  for (int k = 0; k < 5; ++k) {
    at[k] = ran(row, site, args, steps[k], chosen[k]);
    if (at[k].size() != at[0].size() || chosen[k] != chosen[0])
      decline("{} chooses otherwise a step away", row.name);
  }
  Slopes out;
  for (size_t r = 0; r < at[0].size(); ++r) {
    if (too_large(at[1][r])) decline("{} gives large numbers", row.name);
    Tensor slope = Tensor::empty(at[0][r].sizes(), DType::F64);
    for (int64_t i = 0; i < slope.numel(); ++i) {
      double v[5];
      for (int k = 0; k < 5; ++k) {
        if (!(at[k][r].sizes() == slope.sizes())) decline("{} chooses its sizes", row.name);
        v[k] = element_as_double(at[k][r], i);
      }
      const double moved = std::abs(v[3] - v[0]);
      if (moved > 0 && moved < kLost * std::abs(v[1])) decline("{} hardly moves", row.name);
      const double near = (v[2] - v[1]) / (2 * step_);
      const double far = (v[3] - v[0]) / (4 * step_);
      const double d = (4 * near - far) / 3;
      const double bend = (v[1] + v[2] - 2 * v[4]) / step_;
      const double most = 1 + std::abs(d);
      if (!(std::abs(d - near) <= 1e-3 * most && std::abs(bend) <= 2e-2 * most))
        decline("{} has a kink", row.name);
      set_element(slope, i, d);
    }
    out.push_back(slope);
  }
  return out;
}

}  // namespace fusillade::fuzz

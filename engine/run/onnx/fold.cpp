// Integers that carry sizes, computed while the model is read. See reading.h.
#include <algorithm>

#include "engine/base/error.h"
#include "engine/run/onnx/reading.h"

namespace fusillade::onnx {
namespace {

constexpr int64_t kMostNumbers = 4096;

bool all_numbers(Reading& r) {
  for (size_t i = 0; i < r.inputs(); ++i)
    if (r.has(i) && !r.numbers(i)) return false;
  return r.inputs() > 0;
}

// Numbers of `sizes`, each one of `of` by its place there.
template <class Place>
bool give_picked(Reading& r, const Numbers& of, const Dims& sizes, Place place) {
  const int64_t count = numel_of(sizes);
  if (count > kMostNumbers) return false;
  Numbers out{of.dtype, sizes, {}};
  Dims at(sizes.rank());
  for (int64_t i = 0; i < count; ++i) {
    out.items.push_back(of.items[static_cast<size_t>(place(at))]);
    for (int d = sizes.rank() - 1; d >= 0 && ++at[d] == sizes[d]; --d) at[d] = 0;
  }
  r.give(std::move(out));
  return true;
}

int64_t broadcast_place(const Dims& at, const Dims& sizes) {
  int64_t place = 0;
  for (int d = 0; d < sizes.rank(); ++d)
    place = place * sizes[d] + (sizes[d] == 1 ? 0 : at[at.rank() - sizes.rank() + d]);
  return place;
}

template <class Combine>
bool combine(Reading& r, DType dtype, Combine of) {
  const Numbers &a = *r.numbers(0), &b = *r.numbers(1);
  const Dims sizes = broadcast(a.sizes, b.sizes);
  if (numel_of(sizes) > kMostNumbers) return false;
  Numbers out{dtype, sizes, {}};
  Dims at(sizes.rank());
  for (int64_t i = 0, n = numel_of(sizes); i < n; ++i) {
    const auto x = a.items[static_cast<size_t>(broadcast_place(at, a.sizes))];
    const auto y = b.items[static_cast<size_t>(broadcast_place(at, b.sizes))];
    const std::optional<Count> item = of(x, y);
    if (!item) return false;
    out.items.push_back(*item);
    for (int d = sizes.rank() - 1; d >= 0 && ++at[d] == sizes[d]; --d) at[d] = 0;
  }
  r.give(std::move(out));
  return true;
}

// What both trials agree on is known.
template <class Test>
std::optional<Count> agree(Test test) {
  const int64_t first = test(0), second = test(1);
  return first == second ? std::optional<Count>(first) : std::nullopt;
}

}  // namespace

bool fold_arithmetic(Reading& r) {
  if (!all_numbers(r) || r.inputs() != 2 || r.dtype(0) != DType::I64) return false;
  const std::string& op = r.op();
  return combine(r, DType::I64, [&](const Count& a, const Count& b) -> std::optional<Count> {
    if (op == "Max" || op == "Min") {
      const auto pick = [&](size_t t) {
        return (a.trial[t] < b.trial[t]) == (op == "Min") ? 1 : 0;
      };
      if (pick(0) != pick(1)) return std::nullopt;
      return pick(0) ? a : b;
    }
    if (op == "Mod" && a.is_known() && b.is_known() && b.number() != 0 && b.number() != -1) {
      const int64_t rest = a.number() % b.number();
      return Count(rest != 0 && (rest < 0) != (b.number() < 0) ? rest + b.number() : rest);
    }
    // Div truncates; of numbers that are not negative it is the same as floordiv.
    const bool negative = std::min({a.trial[0], a.trial[1], b.trial[0], b.trial[1]}) < 0;
    if (op == "Mod" || (op == "Div" && (negative || b.trial[0] == 0 || b.trial[1] == 0)))
      return std::nullopt;
    const char* word = op == "Add" ? "add" : op == "Sub" ? "sub" : op == "Mul" ? "mul" : "floordiv";
    return r.build().arithmetic(word, a, b);
  });
}

bool fold_comparison(Reading& r) {
  if (!all_numbers(r) || r.inputs() != 2) return false;
  const std::string& op = r.op();
  return combine(r, DType::Bool, [&](const Count& a, const Count& b) {
    return agree([&](size_t t) -> int64_t {
      const int64_t x = a.trial[t], y = b.trial[t];
      if (op == "Equal") return x == y;
      if (op == "Less") return x < y;
      if (op == "Greater") return x > y;
      if (op == "LessOrEqual") return x <= y;
      if (op == "GreaterOrEqual") return x >= y;
      return op == "And" ? x && y : op == "Or" ? x || y : x != y;
    });
  });
}

bool fold_where(Reading& r) {
  if (!all_numbers(r) || !r.numbers(0)->is_known()) return false;
  const Numbers &c = *r.numbers(0), &a = *r.numbers(1), &b = *r.numbers(2);
  const Dims sizes = broadcast(broadcast(a.sizes, b.sizes), c.sizes);
  if (numel_of(sizes) > kMostNumbers) return false;
  Numbers out{a.dtype, sizes, {}};
  Dims at(sizes.rank());
  for (int64_t i = 0, n = numel_of(sizes); i < n; ++i) {
    const Numbers& from =
        c.items[static_cast<size_t>(broadcast_place(at, c.sizes))].number() ? a : b;
    out.items.push_back(from.items[static_cast<size_t>(broadcast_place(at, from.sizes))]);
    for (int d = sizes.rank() - 1; d >= 0 && ++at[d] == sizes[d]; --d) at[d] = 0;
  }
  r.give(std::move(out));
  return true;
}

bool fold_cast(Reading& r) {
  if (!all_numbers(r)) return false;
  Numbers out = *r.numbers(0);
  const DType to = dtype_of(r.integer("to", 0));
  if (to != DType::I64 && to != DType::I32 && !(to == DType::Bool && out.is_known())) return false;
  for (const Count& n : out.items)
    if (to == DType::I32 && (n.trial[0] != static_cast<int32_t>(n.trial[0]))) return false;
  if (to == DType::Bool)
    for (Count& n : out.items) n = Count(n.number() != 0);
  out.dtype = to;
  r.give(std::move(out));
  return true;
}

bool fold_identity(Reading& r) {
  if (!all_numbers(r)) return false;
  r.give(*r.numbers(0));
  return true;
}

bool fold_concat(Reading& r) {
  if (!all_numbers(r)) return false;
  Numbers out{r.dtype(0), Dims{0}, {}};
  for (size_t i = 0; i < r.inputs(); ++i) {
    const Numbers& part = *r.numbers(i);
    if (part.sizes.rank() != 1) return false;
    if (std::ssize(out.items) + std::ssize(part.items) > kMostNumbers) return false;
    out.items.insert(out.items.end(), part.items.begin(), part.items.end());
  }
  out.sizes[0] = static_cast<int64_t>(out.items.size());
  r.give(std::move(out));
  return true;
}

bool fold_gather(Reading& r) {
  if (!all_numbers(r) || !r.numbers(1)->is_known()) return false;
  const Numbers &of = *r.numbers(0), &at = *r.numbers(1);
  if (of.sizes.rank() != 1 || at.sizes.rank() > 1) return false;
  const int64_t n = of.sizes[0];
  Numbers out{of.dtype, at.sizes, {}};
  for (const Count& index : at.items)
    out.items.push_back(of.items[static_cast<size_t>(axis_of(index.number(), n))]);
  r.give(std::move(out));
  return true;
}

bool fold_slice(Reading& r) {
  if (!all_numbers(r)) return false;
  for (size_t i = 1; i < r.inputs(); ++i)
    if (r.has(i) && !r.numbers(i)->is_known()) return false;
  const Numbers& of = *r.numbers(0);
  const std::vector<int64_t> starts = r.ints(1), ends = r.ints(2);
  const std::vector<int64_t> axes = r.has(3) ? r.ints(3) : std::vector<int64_t>{0};
  const std::vector<int64_t> steps = r.has(4) ? r.ints(4) : std::vector<int64_t>{1};
  const bool one = starts.size() == 1 && ends.size() == 1 && axes.size() == 1 && steps.size() == 1;
  if (!one || of.sizes.empty() || steps[0] == 0) return false;
  const auto dim = static_cast<int>(axis_of(axes[0], of.sizes.rank()));
  const int64_t n = of.sizes[dim], step = steps[0];
  const auto wrap = [&](int64_t i) { return i < 0 ? i + n : i; };
  const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  const int64_t begin = std::clamp(wrap(starts[0]), step > 0 ? 0 : int64_t{-1}, high);
  const int64_t end = ends[0] < -n ? low : std::clamp(wrap(ends[0]), low, high);
  const int64_t reach = step > 0 ? end - begin : begin - end;
  const int64_t size = step < -n || step > n ? 1 : step < 0 ? -step : step;
  Dims sizes = of.sizes;
  sizes[dim] = reach > 0 ? (reach + size - 1) / size : 0;
  return give_picked(r, of, sizes, [&](const Dims& at) {
    int64_t place = 0;
    for (int d = 0; d < at.rank(); ++d)
      place = place * of.sizes[d] + (d == dim ? begin + at[d] * step : at[d]);
    return place;
  });
}

bool fold_reshape(Reading& r) {
  if (!all_numbers(r) || !r.numbers(1)->is_known()) return false;
  Numbers out = *r.numbers(0);
  Dims sizes;
  const auto count = static_cast<int64_t>(out.items.size());
  int64_t rest = 1;
  for (const int64_t n : r.ints(1)) {
    sizes.push_back(n == 0 && sizes.rank() < out.sizes.rank() ? out.sizes[sizes.rank()] : n);
    if (sizes.back() > kMostNumbers || rest > kMostNumbers) return false;
    if (n != -1) rest *= sizes.back();
  }
  for (int64_t& n : sizes) {
    if (n == -1 && (rest <= 0 || count % rest)) return false;
    if (n == -1) n = count / rest;
    if (n < 0) return false;
  }
  if (numel_of(sizes) != count) return false;
  out.sizes = sizes;
  r.give(std::move(out));
  return true;
}

bool fold_squeeze(Reading& r) {
  const Numbers* of = r.numbers(0);
  if (!of || of->sizes.rank() > 1 || of->items.size() != 1) return false;
  r.give(Numbers{of->dtype, {}, of->items});
  return true;
}

bool fold_unsqueeze(Reading& r) {
  const Numbers* of = r.numbers(0);
  if (!of || of->sizes.rank() > 1 || !r.has(1) || r.counts(1).size() != 1) return false;
  Dims sizes = of->sizes;
  sizes.insert(static_cast<int>(axis_of(r.ints(1)[0], sizes.rank() + 1)), 1);
  r.give(Numbers{of->dtype, sizes, of->items});
  return true;
}

bool fold_transpose(Reading& r) {
  if (!all_numbers(r) || r.numbers(0)->sizes.rank() != 2) return false;
  const Numbers& of = *r.numbers(0);
  const auto perm = r.integers("perm");
  if (perm && *perm != std::vector<int64_t>{1, 0}) return false;
  return give_picked(r, of, Dims{of.sizes[1], of.sizes[0]},
                     [&](const Dims& at) { return at[1] * of.sizes[1] + at[0]; });
}

bool fold_expand(Reading& r) {
  if (!all_numbers(r) || !r.numbers(1)->is_known()) return false;
  Dims wanted;
  for (const int64_t n : r.ints(1)) {
    if (n < 0 || n > kMostNumbers) return false;
    wanted.push_back(n);
  }
  const Numbers& of = *r.numbers(0);
  return give_picked(r, of, broadcast(of.sizes, wanted),
                     [&](const Dims& at) { return broadcast_place(at, of.sizes); });
}

bool fold_range(Reading& r) {
  if (!all_numbers(r) || r.dtype(0) != DType::I64) return false;
  for (size_t i = 0; i < r.inputs(); ++i)
    if (!r.numbers(i)->is_known() || r.counts(i).size() != 1) return false;
  const int64_t step = r.ints(2)[0];
  int64_t reach = 0;
  if (step == 0 || __builtin_sub_overflow(r.ints(1)[0], r.ints(0)[0], &reach)) return false;
  if (reach == INT64_MIN) return false;
  const int64_t count = reach / step + (reach % step != 0 && (reach < 0) == (step < 0));
  if (count > kMostNumbers) return false;
  Numbers out{DType::I64, Dims{std::max<int64_t>(count, 0)}, {}};
  for (int64_t i = 0; i < count; ++i) out.items.emplace_back(r.ints(0)[0] + i * step);
  r.give(std::move(out));
  return true;
}

// The product or the sum of all.
bool fold_reduce(Reading& r) {
  const Numbers* of = r.numbers(0);
  if (!of || of->dtype != DType::I64 || of->sizes.rank() != 1 || of->items.empty()) return false;
  if ((r.has(1) && !r.numbers(1)) || r.integer("noop_with_empty_axes", 0)) return false;
  const char* word = r.op() == "ReduceProd" ? "mul" : "add";
  Count all = of->items[0];
  for (size_t i = 1; i < of->items.size(); ++i) all = r.build().arithmetic(word, all, of->items[i]);
  const bool keep = r.integer("keepdims", 1) != 0;
  r.give(Numbers{DType::I64, keep ? Dims{1} : Dims{}, {all}});
  return true;
}

}  // namespace fusillade::onnx

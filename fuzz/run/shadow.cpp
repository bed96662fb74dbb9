// Dispatch on operator kinds, data movement, scalars, and the comparison with what was observed.
#include "fuzz/run/shadow.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "engine/aten/sort/choose.h"
#include "engine/base/text.h"
#include "engine/front/sign.h"
#include "engine/ops/leaves.h"
#include "engine/tensor/block.h"
#include "fuzz/run/cell.h"
#include "fuzz/run/composed.h"
#include "fuzz/run/deviation.h"
#include "fuzz/run/open_sum.h"

namespace fusillade::fuzz {
namespace {

IValue items_of(const DictBox& dict) {
  std::vector<IValue> out;
  for (const auto& [key, value] : dict.items()) out.push_back(IValue::tuple({key, value}));
  return IValue::tuple(std::move(out));
}

bool holds_tensor(const IValue& v) {
  bool found = false;
  for_each_tensor_once(v, [&](const Tensor&) { found = true; });
  return found;
}

bool is_sequence(const IValue& v) {
  return v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple;
}

bool compares_identity(const Operator& op) {
  return op.name == op_of(front::Sign::Is) || op.name == op_of(front::Sign::IsNot);
}

// An int64 tensor of the same geometry. Its elements are numbered from `next` on, one number per
// storage index; `sources` records which cell each number represents.
struct Numbering {
  std::vector<std::pair<Cells*, int64_t>> sources;

  IValue assign_ids(const IValue& v, Shadow& shadow) {
    if (v.is_tensor()) {
      Tensor t = v.as_tensor();
      Cells& cells = shadow.cells(t);
      int64_t count = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
      Tensor ids = Tensor::empty({count}, DType::I64);
      for (int64_t i = 0; i < count; ++i) {
        ids.data<int64_t>()[i] = static_cast<int64_t>(sources.size());
        sources.emplace_back(&cells, i);
      }
      return Tensor::view_of(ids, t.offset(), t.sizes(), t.strides());
    }
    if (!is_sequence(v)) return v;
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(assign_ids(item, shadow));
    if (v.tag() == IValue::Tag::Tuple) return IValue::tuple(std::move(items));
    return IValue::list(std::move(items), v.seq()->element);
  }
};

std::string interval(const Bounded& b) {
  if (b.must_nan) return "nan";
  return fmt::format("[{}, {}]{}", hexadecimal_float_text(b.lo), hexadecimal_float_text(b.hi),
                     b.may_nan ? " or nan" : "");
}

std::string interval(const IntRange& r) {
  return r.exact() ? fmt::format("{}", r.lo) : fmt::format("[{}, {}]", r.lo, r.hi);
}

void wrong_element(const std::string& what, size_t element, const std::string& got,
                   const std::string& legal, Verdict& verdict) {
  verdict.kind = VerdictKind::Mismatch;
  verdict.reason = "value";
  verdict.detail = fmt::format("{}: element {} is {}, legal is {}", what, element, got, legal);
}

}  // namespace

Cells& Shadow::cells(const Tensor& t) {
  auto [it, is_new] = memory_.try_emplace(t.storage());
  Cells& c = it->second;
  if (!is_new) return c;
  c.keep = t.storage_ref();
  c.dtype = t.dtype();
  int64_t count = static_cast<int64_t>(t.storage()->bytes() / size_of(t.dtype()));
  const uint8_t* memory = t.storage()->data();
  if (is_float(t.dtype())) {
    std::vector<double> values(static_cast<size_t>(count));
    load_block<double>(t.dtype(), memory, 1, count, values.data());
    c.real.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      Bounded& b = c.real[i];
      if (std::isnan(values[i])) b.must_nan = b.may_nan = true;
      else b = read_from(Bounded::exact(values[i]), t.dtype());
    }
  } else {
    std::vector<int64_t> values(static_cast<size_t>(count));
    load_block<int64_t>(t.dtype(), memory, 1, count, values.data());
    c.whole.resize(values.size());
    for (size_t i = 0; i < values.size(); ++i) c.whole[i] = {values[i], values[i]};
  }
  return c;
}

Cells& Shadow::fresh(const Tensor& t) {
  Cells& c = memory_[t.storage()];
  size_t count = t.storage()->bytes() / size_of(t.dtype());
  c.keep = t.storage_ref();
  c.dtype = t.dtype();
  c.real.clear();
  c.whole.clear();
  c.sums.clear();
  if (is_float(t.dtype())) c.real.resize(count);
  else c.whole.resize(count);
  return c;
}

void Shadow::forget(const IValue& v) {
  for_each_tensor_once(v, [&](const Tensor& t) {
    Cells& c = fresh(t);
    for (Bounded& b : c.real) b = Bounded::all();
    for (IntRange& r : c.whole) r = full_range(t.dtype());
  });
}

// Of tensors that are met for the first time: what they hold is what was given.
void Shadow::learn(const IValue& v) {
  for_each_tensor_once(v, [&](const Tensor& t) { cells(t); });
}

void Shadow::before_decomposing(const Operator& op) {
  if (is_composed(op)) ++composed_;
}

void Shadow::run_op(const Operator& op, std::span<const IValue> args,
                    std::vector<IValue>& results) {
  NoPromises scope(of_ != Of::Ours, of_ == Of::AnyHalf);
  Allowing beyond_ours(allowed_);
  OpenSums opening(allowed_ && allowed_->adds_into_products);
  for (size_t i = 0; i < args.size() && i < op.roles.size(); ++i) {
    if (op.roles[i] == Role::Indices && !exact(args[i]))
      throw Untrusted{"places depend on rounding"};
  }
  if (op.movement) return move(op, args, results);
  if (op.scatter) return scatter(op, args, results);
  if (is_scan(op) && op.kind == OpKind::Opaque) return sums_so_far(op, args, results);
  switch (op.kind) {
    case OpKind::Pointwise:
      return pointwise(op, args, results);
    case OpKind::Reduce:
      return reduce(op, args, results);
    case OpKind::Contract:
      return contract(op, args, results);
    case OpKind::View:
      for (const IValue& v : args) {
        if (v.is_tensor()) cells(v.as_tensor());
      }
      results = call(op, args);
      return copy_views(args, results);
    case OpKind::Create:
      results = call(op, args);
      // Ours fills what `empty` and its kin give, and draws each run the same random numbers.
      if (of_ != Of::Ours && (op.nondeterministic || may_deviate(op, "unset"))) {
        for (const IValue& v : results) forget(v);
      }
      return;
    default:
      break;
  }
  for (const IValue& v : args) learn(v);
  results = call(op, args);
  if (op.metadata || compares_identity(op)) return;
  bool reads = false;
  for (const IValue& v : args) reads = reads || holds_tensor(v);
  bool tensors = false;
  for (const IValue& v : results) tensors = tensors || holds_tensor(v);
  if (!reads) return;
  if (!tensors) return require_decided(args, results);
  bool decided = op.chooses &&
                 std::all_of(args.begin(), args.end(), [&](const IValue& v) { return exact(v); });
  if (decided && of_ != Of::Ours) forget_ties(op, args, results);
  if (decided) return;
  // Containers hand their tensors on; a tensor of its own making, or written, is beyond us.
  for (const IValue& v : results) {
    if (v.is_tensor() && (op.schema.writes() || !memory_.count(v.as_tensor().storage()))) forget(v);
  }
}

void Shadow::after_decomposing(const Operator& op, std::span<const IValue> args,
                               const std::vector<IValue>& results) {
  if (is_composed(op)) --composed_;
  if (of_ == Of::Ours) return;
  NoPromises scope(true, of_ == Of::AnyHalf);
  apply_deviations({*this, op, args, results});
}

bool Shadow::exact(const IValue& v) {
  if (is_sequence(v))
    return std::all_of(v.items().begin(), v.items().end(),
                       [&](const IValue& i) { return exact(i); });
  if (!v.is_tensor()) return true;
  Tensor t = v.as_tensor();
  Cells& c = cells(t);
  bool all = true;
  for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
    size_t i = static_cast<size_t>(at);
    all = all && (c.real.empty() ? c.whole[i].exact() : c.real[i].must_nan || c.real[i].is_exact());
  });
  return all;
}

void Shadow::require_decided(std::span<const IValue> args, const std::vector<IValue>& results) {
  for (const IValue& v : results) {
    if (is_sequence(v)) throw Untrusted{"a list is made from elements"};
  }
  bool truth = results.size() == 1 && results[0].is_bool();
  for (const IValue& v : args) {
    if (!v.is_tensor()) continue;
    Tensor t = v.as_tensor();
    Cells& c = cells(t);
    for_each_element(t.sizes(), t.strides(), t.offset(), [&](int64_t at) {
      size_t i = static_cast<size_t>(at);
      bool decided;
      if (truth) {
        IntRange r =
            c.real.empty() ? to_whole(c.whole[i], DType::Bool) : to_whole(c.real[i], DType::Bool);
        decided = r.exact();
      } else {
        decided = c.real.empty() ? c.whole[i].exact() : c.real[i].must_nan || c.real[i].is_exact();
      }
      if (!decided) throw Untrusted{"a scalar depends on rounding"};
    });
  }
}

void Shadow::move(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Numbering numbering;
  std::vector<IValue> ids;
  for (size_t i = 0; i < args.size(); ++i) {
    bool is_index = i < op.roles.size() && op.roles[i] == Role::Indices;
    ids.push_back(is_index ? args[i] : numbering.assign_ids(args[i], *this));
  }
  results = call(op, args);
  std::vector<IValue> moved = call(op, ids);
  for (size_t k = 0; k < results.size(); ++k) {
    Tensor to = results[k].as_tensor();
    Tensor from = moved[k].as_tensor();
    if (memory_.count(to.storage()) && !op.schema.writes()) continue;  // a view
    Cells& c = memory_.count(to.storage()) ? cells(to) : fresh(to);
    Cells staged;  // operands may lie in what is written
    staged.dtype = to.dtype();
    int64_t n = to.numel();
    if (is_float(to.dtype())) staged.real.resize(static_cast<size_t>(n));
    else staged.whole.resize(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      auto [source, index] = numbering.sources[static_cast<size_t>(element_as_int(from, i))];
      convert_cell(*source, index, staged, i);
    }
    int64_t i = 0;
    for_each_element(to.sizes(), to.strides(), to.offset(),
                     [&](int64_t at) { convert_cell(staged, i++, c, at); });
  }
}

void Shadow::copy_views(std::span<const IValue> args, const std::vector<IValue>& results) {
  Tensor from = args[0].as_tensor();
  for (const IValue& v : results) {
    if (!v.is_tensor()) {
      if (is_sequence(v)) copy_views(args, v.items());
      continue;
    }
    Tensor to = v.as_tensor();
    if (memory_.count(to.storage())) continue;
    Cells& source = cells(from);
    std::vector<int64_t> offsets;
    for_each_element(from.sizes(), from.strides(), from.offset(),
                     [&](int64_t at) { offsets.push_back(at); });
    Cells& target = fresh(to);
    size_t i = 0;
    for_each_element(to.sizes(), to.strides(), to.offset(),
                     [&](int64_t at) { convert_cell(source, offsets[i++], target, at); });
  }
}

bool Shadow::admits(const IValue& reference, const IValue& observed, const std::string& what,
                    Verdict& verdict) {
  auto mismatch = [&](const char* reason) {
    verdict.kind = VerdictKind::Mismatch;
    verdict.reason = reason;
    verdict.detail =
        fmt::format("{}: got {}, expected {}", what, describe(observed), describe(reference));
    return false;
  };
  if (reference.tag() != observed.tag()) return mismatch("type");
  if (reference.is_tensor()) {
    Tensor a = reference.as_tensor();
    Tensor b = observed.as_tensor();
    if (a.dtype() != b.dtype()) return mismatch("dtype");
    if (!(a.sizes() == b.sizes())) return mismatch("shape");
    return admits_tensor(a, b, what, verdict);
  }
  if (is_sequence(reference)) {
    if (reference.items().size() != observed.items().size()) return mismatch("length");
    for (size_t i = 0; i < reference.items().size(); ++i) {
      if (!admits(reference.items()[i], observed.items()[i], fmt::format("{}[{}]", what, i),
                  verdict))
        return false;
    }
    return true;
  }
  if (reference.tag() == IValue::Tag::Object &&
      reference.as_object().cls == observed.as_object().cls) {
    return admits(IValue::tuple(reference.as_object().slots),
                  IValue::tuple(observed.as_object().slots), what, verdict);
  }
  if (reference.tag() == IValue::Tag::Dict) {
    return admits(items_of(reference.as_dict()), items_of(observed.as_dict()), what, verdict);
  }
  // Scalars that depend on tensors are decided (see require_decided), so they are equal.
  ++verdict.elements.compared;
  ++verdict.elements.tight;
  if (reference.is_float()) {
    double a = reference.as_double();
    double b = observed.as_double();
    return a == b || (a != a && b != b) ? true : mismatch("value");
  }
  return reference.identical(observed) ? true : mismatch("value");
}

bool Shadow::admits_tensor(const Tensor& reference, const Tensor& observed, const std::string& what,
                           Verdict& verdict) {
  if (is_float(reference.dtype())) return admits_floats(reference, observed, what, verdict);
  return admits_ints(reference, observed, what, verdict);
}

bool Shadow::admits_floats(const Tensor& reference, const Tensor& observed, const std::string& what,
                           Verdict& verdict) {
  const Cells& c = cells(reference);
  Tensor plain = contiguous(observed);
  std::vector<double> values(static_cast<size_t>(plain.numel()));
  load_block<double>(plain.dtype(), plain.raw(), 1, plain.numel(), values.data());
  size_t i = 0;
  bool good = true;
  for_each_element(reference.sizes(), reference.strides(), reference.offset(), [&](int64_t at) {
    size_t element = i++;
    if (!good) return;
    const Bounded& set = c.real[static_cast<size_t>(at)];
    if (!set.must_nan && set.lo == -INFINITY && set.hi == INFINITY) {
      ++verdict.elements.untrusted;
      return;
    }
    double v = values[element];
    good = fusillade::admits(set, v);
    verdict.elements.tight += is_tight(set);
    ++verdict.elements.compared;
    if (!good) wrong_element(what, element, hexadecimal_float_text(v), interval(set), verdict);
  });
  return good;
}

bool Shadow::admits_ints(const Tensor& reference, const Tensor& observed, const std::string& what,
                         Verdict& verdict) {
  const Cells& c = cells(reference);
  Tensor plain = contiguous(observed);
  std::vector<int64_t> values(static_cast<size_t>(plain.numel()));
  load_block<int64_t>(plain.dtype(), plain.raw(), 1, plain.numel(), values.data());
  IntRange full = full_range(c.dtype);
  size_t i = 0;
  bool good = true;
  for_each_element(reference.sizes(), reference.strides(), reference.offset(), [&](int64_t at) {
    size_t element = i++;
    if (!good) return;
    const IntRange& set = c.whole[static_cast<size_t>(at)];
    if (set.lo == full.lo && set.hi == full.hi) {
      ++verdict.elements.untrusted;
      return;
    }
    int64_t v = values[element];
    good = set.lo <= v && v <= set.hi;
    verdict.elements.tight += set.exact();
    ++verdict.elements.compared;
    if (!good) wrong_element(what, element, fmt::format("{}", v), interval(set), verdict);
  });
  return good;
}

}  // namespace fusillade::fuzz

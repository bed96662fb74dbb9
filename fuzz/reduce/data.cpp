// Shrinks of the data: sizes (of one extent over the whole case, then of one dimension of one
// input), dimensions, numbers in the program, layouts, values. Sizes and numbers end where no
// single step (to the least, to half, to a power of two and one, one less) still fails.
#include <algorithm>
#include <bit>
#include <set>

#include "engine/ir/visit.h"
#include "fuzz/reduce/reduce.h"
#include "fuzz/run/foreign/literal.h"

namespace fusillade::fuzz {
namespace {

std::vector<int64_t> extents(const Case& c) {
  std::set<int64_t> sizes;
  for (const Call& call : c.calls) {
    for (const IValue& v : call.inputs) {
      if (!v.is_tensor()) continue;
      for (int64_t s : v.as_tensor().sizes()) {
        if (s > 1) sizes.insert(s);
      }
    }
  }
  return {sizes.begin(), sizes.end()};
}

void set_integers(Block* block, int64_t from, int64_t to) {
  each_node_inside_out(block, [&](Node* n) {
    if (!n->is(prim::constant())) return;
    IValue v = n->constant();
    if (v.is_int() && v.as_int() == from) n->set_attr("value", IValue(to));
    if (v.tag() != IValue::Tag::List) return;
    std::vector<IValue> items = v.items();
    for (IValue& item : items) {
      if (item.is_int() && item.as_int() == from) item = IValue(to);
    }
    n->set_attr("value", IValue::list(items, v.seq()->element));
  });
}

constexpr size_t kSteps = 6;

// The ways down from `from`, the boldest first; the last is one less. Bounds that compilers have
// are powers of two, mostly: one step leads from far beyond one to just beyond it.
int64_t smaller_by(int64_t from, size_t step) {
  const int64_t sign = from < 0 ? -1 : 1;
  const uint64_t size = static_cast<uint64_t>(std::abs(from));
  switch (step) {
    case 0:
      return 1;
    case 1:
      return 2;
    case 2:
      return from / 2;
    case 3:
      return size < 4 ? from : sign * static_cast<int64_t>(std::bit_floor(size - 2) + 1);
    case 4:
      return from - from / 8;
    default:
      return from - sign;
  }
}

Tensor narrow_sizes(const Tensor& t, int64_t from, int64_t to) {
  Dims sizes = t.sizes();
  for (int64_t& s : sizes) {
    if (s == from) s = to;
  }
  return contiguous(Tensor::view_of(t, t.offset(), sizes, t.strides()), true);
}

void refresh_input_types(Case& c) {
  for (size_t i = 0; i < c.program->inputs().size() && !c.calls.empty(); ++i) {
    c.program->inputs()[i]->set_type(c.calls[0].inputs[i].type());
  }
  for (Node* n : c.program->block()->nodes()) {
    if (!n->is(prim::constant()) && n->blocks().empty()) infer_types(n);
  }
}

// Units from the end come first: the bold steps last in a group of kSteps.
size_t count_extents(const Case& c) { return kSteps * extents(c).size(); }
bool shrink_extent(Case& c, size_t first, size_t) {
  int64_t from = extents(c)[first / kSteps];
  int64_t to = smaller_by(from, kSteps - 1 - first % kSteps);
  if (to >= from || to < 1) return false;
  for (Call& call : c.calls) {
    for (IValue& v : call.inputs) {
      if (v.is_tensor()) v = IValue(narrow_sizes(v.as_tensor(), from, to));
    }
  }
  set_integers(c.program->block(), from, to);
  refresh_input_types(c);
  return true;
}

// One dimension of one input in all calls, the rest as it is.
std::vector<std::pair<size_t, int>> dimensions(const Case& c) {
  std::vector<std::pair<size_t, int>> out;
  if (c.calls.empty()) return out;
  for (size_t i = 0; i < c.calls[0].inputs.size(); ++i) {
    const IValue& v = c.calls[0].inputs[i];
    if (!v.is_tensor()) continue;
    for (int d = 0; d < v.as_tensor().rank(); ++d) out.emplace_back(i, d);
  }
  return out;
}

size_t count_dimensions(const Case& c) { return kSteps * dimensions(c).size(); }
bool shrink_dimension(Case& c, size_t first, size_t) {
  auto [input, d] = dimensions(c)[first / kSteps];
  for (Call& call : c.calls) {
    Tensor t = call.inputs[input].as_tensor();
    if (d >= t.rank()) return false;
    Dims sizes = t.sizes();
    const int64_t to = smaller_by(sizes[d], kSteps - 1 - first % kSteps);
    if (to >= sizes[d] || to < 1) return false;
    sizes[d] = to;
    call.inputs[input] = contiguous(Tensor::view_of(t, t.offset(), sizes, t.strides()), true);
  }
  refresh_input_types(c);
  return true;
}

// A leading dimension of size 1 of one input goes away.
bool drop_dimension(Case& c, size_t first, size_t) {
  for (Call& call : c.calls) {
    IValue& v = call.inputs[first];
    if (!v.is_tensor() || v.as_tensor().rank() == 0 || v.as_tensor().sizes()[0] != 1) return false;
    const Tensor t = v.as_tensor();
    Dims sizes, strides;
    for (int d = 1; d < t.rank(); ++d) {
      sizes.push_back(t.sizes()[d]);
      strides.push_back(t.strides()[d]);
    }
    v = Tensor::view_of(t, t.offset(), sizes, strides);
  }
  refresh_input_types(c);
  return true;
}

// Every int in the program's constants, alone or in a list.
struct Number {
  Node* node;
  int item;  // -1: the constant itself
};
void numbers(Block* block, std::vector<Number>& out) {
  each_node_inside_out(block, [&](Node* n) {
    if (!n->is(prim::constant())) return;
    const IValue& v = n->constant();
    if (v.is_int()) out.push_back({n, -1});
    if (v.tag() != IValue::Tag::List) return;
    for (size_t i = 0; i < v.items().size(); ++i)
      if (v.items()[i].is_int()) out.push_back({n, static_cast<int>(i)});
  });
}

// To 0, and the steps of a size; then an item of a list away.
constexpr size_t kNumberSteps = kSteps + 2;
size_t count_numbers(const Case& c) {
  std::vector<Number> all;
  numbers(c.program->block(), all);
  return kNumberSteps * all.size();
}
bool shrink_number(Case& c, size_t first, size_t) {
  std::vector<Number> all;
  numbers(c.program->block(), all);
  const Number at = all[first / kNumberSteps];
  const size_t step = kNumberSteps - 1 - first % kNumberSteps;
  const IValue v = at.node->constant();
  std::vector<IValue> items = at.item < 0 ? std::vector<IValue>{v} : v.items();
  const size_t i = at.item < 0 ? 0 : static_cast<size_t>(at.item);
  if (step == 0) {
    if (at.item < 0) return false;
    items.erase(items.begin() + at.item);
  } else {
    const int64_t from = items[i].as_int();
    const int64_t to = step == 1 ? 0 : smaller_by(from, step - 2);
    if (std::abs(to) >= std::abs(from)) return false;
    items[i] = IValue(to);
  }
  at.node->set_attr("value", at.item < 0 ? items[0] : IValue::list(items, v.seq()->element));
  refresh_input_types(c);
  return true;
}

size_t count_tensors(const Case& c) { return c.program->inputs().size(); }
bool make_contiguous(Case& c, size_t first, size_t last) {
  for (Call& call : c.calls) {
    for (size_t i = first; i < last; ++i) {
      if (call.inputs[i].is_tensor()) call.inputs[i] = contiguous(call.inputs[i].as_tensor(), true);
    }
  }
  if (c.script.empty()) refresh_input_types(c);
  return true;
}

bool fill(Case& c, size_t first, size_t last, double value) {
  bool any = false;
  for (Call& call : c.calls) {
    for (size_t i = first; i < last; ++i) {
      if (!call.inputs[i].is_tensor()) continue;
      Tensor t = call.inputs[i].as_tensor();
      if (t.may_overlap_itself()) continue;
      for (int64_t e = 0; e < t.numel(); ++e) set_element(t, e, value);
      any = any || t.numel() > 0;
    }
  }
  return any;
}
bool all_zero(const Tensor& t) {
  for (int64_t e = 0; e < t.numel(); ++e) {
    if (element_as_double(t, e) != 0) return false;
  }
  return true;
}

bool fill_zero(Case& c, size_t first, size_t last) { return fill(c, first, last, 0); }
// Zeros are simpler than ones, so zeros stay.
bool fill_one(Case& c, size_t first, size_t last) {
  for (const Call& call : c.calls) {
    for (size_t i = first; i < last; ++i) {
      if (call.inputs[i].is_tensor() && all_zero(call.inputs[i].as_tensor())) return false;
    }
  }
  return fill(c, first, last, 1);
}

constexpr int64_t kFewElements = 32;

// Many elements become 0, 1, .. 6, 0, 1, .., which distinguishes positions as ones do not, and has
// a short literal (foreign/literal.h). What has one value is simpler.
bool counts(const Tensor& t) {
  for (int64_t e = 0; e < t.numel(); ++e)
    if (element_as_double(t, e) != static_cast<double>(e % kCounted)) return false;
  return true;
}
bool has_one_value(const Tensor& t) {
  for (int64_t e = 1; e < t.numel(); ++e)
    if (element_as_double(t, e) != element_as_double(t, 0)) return false;
  return true;
}
bool fill_counting(Case& c, size_t first, size_t last) {
  bool any = false;
  for (Call& call : c.calls) {
    for (size_t i = first; i < last; ++i) {
      if (!call.inputs[i].is_tensor()) continue;
      Tensor t = call.inputs[i].as_tensor();
      const bool small = t.numel() <= kFewElements || t.dtype() == DType::Bool;
      if (small || t.may_overlap_itself() || has_one_value(t) || counts(t)) continue;
      for (int64_t e = 0; e < t.numel(); ++e) set_element(t, e, static_cast<double>(e % kCounted));
      any = true;
    }
  }
  return any;
}

// One unit per element of small inputs of the first call: to zero.
std::vector<std::pair<size_t, int64_t>> elements(const Case& c) {
  std::vector<std::pair<size_t, int64_t>> out;
  if (c.calls.size() != 1) return out;
  for (size_t i = 0; i < c.calls[0].inputs.size(); ++i) {
    const IValue& v = c.calls[0].inputs[i];
    if (!v.is_tensor() || v.as_tensor().numel() > kFewElements) continue;
    for (int64_t e = 0; e < v.as_tensor().numel(); ++e) out.emplace_back(i, e);
  }
  return out;
}
size_t count_elements(const Case& c) { return elements(c).size(); }
bool zero_elements(Case& c, size_t first, size_t last) {
  auto all = elements(c);
  for (size_t u = first; u < last; ++u) {
    set_element(c.calls[0].inputs[all[u].first].as_tensor(), all[u].second, 0);
  }
  return true;
}

const Shrink& s1 = Table<Shrink>::instance().add(
    {"extents", 50, &count_extents, &shrink_extent, Form::Graph, true});
const Shrink& s6 = Table<Shrink>::instance().add(
    {"dimensions", 51, &count_dimensions, &shrink_dimension, Form::Graph, true});
const Shrink& s7 = Table<Shrink>::instance().add(
    {"ranks", 52, &count_tensors, &drop_dimension, Form::Graph, true});
const Shrink& s8 = Table<Shrink>::instance().add(
    {"numbers", 55, &count_numbers, &shrink_number, Form::Graph, true});
const Shrink& s2 = Table<Shrink>::instance().add({"layouts", 60, &count_tensors, &make_contiguous});
const Shrink& s9 = Table<Shrink>::instance().add({"counting", 69, &count_tensors, &fill_counting});
const Shrink& s3 = Table<Shrink>::instance().add({"ones", 70, &count_tensors, &fill_one});
const Shrink& s4 = Table<Shrink>::instance().add({"zeros", 71, &count_tensors, &fill_zero});
const Shrink& s5 = Table<Shrink>::instance().add({"elements", 80, &count_elements, &zero_elements});

}  // namespace
}  // namespace fusillade::fuzz

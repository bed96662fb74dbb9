// Shrinks of the data: dimensions (consistently over the whole case), layouts, values.
#include <algorithm>
#include <set>

#include "fuzz/reduce/reduce.h"

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
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) set_integers(inner, from, to);
    if (!n->is(prim::constant())) continue;
    IValue v = n->constant();
    if (v.is_int() && v.as_int() == from) n->set_attr("value", IValue(to));
    if (v.tag() != IValue::Tag::List) continue;
    std::vector<IValue> items = v.items();
    for (IValue& item : items) {
      if (item.is_int() && item.as_int() == from) item = IValue(to);
    }
    n->set_attr("value", IValue::list(items, v.seq()->element));
  }
}

Tensor narrowed(const Tensor& t, int64_t from, int64_t to) {
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

// Three units per extent: to 1, to 2, to half.
size_t count_extents(const Case& c) { return 3 * extents(c).size(); }
bool shrink_extent(Case& c, size_t first, size_t last) {
  if (last - first != 1) return false;
  int64_t from = extents(c)[first / 3];
  int64_t to = first % 3 == 0 ? 1 : first % 3 == 1 ? 2 : from / 2;
  if (to >= from) return false;
  for (Call& call : c.calls) {
    for (IValue& v : call.inputs) {
      if (v.is_tensor()) v = IValue(narrowed(v.as_tensor(), from, to));
    }
  }
  set_integers(c.program->block(), from, to);
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

const Shrink& s1 =
    Table<Shrink>::instance().add({"extents", 50, &count_extents, &shrink_extent, Form::Graph});
const Shrink& s2 = Table<Shrink>::instance().add({"layouts", 60, &count_tensors, &make_contiguous});
const Shrink& s3 = Table<Shrink>::instance().add({"ones", 70, &count_tensors, &fill_one});
const Shrink& s4 = Table<Shrink>::instance().add({"zeros", 71, &count_tensors, &fill_zero});
const Shrink& s5 = Table<Shrink>::instance().add({"elements", 80, &count_elements, &zero_elements});

}  // namespace
}  // namespace fusillade::fuzz

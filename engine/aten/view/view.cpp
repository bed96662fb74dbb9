// Views: operators whose result is other geometry over their operand's storage.
//
// One function per operator says the geometry, from the operand's sizes and strides and constant
// arguments; run, inference and fusers read it. A reshape that no strides can express says `copy`.
#include "engine/aten/view/view.h"

#include <algorithm>
#include <optional>

#include "engine/ops/memory_format.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;
using Views = std::vector<ViewGeometry>;

int64_t int_at(const Operator& op, Args args, size_t i) { return known_int(op, args, i); }

Dims dims_at(const Operator& op, Args args, size_t i) { return known_dims(op, args, i); }

int checked_dim(const Operator& op, int64_t dim, int rank) {
  int reach = std::max(rank, 1);
  if (dim < -reach || dim >= reach) {
    fail("{}: dimension {} is not in [{}, {}]", op.schema.name, dim, -reach, reach - 1);
  }
  return static_cast<int>(dim < 0 ? dim + reach : dim);
}

// `wanted` with its -1 computed.
Dims concrete_size(const Operator& op, const Dims& wanted, int64_t numel) {
  Dims out = wanted;
  int64_t known = 1;
  int inferred_dim = -1;
  for (int d = 0; d < out.rank(); ++d) {
    if (out[d] == -1) {
      if (inferred_dim >= 0)
        fail("{}: only one dimension can be inferred, got {}", op.schema.name, to_string(wanted));
      inferred_dim = d;
    } else if (out[d] < 0) {
      fail("{}: invalid size {}", op.schema.name, out[d]);
    } else if (__builtin_mul_overflow(known, out[d], &known)) {
      fail("{}: size {} is too large", op.schema.name, to_string(wanted));
    }
  }
  bool fits = inferred_dim >= 0 ? known > 0 && numel % known == 0 : known == numel;
  if (inferred_dim >= 0 && known == 0) {
    fail("{}: -1 in {} is ambiguous for {} elements", op.schema.name, to_string(wanted), numel);
  }
  if (!fits)
    fail("{}: size {} does not hold {} elements", op.schema.name, to_string(wanted), numel);
  if (inferred_dim >= 0) out[inferred_dim] = numel / known;
  return out;
}

// Strides that show memory of `sizes` and `strides` as `wanted`, if there are any: runs of
// dimensions that walk memory evenly are split, never joined with others.
std::optional<Dims> strides_for(const Dims& sizes, const Dims& strides, const Dims& wanted) {
  if (numel_of(sizes) == 0) return wanted == sizes ? strides : contiguous_strides(wanted);
  Dims out(wanted.rank());
  int next = wanted.rank() - 1;
  int64_t run = 1;  // elements of the run so far
  int64_t step = sizes.rank() ? strides.back() : 1;
  int64_t shown = 1;
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    run *= sizes[d];
    bool ends = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != run * step);
    if (!ends) continue;
    while (next >= 0 && (shown < run || wanted[next] == 1)) {
      out[next] = shown * step;
      shown *= wanted[next--];
    }
    if (shown != run) return std::nullopt;
    if (d == 0) break;
    run = shown = 1;
    step = strides[d - 1];
  }
  for (; next >= 0; --next) {
    if (wanted[next] != 1) return std::nullopt;
    out[next] = shown * step;
  }
  return out;
}

Views reshape_to(const Operator&, const Dims& sizes, const Dims& strides, const Dims& wanted) {
  return {reshaped_view(sizes, strides, wanted)};
}

Views plan_reshape(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  return reshape_to(op, sizes, strides, concrete_size(op, dims_at(op, args, 1), numel_of(sizes)));
}

ViewGeometry as_view(const Operator& op, ViewGeometry g, const Dims& sizes, const Dims& strides) {
  if (!g.copy) return g;
  fail("{}: size {} is not compatible with the input's size {} and strides {}; use reshape",
       op.schema.name, to_string(g.sizes), to_string(sizes), to_string(strides));
}

Views plan_view(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  return {as_view(op, plan_reshape(op, args, sizes, strides)[0], sizes, strides)};
}

Views plan_reshape_as(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  return reshape_to(op, sizes, strides,
                    concrete_size(op, known_sizes(op, args[1]), numel_of(sizes)));
}

Views plan_view_as(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  return {as_view(op, plan_reshape_as(op, args, sizes, strides)[0], sizes, strides)};
}

Views plan_flatten(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int first = checked_dim(op, int_at(op, args, 1), sizes.rank());
  int last = checked_dim(op, int_at(op, args, 2), sizes.rank());
  if (first > last) fail("{}: start_dim {} comes after end_dim {}", op.schema.name, first, last);
  if (sizes.rank() == 0) return reshape_to(op, sizes, strides, Dims{1});
  Dims wanted;
  int64_t joined = 1;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (d >= first && d <= last) joined *= sizes[d];
    if (d == last) wanted.push_back(joined);
    else if (d < first || d > last) wanted.push_back(sizes[d]);
  }
  return reshape_to(op, sizes, strides, wanted);
}

Views plan_contiguous(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  const auto format = asked_format(op, args);
  if (!format) decline("{}: memory_format is not constant", op.name);
  ViewGeometry g{sizes, strides, 0, !lies_in(*format, sizes, strides)};
  if (g.copy) g.strides = strides_in(op, *format, sizes);
  return {g};
}

Views plan_alias(const Operator&, Args, const Dims& sizes, const Dims& strides) {
  return {{sizes, strides, 0, false}};
}

// The operand itself, which must be floating point: how bodies of composites refuse integers.
Views plan_require_floating(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  const TensorInfo& info = args[0].type.info();
  if (info.has_dtype && !is_float(info.dtype)) {
    fail("{} is not defined for {}", args[1].known ? args[1].value.as_str() : op.schema.name,
         name_of(info.dtype));
  }
  return plan_alias(op, args, sizes, strides);
}

Views permute_dims(const Dims& sizes, const Dims& strides, const Dims& order) {
  ViewGeometry g;
  for (int64_t d : order) {
    g.sizes.push_back(sizes[static_cast<int>(d)]);
    g.strides.push_back(strides[static_cast<int>(d)]);
  }
  return {g};
}

Views plan_permute(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  Dims order = dims_at(op, args, 1);
  if (order.rank() != sizes.rank()) {
    fail("{}: {} dimensions for a tensor of {}", op.schema.name, order.rank(), sizes.rank());
  }
  bool seen[kMaxRank] = {};
  for (int64_t& d : order) {
    d = checked_dim(op, d, sizes.rank());
    if (seen[d]) fail("{}: dimension {} appears twice", op.schema.name, d);
    seen[d] = true;
  }
  return permute_dims(sizes, strides, order);
}

Dims identity_order(int rank) {
  Dims order(rank);
  for (int d = 0; d < rank; ++d) order[d] = d;
  return order;
}

Views plan_transpose(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int a = checked_dim(op, int_at(op, args, 1), sizes.rank());
  int b = checked_dim(op, int_at(op, args, 2), sizes.rank());
  Dims order = identity_order(sizes.rank());
  if (sizes.rank()) std::swap(order[a], order[b]);
  return permute_dims(sizes, strides, order);
}

Views plan_t(const Operator& op, Args, const Dims& sizes, const Dims& strides) {
  if (sizes.rank() > 2)
    fail("{}: expects at most 2 dimensions, got {}", op.schema.name, sizes.rank());
  Dims order = identity_order(sizes.rank());
  if (sizes.rank() == 2) std::swap(order[0], order[1]);
  return permute_dims(sizes, strides, order);
}

Views plan_matrix_h(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  if (sizes.rank() != 0 && sizes.rank() != 2)
    fail("{}: expects a matrix, got {} dimensions", op.schema.name, sizes.rank());
  return plan_t(op, args, sizes, strides);
}

Views plan_reversed(const Operator&, Args, const Dims& sizes, const Dims& strides) {
  Dims order = identity_order(sizes.rank());
  std::reverse(order.begin(), order.end());
  return permute_dims(sizes, strides, order);
}

Views expand_to(const Operator& op, const Dims& sizes, const Dims& strides, const Dims& wanted) {
  if (wanted.rank() < sizes.rank()) {
    fail("{}: {} sizes for a tensor of {} dimensions", op.schema.name, wanted.rank(), sizes.rank());
  }
  ViewGeometry g;
  g.sizes = g.strides = Dims(wanted.rank());
  int skip = wanted.rank() - sizes.rank();
  for (int d = wanted.rank() - 1; d >= 0; --d) {
    bool is_new = d < skip;
    int64_t size = is_new ? 1 : sizes[d - skip];
    int64_t stride = !is_new                 ? strides[d - skip]
                     : d + 1 < wanted.rank() ? g.sizes[d + 1] * g.strides[d + 1]
                                             : 1;
    int64_t target = wanted[d];
    if (target == -1 && !is_new) target = size;
    if (target < 0) fail("{}: size {} is not legal in a new dimension", op.schema.name, wanted[d]);
    if (target != size) {
      if (size != 1)
        fail("{}: size {} cannot become {} (dimension {})", op.schema.name, size, target, d);
      stride = 0;
    }
    g.sizes[d] = target;
    g.strides[d] = stride;
  }
  return {g};
}

Views plan_expand(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  return expand_to(op, sizes, strides, dims_at(op, args, 1));
}

Views plan_expand_as(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  return expand_to(op, sizes, strides, known_sizes(op, args[1]));
}

Views plan_unsqueeze(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int64_t dim = int_at(op, args, 1);
  int reach = sizes.rank() + 1;
  if (dim < -reach || dim >= reach) {
    fail("{}: dimension {} is not in [{}, {}]", op.schema.name, dim, -reach, reach - 1);
  }
  int at = static_cast<int>(dim < 0 ? dim + reach : dim);
  ViewGeometry g{sizes, strides, 0, false};
  g.strides.insert(at, at < sizes.rank() ? sizes[at] * strides[at] : 1);
  g.sizes.insert(at, 1);
  return {g};
}

Views plan_squeeze(const Operator&, Args, const Dims& sizes, const Dims& strides) {
  ViewGeometry g;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (sizes[d] == 1) continue;
    g.sizes.push_back(sizes[d]);
    g.strides.push_back(strides[d]);
  }
  return {g};
}

Views plan_squeeze_dim(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int at = checked_dim(op, int_at(op, args, 1), sizes.rank());
  ViewGeometry g{sizes, strides, 0, false};
  if (sizes.rank() && sizes[at] == 1) {
    g.sizes.erase(at);
    g.strides.erase(at);
  }
  return {g};
}

int ranked_dim(const Operator& op, Args args, size_t i, const Dims& sizes) {
  if (sizes.rank() == 0) fail("{}: a 0-d tensor has no dimension to take from", op.schema.name);
  return checked_dim(op, int_at(op, args, i), sizes.rank());
}

Views plan_slice(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int d = ranked_dim(op, args, 1, sizes);
  for (size_t i : {2, 3}) {
    if (!args[i].known) decline("{}: {} is not constant", op.name, op.schema.args[i].name);
  }
  int64_t size = sizes[d];
  int64_t start = args[2].value.is_none() ? 0 : args[2].value.as_int();
  int64_t end = args[3].value.is_none() ? INT64_MAX : args[3].value.as_int();
  int64_t step = int_at(op, args, 4);
  if (step <= 0) fail("{}: step must be greater than zero, got {}", op.schema.name, step);
  if (start < 0) start += size;
  if (end < 0) end += size;
  start = std::clamp<int64_t>(start, 0, size);
  end = std::clamp<int64_t>(end, start, size);
  ViewGeometry g{sizes, strides, start * strides[d], false};
  g.sizes[d] = (end - start) / step + ((end - start) % step != 0);
  if (__builtin_mul_overflow(strides[d], step, &g.strides[d])) g.strides[d] = strides[d];
  return {g};
}

Views plan_narrow(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int d = ranked_dim(op, args, 1, sizes);
  int64_t start = int_at(op, args, 2);
  int64_t length = int_at(op, args, 3);
  if (start < -sizes[d] || start > sizes[d]) {
    fail("{}: start {} is not in [{}, {}]", op.schema.name, start, -sizes[d], sizes[d]);
  }
  if (start < 0) start += sizes[d];
  if (length < 0 || length > sizes[d] - start) {
    fail("{}: start {} and length {} exceed size {}", op.schema.name, start, length, sizes[d]);
  }
  ViewGeometry g{sizes, strides, start * strides[d], false};
  g.sizes[d] = length;
  return {g};
}

ViewGeometry select_index(const Dims& sizes, const Dims& strides, int d, int64_t index) {
  ViewGeometry g{sizes, strides, index * strides[d], false};
  g.sizes.erase(d);
  g.strides.erase(d);
  return g;
}

Views plan_select(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int d = ranked_dim(op, args, 1, sizes);
  int64_t index = int_at(op, args, 2);
  if (index < -sizes[d] || index >= sizes[d]) {
    fail("{}: index {} is out of range for dimension {} of size {}", op.schema.name, index, d,
         sizes[d]);
  }
  return {select_index(sizes, strides, d, index < 0 ? index + sizes[d] : index)};
}

Views cut(const Dims& sizes, const Dims& strides, int d, int64_t length, int64_t pieces) {
  Views out;
  for (int64_t i = 0; i < pieces; ++i) {
    int64_t start = std::min(i * length, sizes[d]);
    ViewGeometry g{sizes, strides, start * strides[d], false};
    g.sizes[d] = std::min(length, sizes[d] - start);
    out.push_back(g);
  }
  return out;
}

Views plan_chunk(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int64_t chunks = int_at(op, args, 1);
  if (chunks <= 0) fail("{}: chunks must be greater than 0, got {}", op.schema.name, chunks);
  int d = ranked_dim(op, args, 2, sizes);
  int64_t length = sizes[d] / chunks + (sizes[d] % chunks != 0);
  if (length == 0) return cut(sizes, strides, d, 0, chunks);
  return cut(sizes, strides, d, length, std::max<int64_t>((sizes[d] + length - 1) / length, 1));
}

Views plan_split(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int64_t length = int_at(op, args, 1);
  int d = ranked_dim(op, args, 2, sizes);
  if (length < 0 || (length == 0 && sizes[d] != 0)) {
    fail("{}: split_size {} is not legal for size {}", op.schema.name, length, sizes[d]);
  }
  if (length == 0) return cut(sizes, strides, d, 0, 1);
  return cut(sizes, strides, d, length,
             std::max<int64_t>(sizes[d] / length + (sizes[d] % length != 0), 1));
}

Views plan_split_sizes(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  if (!args[1].known) decline("{}: the sizes are not constant", op.name);
  int d = ranked_dim(op, args, 2, sizes);
  Views out;
  int64_t at = 0;
  for (const IValue& v : args[1].value.items()) {
    int64_t length = v.as_int();
    if (length < 0 || length > sizes[d] - at) {
      fail("{}: split sizes must be non-negative and add up to {}", op.schema.name, sizes[d]);
    }
    ViewGeometry g{sizes, strides, at * strides[d], false};
    g.sizes[d] = length;
    out.push_back(g);
    at += length;
  }
  if (at != sizes[d]) fail("{}: split sizes add up to {}, not {}", op.schema.name, at, sizes[d]);
  return out;
}

Views plan_movedim(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int from = checked_dim(op, int_at(op, args, 1), sizes.rank());
  int to = checked_dim(op, int_at(op, args, 2), sizes.rank());
  if (sizes.rank() == 0) return plan_alias(op, args, sizes, strides);
  Dims order = identity_order(sizes.rank());
  order.erase(from);
  order.insert(to, from);
  return permute_dims(sizes, strides, order);
}

Views plan_unflatten(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int d = ranked_dim(op, args, 1, sizes);
  Dims parts = dims_at(op, args, 2);
  if (parts.rank() == 0) fail("{}: sizes must be non-empty", op.schema.name);
  Dims inner = concrete_size(op, parts, sizes[d]);
  Dims wanted;
  for (int k = 0; k < sizes.rank(); ++k) {
    if (k != d) wanted.push_back(sizes[k]);
    else
      for (int64_t s : inner) wanted.push_back(s);
  }
  return {as_view(op, reshape_to(op, sizes, strides, wanted)[0], sizes, strides)};
}

Views plan_unbind(const Operator& op, Args args, const Dims& sizes, const Dims& strides) {
  int d = ranked_dim(op, args, 1, sizes);
  Views out;
  for (int64_t i = 0; i < sizes[d]; ++i) out.push_back(select_index(sizes, strides, d, i));
  return out;
}

Tensor apply_view(const Tensor& self, const ViewGeometry& g) {
  if (!g.copy) return Tensor::view_of(self, self.offset() + g.offset, g.sizes, g.strides);
  if (!(g.sizes == self.sizes()))
    return Tensor::view_of(contiguous(self, true), 0, g.sizes, g.strides);
  Tensor out = Tensor::empty(g.sizes, self.dtype());
  out.impl()->strides = g.strides;
  copy_into(out, self);
  return out;
}

bool returns_list(const Operator& op) { return op.schema.results[0].type.is(TypeKind::List); }

void run_view(const Operator& op, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Views views = op.view(op, infos_of(args), self.sizes(), self.strides());
  if (op.view == &plan_contiguous && !views[0].copy) return results.push_back(args[0]);
  if (!returns_list(op)) return void(results.emplace_back(apply_view(self, views[0])));
  std::vector<IValue> items;
  for (const ViewGeometry& g : views) items.emplace_back(apply_view(self, g));
  results.push_back(IValue::list(std::move(items), TypeKind::Tensor));
}

// Whichever item is selected, its sizes and strides are those of the first.
std::vector<ArgInfo> with_some_index(const Operator& op, Args args) {
  std::vector<ArgInfo> out(args.begin(), args.end());
  const TensorInfo& in = args[0].type.info();
  if (op.view != &plan_select || args[2].known || !args[1].known) return out;
  const int d = ranked_dim(op, args, 1, in.sizes);
  if (in.sizes[d] == 0) return out;  // there is none
  out[2].known = true;
  out[2].value = IValue(int64_t{0});
  return out;
}

void infer_view(const Operator& op, Args args, std::vector<Type>& results) {
  if (returns_list(op)) {
    const TensorInfo& in = args[0].type.info();
    if (in.complete()) {
      try {
        op.view(op, args, in.sizes, in.strides);
      } catch (const Unsupported&) {
      }
    }
    results.push_back(Type::list(TypeKind::Tensor));
    return;
  }
  const TensorInfo& in = args[0].type.info();
  TensorInfo out;
  out.has_dtype = in.has_dtype;
  out.dtype = in.dtype;
  bool sizes_known = in.rank_known && std::all_of(in.sizes.begin(), in.sizes.end(),
                                                  [](int64_t s) { return s >= 0; });
  bool strides_known = in.strides_known && std::all_of(in.strides.begin(), in.strides.end(),
                                                       [](int64_t s) { return s >= 0; });
  if (sizes_known) {
    try {
      // Unknown strides are taken as contiguous ones: sizes do not depend on them.
      Dims strides = strides_known ? in.strides : contiguous_strides(in.sizes);
      ViewGeometry g = op.view(op, with_some_index(op, args), in.sizes, strides)[0];
      out.rank_known = true;
      out.sizes = g.sizes;
      out.strides_known = strides_known;
      if (strides_known) out.strides = g.strides;
    } catch (const Unsupported&) {
    }
  }
  if (!sizes_known && in.rank_known && op.permutes) {
    try {
      out.sizes = op.view(op, args, in.sizes, Dims(in.sizes.rank()))[0].sizes;
      out.rank_known = true;
    } catch (const Unsupported&) {
    }
  }
  results.push_back(Type::tensor(out));
}

std::vector<ArgRequest> draw_t(const Operator&, Chooser&, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() > 2) return {};
  return {ArgRequest::offered_value()};
}

std::vector<ArgRequest> draw_unbind(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered || offered->sizes.rank() == 0) return {};
  int64_t rank = offered->sizes.rank();
  return {ArgRequest::offered_value(), ArgRequest::of(IValue(chooser.between(-rank, rank - 1)))};
}

std::vector<ArgRequest> draw_flatten(const Operator&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  int64_t rank = std::max(offered->sizes.rank(), 1);
  int64_t start = chooser.between(0, rank - 1), end = chooser.between(start, rank - 1);
  auto either = [&](int64_t dim) {
    return ArgRequest::of(IValue(chooser.percent(50) ? dim : dim - rank));
  };
  ArgRequest first = either(start);
  return {ArgRequest::offered_value(), first, either(end)};
}

// Its size: the offered one's with 1s stretched and dimensions in front.
std::vector<ArgRequest> draw_expand_as(const Operator&, Chooser& chooser,
                                       const TensorInfo* offered) {
  if (!offered) return {};
  Dims sizes = offered->sizes;
  for (int64_t& s : sizes) {
    if (s == 1) s = chooser.between(0, 4);
  }
  while (sizes.rank() < 4 && chooser.percent(30)) sizes.insert(0, chooser.between(1, 3));
  return {ArgRequest::offered_value(), ArgRequest::tensor(offered->dtype, sizes)};
}

void add(const char* schema, PlanViewFn plan, std::vector<Role> roles, bool generate = true,
         DrawFn draw = nullptr) {
  add_view(schema, plan, std::move(roles), "view", generate, draw);
}

// Of views that move dimensions, or add some of size 1, whatever their sizes.
void add_permuting(const char* schema, PlanViewFn plan, std::vector<Role> roles,
                   bool generate = true, DrawFn draw = nullptr) {
  add_view(schema, plan, std::move(roles), "view", generate, draw, true);
}

std::vector<ViewGeometry> plan_diagonal(const Operator& op, std::span<const ArgInfo> args,
                                        const Dims& sizes, const Dims& strides) {
  int64_t offset = known_int(op, args, 1);
  if (sizes.rank() < 2)
    fail("{}: takes a tensor of two or more dims, given {}", op.name, to_string(sizes));
  int a = wrap_dim(known_int(op, args, 2), sizes.rank());
  int b = wrap_dim(known_int(op, args, 3), sizes.rank());
  if (a == b) fail("{}: the dims are the same: {}", op.name, a);
  int64_t across = std::max<int64_t>(offset, 0);
  int64_t down = offset < 0 && offset > INT64_MIN ? -offset : (offset < 0 ? INT64_MAX : 0);
  int64_t length =
      std::min(sizes[a] > down ? sizes[a] - down : 0, sizes[b] > across ? sizes[b] - across : 0);
  ViewGeometry g;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (d == a || d == b) continue;
    g.sizes.push_back(sizes[d]);
    g.strides.push_back(strides[d]);
  }
  g.sizes.push_back(length);
  g.strides.push_back(strides[a] + strides[b]);
  if (length > 0) g.offset = down * strides[a] + across * strides[b];
  return {g};
}

// Parts of a tensor, and dims in another order or number.
void add_parts() {
  using enum Role;
  add("aten::slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) "
      "-> Tensor(a)",
      &plan_slice, {Operand, Dim, Start, End, Step});
  add("aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)", &plan_narrow,
      {Operand, Dim, Index, Parts});
  add("aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)", &plan_select,
      {Operand, Dim, Index});
  add("aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", &plan_chunk,
      {Operand, Parts, Dim});
  add("aten::split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]",
      &plan_split, {Operand, Parts, Dim});
  add("aten::unsafe_chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", &plan_chunk,
      {Operand, Parts, Dim}, false);
  add("aten::split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]",
      &plan_split_sizes, {Operand, Default, Dim}, false);
  add("aten::split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]",
      &plan_split_sizes, {Operand, Default, Dim}, false);
  add_permuting("aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
                &plan_movedim, {Operand, Dim, Dim});
  add_permuting("aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
                &plan_transpose, {Operand, Dim, Dim}, false);
  add_permuting("aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", &plan_transpose,
                {Operand, Dim, Dim}, false);
  add("aten::broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)", &plan_expand,
      {Operand, ExpandSize}, false);
  add("aten::unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)", &plan_unflatten,
      {Operand, Dim, Default}, false);
  add("aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", &plan_unbind,
      {Operand, Dim}, true, &draw_unbind);
  add("prim::require_floating(Tensor(a) self, str op) -> Tensor(a)", &plan_require_floating,
      {Operand, Default}, false);
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  add("aten::reshape(Tensor(a) self, int[] shape) -> Tensor(a)", &plan_reshape, {Operand, Size});
  add("aten::view(Tensor(a) self, int[] size) -> Tensor(a)", &plan_view, {Operand, Size});
  add("aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)", &plan_reshape_as,
      {Operand, Default}, false);
  add("aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)", &plan_view_as, {Operand, Default},
      false);
  add("aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
      &plan_flatten, {Operand, Dim, Dim}, true, &draw_flatten);
  add("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
      &plan_contiguous, {Operand, Default});
  add("aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
      &plan_diagonal, {Operand, Default, Default, Default}, false);
  add_permuting("aten::alias(Tensor(a) self) -> Tensor(a)", &plan_alias, {Operand});
  add_permuting("aten::detach(Tensor(a) self) -> Tensor(a)", &plan_alias, {Operand});
  add_permuting("aten::real(Tensor(a) self) -> Tensor(a)", &plan_alias, {Operand}, false);
  add_permuting("prim::data(Tensor(a) a) -> Tensor(a)", &plan_alias, {Operand}, false);
  add_permuting("aten::matrix_H(Tensor(a) self) -> Tensor(a)", &plan_matrix_h, {Operand}, false);
  add_permuting("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", &plan_permute,
                {Operand, Perm});
  add_permuting("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
                &plan_transpose, {Operand, Dim, Dim});
  add_permuting("aten::t(Tensor(a) self) -> Tensor(a)", &plan_t, {Operand}, true, &draw_t);
  add_permuting("aten::numpy_T(Tensor(a) self) -> Tensor(a)", &plan_reversed, {Operand});
  add("aten::expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)", &plan_expand,
      {Operand, ExpandSize, Default});
  add("aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", &plan_expand_as,
      {Operand, Operand}, true, &draw_expand_as);
  add_permuting("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", &plan_unsqueeze,
                {Operand, DimOrEnd});
  add("aten::squeeze(Tensor(a) self) -> Tensor(a)", &plan_squeeze, {Operand});
  add("aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", &plan_squeeze_dim, {Operand, Dim});
  add_parts();
  return true;
}();

}  // namespace

ViewGeometry reshaped_view(const Dims& sizes, const Dims& strides, const Dims& wanted) {
  ViewGeometry g;
  g.sizes = wanted;
  std::optional<Dims> s = strides_for(sizes, strides, wanted);
  g.copy = !s;
  g.strides = s ? *s : contiguous_strides(wanted);
  return g;
}

const Operator& add_view(const char* schema, PlanViewFn plan, std::vector<Role> roles,
                         const char* family, bool generate, DrawFn draw, bool permutes) {
  Operator r;
  r.permutes = permutes;
  r.generate = generate;
  r.schema = parse_schema(schema);
  r.name = r.schema.full_name();
  r.kind = OpKind::View;
  r.family = family;
  r.view = plan;
  r.run = &run_view;
  r.infer = &infer_view;
  r.draw = draw;
  r.roles = std::move(roles);
  FUS_CHECK(r.roles.size() == r.schema.args.size(), "{} needs a role per argument", r.name);
  return OperatorTable::instance().add(std::move(r));
}

const Dims& known_sizes(const Operator& op, const ArgInfo& arg) {
  if (!arg.type.is_tensor() || !arg.type.info().rank_known)
    decline("{}: the rank of an operand is unknown", op.name);
  for (int64_t s : arg.type.info().sizes) {
    if (s < 0) decline("{}: the size of an operand is unknown", op.name);
  }
  return arg.type.info().sizes;
}

int64_t known_int(const Operator& op, std::span<const ArgInfo> args, size_t i) {
  if (!args[i].known) decline("{}: {} is not constant", op.name, op.schema.args[i].name);
  return args[i].value.as_int();
}

Dims known_dims(const Operator& op, std::span<const ArgInfo> args, size_t i) {
  if (!args[i].known) decline("{}: {} is not constant", op.name, op.schema.args[i].name);
  if (args[i].value.is_int()) return Dims{args[i].value.as_int()};
  return args[i].value.as_dims();
}

}  // namespace fusillade

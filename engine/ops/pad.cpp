// Padding: constant_pad_nd and pad.
//
// prim::padded copies the operand into a larger (or, for negative numbers, smaller) tensor; what lies outside
// the operand is `fill`, a 0-d tensor of its dtype, so that nothing is computed.
#include <algorithm>

#include "engine/ops/composite.h"
#include "engine/ops/view.h"

namespace fusillade {
namespace {

using Args = std::span<const ArgInfo>;

struct Padded {
  Dims sizes;                // of the result
  Dims from, to, copied;     // the part of the operand that stays: where it starts, where it goes, its size
  bool nothing = true;       // every number is 0
};

// `pads` holds (before, after) of the last dimension, then of the one before it, and so on.
Padded plan_padded(const Row& row, const Dims& sizes, const std::vector<int64_t>& pads) {
  int rank = sizes.rank();
  int padded = static_cast<int>(pads.size() / 2);
  if (pads.size() % 2) fail("{}: the number of pads must be even, got {}", row.schema.name, pads.size());
  if (padded > rank) fail("{}: {} pads for {}", row.schema.name, pads.size(), to_string(sizes));
  Padded p;
  p.sizes = p.copied = sizes;
  p.from = p.to = Dims(rank);
  for (int i = 0; i < padded; ++i) {
    int d = rank - 1 - i;
    int64_t before = pads[static_cast<size_t>(2 * i)], after = pads[static_cast<size_t>(2 * i + 1)];
    p.nothing = p.nothing && before == 0 && after == 0;
    constexpr int64_t kMost = int64_t{1} << 40;
    if (std::max(before, after) > kMost || std::min(before, after) < -kMost) {
      fail("{}: padding of {} and {} is too large", row.schema.name, before, after);
    }
    p.sizes[d] = sizes[d] + before + after;
    if (p.sizes[d] < 0) {
      fail("{}: padding of {} and {} leaves dimension {} with {} elements", row.schema.name, before, after, d,
           p.sizes[d]);
    }
    p.from[d] = std::max<int64_t>(-before, 0);
    p.to[d] = std::max<int64_t>(before, 0);
    p.copied[d] = std::max<int64_t>(sizes[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0), 0);
  }
  return p;
}

std::vector<int64_t> pads_in(const IValue& list) {
  std::vector<int64_t> out;
  for (const IValue& v : list.items()) out.push_back(v.as_int());
  return out;
}

int64_t offset_of(const Dims& at, const Dims& strides) {
  int64_t out = 0;
  for (int d = 0; d < at.rank(); ++d) out += at[d] * strides[d];
  return out;
}

void run_padded(const Row& row, std::span<const IValue> args, std::vector<IValue>& results) {
  Tensor self = args[0].as_tensor();
  Padded p = plan_padded(row, self.sizes(), pads_in(args[1]));
  if (p.nothing && !args[3].as_bool()) {
    results.push_back(args[0]);
    return;
  }
  Tensor out = Tensor::empty(p.sizes, self.dtype());
  if (!p.nothing) copy_into(out, args[2].as_tensor());
  if (numel_of(p.copied) > 0) {
    copy_into(Tensor::view_of(out, offset_of(p.to, out.strides()), p.copied, out.strides()),
              Tensor::view_of(self, self.offset() + offset_of(p.from, self.strides()), p.copied, self.strides()));
  }
  results.emplace_back(out);
}

void infer_padded(const Row& row, Args args, std::vector<Type>& results) {
  const TensorInfo& in = args[0].type.info();
  TensorInfo out;
  out.has_dtype = in.has_dtype;
  out.dtype = in.dtype;
  if (args[1].known && args[3].known && in.complete()) {
    Padded p = plan_padded(row, in.sizes, pads_in(args[1].value));
    bool same = p.nothing && !args[3].value.as_bool();
    results.push_back(same ? args[0].type : Type::tensor(in.dtype, p.sizes));
    return;
  }
  results.push_back(Type::tensor(out));
}

std::vector<Wish> draw(const Row&, Chooser& chooser, const TensorInfo* offered) {
  if (!offered) return {};
  Dims pads;
  int rank = offered->sizes.rank();
  int padded = static_cast<int>(chooser.between(0, std::min(rank, kMaxRank / 2)));
  for (int i = 0; i < padded; ++i) {
    int64_t size = offered->sizes[rank - 1 - i];
    int64_t before = chooser.between(size > 0 ? -1 : 0, 3);
    pads.push_back(before);
    pads.push_back(chooser.between(size + before > 0 ? -1 : 0, 2));
  }
  return {Wish::offered(), Wish::of(IValue::int_list(pads)), Wish::of(IValue(chooser.between(0, 3)))};
}

[[maybe_unused]] const bool kRegistered = [] {
  using enum Role;
  Row r;
  r.schema = parse_schema("prim::padded(Tensor(a) self, int[] pad, Tensor fill, bool always) -> Tensor(a)");
  r.name = r.schema.full_name();
  r.kind = OpKind::Opaque;
  r.family = "pad";
  r.movement = true;
  r.generate = false;
  r.run = &run_padded;
  r.infer = &infer_padded;
  r.roles = {Operand, Default, Operand, Default};
  RowTable::instance().add(std::move(r));
  add_composite({.schema = "aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
                 .body = std::string(kLiterals) + R"(  %fill : Tensor = prim::fill_like(%self, %value)
  %result : Tensor = prim::padded(%self, %pad, %fill, %yes)
  return (%result)
)",
                 .family = "pad",
                 .draw = &draw});
  return true;
}();

}  // namespace
}  // namespace fusillade

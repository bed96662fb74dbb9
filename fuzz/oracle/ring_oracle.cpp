// Claim: with integers modulo 2^n in place of floats, every plan and eager agree bit for bit.
//
// Float inputs are filled with residues that depend on the input's and the element's number only,
// so that the values of the case do not matter; those of an input that was granted a range lie in
// it. Everything else is as the case says. No tolerance: wrong indices, masks, tails, layouts,
// merging and schedules show. Plans are prepared in the ring as well: folding computes there.
#include <algorithm>
#include <cstring>

#include "engine/tensor/random.h"
#include "fuzz/case/granted.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

// `name` is the input's; empty: a part of one.
void fill(const IValue& v, const std::string& name, uint64_t* number) {
  if (v.is_tensor()) {
    Tensor t = v.as_tensor();
    uint64_t seed = (*number)++;
    if (!is_float(t.dtype())) return;
    size_t size = size_of(t.dtype());
    // Small residues keep order, division and equality as interesting as floats do.
    int64_t lo = 0, hi = 0;
    const bool granted = granted_range(name, &lo, &hi);
    const uint64_t span =
        std::max<uint64_t>(static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) + 1, 1);
    size_t count = t.storage()->bytes() / size;
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = random_bits(seed, i)[0];
      uint64_t residue = bits & 1 ? (bits >> 1) % 17 - 8 : bits * 0x9e3779b97f4a7c15ull;
      if (granted) residue = static_cast<uint64_t>(lo) + bits % span;
      std::memcpy(t.storage()->data() + i * size, &residue, size);
    }
  } else if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple) {
    for (const IValue& item : v.items()) fill(item, "", number);
  } else if (v.tag() == IValue::Tag::Dict) {
    for (const auto& [key, value] : v.as_dict().items()) fill(value, "", number);
  }
}

std::string in_ring(const std::string& plan) {
  return engine_of(parse_plan(plan)).ring ? plan : "";
}

Verdict judge(const Case& c) {
  DomainScope ring(Domain::Ring);
  Case copy = c.clone();
  for (Call& call : copy.calls) {
    uint64_t number = 1;
    for (size_t i = 0; i < call.inputs.size(); ++i)
      fill(call.inputs[i], c.program->inputs()[i]->name(), &number);
  }
  return judge_bitwise(copy, reference_plan(), &in_ring);
}

const Oracle& registered = Table<Oracle>::instance().add(
    {"ring", "plans and eager agree bit for bit on integers standing in for floats", &judge});

}  // namespace
}  // namespace fusillade::fuzz

// See residues.h.
#include "fuzz/oracle/residues.h"

#include <algorithm>
#include <cstring>

#include "engine/tensor/random.h"
#include "fuzz/case/input_range.h"

namespace fusillade::fuzz {

void fill_with_residues(const IValue& v, const std::string& name, uint64_t* number) {
  if (v.is_tensor()) {
    Tensor t = v.as_tensor();
    uint64_t seed = (*number)++;
    if (!is_float(t.dtype())) return;
    size_t size = size_of(t.dtype());
    // Small residues keep order, division and equality as interesting as floats do.
    int64_t lo = 0, hi = 0;
    const bool has_range = range_of_name(name, &lo, &hi);
    const uint64_t span =
        std::max<uint64_t>(static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) + 1, 1);
    size_t count = t.storage()->bytes() / size;
    for (size_t i = 0; i < count; ++i) {
      uint64_t bits = random_bits(seed, i)[0];
      uint64_t residue = bits & 1 ? (bits >> 1) % 17 - 8 : bits * 0x9e3779b97f4a7c15ull;
      if (has_range) residue = static_cast<uint64_t>(lo) + bits % span;
      std::memcpy(t.storage()->data() + i * size, &residue, size);
    }
  } else if (v.tag() == IValue::Tag::List || v.tag() == IValue::Tag::Tuple) {
    for (const IValue& item : v.items()) fill_with_residues(item, "", number);
  } else if (v.tag() == IValue::Tag::Dict) {
    for (const auto& [key, value] : v.as_dict().items()) fill_with_residues(value, "", number);
  }
}

Case with_residues(const Case& c) {
  Case copy = c.clone();
  for (Call& call : copy.calls) {
    uint64_t number = 1;
    for (size_t i = 0; i < call.inputs.size(); ++i)
      fill_with_residues(call.inputs[i], c.program->inputs()[i]->name(), &number);
  }
  return copy;
}

}  // namespace fusillade::fuzz

// See layout.h.
#include "fuzz/run/foreign/layout.h"

#include <algorithm>

namespace fusillade::fuzz {
namespace {

struct Placed {
  std::string what;
  Tensor tensor;
};

void collect(const IValue& v, const std::string& what, std::vector<Placed>& out) {
  if (v.is_tensor()) return out.push_back({what, v.as_tensor()});
  if (!v.is_sequence()) return;
  for (size_t i = 0; i < v.items().size(); ++i)
    collect(v.items()[i], fmt::format("{}[{}]", what, i), out);
}

// Outputs, then inputs.
std::vector<Placed> tensors_of(const Outcome& o, size_t* outputs = nullptr) {
  std::vector<Placed> out;
  for (size_t i = 0; i < o.outputs.size(); ++i)
    collect(o.outputs[i], fmt::format("output {}", i), out);
  if (outputs) *outputs = out.size();
  for (size_t i = 0; i < o.inputs.size(); ++i)
    collect(o.inputs[i], fmt::format("input {}", i), out);
  return out;
}

bool same_strides(const Tensor& a, const Tensor& b) {
  for (int d = 0; d < a.rank(); ++d)
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  return true;
}

// The first of them that shares its memory; itself where none before it does.
size_t first_of(const std::vector<Placed>& all, size_t i) {
  size_t k = 0;
  while (k < i && !(all[k].tensor.numel() && all[k].tensor.shares_storage(all[i].tensor))) ++k;
  return k;
}

}  // namespace

std::string other_strides(const Outcome& eager, const Outcome& observed) {
  size_t outputs = 0;
  std::vector<Placed> a = tensors_of(eager, &outputs);
  std::vector<Placed> b = tensors_of(observed);
  for (size_t i = 0; i < outputs && a.size() == b.size(); ++i) {
    if (!a[i].tensor.numel() || same_strides(a[i].tensor, b[i].tensor)) continue;
    return fmt::format("{}, {}: strides {}, its eager mode gives {}", a[i].what,
                       describe(a[i].tensor), to_string(b[i].tensor.strides()),
                       to_string(a[i].tensor.strides()));
  }
  return "";
}

std::string other_aliases(const Outcome& eager, const Outcome& observed) {
  size_t outputs = 0;
  std::vector<Placed> a = tensors_of(eager, &outputs);
  std::vector<Placed> b = tensors_of(observed);
  if (a.size() != b.size()) return "";
  // Inputs first: an output is named by the input in whose memory it lies.
  std::rotate(a.begin(), a.begin() + static_cast<long>(outputs), a.end());
  std::rotate(b.begin(), b.begin() + static_cast<long>(outputs), b.end());
  for (size_t i = a.size() - outputs; i < a.size(); ++i) {
    if (!a[i].tensor.numel()) continue;
    size_t wanted = first_of(a, i);
    size_t got = first_of(b, i);
    auto memory_text = [&](size_t k) {
      return k == i ? "its own memory" : "the memory of " + a[k].what;
    };
    if (wanted != got)
      return fmt::format("{} lies in {}, in its eager mode in {}", a[i].what, memory_text(got),
                         memory_text(wanted));
    if (wanted != i && wanted < a.size() - outputs && a[i].tensor.offset() != b[i].tensor.offset())
      return fmt::format("{} begins at element {} of {}, in its eager mode at {}", a[i].what,
                         b[i].tensor.offset(), memory_text(got), a[i].tensor.offset());
  }
  return "";
}

}  // namespace fusillade::fuzz

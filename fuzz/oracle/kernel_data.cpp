// See kernel_data.h.
#include "fuzz/oracle/kernel_data.h"

#include <bit>
#include <cstring>

#include "engine/tensor/half.h"
#include "engine/tensor/random.h"

namespace fusillade::fuzz {
namespace {

using kernel::Buffer;
using kernel::BufferRole;
using kernel::Kernel;

uint64_t draw_bits(uint64_t buffer, uint64_t element) {
  const auto r = random_bits(buffer + 1, element);
  return r[0] | static_cast<uint64_t>(r[1]) << 32;
}

// Mostly fractions of a few digits, whose sums are exact; some of all digits, whose sums hang on
// their order; now and then what floats make trouble with.
double real(uint64_t bits) {
  static constexpr double kSpecial[] = {
      0.0, -0.0, 1e30, -1e-30, __builtin_inf(), __builtin_nan("")};
  if (bits % 16 == 0) return kSpecial[bits / 16 % std::size(kSpecial)];
  if (bits % 4 == 1) return (static_cast<double>(bits >> 11) * 0x1p-53 - 0.5) * 16;
  return static_cast<double>(static_cast<int64_t>(bits >> 8 & 0x3ff) - 512) / 64;
}

template <class T>
void put(uint8_t* to, T v) {
  std::memcpy(to, &v, sizeof v);
}

void write_element(DType dtype, Domain domain, uint64_t bits, uint8_t* to) {
  const bool residues = domain == Domain::Ring || !is_float(dtype);
  if (dtype == DType::Bool) return put(to, static_cast<uint8_t>(bits & 1));
  if (residues) {  // small ones too, so that conditions and quotients vary
    const auto small = static_cast<uint64_t>(static_cast<int64_t>(bits >> 8 & 0xf) - 8);
    const uint64_t v = bits % 4 ? small : bits;
    std::memcpy(to, &v, size_of(dtype));
    return;
  }
  const double v = real(bits);
  if (dtype == DType::F16) put(to, to_half(static_cast<float>(v)).bits);
  else if (dtype == DType::BF16) put(to, to_bfloat16(static_cast<float>(v)).bits);
  else if (dtype == DType::F32) put(to, static_cast<float>(v));
  else put(to, v);
}

uint64_t scalar(Model model, Domain domain, uint64_t bits) {
  if (model == Model::I64) return static_cast<uint64_t>(static_cast<int64_t>(bits % 9) - 4);
  if (domain == Domain::Ring) return model == Model::F32 ? static_cast<uint32_t>(bits) : bits;
  const double v = real(bits);
  if (model == Model::F32) return std::bit_cast<uint32_t>(static_cast<float>(v));
  return std::bit_cast<uint64_t>(v);
}

// Of random numbers: early in the stream, or where its counter's first word ends.
uint64_t position(uint64_t bits) {
  return bits % 4 ? bits >> 8 & 0xffff : (uint64_t{1} << 32) - (bits >> 8 & 0x3f);
}

// What extents are for one value of each symbol, no two alike but where the ranges that the kernel
// states are too narrow for that.
void append_extents(const fuse::Lowered& lowered, std::vector<uint64_t>& scalars) {
  int most = -1;
  for (const fuse::Extent& e : lowered.extents)
    for (int s : e.product.symbols) most = std::max(most, s);
  const size_t first = scalars.size();
  for (int step : {3, 1, 0}) {
    std::vector<int64_t> values;
    for (int s = 0; s <= most; ++s) values.push_back(2 + step * s);
    scalars.resize(first);
    for (const fuse::Extent& e : lowered.extents)
      scalars.push_back(static_cast<uint64_t>(e.of(e.product.at(values))));
    if (kernel::beyond_ranges(lowered.kernel, scalars.data()).empty()) return;
  }
}

}  // namespace

KernelData::KernelData(const fuse::Lowered& lowered) {
  const Kernel& k = lowered.kernel;
  const size_t given = lowered.scalar_args.size();
  for (size_t i = 0; i < given + lowered.draws.size(); ++i) {
    const uint64_t bits = draw_bits(1000, i);
    scalars_.push_back(i < given ? scalar(k.scalars[i].model, k.domain, bits) : position(bits));
  }
  append_extents(lowered, scalars_);
  for (size_t b = 0; b < k.buffers.size(); ++b) {
    const Buffer& buffer = k.buffers[b];
    int64_t elements = 1;
    bool empty = false;
    for (int d = 0; d < buffer.sizes.rank(); ++d) {
      const int64_t size = kernel::number_at_launch(buffer.sizes[d], scalars_.data());
      empty = empty || size == 0;
      elements += (size - 1) * kernel::number_at_launch(buffer.strides[d], scalars_.data());
    }
    const size_t bytes = empty ? 0 : static_cast<size_t>(elements) * size_of(buffer.dtype);
    bytes_ += bytes;
    if (!kernel::is_argument(buffer.role)) continue;
    given_.emplace_back(bytes + 8);
    result_.push_back(buffer.role == BufferRole::Out);
    for (size_t e = 0; !empty && e < static_cast<size_t>(elements); ++e)
      write_element(buffer.dtype, k.domain, draw_bits(b, e),
                    given_.back().data() + e * size_of(buffer.dtype));
  }
}

uint64_t KernelData::bytes() const { return bytes_; }

std::vector<std::vector<uint8_t>> KernelData::run(const kernel::Program& program) const {
  std::vector<std::vector<uint8_t>> memory = given_;
  std::vector<void*> at;
  for (auto& m : memory) at.push_back(m.data());
  program.launch({at.data(), scalars_.data()});
  std::vector<std::vector<uint8_t>> out;
  for (size_t i = 0; i < memory.size(); ++i)
    if (result_[i]) out.push_back(std::move(memory[i]));
  return out;
}

}  // namespace fusillade::fuzz

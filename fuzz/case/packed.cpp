// See packed.h.
#include "fuzz/case/packed.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/error.h"

namespace fusillade::fuzz {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr size_t kMostRatio = 1032;  // of bytes to compressed ones: deflate has no denser code
constexpr size_t kLeast = 8;         // bytes of an empty stream

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t some = std::min<size_t>(3, bytes.size() - at);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < some ? static_cast<uint8_t>(bytes[at + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += k <= some ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::array<int8_t, 256> digit_values() {
  std::array<int8_t, 256> out;
  out.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i)
    out[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return out;
}

// Whole groups of four, filled up with '='; bits that no byte has are zero.
std::string from_base64(std::string_view text) {
  static const std::array<int8_t, 256> values = digit_values();
  if (text.size() % 4 != 0) fail("{} digits of base64 are no whole groups of four", text.size());
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const size_t fill = !last || text[at + 3] != '=' ? 0 : text[at + 2] != '=' ? 1 : 2;
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) {
      const int value = k < 4 - fill ? values[static_cast<uint8_t>(text[at + k])] : 0;
      if (value < 0)
        fail("character {:#04x} is no digit of base64", static_cast<uint8_t>(text[at + k]));
      bits = bits << 6 | static_cast<uint32_t>(value);
    }
    for (size_t k = 0; k < 3 - fill; ++k) out += static_cast<char>(bits >> (16 - 8 * k) & 255);
    if (fill && (bits & ((1u << 8 * fill) - 1))) fail("the last digit of base64 has bits too many");
  }
  return out;
}

}  // namespace

std::string pack_elements(const Tensor& t) {
  const Tensor whole = contiguous(t);
  const size_t bytes = static_cast<size_t>(t.numel()) * size_of(t.dtype());
  uLongf size = compressBound(bytes);
  std::string out(size, '\0');
  const int code =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size, whole.raw(), bytes, Z_BEST_SPEED);
  FUS_CHECK(code == Z_OK, "zlib: {}", code);
  out.resize(size);
  return base64(out);
}

std::string unpackable(std::string_view text, size_t bytes) {
  const size_t most = text.size() / 4 * 3;
  if (most >= kLeast && bytes <= (most - kLeast + 1) * kMostRatio) return "";
  return fmt::format("{} digits hold fewer than the {} bytes that the sizes say", text.size(),
                     bytes);
}

void unpack(std::string_view text, const Tensor& t) {
  const std::string stream = from_base64(text);
  const size_t bytes = static_cast<size_t>(t.numel()) * size_of(t.dtype());
  const Tensor whole = t.is_contiguous() ? t : Tensor::empty(t.sizes(), t.dtype());
  z_stream z{};
  if (inflateInit(&z) != Z_OK) fail("zlib has no memory");
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stream.data()));
  z.avail_in = static_cast<uInt>(stream.size());
  Bytef none = 0;  // what it may write beyond the tensor's bytes
  z.next_out = bytes ? whole.raw() : &none;
  z.avail_out = static_cast<uInt>(bytes);
  const int code = inflate(&z, Z_FINISH);
  const bool all = code == Z_STREAM_END && z.total_out == bytes && z.avail_in == 0;
  const std::string why = z.msg ? z.msg : "more or fewer bytes than the sizes say";
  inflateEnd(&z);
  if (!all) fail("the packed elements are wrong: {}", why);
  if (t.dtype() == DType::Bool &&
      std::any_of(whole.raw(), whole.raw() + bytes, [](uint8_t b) { return b > 1; }))
    fail("a packed bool is neither 0 nor 1");
  if (!whole.same(t)) copy_into(t, whole);
}

}  // namespace fusillade::fuzz

// See wire.h.
#include "engine/run/onnx/wire.h"

#include <cstring>

#include "engine/base/error.h"

namespace fusillade::onnx {

Wire::Wire(std::string_view bytes, const std::string& label, int depth)
    : rest_(bytes), label_(label), depth_(depth) {
  if (depth > kMaxDepth) wrong(fmt::format("messages are nested more than {} deep", kMaxDepth));
}

void Wire::wrong(std::string_view what) const { fail("'{}': no model: {}", label_, what); }

uint64_t Wire::varint() {
  uint64_t out = 0;
  constexpr int kBits = 7, kMost = 64;
  for (int shift = 0; shift < kMost; shift += kBits) {
    if (rest_.empty()) wrong("it ends within a number");
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    out |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return out;
  }
  wrong("a number of more than 64 bits");
}

bool Wire::next() {
  if (pending_) skip();
  if (rest_.empty()) return false;
  const uint64_t key = varint();
  constexpr uint64_t kMostFields = uint64_t{1} << 29;
  type_ = static_cast<uint32_t>(key & 7);
  if (key >> 3 == 0 || key >> 3 >= kMostFields) wrong(fmt::format("a field {}", key >> 3));
  field_ = static_cast<uint32_t>(key >> 3);
  pending_ = true;
  return true;
}

void Wire::skip() {
  if (type_ == kVarint) integer();
  else if (type_ == kFixed64) read_fixed<double>();
  else if (type_ == kFixed32) read_fixed<float>();
  else bytes();
}

void Wire::expect(Type type) const {
  if (type_ != type)
    wrong(fmt::format("field {} is of type {} and not {}", field_, type_,
                      static_cast<uint32_t>(type)));
}

template <class T>
T Wire::read_fixed() {
  if (rest_.size() < sizeof(T)) wrong("it ends within a number");
  T out;
  std::memcpy(&out, rest_.data(), sizeof(T));
  rest_.remove_prefix(sizeof(T));
  pending_ = false;
  return out;
}

int64_t Wire::integer() {
  expect(kVarint);
  pending_ = false;
  return static_cast<int64_t>(varint());
}

float Wire::real() {
  expect(kFixed32);
  return read_fixed<float>();
}

std::string_view Wire::bytes() {
  expect(kRun);
  const uint64_t size = varint();
  if (size > rest_.size())
    wrong(fmt::format("field {} of {} bytes where {} are left", field_, size, rest_.size()));
  const std::string_view out = rest_.substr(0, size);
  rest_.remove_prefix(size);
  pending_ = false;
  return out;
}

Wire Wire::message() { return {bytes(), label_, depth_ + 1}; }

void Wire::add_to(std::vector<int64_t>& out) {
  if (type_ != kRun) return out.push_back(integer());
  Wire run = message();
  while (!run.rest_.empty()) out.push_back(static_cast<int64_t>(run.varint()));
}

template <class T>
void Wire::add_fixed(std::vector<T>& out, Type single) {
  if (type_ != kRun) {
    expect(single);
    return out.push_back(read_fixed<T>());
  }
  Wire run = message();
  while (!run.rest_.empty()) out.push_back(run.read_fixed<T>());
}

void Wire::add_to(std::vector<float>& out) { add_fixed(out, kFixed32); }
void Wire::add_to(std::vector<double>& out) { add_fixed(out, kFixed64); }

}  // namespace fusillade::onnx

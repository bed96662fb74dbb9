// Opcodes of protocol 2, in the forms PyTorch's own writer chooses; see pickle.h.
#include <bit>

#include "engine/base/error.h"
#include "engine/run/archive/pickle.h"

namespace fusillade::archive {

PickleWriter::PickleWriter() { out_ = "\x80\x02"; }

void PickleWriter::bytes(uint64_t value, int count) {
  for (int i = 0; i < count; ++i) out_ += static_cast<char>(value >> (8 * i));
}

void PickleWriter::integer(int64_t value) {
  if (value >= 0 && value <= 0xff) {
    op('K');
    bytes(static_cast<uint64_t>(value), 1);
  } else if (value >= 0 && value <= 0xffff) {
    op('M');
    bytes(static_cast<uint64_t>(value), 2);
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    op('J');
    bytes(static_cast<uint64_t>(value), 4);
  } else {
    op('\x8a');
    bytes(8, 1);
    bytes(static_cast<uint64_t>(value), 8);
  }
}

void PickleWriter::real(double value) {
  op('G');
  uint64_t bits = std::bit_cast<uint64_t>(value);
  for (int i = 8; i-- > 0;) out_ += static_cast<char>(bits >> (8 * i));
}

void PickleWriter::str(const std::string& value) {
  auto [it, fresh] = strings_.emplace(value, next_);
  if (!fresh) return get(it->second);
  if (value.size() > 0xffffffff) fail("a string of {} bytes cannot be saved", value.size());
  op('X');
  bytes(value.size(), 4);
  out_ += value;
  put();
}

void PickleWriter::global(const std::string& module, const std::string& name) {
  auto [it, fresh] = globals_.emplace(module + " " + name, next_);
  if (!fresh) return get(it->second);
  out_ += "c" + module + "\n" + name + "\n";
  put();
}

uint32_t PickleWriter::put() {
  uint32_t memo = next_++;
  op(memo < 256 ? 'q' : 'r');
  bytes(memo, memo < 256 ? 1 : 4);
  return memo;
}

void PickleWriter::get(uint32_t memo) {
  op(memo < 256 ? 'h' : 'j');
  bytes(memo, memo < 256 ? 1 : 4);
}

std::string PickleWriter::finish() {
  op('.');
  return std::move(out_);
}

}  // namespace fusillade::archive

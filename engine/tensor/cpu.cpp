// The cpu's memory: a red zone of pattern before and after each block shows what wrote outside it,
// and poison what read an element that nothing wrote. Built with AddressSanitizer it knows the red
// zones, so that reads of them are reported, too.
#include <cstring>

#include "engine/base/table.h"
#include "engine/tensor/memory_pool.h"
#include "engine/tensor/tensor.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

namespace fusillade {
namespace {

constexpr size_t kRedZone = Storage::kRedZone;
constexpr uint8_t kZoneByte = 0xA5;
constexpr uint8_t kPoisonByte = 0xFB;

size_t padded_size(size_t bytes) { return (bytes + kRedZone - 1) / kRedZone * kRedZone; }

void poison_zones(const uint8_t* data, size_t bytes) {
  ASAN_POISON_MEMORY_REGION(data - kRedZone, kRedZone);
  ASAN_POISON_MEMORY_REGION(data + bytes, padded_size(bytes) - bytes + kRedZone);
}
void unpoison_zones(const uint8_t* data, size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(data - kRedZone, padded_size(bytes) + 2 * kRedZone);
}

uint8_t* allocate(size_t bytes, bool poison) {
  uint8_t* base = take_memory(padded_size(bytes) + 2 * kRedZone);
  if (!base) return nullptr;
  uint8_t* data = base + kRedZone;
  std::memset(base, kZoneByte, kRedZone);
  std::memset(data + bytes, kZoneByte, padded_size(bytes) - bytes + kRedZone);
  if (poison) std::memset(data, kPoisonByte, bytes);
  poison_zones(data, bytes);
  return data;
}

void release(uint8_t* data, size_t bytes) {
  unpoison_zones(data, bytes);
  return_memory(data - kRedZone, padded_size(bytes) + 2 * kRedZone);
}

bool is_zone(const uint8_t* at) {
  uint64_t words[kRedZone / 8];
  std::memcpy(words, at, sizeof words);
  uint64_t expected;
  std::memset(&expected, kZoneByte, sizeof expected);
  for (uint64_t w : words) {
    if (w != expected) return false;
  }
  return true;
}

bool intact(const uint8_t* data, size_t bytes) {
  unpoison_zones(data, bytes);
  const bool intact = is_zone(data - kRedZone) && is_zone(data + bytes);
  poison_zones(data, bytes);
  return intact;
}

[[maybe_unused]] const DeviceRow& kRegistered =
    Table<DeviceRow>::instance().add({"cpu", &allocate, &release, &intact});

}  // namespace
}  // namespace fusillade

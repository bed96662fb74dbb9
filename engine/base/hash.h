// A hash of bytes that means the same in every process and build: FNV-1a, of 64 bits. For names of
// files and for comparing contents; not safe against deliberate collisions.
#pragma once

#include <cstdint>
#include <string_view>

namespace fusillade {

inline constexpr uint64_t kHashStart = 0xcbf29ce484222325u;

inline uint64_t hash_bytes(std::string_view bytes, uint64_t from = kHashStart) {
  for (unsigned char c : bytes) from = (from ^ c) * 0x100000001b3u;
  return from;
}

}  // namespace fusillade

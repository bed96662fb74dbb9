// Whole files, read and written in one place.
#pragma once

#include <string>

namespace fusillade {

inline constexpr size_t kMaxFileBytes =
    size_t{1} << 32;  // what archives of large models need, and no endless pipe

// The bytes of a file or pipe. Throws Error naming the path when it cannot be opened or read, or
// does not end within `limit` bytes.
std::string read_file(const std::string& path, size_t limit = kMaxFileBytes);

// Programs and cases: text that people or generators write.
inline constexpr size_t kMaxTextBytes = size_t{1} << 28;
inline std::string read_text_file(const std::string& path) {
  return read_file(path, kMaxTextBytes);
}

// Writes a file so that it is either absent or whole after any crash. What is there and no file, a
// device or a pipe, is written into. Throws Error.
void write_atomically(const std::string& path, const std::string& text);

}  // namespace fusillade

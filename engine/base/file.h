// Whole files, read and written in one place.
#pragma once

#include <string>

namespace fusillade {

inline constexpr size_t kMaxFileBytes =
    size_t{1} << 32;  // what archives of large models need, and no endless pipe

// The bytes of a file, or of a pipe that the shell opened (/dev/fd/63); a named pipe is refused.
// Throws Error naming the path when it cannot be opened or read, or does not end within `limit`
// bytes.
std::string read_file(const std::string& path, size_t limit = kMaxFileBytes);

// Programs and cases: text that people or generators write.
inline constexpr size_t kMaxTextBytes = size_t{1} << 28;
inline std::string read_text_file(const std::string& path) {
  return read_file(path, kMaxTextBytes);
}

// Writes a file so that it is either absent or whole after any crash. What is there and no file, a
// device or a pipe, is written into; a link is replaced, not followed. Throws Error.
void write_atomically(const std::string& path, const std::string& text);

// Writes and syncs a file that is not there yet, which is to be renamed (durable.h). Throws Error,
// also where something is there.
void write_new_file(const std::string& path, const std::string& text);

// Adds to the end of a file, which may not be there yet; a link is refused. Throws Error.
void append_to_file(const std::string& path, const std::string& text);

// From now on what lies in this folder is taken for a stranger's, who may have put links in it:
// these functions refuse a path into it that leads through a symbolic link or "..", and write into
// no device there. The folder's own path may contain links, which its user created.
void guard_folder(const std::string& folder);
// Throws Error where such a path leads through a link, or is one.
void refuse_links(const std::string& path);
// Makes one folder, if it is not there. Throws Error.
void make_folder(const std::string& path);

}  // namespace fusillade

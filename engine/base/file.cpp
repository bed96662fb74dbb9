// See file.h.
#include "engine/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/durable.h"
#include "engine/base/error.h"
#include "engine/base/lack.h"

namespace fusillade {
namespace {

[[noreturn]] void refuse_reading(const std::string& what, int error) {
  note_lack(what, error);
  fail("{}: {}", what, std::strerror(error));
}

}  // namespace

std::string read_file(const std::string& path, size_t limit) {
  struct Closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  // A named pipe in a folder that was handed over would be waited for without end.
  const bool of_shell = path.starts_with("/dev/") || path.starts_with("/proc/");
  struct stat info;
  const bool known = stat(path.c_str(), &info) == 0;
  if (known && S_ISFIFO(info.st_mode) && !of_shell)
    fail("cannot read '{}': it is a named pipe, not a file", path);
  if (known && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)))
    fail("cannot read '{}': it is a device, not a file", path);
  std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse_reading("cannot open '" + path + "'", errno);
  std::string bytes;
  char buffer[1 << 16];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    if (bytes.size() + n > limit)
      fail("'{}' has more than {} MiB, the most that is read", path, limit >> 20);
    bytes.append(buffer, n);
  }
  if (std::ferror(file.get())) refuse_reading("cannot read '" + path + "'", errno);
  return bytes;
}

namespace {

// The error that ended it, or 0; the descriptor is closed.
int write_all(int fd, const std::string& text) {
  int error = 0;
  for (size_t at = 0; at < text.size() && error == 0;) {
    ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n > 0) at += static_cast<size_t>(n);
    else if (n == 0 || errno != EINTR) error = n == 0 ? EIO : errno;
  }
  // Some file systems report only now that they are full; some files cannot be synced (EINVAL).
  if (error == 0 && !SyncedTogether::is_on() && fsync(fd) != 0 && errno != EINVAL) error = errno;
  if (close(fd) != 0 && error == 0) error = errno;
  return error;
}

// With the slash at its end.
std::vector<std::string>& guarded_folders() {
  static std::vector<std::string> folders;
  return folders;
}

// The guarded folder that a path lies in, the innermost; empty: in none.
std::string_view guard_of(const std::string& path) {
  std::string_view found;
  for (const std::string& folder : guarded_folders())
    if (path.starts_with(folder) && folder.size() > found.size()) found = folder;
  return found;
}

// A descriptor of a folder, closed with the object.
class Folder {
 public:
  explicit Folder(int fd) : fd_(fd) {}
  ~Folder() {
    if (fd_ >= 0) close(fd_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  int fd() const { return fd_; }
  void become(int fd) {
    close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

constexpr int kOpenFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

[[noreturn]] void refuse(const std::string& path, int error) {
  note_lack("cannot write " + path, error);
  fail("cannot write {}: {}", path, error_text(error));
}

[[noreturn]] void refuse_link(const std::string& path, std::string_view root) {
  fail(
      "{} is a symbolic link: nothing in {} is written through one; remove it, or give another "
      "folder",
      path, root.substr(0, root.size() - 1));
}

bool is_link(int folder, const std::string& name) {
  struct stat there;
  return fstatat(folder, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(there.st_mode);
}

// The folder that holds `path`; from a guarded one on each step is taken without following a link.
int open_parent(const std::string& path) {
  const std::string_view root = guard_of(path);
  const size_t slash = path.rfind('/');
  if (root.empty()) {
    const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const int fd = open(parent.c_str(), kOpenFolder);
    if (fd < 0) refuse(path, errno);
    return fd;
  }
  Folder at(open(std::string(root).c_str(), kOpenFolder));
  if (at.fd() < 0) refuse(path, errno);
  for (size_t from = root.size(); from <= slash;) {
    const size_t end = path.find('/', from);
    const std::string name = path.substr(from, end - from);
    if (name == "..") fail("cannot write {}: it leads out of {}", path, root);
    from = end + 1;
    if (name.empty() || name == ".") continue;
    const int next = openat(at.fd(), name.c_str(), kOpenFolder | O_NOFOLLOW);
    if (next < 0 && is_link(at.fd(), name)) refuse_link(path.substr(0, end), root);
    if (next < 0) refuse(path, errno);
    at.become(next);
  }
  const int fd = dup(at.fd());
  if (fd < 0) refuse(path, errno);
  return fd;
}

std::string name_in_folder(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == "..") fail("cannot write {}: a folder, not a file", path);
  return name;
}

// A file of that name in an open folder.
void write_new(int folder, const std::string& path, const std::string& text) {
  const std::string name = name_in_folder(path);
  const int fd =
      openat(folder, name.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (fd < 0) refuse(path, errno);
  if (const int error = write_all(fd, text)) {
    unlinkat(folder, name.c_str(), 0);
    refuse(path, error);
  }
}

}  // namespace

void write_atomically(const std::string& path, const std::string& text) {
  struct stat there;
  const bool is_there = stat(path.c_str(), &there) == 0;
  if (is_there && S_ISDIR(there.st_mode)) fail("cannot write {}: it is a folder", path);
  const Folder parent(open_parent(path));
  if (is_there && !S_ISREG(there.st_mode) && guard_of(path).empty()) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) refuse(path, errno);
    if (const int error = write_all(fd, text)) refuse(path, error);
    return;
  }
  const std::string name = name_in_folder(path), temporary = name + ".part";
  unlinkat(parent.fd(), temporary.c_str(), 0);  // of a process that was killed
  write_new(parent.fd(), path + ".part", text);
  int error = 0;
  if (renameat(parent.fd(), temporary.c_str(), parent.fd(), name.c_str()) != 0) {
    error = errno;
    unlinkat(parent.fd(), temporary.c_str(), 0);
  } else {
    error = sync_folder(parent.fd());
  }
  if (error != 0) refuse(path, error);
}

void write_new_file(const std::string& path, const std::string& text) {
  write_new(Folder(open_parent(path)).fd(), path, text);
}

void append_to_file(const std::string& path, const std::string& text) {
  const Folder parent(open_parent(path));
  const int fd = openat(parent.fd(), name_in_folder(path).c_str(),
                        O_WRONLY | O_CLOEXEC | O_CREAT | O_APPEND | O_NOFOLLOW, 0644);
  if (fd < 0) refuse(path, errno);
  struct stat before;
  const bool fresh = fstat(fd, &before) == 0 && before.st_size == 0;
  if (const int error = write_all(fd, text)) refuse(path, error);
  if (const int error = fresh ? sync_folder(parent.fd()) : 0) refuse(path, error);
}

void guard_folder(const std::string& folder) {
  std::string root = folder;
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  if (root != "/") root += "/";
  if (std::ranges::find(guarded_folders(), root) == guarded_folders().end())
    guarded_folders().push_back(root);
}

void refuse_links(const std::string& path) {
  const std::string_view root = guard_of(path);
  if (root.empty()) return;
  const Folder parent(open_parent(path));
  if (is_link(parent.fd(), name_in_folder(path))) refuse_link(path, root);
}

void make_folder(const std::string& path) {
  refuse_links(path);
  const Folder parent(open_parent(path));
  const bool created = mkdirat(parent.fd(), name_in_folder(path).c_str(), 0755) == 0;
  if (!created && errno == EEXIST) return;
  if (const int error = created ? sync_folder(parent.fd()) : errno) {
    note_lack("cannot make the folder " + path, error);
    fail("cannot make the folder {}: {}", path, error_text(error));
  }
}

}  // namespace fusillade

// See people.h. The C library's own streams are replaced, so that no place that prints can forget
// it. Help texts, which are ours, come by std::cout and stay as they are.
#include "fuzz/cli/people.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "engine/base/visible.h"

namespace fusillade::cli {
namespace {

struct Stream {
  int fd;
  VisibleText text;
};

bool write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n > 0) at += static_cast<size_t>(n);
    else if (n == 0 || errno != EINTR) return false;
  }
  return true;
}

ssize_t write_visible(void* cookie, const char* bytes, size_t size) {
  Stream& to = *static_cast<Stream*>(cookie);
  return write_all(to.fd, to.text.next({bytes, size})) ? static_cast<ssize_t>(size) : 0;
}

// A character that its writer never ended.
void write_rest(Stream& of) { write_all(of.fd, of.text.rest()); }

FILE* visible_stream(Stream& to, FILE* instead, int buffering) {
  cookie_io_functions_t how{};
  how.write = &write_visible;
  FILE* stream = fopencookie(&to, "w", how);
  if (!stream) return instead;
  std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

void write_for_people() {
  static Stream out{STDOUT_FILENO, {}}, errors{STDERR_FILENO, {}};
  std::fflush(nullptr);
  stdout = visible_stream(out, stdout, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
  stderr = visible_stream(errors, stderr, _IONBF);
  std::atexit([] {
    std::fflush(nullptr);
    write_rest(out);
    write_rest(errors);
  });
}

}  // namespace fusillade::cli

// Out-of-line throwers, so that a check costs its caller one compare and one call.
#include "engine/base/error.h"

#include <fmt/format.h>

#include <cstring>

namespace fusillade {

void throw_error(fmt::string_view format, fmt::format_args args) {
  throw Error(fmt::vformat(format, args));
}

void throw_unsupported(fmt::string_view format, fmt::format_args args) {
  throw Unsupported(fmt::vformat(format, args));
}

void throw_bug(const char* file, int line, fmt::string_view format, fmt::format_args args) {
  const char* slash = std::strrchr(file, '/');
  throw Bug(fmt::format("internal error at {}:{}: {}", slash ? slash + 1 : file, line,
                        fmt::vformat(format, args)));
}

}  // namespace fusillade

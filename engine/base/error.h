// The three classes of exception, by who must act.
//
//   Error        the caller's mistake: says what was given, where, and what is legal. Exit code 1.
//   Bug          ours: a broken invariant. A finding wherever it appears.
//   Unsupported  declined, with the reason: the caller takes another road (a fuser falls back).
//
// Helpers take {fmt} format strings:  fail("rank {} is not in [0, {}]", rank, kMaxRank);
#pragma once

#include <fmt/core.h>

#include <exception>
#include <string>
#include <utility>

namespace fusillade {

class Exception : public std::exception {
 public:
  explicit Exception(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

class Error : public Exception {
  using Exception::Exception;
};
class Bug : public Exception {
  using Exception::Exception;
};
class Unsupported : public Exception {
  using Exception::Exception;
};

[[noreturn]] void throw_error(fmt::string_view format, fmt::format_args args);
[[noreturn]] void throw_bug(const char* file, int line, fmt::string_view format,
                            fmt::format_args args);
[[noreturn]] void throw_unsupported(fmt::string_view format, fmt::format_args args);

// Throws Error.
template <class... A>
[[noreturn]] void fail(fmt::format_string<A...> format, A&&... args) {
  throw_error(format, fmt::make_format_args(args...));
}

// Throws Unsupported.
template <class... A>
[[noreturn]] void decline(fmt::format_string<A...> format, A&&... args) {
  throw_unsupported(format, fmt::make_format_args(args...));
}

template <class... A>
[[noreturn]] void bug_at(const char* file, int line, fmt::format_string<A...> format, A&&... args) {
  throw_bug(file, line, format, fmt::make_format_args(args...));
}

}  // namespace fusillade

// Throws Bug, naming this file and line.
#define FUS_BUG(...) ::fusillade::bug_at(__FILE__, __LINE__, __VA_ARGS__)

// FUS_CHECK(condition, "message {}", value): an invariant; throws Bug when it does not hold.
#define FUS_CHECK(condition, ...)  \
  do {                             \
    if (!(condition)) [[unlikely]] \
      FUS_BUG(__VA_ARGS__);        \
  } while (false)

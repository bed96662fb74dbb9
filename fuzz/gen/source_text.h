// A piece of a generated script, and how tightly it binds.
#pragma once

#include <cstdint>
#include <string>

namespace fusillade::fuzz {

// How tightly an expression binds, as in Python's grammar.
enum Level : uint8_t {
  kTernary,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPower,
  kAtom
};

inline constexpr int kLiteral = 100;  // so deep that only literals are written

struct Text {
  std::string s;
  Level level = kAtom;
};

}  // namespace fusillade::fuzz

// The forms of a float's text: each is distinguished from an int, and reads back to the same bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/text.h"

namespace fusillade {
namespace {

struct Expected {
  double value;
  const char *python, *torchscript, *archive, *hexadecimal;
};

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Expected kExpected[] = {
    {kNan, "nan", "nan", "nan", "nan"},
    {std::copysign(kNan, -1.0), "nan", "nan", "nan", "nan"},
    {kInf, "inf", "inf", "inf", "inf"},
    {-kInf, "-inf", "-inf", "-inf", "-inf"},
    {0.0, "0.0", "0.", "0.", "0x0p+0"},
    {-0.0, "-0.0", "-0.", "-0.", "-0x0p+0"},
    {3.0, "3.0", "3.", "3.", "0x1.8p+1"},
    {-3e15, "-3000000000000000.0", "-3000000000000000.", "-3000000000000000.",
     "-0x1.550f7dca7p+51"},
    {1e16, "1e+16", "1e+16", "10000000000000000.", "0x1.1c37937e08p+53"},
    {1e22, "1e+22", "1e+22", "1e+22", "0x1.0f0cf064dd592p+73"},
    {0.1, "0.1", "0.1", "0.10000000000000001", "0x1.999999999999ap-4"},
    {1e-5, "1e-05", "1e-05", "1.0000000000000001e-05", "0x1.4f8b588e368f1p-17"},
    {5e-324, "5e-324", "5e-324", "4.9406564584124654e-324", "0x0.0000000000001p-1022"},
    {std::numeric_limits<double>::max(), "1.7976931348623157e+308", "1.7976931348623157e+308",
     "1.7976931348623157e+308", "0x1.fffffffffffffp+1023"},
};

TEST(FloatText, Forms) {
  for (const Expected& e : kExpected) {
    EXPECT_EQ(python_float_text(e.value), e.python);
    EXPECT_EQ(torchscript_float_text(e.value), e.torchscript);
    EXPECT_EQ(archive_float_text(e.value), e.archive);
    EXPECT_EQ(hexadecimal_float_text(e.value), e.hexadecimal);
  }
}

TEST(FloatText, ReadsBack) {
  for (const Expected& e : kExpected) {
    if (!std::isfinite(e.value)) continue;
    for (const std::string& text : {python_float_text(e.value), torchscript_float_text(e.value),
                                    archive_float_text(e.value), hexadecimal_float_text(e.value)}) {
      EXPECT_EQ(std::bit_cast<uint64_t>(std::strtod(text.c_str(), nullptr)),
                std::bit_cast<uint64_t>(e.value))
          << text;
    }
  }
}

}  // namespace
}  // namespace fusillade

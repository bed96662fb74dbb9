// Lines of entries that say what external engines may do, and what is wrong of a peer: all that
// there are can be read, and what cannot be read says what is legal.
#include "fuzz/run/deviation.h"

#include <gtest/gtest.h>

#include "engine/ops/entry.h"
#include "fuzz/oracle/known_wrong.h"
#include "fuzz/run/tangents.h"

namespace fusillade::fuzz {
namespace {

std::string error_of(void (*read)(std::string_view), std::string_view line) {
  try {
    read(line);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Deviation, AllLinesAreRead) {
  size_t others = 0, peers = 0, slopes = 0;
  for (const Entry& e : entries()) {
    if (const EntryLine* line = e.line(LineKind::Others)) {
      EXPECT_NO_THROW(others += parse_deviations(line->text).size()) << e.place(line->number);
    }
    if (const EntryLine* line = e.line(LineKind::Peers)) {
      EXPECT_NO_THROW(peers += parse_known_wrong(line->text).size()) << e.place(line->number);
    }
    if (const EntryLine* line = e.line(LineKind::Slopes)) {
      EXPECT_NO_THROW(slopes += parse_slopes(line->text).size()) << e.place(line->number);
    }
  }
  EXPECT_GE(others, 40u);
  EXPECT_GE(peers, 30u);
  EXPECT_GE(slopes, 20u);
}

TEST(Deviation, BelongsToExactNames) {
  const auto kinds = [](const char* name) {
    std::string out;
    for (const Deviation& d : deviations_of(operator_named(name)))
      out += fmt::format("{} {:g};", d.kind->name, d.amount);
    return out;
  };
  EXPECT_EQ(kinds("aten::layer_norm"), "mean folded 4;not finite 0;");
  EXPECT_EQ(kinds("aten::fft_fft"), "transform 32;");
  EXPECT_EQ(kinds("aten::fft_fftshift"), "");
  EXPECT_EQ(kinds("aten::upsample_bilinear2d.vec"), "samples 8;");
  EXPECT_EQ(kinds("aten::upsample_nearest2d.vec"), "");
  EXPECT_EQ(kinds("aten::relu"), "");
  EXPECT_EQ(kinds("prim::complex_mul.Tensor"), "complex product 0;");
  EXPECT_EQ(kinds("prim::complex_mul_.Tensor"), "complex product 0;");
  EXPECT_EQ(kinds("prim::complex_div.Tensor"), "complex length 16;");
  EXPECT_EQ(kinds("prim::complex_conj"), "");
  EXPECT_EQ(kinds("aten::bitwise_left_shift_.Tensor"), "any count 0;");  // derived by C++
  EXPECT_EQ(kinds("aten::pow_.Scalar"), "given exponent 0;");
}

TEST(Deviation, WhatIsNoneSaysWhatIsLegal) {
  const auto read = +[](std::string_view line) { parse_deviations(line); };
  EXPECT_NE(error_of(read, "near ones 4 ulp").find("near one"), std::string::npos);
  EXPECT_NE(error_of(read, "near one").find("how many ulp?"), std::string::npos);
  EXPECT_NE(error_of(read, "near one -1 ulp").find("positive"), std::string::npos);
  EXPECT_NE(error_of(read, "not finite 3 ulp").find("there are:"), std::string::npos);
  EXPECT_NE(error_of(read, "").find("there are:"), std::string::npos);
  EXPECT_EQ(parse_deviations("not finite; near one 4 ulp").size(), 2u);
  const auto slopes = +[](std::string_view line) { parse_slopes(line); };
  EXPECT_NE(error_of(slopes, "bounds met").find("bounds meet"), std::string::npos);
  EXPECT_EQ(parse_slopes("detached; bounds meet").size(), 2u);
}

TEST(KnownWrong, ConditionsHaveNames) {
  const auto read = +[](std::string_view line) { parse_known_wrong(line); };
  EXPECT_NE(error_of(read, "gradient when integer: x").find("integers"), std::string::npos);
  EXPECT_NE(error_of(read, "gradient").find("legal"), std::string::npos);
  EXPECT_NE(error_of(read, "gradient: ").find("no reason"), std::string::npos);
  const auto wrong = known_wrong(operator_named("aten::addcmul"));
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_EQ(wrong[0].when, "integers");
  EXPECT_EQ(wrong[1].when, "several dtypes");
  EXPECT_TRUE(known_wrong(operator_named("aten::_weight_norm")).empty());
  EXPECT_EQ(known_wrong(operator_named("aten::addcmul_")).size(), 2u);
  EXPECT_EQ(known_wrong(operator_named("aten::copysign_.Tensor")).size(), 1u);
  EXPECT_EQ(known_wrong(operator_named("aten::elu_")).size(), 1u);  // in place alone
  EXPECT_TRUE(known_wrong(operator_named("aten::elu")).empty());
}

}  // namespace
}  // namespace fusillade::fuzz

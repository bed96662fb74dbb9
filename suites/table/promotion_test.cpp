// ATen's type promotion: every line of promotion.txt, which make_promotion.py took from
// PyTorch 1.13.1.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "engine/base/error.h"
#include "engine/tensor/dtype.h"

namespace fusillade {
namespace {

Operand operand_from(const std::string& word) {
  size_t colon = word.find(':');
  std::string kind = word.substr(colon + 1);
  Operand::Rank rank = kind == "dim"    ? Operand::Rank::Dimensioned
                       : kind == "zero" ? Operand::Rank::ZeroDim
                                        : Operand::Rank::Number;
  EXPECT_TRUE(rank != Operand::Rank::Number || kind == "number") << word;
  return {dtype_from_name(word.substr(0, colon)), rank};
}

TEST(Promotion, EqualsPyTorchForEveryPairAndCategory) {
  std::ifstream in(std::string(FUSILLADE_SOURCE_DIR) + "/suites/table/promotion.txt");
  int pairs = 0;
  int results = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<std::string> w;
    for (std::string word; words >> word;) w.push_back(word);
    if (w[0] == "#") continue;
    DType expected = dtype_from_name(w.back());
    if (w[0] == "promote") {
      EXPECT_EQ(name_of(promote(dtype_from_name(w[1]), dtype_from_name(w[2]))), name_of(expected))
          << line;
      ++pairs;
      continue;
    }
    ASSERT_EQ(w[0], "result");
    std::vector<Operand> operands;
    for (size_t i = 1; i + 1 < w.size(); ++i) operands.push_back(operand_from(w[i]));
    EXPECT_EQ(name_of(result_type(operands.data(), operands.size())), name_of(expected)) << line;
    ++results;
  }
  EXPECT_EQ(pairs, kNumDTypes * kNumDTypes);
  EXPECT_EQ(results,
            23 * 23 + 6 * 6 * 6);  // 10 dtypes in 2 ranks and 3 numbers; triples of 6 operands
}

TEST(DTypes, NamesTitlesAndCodesLeadBack) {
  for (int d = 0; d < kNumDTypes; ++d) {
    const DTypeRow& row = row_of(static_cast<DType>(d));
    EXPECT_EQ(static_cast<int>(row.dtype), d);
    EXPECT_EQ(dtype_from_name(row.name), row.dtype);
    EXPECT_EQ(dtype_from_name(row.title), row.dtype);
    EXPECT_EQ(dtype_from_aten(row.aten_code), row.dtype);
  }
  EXPECT_THROW(dtype_from_name("f33"), Error);
  EXPECT_THROW(dtype_from_aten(9), Error);
}

}  // namespace
}  // namespace fusillade

// Option rows: environment equivalents, defaults, and errors that name the variable.
#include "engine/base/options.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/base/text.h"

namespace fusillade {
namespace {

const Option<int64_t> kCount("unit_test_count", 3, "a number only this test reads");
const Option<bool> kSwitch("unit_test_switch", false, "a switch only this test reads");

TEST(Options, DefaultAndEnvironment) {
  EXPECT_EQ(kCount.get(), 3);
  setenv("FUSILLADE_UNIT_TEST_COUNT", "-7", 1);
  EXPECT_EQ(kCount.get(), -7);
  setenv("FUSILLADE_UNIT_TEST_SWITCH", "on", 1);
  EXPECT_TRUE(kSwitch.get());
  unsetenv("FUSILLADE_UNIT_TEST_COUNT");
  unsetenv("FUSILLADE_UNIT_TEST_SWITCH");
}

const Option<int64_t> kLeast("unit_test_least", 3, "at least two", "2..");
const Option<int64_t> kBetween("unit_test_between", 3, "from two to five", "2..5");
const Option<int64_t> kOneOf("unit_test_one_of", 8, "one of two", "8|16");

TEST(Options, SayWhatIsLegal) {
  const auto takes = [](const char* name) {
    return Table<OptionRow>::instance().find(name)->takes();
  };
  EXPECT_EQ(takes("unit_test_count"), "any");
  EXPECT_EQ(takes("unit_test_switch"), "true|false");
  EXPECT_EQ(takes("unit_test_least"), "2 and above");
  EXPECT_EQ(takes("unit_test_between"), "2 to 5");
  EXPECT_EQ(takes("unit_test_one_of"), "8|16");
  for (const auto& [name, bad] : {std::pair("LEAST", "1"), std::pair("BETWEEN", "1"),
                                  std::pair("BETWEEN", "6"), std::pair("ONE_OF", "9")}) {
    const std::string variable = std::string("FUSILLADE_UNIT_TEST_") + name;
    setenv(variable.c_str(), bad, 1);
    EXPECT_THROW(check_options(), Error) << name;
    unsetenv(variable.c_str());
  }
}

TEST(Options, BadValuesNameTheVariable) {
  setenv("FUSILLADE_UNIT_TEST_COUNT", "many", 1);
  try {
    check_options();
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("FUSILLADE_UNIT_TEST_COUNT='many'"), std::string::npos);
  }
  unsetenv("FUSILLADE_UNIT_TEST_COUNT");
  check_options();
}

TEST(Text, NearMisses) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(near_misses("csf", {"cse", "dce", "peephole"}), "; did you mean cse?");
  EXPECT_EQ(near_misses("zzzzzz", {"cse"}), "");
}

// Short words are compared by bits, long ones by rows; what both hold behind does not count.
TEST(Text, EditDistanceOfShortAndLongWords) {
  const std::string behind(65, '-');
  uint32_t state = 1;
  auto word = [&] {
    std::string out((state = state * 1664525 + 1013904223) >> 26, 'a');
    for (char& c : out) c = static_cast<char>('a' + ((state = state * 1664525 + 1013904223) >> 30));
    return out;
  };
  for (int i = 0; i < 200; ++i) {
    const std::string a = word(), b = word() + (i % 8 ? "" : "b");
    EXPECT_EQ(edit_distance(a, b), edit_distance(a + behind, b + behind)) << a << " " << b;
    EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
  }
}

TEST(Text, SplitOutsideBrackets) {
  std::vector<size_t> at;
  EXPECT_EQ(split_outside_brackets("a,f(b,c),d", ',', &at),
            (std::vector<std::string>{"a", "f(b,c)", "d"}));
  EXPECT_EQ(at, (std::vector<size_t>{0, 2, 9}));
  EXPECT_EQ(split_outside_brackets("", ','), std::vector<std::string>{""});
}

TEST(Text, Numbers) {
  int64_t i = 0;
  double d = 0;
  EXPECT_TRUE(parse_int("-12", &i) && i == -12);
  EXPECT_FALSE(parse_int("12x", &i));
  EXPECT_FALSE(parse_int("", &i));
  EXPECT_FALSE(parse_int("99999999999999999999", &i));
  EXPECT_TRUE(parse_double("1e3", &d) && d == 1000);
  EXPECT_FALSE(parse_double("1.5.", &d));
}

}  // namespace
}  // namespace fusillade

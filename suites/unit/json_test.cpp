// JSON of strangers: what it is read as, and that each wrong text is an error that names its place.
#include "engine/base/json.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace fusillade {
namespace {

using Kind = Json::Kind;

std::string error_of(const std::string& text) {
  try {
    const JsonDocument doc(text, "x");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Json, ValuesAreRead) {
  const JsonDocument doc(R"( {"a": [1, -2.5e1, true, false, null], "b": {"c": "d"}, "e": -0} )",
                         "x");
  const auto& items = doc.need(doc.root(), "a", Kind::Array).items;
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[0].second->integer, 1);
  EXPECT_EQ(items[1].second->real, -25.0);
  EXPECT_TRUE(items[2].second->is(Kind::Bool) && items[2].second->integer == 1);
  EXPECT_TRUE(items[3].second->is(Kind::Bool) && items[3].second->integer == 0);
  EXPECT_TRUE(items[4].second->is(Kind::Null));
  EXPECT_EQ(doc.text(doc.need(doc.root(), "b"), "c"), "d");
  EXPECT_EQ(doc.integer(doc.root(), "e"), 0);
  EXPECT_EQ(doc.find(doc.root(), "z"), nullptr);
}

TEST(Json, EscapesAreCharacters) {
  const JsonDocument doc(R"(["a\n\"\\\/\tb", "\u00e9\u20AC\ud83d\ude00", ""])", "x");
  EXPECT_EQ(doc.root().items[0].second->text, "a\n\"\\/\tb");
  EXPECT_EQ(doc.root().items[1].second->text, "\u00e9\u20ac\U0001f600");
  EXPECT_EQ(doc.root().items[2].second->text, "");
}

TEST(Json, WrongTextsNameTheirPlace) {
  constexpr std::pair<const char*, const char*> kWrong[] = {
      {"", "x:1:1: the text ends within a value"},
      {"[1,\n 2", "x:2:3: the text ends within a value"},
      {"[1 2]", "x:1:4: ']' is expected"},
      {"[1,]", "x:1:4: this is no value"},
      {"{\"a\" 1}", "x:1:6: ':' is expected"},
      {"{1: 2}", "x:1:2: a key is expected"},
      {"{\"a\": 1, \"a\": 2}", "the key 'a' comes twice"},
      {"1 2", "something follows the value"},
      {"01", "this is no number"},
      {"-", "this is no number"},
      {"1.e", "this is no number"},
      {"1e999", "this is no number, or out of range"},
      {"9223372036854775808", "this is no number, or out of range"},
      {"NaN", "this is no value"},
      {"-Infinity", "this is no number"},
      {"tru", "this is no value"},
      {"\"a", "a string does not end"},
      {"\"a\\", "a string does not end"},
      {"\"\\x\"", "this is no escape"},
      {"\"\\u12\"", "four hexadecimal digits are expected"},
      {"\"\\ud800\"", "half of a pair of surrogates"},
      {"\"\\udc00\"", "half of a pair of surrogates"},
      {"\"a\nb\"", "x:1:3: a control character within a string"},
  };
  for (const auto& [text, message] : kWrong)
    EXPECT_NE(error_of(text).find(message), std::string::npos) << text << ": " << error_of(text);
}

TEST(Json, DepthIsBounded) {
  const auto brackets = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_EQ(error_of(brackets(JsonDocument::kMaxDepth)), "no error");
  EXPECT_NE(error_of(brackets(JsonDocument::kMaxDepth + 1)).find("nested more than 200 deep"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(1 << 20, '[')).find("nested more than"), std::string::npos);
}

TEST(Json, KindsAreChecked) {
  const JsonDocument doc(R"({"a": 1})", "x");
  EXPECT_THROW(doc.text(doc.root(), "a"), Error);
  EXPECT_THROW(doc.need(doc.root(), "b"), Error);
  EXPECT_THROW(doc.find(doc.need(doc.root(), "a"), "b"), Error);
}

}  // namespace
}  // namespace fusillade

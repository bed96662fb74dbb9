// Text of strangers for terminals and Markdown.
#include "engine/base/visible.h"

#include <gtest/gtest.h>

namespace fusillade {
namespace {

TEST(Visible, SpellsOutWhatActsOnATerminal) {
  const std::pair<const char*, const char*> cases[] = {
      {"plain \tand\nlines", "plain \tand\nlines"},
      {"\x1b[31m", "\\x1b[31m"},
      {"\x1b]52;c;bXk=\x07", "\\x1b]52;c;bXk=\\x07"},
      {"a\rb\x08\x7f", "a\\x0db\\x08\\u007f"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"},
      {"\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8", "\\u202e\\u2066\\u2028"},
      {"a\xe2\x80\x8b\xc2\xad\xef\xbb\xbf"
       "b",
       "a\\u200b\\u00ad\\ufeffb"},  // not seen
      {"\xf3\xa0\x81\x81", "\\U000e0041"},
      {"\xff\xc3", "\\xff\\xc3"},
      {"\xc0\x80\xed\xa0\x80\xf5", "\\xc0\\x80\\xed\\xa0\\x80\\xf5"},
      {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
       "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
      {"\xe2\x82", "\\xe2\\x82"},
  };
  for (const auto& [given, shown] : cases) {
    EXPECT_EQ(visible(given), shown);
    EXPECT_EQ(visible(visible(given)), shown);
  }
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(Visible, LinesAreNoCommandsToALog) {
  EXPECT_EQ(visible("::error::x"), ":\\x3aerror::x");
  EXPECT_EQ(visible("a\n \t::set-env x"), "a\n \t:\\x3aset-env x");
  EXPECT_EQ(visible("\xc2\xa0::x"), "\xc2\xa0:\\x3ax");
  EXPECT_EQ(visible("##[error]x"), "##\\x5berror]x");
  EXPECT_EQ(visible("aten::add : std::x #[ ## ["), "aten::add : std::x #[ ## [");
}

TEST(Visible, PiecesMayEndWithinACharacter) {
  const std::string text = "\xe2\x82\xac\xc2\x9b\n::x\xf0\x9f\x98\x80##[";
  VisibleText bytewise;
  std::string out;
  for (const char c : text) out += bytewise.next({&c, 1});
  EXPECT_EQ(out + bytewise.rest(), visible(text));
  VisibleText cut;
  EXPECT_EQ(cut.next("\xe2\x82"), "");
  EXPECT_EQ(cut.rest(), "\\xe2\\x82");
}

TEST(Visible, AMessageIsNoLineOfOurs) {
  EXPECT_EQ(visible_line("a\n0 findings"), "a\\n0 findings");
  EXPECT_EQ(visible_lines("a\n0 findings\n::error::"), "a\n  0 findings\n  :\\x3aerror::");
}

TEST(Visible, MarkdownIsText) {
  EXPECT_EQ(markdown_text("row aten::exp, 3 of 4 (vm/o2)"), "row aten::exp, 3 of 4 (vm/o2)");
  for (const char* acts : {"a|b", "<b>", "[x](y)", "![x](y)", "`x`", "*x*", "https://x", "www.x",
                           "@name", "#12", "_x_", "a _x", " x", "&lt;", "~x~", "\\", "{", "!x"})
    EXPECT_TRUE(markdown_text(acts).starts_with('`')) << acts;
  EXPECT_EQ(markdown_code("a|b\nc"), "`a\\|b\\nc`");
  EXPECT_EQ(markdown_code("x ``y`` z"), "```x ``y`` z```");
  EXPECT_EQ(markdown_code("`x"), "`` `x ``");
  EXPECT_EQ(markdown_code(""), "");
  EXPECT_EQ(markdown_block("a"), "```\na\n```\n");
  EXPECT_EQ(markdown_block("a\n```\n# b\n````\n"), "`````\na\n```\n# b\n````\n`````\n");
}

}  // namespace
}  // namespace fusillade

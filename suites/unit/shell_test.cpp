// Words that a shell reads back.
#include "engine/base/shell.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace fusillade {
namespace {

std::string read_by_shell(const std::string& word) {
  FILE* pipe = popen(("printf %s " + word).c_str(), "r");
  std::string out;
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

TEST(ShellWord, IsReadBackByAShell) {
  for (const char* text : {"plain/path-1.case", "a folder/x", "it's", "$HOME `id` \"q\" \\", "*",
                           "a;b&c", "", "line\nline"})
    EXPECT_EQ(read_by_shell(shell_word(text)), text);
}

TEST(ShellWord, IsPlainWhereItCanBe) { EXPECT_EQ(shell_word("out/b-1_2.case"), "out/b-1_2.case"); }

}  // namespace
}  // namespace fusillade

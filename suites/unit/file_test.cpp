// Files written whole, and nothing written through a link in a folder of a stranger.
#include "engine/base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "fuzz/process/spawn.h"

namespace fusillade {
namespace {

namespace fs = std::filesystem;

class GuardedFolder : public testing::Test {
 protected:
  GuardedFolder()
      : root_(fs::temp_directory_path() /
              ("fusillade-file-test-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(root_ / "given");
    fs::create_directories(root_ / "elsewhere");
    write_atomically(elsewhere(), "mine");
    guard_folder(given(""));
  }
  ~GuardedFolder() override { fs::remove_all(root_); }
  std::string given(const std::string& name) const { return root_.string() + "/given/" + name; }
  std::string elsewhere() const { return root_.string() + "/elsewhere/target"; }
  void link(const std::string& name, const std::string& to = "target") const {
    fs::create_symlink(root_ / "elsewhere" / to, given(name));
  }
  void expect_untouched() const {
    EXPECT_EQ(read_text_file(elsewhere()), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "elsewhere"), {}), 1);
  }
  template <class F>
  static std::string refused(F f) {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  fs::path root_;
};

TEST_F(GuardedFolder, ALinkToAFileIsReplaced) {
  link("campaign.json");
  link("summary.md.part");
  link("gone", "nothing");
  for (const char* name : {"campaign.json", "summary.md", "gone"}) {
    write_atomically(given(name), "ours");
    EXPECT_EQ(read_text_file(given(name)), "ours");
    EXPECT_FALSE(fs::is_symlink(given(name)));
  }
  expect_untouched();
}

TEST_F(GuardedFolder, ALinkToAFolderIsRefused) {
  link("findings", "");
  const std::string told = given("findings") + " is a symbolic link: nothing in " +
                           given("").substr(0, given("").size() - 1) +
                           " is written through one; remove it, or give another folder";
  EXPECT_EQ(refused([&] { write_atomically(given("findings/x"), "ours"); }), told);
  EXPECT_EQ(refused([&] { append_to_file(given("findings/target"), "ours"); }), told);
  EXPECT_EQ(refused([&] { make_folder(given("findings/x")); }), told);
  EXPECT_EQ(refused([&] { make_folder(given("findings")); }), told);
  EXPECT_EQ(refused([&] { refuse_links(given("findings")); }), told);
  expect_untouched();
}

TEST_F(GuardedFolder, NoWayLeadsOutOfTheFolder) {
  EXPECT_NE(refused([&] { write_atomically(given("../elsewhere/target"), "ours"); }), "");
  make_folder(given("a"));
  EXPECT_NE(refused([&] { write_atomically(given("a/../../elsewhere/target"), "ours"); }), "");
  expect_untouched();
}

TEST_F(GuardedFolder, ADeviceInTheFolderIsNotWrittenInto) {
  fs::create_symlink("/dev/full", given("x"));
  write_atomically(given("x"), "ours");
  EXPECT_EQ(read_text_file(given("x")), "ours");
}

TEST_F(GuardedFolder, WhatIsAddedIsAtTheEnd) {
  append_to_file(given("joined.txt"), "a\n");
  append_to_file(given("joined.txt"), "b\n");
  EXPECT_EQ(read_text_file(given("joined.txt")), "a\nb\n");
  link("other");
  EXPECT_NE(refused([&] { append_to_file(given("other"), "ours"); }), "");
  expect_untouched();
}

TEST_F(GuardedFolder, TheFolderItselfMayBeALink) {
  fs::create_directory_symlink(root_ / "given", root_ / "link");
  const std::string through = root_.string() + "/link";
  guard_folder(through);
  make_folder(through + "/findings");
  write_atomically(through + "/findings/x", "ours");
  EXPECT_EQ(read_text_file(given("findings/x")), "ours");
}

TEST_F(GuardedFolder, OtherPathsAreTheUsersOwn) {
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "link");
  write_atomically(root_.string() + "/link/target", "mine");
  expect_untouched();
  write_atomically("/dev/null", "");
  // In a process of its own: that a disk was full stays noted (engine/base/lack.h).
  const auto fill = [] {
    _exit(refused([] { write_atomically("/dev/full", "x"); }).empty() ? 1 : 3);
  };
  EXPECT_EQ(fuzz::spawn(fill).wait().status, 3);
  EXPECT_NE(refused([&] { write_atomically(root_.string(), "x"); }), "");
  EXPECT_NE(refused([&] { write_atomically(root_.string() + "/none/x", "x"); }), "");
}

}  // namespace
}  // namespace fusillade

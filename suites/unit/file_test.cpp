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
    guard_folder(guarded_path(""));
  }
  ~GuardedFolder() override { fs::remove_all(root_); }
  std::string guarded_path(const std::string& name) const {
    return root_.string() + "/given/" + name;
  }
  std::string elsewhere() const { return root_.string() + "/elsewhere/target"; }
  void link(const std::string& name, const std::string& to = "target") const {
    fs::create_symlink(root_ / "elsewhere" / to, guarded_path(name));
  }
  void expect_untouched() const {
    EXPECT_EQ(read_text_file(elsewhere()), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "elsewhere"), {}), 1);
  }
  template <class F>
  static std::string refusal_of(F f) {
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
    write_atomically(guarded_path(name), "ours");
    EXPECT_EQ(read_text_file(guarded_path(name)), "ours");
    EXPECT_FALSE(fs::is_symlink(guarded_path(name)));
  }
  expect_untouched();
}

TEST_F(GuardedFolder, ALinkToAFolderIsRefused) {
  link("findings", "");
  const std::string message = guarded_path("findings") + " is a symbolic link: nothing in " +
                              guarded_path("").substr(0, guarded_path("").size() - 1) +
                              " is written through one; remove it, or give another folder";
  EXPECT_EQ(refusal_of([&] { write_atomically(guarded_path("findings/x"), "ours"); }), message);
  EXPECT_EQ(refusal_of([&] { append_to_file(guarded_path("findings/target"), "ours"); }), message);
  EXPECT_EQ(refusal_of([&] { make_folder(guarded_path("findings/x")); }), message);
  EXPECT_EQ(refusal_of([&] { make_folder(guarded_path("findings")); }), message);
  EXPECT_EQ(refusal_of([&] { refuse_links(guarded_path("findings")); }), message);
  expect_untouched();
}

TEST_F(GuardedFolder, NoWayLeadsOutOfTheFolder) {
  EXPECT_NE(refusal_of([&] { write_atomically(guarded_path("../elsewhere/target"), "ours"); }), "");
  make_folder(guarded_path("a"));
  EXPECT_NE(refusal_of([&] { write_atomically(guarded_path("a/../../elsewhere/target"), "ours"); }),
            "");
  expect_untouched();
}

TEST_F(GuardedFolder, ADeviceInTheFolderIsNotWrittenInto) {
  fs::create_symlink("/dev/full", guarded_path("x"));
  write_atomically(guarded_path("x"), "ours");
  EXPECT_EQ(read_text_file(guarded_path("x")), "ours");
}

TEST_F(GuardedFolder, WhatIsAddedIsAtTheEnd) {
  append_to_file(guarded_path("joined.txt"), "a\n");
  append_to_file(guarded_path("joined.txt"), "b\n");
  EXPECT_EQ(read_text_file(guarded_path("joined.txt")), "a\nb\n");
  link("other");
  EXPECT_NE(refusal_of([&] { append_to_file(guarded_path("other"), "ours"); }), "");
  expect_untouched();
}

TEST_F(GuardedFolder, TheFolderItselfMayBeALink) {
  fs::create_directory_symlink(root_ / "given", root_ / "link");
  const std::string through = root_.string() + "/link";
  guard_folder(through);
  make_folder(through + "/findings");
  write_atomically(through + "/findings/x", "ours");
  EXPECT_EQ(read_text_file(guarded_path("findings/x")), "ours");
}

TEST_F(GuardedFolder, OtherPathsAreTheUsersOwn) {
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "link");
  write_atomically(root_.string() + "/link/target", "mine");
  expect_untouched();
  write_atomically("/dev/null", "");
  // In a process of its own: that a disk was full stays noted (engine/base/lack.h).
  const auto fill = [] {
    _exit(refusal_of([] { write_atomically("/dev/full", "x"); }).empty() ? 1 : 3);
  };
  EXPECT_EQ(fuzz::spawn(fill).wait().status, 3);
  EXPECT_NE(refusal_of([&] { write_atomically(root_.string(), "x"); }), "");
  EXPECT_NE(refusal_of([&] { write_atomically(root_.string() + "/none/x", "x"); }), "");
}

}  // namespace
}  // namespace fusillade

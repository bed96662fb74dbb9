// Files that a stranger names are read within a folder, or not at all.
#include "engine/base/file_within.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"

namespace fusillade {
namespace {

namespace fs = std::filesystem;

class Within : public testing::Test {
 protected:
  Within()
      : root_(fs::temp_directory_path() /
              ("fusillade-within-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(root_ / "in/side");
    write_atomically(root_ / "out", "secret");
    write_atomically(root_ / "in/side/file", "0123456789");
    fs::create_symlink("../out", root_ / "in/link");
    fs::create_symlink("side", root_ / "in/other");
  }
  ~Within() override { fs::remove_all(root_); }

  std::string read(const std::string& name, uint64_t offset, size_t bytes) const {
    std::string out(bytes, ' ');
    FileWithin(root_ / "in", name).read(offset, out.data(), bytes);
    return out;
  }
  std::string error_of(const std::string& name, uint64_t offset = 0, size_t bytes = 1) const {
    try {
      return "no error: " + read(name, offset, bytes);
    } catch (const Error& e) {
      return e.what();
    }
  }

  fs::path root_;
};

TEST_F(Within, PartsOfFilesAreRead) {
  EXPECT_EQ(read("side/file", 0, 10), "0123456789");
  EXPECT_EQ(read("./side/file", 3, 4), "3456");
  EXPECT_EQ(read("side/file", 10, 0), "");
}

TEST_F(Within, WhatLiesOutsideIsNot) {
  for (const char* name : {"../out", "side/../../out", "/etc/passwd", "", "side/", "side//file"})
    EXPECT_NE(error_of(name).find("is not named within its folder"), std::string::npos) << name;
  for (const char* name : {"link", "other/file"})
    EXPECT_NE(error_of(name).find("is a symbolic link"), std::string::npos) << name;
  EXPECT_NE(error_of("side").find("is no file"), std::string::npos);
  EXPECT_NE(error_of("none").find("No such file"), std::string::npos);
  EXPECT_NE(error_of("side/file/more").find("Not a directory"), std::string::npos);
  EXPECT_NE(error_of(std::string("side/file\0", 10)).find("holds a zero"), std::string::npos);
}

TEST_F(Within, MoreThanThereIsIsAnError) {
  for (const auto& [offset, bytes] : {std::pair<uint64_t, size_t>{11, 0}, {10, 1}, {0, 11}})
    EXPECT_NE(error_of("side/file", offset, bytes).find("has 10 bytes"), std::string::npos);
  EXPECT_NE(error_of("side/file", UINT64_MAX, 2).find("has 10 bytes"), std::string::npos);
}

}  // namespace
}  // namespace fusillade

// What is installed with the executable, and which Python is used.
#include "fuzz/process/installed.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace fusillade::fuzz {
namespace {

TEST(Installed, FindsWhatLiesAboveTheExecutable) {
  EXPECT_TRUE(std::filesystem::path(own_executable()).is_absolute());
  EXPECT_TRUE(
      installed_folder("reports/fusillade_reports").ends_with("/reports/fusillade_reports"));
  EXPECT_EQ(installed_folder("no such folder"), "");
}

TEST(Installed, WhatIsHereComesFirst) {
  EXPECT_EQ(here_or_installed("/tmp"), "/tmp");
  EXPECT_EQ(here_or_installed("no such folder"), "no such folder");
}

TEST(Installed, APythonThatIsNamedIsAsked) {
  const char* before = std::getenv("FUSILLADE_PYTHON");
  const std::string kept = before ? before : "";
  setenv("FUSILLADE_PYTHON", "/a/python", 1);
  EXPECT_EQ(python_interpreter(), "/a/python");
  setenv("FUSILLADE_PYTHON", "", 1);  // names none
  EXPECT_TRUE(python_interpreter().ends_with("python3")) << python_interpreter();
  if (before) setenv("FUSILLADE_PYTHON", kept.c_str(), 1);
  else unsetenv("FUSILLADE_PYTHON");
}

}  // namespace
}  // namespace fusillade::fuzz

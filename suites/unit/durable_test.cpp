// Folders and renames that a power cut leaves as they are (engine/base/durable.h); that they are
// synced is what suites/faults looks at.
#include "engine/base/durable.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"

namespace fusillade {
namespace {

namespace fs = std::filesystem;

class Durable : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "durable.XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root_ = path;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string at(const std::string& name) const { return (root_ / name).string(); }

  fs::path root_;
};

TEST_F(Durable, MakesFoldersAboveOthersAndTakesThoseThatAreThere) {
  make_folders(at("a/b/c"));
  make_folders(at("a/b/c/"));
  make_folders(at("a/b/d/"));
  EXPECT_TRUE(fs::is_directory(at("a/b/c")));
  EXPECT_TRUE(fs::is_directory(at("a/b/d")));
}

TEST_F(Durable, NamesTheFolderThatCannotBeCreated) {
  std::ofstream(at("file")) << "x";
  try {
    make_folders(at("file/below"));
    FAIL() << "a file is no folder";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(at("file/below")), std::string::npos) << e.what();
  }
}

TEST_F(Durable, RenamesAFolderAndNamesBothWhereItCannot) {
  make_folders(at("from"));
  rename_for_good(at("from"), at("to"));
  EXPECT_TRUE(fs::is_directory(at("to")) && !fs::exists(at("from")));
  try {
    rename_for_good(at("from"), at("to"));
    FAIL() << "it is gone";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(at("from") + " to " + at("to")), std::string::npos);
  }
}

TEST_F(Durable, SyncsAFolderThatIsOpenForItsNameOnly) {
  const int fd = open(root_.c_str(), O_PATH | O_DIRECTORY);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(sync_folder(fd), 0);
  close(fd);
  EXPECT_EQ(sync_folder(fd), EBADF);
}

}  // namespace
}  // namespace fusillade

// Kernels kept on disk: found again, refused when torn or another's.
#include "engine/kernel/disk_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/base/probe.h"
#include "suites/unit/llvm_backend_kernels.h"

namespace fusillade {
namespace {

namespace fs = std::filesystem;

class DiskCache : public testing::Test {
 protected:
  void SetUp() override { kernel::set_disk_cache(folder_); }
  void TearDown() override {
    kernel::set_disk_cache("");
    fs::remove_all(folder_);
  }
  fs::path only_file() const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      EXPECT_TRUE(found.empty());
      found = entry.path();
    }
    return found;
  }
  std::string folder_ = fs::temp_directory_path() / fmt::format("fusillade-cache-{}", getpid());
};

TEST_F(DiskCache, FindsWhatItKept) {
  EXPECT_FALSE(kernel::find_on_disk("one"));
  const std::string code("\0binary\n", 8);
  kernel::keep_on_disk("one", code);
  EXPECT_EQ(kernel::find_on_disk("one"), code);
  EXPECT_FALSE(kernel::find_on_disk("two"));
}

TEST_F(DiskCache, WhatIsTornOrAlteredIsNotUsed) {
  kernel::keep_on_disk("one", "machine code");
  const fs::path file = only_file();
  for (std::string text : {"", "fusillade kernel 1\n3\none", "machine code"}) {
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_FALSE(kernel::find_on_disk("one")) << text;
  }
  kernel::keep_on_disk("one", "machine code");
  EXPECT_EQ(kernel::find_on_disk("one"), "machine code");
  std::fstream altered(file, std::ios::binary | std::ios::in | std::ios::out);
  altered.seekp(25);
  altered.put('X');
  altered.close();
  EXPECT_FALSE(kernel::find_on_disk("one"));
}

TEST_F(DiskCache, WhatCannotBeReadIsNotUsed) {
  kernel::keep_on_disk("one", "machine code");
  const fs::path file = only_file();
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(kernel::find_on_disk("one"));
  testing::internal::CaptureStderr();
  kernel::keep_on_disk("one", "machine code");
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(kernel::find_on_disk("one"));
}

TEST_F(DiskCache, AFolderThatCannotBeWrittenIsReportedOnce) {
  kernel::set_disk_cache("/proc/nowhere");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) kernel::keep_on_disk("one", "machine code");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: FUSILLADE_CACHE: no kernels are kept in /proc/nowhere: No such file or "
            "directory\n");
  EXPECT_FALSE(kernel::find_on_disk("one"));
}

TEST_F(DiskCache, ManyWritersOneFile) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        kernel::keep_on_disk("one", std::string(1000, 'c'));
        EXPECT_EQ(kernel::find_on_disk("one"), std::string(1000, 'c'));
      }
    });
  for (std::thread& t : threads) t.join();
  only_file();
}

// The in-memory cache of the process is bypassed: a back end's own `compile` acts as another
// process.
TEST_F(DiskCache, CompiledKernelsAreKeptAndTakenBack) {
  const kernel::Kernel k =
      kernel::built::elementwise(Domain::Real, {DType::F32}, DType::F32,
                                 [](const std::vector<Expr>& x) { return x[0] + x[0]; });
  const Probe& compiled = probe("kernel/compiled");
  const Probe& hits = probe("kernel/disk-hit");
  const Probe& refused = probe("kernel/disk-refused");
  const uint64_t first = compiled.count(), hit = hits.count(), bad = refused.count();
  kernel::built::expect_same(k);
  EXPECT_EQ(compiled.count(), first + 1);
  kernel::built::expect_same(k);
  EXPECT_EQ(compiled.count(), first + 1);
  EXPECT_EQ(hits.count(), hit + 1);
  const fs::path file = only_file();
  fs::resize_file(file, fs::file_size(file) - 7);
  kernel::built::expect_same(k);
  EXPECT_EQ(compiled.count(), first + 2);
  EXPECT_EQ(refused.count(), bad + 1);
}

}  // namespace
}  // namespace fusillade

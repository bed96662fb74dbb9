// Device memory that is kept: which block is taken again, what goes back, and when there is no
// more.
#include "engine/kernel/cuda_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace fusillade::kernel::cuda {
namespace {

constexpr size_t kMega = 1 << 20;

// A device of so many bytes.
class CudaPool : public testing::Test {
 protected:
  MemorySource source(size_t all) {
    return {[this, all](size_t bytes) -> std::optional<Address> {
              if (bytes > all - used_) return std::nullopt;
              used_ += bytes;
              blocks_[++next_] = bytes;
              return next_;
            },
            [this](Address a) {
              ASSERT_EQ(blocks_.count(a), 1u) << "not there, or given back twice";
              used_ -= blocks_[a];
              blocks_.erase(a);
            }};
  }
  static Stream stream(uintptr_t n) { return reinterpret_cast<Stream>(n); }

  size_t used_ = 0;
  Address next_ = 0;
  std::map<Address, size_t> blocks_;
};

TEST_F(CudaPool, ClassesAreFourToADoubling) {
  const std::map<size_t, size_t> wanted = {
      {0, 512},   {1, 512},     {512, 512},   {513, 640},     {640, 640},
      {641, 768}, {1024, 1024}, {1025, 1280}, {kMega, kMega}, {kMega + 1, kMega / 4 * 5}};
  for (const auto& [bytes, of_class] : wanted) EXPECT_EQ(Pool::class_of(bytes), of_class) << bytes;
  for (size_t bytes = 1; bytes < 100000; bytes += 37) {
    const size_t c = Pool::class_of(bytes);
    EXPECT_GE(c, bytes);
    EXPECT_TRUE(bytes < 512 || 4 * c <= 5 * bytes + 4 * 512) << bytes;
    EXPECT_EQ(Pool::class_of(c), c);
  }
  EXPECT_THROW((void)Pool::class_of(SIZE_MAX), Error);
}

TEST_F(CudaPool, TakenAgainByItsStreamAlone) {
  Pool pool(source(64 * kMega), {});
  const Address a = pool.take(1000, stream(1));
  pool.give(a);
  const Address of_another = pool.take(1000, stream(2));
  EXPECT_NE(of_another, a);
  EXPECT_EQ(pool.take(900, stream(1)), a) << "of the same class";
  EXPECT_NE(pool.take(900, stream(1)), a) << "it is in use";
  const PoolStats s = pool.stats();
  EXPECT_EQ(s.asked, 4u);
  EXPECT_EQ(s.reused, 1u);
  EXPECT_EQ(s.allocated, 3u);
  EXPECT_EQ(s.in_use, 3u * 1024);
  EXPECT_EQ(s.kept, 0u);
}

TEST_F(CudaPool, WhatIsKeptIsBounded) {
  {
    Pool pool(source(64 * kMega), {.kept = 2 * kMega});
    std::vector<Address> blocks;
    for (int i = 0; i < 4; ++i) blocks.push_back(pool.take(kMega, stream(1)));
    for (Address a : blocks) pool.give(a);
    EXPECT_EQ(pool.stats().kept, 2 * kMega);
    EXPECT_EQ(pool.stats().released, 2u);
    EXPECT_EQ(used_, 2 * kMega);
    EXPECT_EQ(pool.stats().most_in_use, 4 * kMega);
    EXPECT_EQ(blocks_.count(blocks[0]), 0u) << "the oldest goes first";
    EXPECT_THROW(pool.give(blocks[3]), Bug) << "given back twice";
  }
  EXPECT_EQ(used_, 0u);
}

TEST_F(CudaPool, WhereThereIsNoMoreWhatIsKeptGoesBack) {
  Pool pool(source(4 * kMega), {});
  const Address small = pool.take(3 * kMega, stream(1));
  pool.give(small);
  const Address large = pool.take(4 * kMega, stream(2));
  EXPECT_EQ(pool.stats().emptied, 1u);
  EXPECT_EQ(used_, 4 * kMega);
  try {
    (void)pool.take(1, stream(1));
    FAIL() << "there is no more";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "no more memory on the GPU: 1 bytes are asked for, 4194304 are in use here");
  }
  EXPECT_EQ(pool.stats().emptied, 1u) << "nothing was kept";
  pool.give(large);
  EXPECT_EQ(pool.take(4 * kMega, stream(2)), large);
}

TEST_F(CudaPool, OfWhatIsInUseThereIsALimit) {
  Pool pool(source(64 * kMega), {.in_use = 3 * kMega});
  const Address a = pool.take(2 * kMega, stream(1));
  try {
    (void)pool.take(2 * kMega, stream(1));
    FAIL() << "beyond the limit";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("FUSILLADE_CUDA_MEMORY_MB"), std::string::npos)
        << e.what();
  }
  pool.give(a);
  EXPECT_EQ(pool.take(2 * kMega, stream(1)), a);
}

}  // namespace
}  // namespace fusillade::kernel::cuda

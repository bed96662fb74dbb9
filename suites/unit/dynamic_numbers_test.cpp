// Numbers represented by primes, as a kernel's arguments: each once, with its range.
#include "engine/fuse/dynamic_numbers.h"

#include "suites/unit/grid_kernels.h"

namespace fusillade::fuse {
namespace {

constexpr int64_t kP = 4099, kQ = 4111;

// A kernel with one scalar of its own before the extents.
struct Scene {
  kernel::Kernel k = kernel::built::empty_kernel();
  ExprPool::Scope scope{*k.pool};
  StandIns stand_ins{{kP, kQ}, {10, 300}};
  Scene() { k.scalars.push_back({20, Model::F64}); }
  const kernel::ScalarParam& of(int64_t extent) const {
    return k.scalars[kernel::scalar_of(extent)];
  }
};

TEST(DynamicNumbers, WithoutPrimesNumbersAreWhatTheyAre) {
  Scene s;
  DynamicNumbers numbers(s.k, nullptr);
  EXPECT_FALSE(numbers.any());
  EXPECT_EQ(numbers.extent(kP), kP);
  EXPECT_EQ(numbers.ceil_div(10, 4), 3);
  EXPECT_EQ(numbers.ceil_div(12, 4), 3);
  EXPECT_EQ(numbers.whole(11, 4), 2);
  EXPECT_EQ(numbers.size_hint(7), 7);
  EXPECT_EQ(numbers.text(7), "7");
  EXPECT_EQ(s.k.scalars.size(), 1u);
}

TEST(DynamicNumbers, ProductsAreArgumentsOnce) {
  Scene s;
  DynamicNumbers numbers(s.k, &s.stand_ins);
  EXPECT_EQ(numbers.extent(12), 12);
  const int64_t both = numbers.extent(3 * kP * kQ);
  EXPECT_EQ(both, kernel::dynamic_number(1));
  EXPECT_EQ(numbers.extent(3 * kP * kQ), both);
  EXPECT_EQ(numbers.extent(both), both);
  EXPECT_NE(numbers.extent(kP), both);
  EXPECT_EQ(numbers.value(kP)->id, s.of(numbers.extent(kP)).var);
  EXPECT_EQ(s.k.scalars.size(), 3u);
  EXPECT_EQ(s.of(both).least, 12);
  EXPECT_EQ(s.of(both).most, INT32_MAX);
  EXPECT_EQ(numbers.size_hint(both), 9000);
  EXPECT_EQ(numbers.text(both), "3*n0*n1");
}

TEST(DynamicNumbers, PartsOfThem) {
  Scene s;
  DynamicNumbers numbers(s.k, &s.stand_ins);
  const int64_t blocks = numbers.ceil_div(kQ, 128);
  EXPECT_EQ(numbers.size_hint(blocks), 3);
  EXPECT_EQ(s.of(blocks).least, 1);
  EXPECT_EQ(s.of(blocks).most, INT32_MAX / 128 + 1);
  EXPECT_EQ(numbers.text(blocks), "ceil(n1/128)");
  const int64_t fours = numbers.whole(kQ, 4);
  EXPECT_EQ(numbers.size_hint(fours), 75);
  EXPECT_EQ(s.of(fours).least, 0);
  EXPECT_EQ(numbers.ceil_div(fours, 32), blocks) << "of parts, parts of the whole";
  std::vector<int64_t> values = {2, 0};
  int64_t got = 0;
  for (int64_t n : {2, 127, 128, 129, 1000}) {
    values[1] = n;
    ASSERT_TRUE(numbers.extents()[0].at(values, &got));
    EXPECT_EQ(got, (n + 127) / 128);
    ASSERT_TRUE(numbers.extents()[1].at(values, &got));
    EXPECT_EQ(got, n / 4);
  }
  values = {INT64_MAX, 2};
  EXPECT_FALSE((Extent{{4, {0}}, 128}).at(values, &got));
}

TEST(DynamicNumbers, RangesHaveWhatWasSeen) {
  Scene s;
  s.stand_ins.seen = {int64_t{1} << 20, int64_t{1} << 20};
  DynamicNumbers numbers(s.k, &s.stand_ins);
  EXPECT_EQ(s.of(numbers.extent(kP)).most, INT32_MAX);
  EXPECT_EQ(s.of(numbers.extent(kP * kQ)).most, kernel::kUnlimited);
  EXPECT_EQ(s.of(numbers.ceil_div(kP * kQ, 512)).most, INT32_MAX);  // blocks
  numbers.limit(kQ, int64_t{1} << 21);
  EXPECT_EQ(s.of(numbers.extent(kQ)).most, int64_t{1} << 21);
  EXPECT_EQ(s.of(numbers.ceil_div(kQ, 1024)).most, int64_t{1} << 11);
  numbers.limit(kQ, int64_t{1} << 22);
  EXPECT_EQ(s.of(numbers.extent(kQ)).most, int64_t{1} << 21) << "the narrower one";
  EXPECT_THROW(numbers.limit(kQ, 1000), Bug);
  EXPECT_NO_THROW(numbers.limit(12, 1));  // a number
}

TEST(DynamicNumbers, BuffersReachAsFarAsWasSeen) {
  Scene s;
  DynamicNumbers numbers(s.k, &s.stand_ins);
  s.k.buffers.push_back({kernel::BufferRole::In, DType::F32, Dims{kP, kQ}, Dims{kQ, 1}});
  EXPECT_EQ(numbers.reach(), INT32_MAX);
  s.stand_ins.seen = {1 << 20, 1 << 12};
  EXPECT_EQ(numbers.reach(), kernel::kUnlimited);
}

}  // namespace
}  // namespace fusillade::fuse

// Runs of elements brought into the compute type against single ones: floats as integers, where a
// run is converted in groups and a group may hold what no integer is.
#include "engine/tensor/block.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fusillade {
namespace {

template <class M>
void expect_single_ones(DType dtype, const std::vector<M>& in) {
  int64_t n = static_cast<int64_t>(in.size());
  std::vector<int64_t> out(in.size(), -1);
  load_block<int64_t>(dtype, in.data(), 1, n, out.data());
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(out[i], float_to_int(static_cast<double>(in[i]))) << in[i] << " at " << i;
}

template <class M>
void expect_integers(DType dtype) {
  const M infinity = std::numeric_limits<M>::infinity();
  const M least = std::numeric_limits<M>::denorm_min();
  const M edge = static_cast<M>(0x1p51), below = std::nextafter(edge, M(0));
  std::vector<M> small;
  for (int i = -50; i < 51; ++i) small.push_back(static_cast<M>(i) * M(0.375));
  for (M v : {M(-0.0), least, -least, below, -below, M(0.99999), M(-0.99999)}) small.push_back(v);
  for (size_t n : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, small.size()})
    expect_single_ones(dtype, std::vector<M>(small.begin(), small.begin() + static_cast<long>(n)));
  for (M far : {edge, -edge, M(0x1.8p52), M(0x1p62), M(-0x1p63), M(0x1p63), infinity, -infinity,
                std::numeric_limits<M>::quiet_NaN(), std::numeric_limits<M>::max()}) {
    for (size_t at : {size_t{0}, size_t{20}, size_t{31}, small.size() - 1}) {
      std::vector<M> mixed = small;
      mixed[at] = far;
      expect_single_ones(dtype, mixed);
    }
  }
}

TEST(Block, FloatsAsIntegersInRunsAreThoseOneByOne) {
  expect_integers<float>(DType::F32);
  expect_integers<double>(DType::F64);
}

}  // namespace
}  // namespace fusillade

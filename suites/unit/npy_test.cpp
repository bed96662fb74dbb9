// .npy files: what is written reads back; files that lie are errors before anything is allocated.
#include "engine/tensor/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "engine/base/file.h"

namespace fusillade {
namespace {

std::string path() {
  return testing::TempDir() + "/fusillade_npy_" + std::to_string(getpid()) + ".npy";
}

void write(const std::string& bytes) {
  std::FILE* f = std::fopen(path().c_str(), "wb");
  std::fwrite(bytes.data(), 1, bytes.size(), f);
  std::fclose(f);
}

std::string file(const std::string& dict, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += {static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return out + dict + data;
}

template <class Read>
std::string error_in(const Read& read) {
  try {
    read();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// The same of a file and of its bytes.
std::string error_of(const std::string& bytes) {
  write(bytes);
  std::string out = error_in([] { load_npy(path()); });
  EXPECT_EQ(out, error_in([&] { parse_npy(bytes, path()); }));
  return out;
}

void expect_error(const std::string& bytes, const char* part) {
  EXPECT_NE(error_of(bytes).find(part), std::string::npos) << error_of(bytes);
}

TEST(Npy, EveryDtypeAndRankReadsBack) {
  for (int d = 0; d < kNumDTypes; ++d) {
    for (const Dims& sizes :
         {Dims{}, Dims{0}, Dims{3}, Dims{2, 3}, Dims{2, 0, 3}, Dims{1, 2, 1, 2}}) {
      Tensor t = Tensor::zeros(sizes, static_cast<DType>(d));
      for (int64_t i = 0; i < t.numel(); ++i) set_element_int(t, i, i % 2);
      save_npy(path(), t);
      Tensor back = load_npy(path());
      EXPECT_TRUE(bitwise_equal(t, back)) << describe(t) << " " << describe(back);
      EXPECT_TRUE(bitwise_equal(t, parse_npy(read_file(path()), "bytes")));
    }
  }
}

TEST(Npy, StridedTensorsAreWrittenRowMajor) {
  Tensor base = Tensor::zeros({2, 3}, DType::F32);
  for (int i = 0; i < 6; ++i) set_element(base, i, i);
  Tensor t = Tensor::view_of(base, 0, {3, 2}, {1, 3});
  save_npy(path(), t);
  EXPECT_TRUE(bitwise_equal(load_npy(path()), t));
}

TEST(Npy, FortranOrder) {
  float data[6] = {1, 2, 3, 4, 5, 6};
  write(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
             std::string(reinterpret_cast<char*>(data), sizeof data)));
  Tensor t = load_npy(path());
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_EQ(element_as_double(t, 1), 3);
  EXPECT_EQ(element_as_double(t, 3), 2);
}

TEST(Npy, LiesAreErrors) {
  const std::string eight(8, '\0');
  expect_error("", "ends within");
  expect_error("not numpy at all", "not an .npy file");
  expect_error(std::string("\x93NUMPY\x07\x00\x00\x00", 10), "version 7");
  expect_error(std::string("\x93NUMPY\x01\x00\xff\x00", 10), "ends within");
  expect_error(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12), "more than 65536");
  expect_error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", eight),
               "needs 12 bytes");
  expect_error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", eight),
               "needs 4 bytes");
  expect_error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", eight),
               "size >= 0");
  expect_error(
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,), }", eight),
      "does not fit int64");
  expect_error(
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", eight),
      "too large");
  expect_error(
      file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2), }", eight),
      "more than 8 dimensions");
  expect_error(file("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", eight), "'>f4'");
  expect_error(file("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", eight), "'<c8'");
  expect_error(file("{'descr': '<f4', 'shape': (2,), }", eight), "must each be given");
  expect_error(
      file("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", eight),
      "a key is given twice");
  expect_error(file("{'descr': '<f4', 'fortran_order': 1, 'shape': (2,), }", eight),
               "True or False");
  expect_error(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", eight),
               "structured");
  expect_error(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } import os", eight),
               "text after");
  expect_error(file("{'descr': '<f4", ""), "not closed");
}

}  // namespace
}  // namespace fusillade

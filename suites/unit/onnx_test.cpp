// ONNX models that strangers wrote: any bytes give an Error or a module that holds together.
#include <gtest/gtest.h>

#include "engine/base/file.h"
#include "engine/run/archive/archive.h"
#include "engine/run/onnx/row.h"
#include "engine/run/onnx/wire.h"

namespace fusillade {
namespace {

const std::string kGolden = std::string(FUSILLADE_SOURCE_DIR) + "/suites/golden/onnx/";

// Is it read? Whatever it is, nothing but Error may come of it.
bool is_read(const std::string& bytes) {
  try {
    const Module module = load_archive(bytes, "some.onnx");
    verify(*module.method("forward")->graph);
    return true;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("some.onnx"), std::string::npos) << e.what();
    return false;
  }
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, HoldsTogetherWhateverIsFlipped) {
  const std::string whole = read_file(kGolden + GetParam());
  EXPECT_TRUE(is_read(whole));
  int read = 0;
  for (size_t at = 0; at < whole.size(); at += 3) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      read += is_read(bytes);
    }
  }
  EXPECT_GT(read, 0);
}

TEST_P(Golden, EachBeginningIsAnError) {
  const std::string whole = read_file(kGolden + GetParam());
  for (size_t size = 0; size < whole.size(); ++size) is_read(whole.substr(0, size));
}

INSTANTIATE_TEST_SUITE_P(Onnx, Golden, testing::Values("conv.onnx", "attention.onnx", "lstm.onnx"));

TEST(OnnxWire, NumbersRunsAndMessages) {
  const std::string label = "some.onnx";
  // field 1: 300; field 2: "ab"; field 3: a packed run of 1, 2
  const std::string bytes(
      "\x08\xac\x02\x12\x02"
      "ab\x1a\x02\x01\x02",
      11);
  onnx::Wire wire(bytes, label);
  ASSERT_TRUE(wire.next());
  EXPECT_EQ(wire.integer(), 300);
  ASSERT_TRUE(wire.next());
  EXPECT_EQ(wire.bytes(), "ab");
  ASSERT_TRUE(wire.next());
  std::vector<int64_t> run;
  wire.add_to(run);
  EXPECT_EQ(run, (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(wire.next());
}

TEST(OnnxWire, MessagesAreNestedSoDeep) {
  const std::string label = "some.onnx";
  std::string bytes;
  for (int i = 0; i <= onnx::Wire::kMaxDepth && bytes.size() < 120; ++i)
    bytes = std::string("\x0a") + static_cast<char>(bytes.size()) + bytes;
  onnx::Wire wire(bytes, label, onnx::Wire::kMaxDepth);
  ASSERT_TRUE(wire.next());
  EXPECT_THROW(wire.message(), Error);
}

// Names of files mean nothing where the model lies in no folder.
TEST(Onnx, TensorsInOtherFilesNeedAFolder) {
  const auto field = [](int number, const std::string& value) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(value.size())} + value;
  };
  // "w", of a float, in the file "a" (data_location = EXTERNAL)
  const std::string pair = field(1, "location") + field(2, "a");
  const std::string w = "\x08\x01\x10\x01" + field(8, "w") + field(13, pair) + "\x70\x01";
  const std::string graph = field(5, w) + field(12, field(1, "w"));
  const std::string model = field(8, field(1, "") + "\x10\x12") + field(7, graph);
  try {
    load_archive(model, "some.onnx");
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("its elements lie in another file;"), std::string::npos)
        << e.what();
  }
}

TEST(OnnxTable, EachRowSaysSinceWhen) {
  for (const onnx::Row& row : Table<onnx::Row>::instance()) {
    EXPECT_GE(row.since, 1) << row.name;
    EXPECT_NE(row.read, nullptr) << row.name;
  }
}

}  // namespace
}  // namespace fusillade

// The containers of archives: zip entries and pickles read back as written; what lies, cycles,
// nests or explodes is an error, cut off or flipped anywhere it is an error or another value, never
// a crash.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/base/error.h"
#include "engine/run/archive/pickle.h"
#include "engine/run/archive/zip.h"

namespace fusillade::archive {
namespace {

using Kind = Pickled::Kind;
using namespace std::string_literals;

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

#define EXPECT_ERROR(expression, part)                         \
  do {                                                         \
    std::string error_ = error_of([&] { expression; });        \
    EXPECT_NE(error_.find(part), std::string::npos) << error_; \
  } while (false)

std::string two_entries() {
  ZipWriter w;
  w.add("a/data.pkl", "hello");
  w.add("a/data/0", std::string(100, 'x'));
  return w.finish();
}

void read_all(const std::string& bytes) {
  ZipReader r(bytes, "x");
  for (const ZipEntry& e : r.entries()) r.read(e.name);
}

std::string patch(std::string bytes, size_t at, uint64_t value, size_t count) {
  std::memcpy(bytes.data() + at, &value, count);
  return bytes;
}

size_t directory_of(const std::string& bytes) { return bytes.find("PK\x01\x02"); }

TEST(ArchiveZip, ReadsBackAligned) {
  std::string bytes = two_entries();
  ZipReader r(bytes, "x");
  ASSERT_EQ(r.entries().size(), 2u);
  EXPECT_EQ(r.read("a/data.pkl"), "hello");
  EXPECT_EQ(r.view("a/data/0"), std::string(100, 'x'));
  for (const ZipEntry& e : r.entries()) EXPECT_EQ(e.begin % 64, 0u);
  EXPECT_EQ(bytes, two_entries());
  EXPECT_ERROR(r.read("a/none"), "no entry 'a/none'");
}

TEST(ArchiveZip, NamesThatLeaveTheArchiveAreRefused) {
  for (const char* name : {"../a", "/a", "a/../b", "a//b", "a\\b", ".", "", "c:x", "a\nb"}) {
    ZipWriter w;
    EXPECT_ERROR(w.add(name, "x"), "cannot name an entry");
  }
  std::string bytes = two_entries();
  for (size_t at; (at = bytes.find("a/data/0")) != std::string::npos;)
    bytes.replace(at, 8, "a/../a/0");
  EXPECT_ERROR(read_all(bytes), "has a part '.', '..' or nothing");
}

TEST(ArchiveZip, DuplicatesAreRefused) {
  ZipWriter w;
  w.add("a/b", "1");
  w.add("a/c", "2");
  EXPECT_ERROR(w.add("a/b", "3"), "two entries 'a/b'");
  std::string bytes = w.finish();
  for (size_t at; (at = bytes.find("a/c")) != std::string::npos;) bytes.replace(at, 3, "a/b");
  EXPECT_ERROR(read_all(bytes), "two entries 'a/b'");
}

TEST(ArchiveZip, LyingDirectoriesAreRefused) {
  std::string bytes = two_entries();
  size_t first = directory_of(bytes);
  size_t second = bytes.find("PK\x01\x02", first + 4);
  EXPECT_ERROR(read_all(patch(bytes, first + 20, 0x7fffffff, 4)), "stored in another size");
  std::string longer = patch(patch(bytes, first + 20, 0x7fffffff, 4), first + 24, 0x7fffffff, 4);
  EXPECT_ERROR(read_all(longer), "claims 2147483647 bytes");
  EXPECT_ERROR(read_all(patch(bytes, first + 42, 1, 4)), "has no local header");
  EXPECT_ERROR(read_all(patch(bytes, first + 10, 9, 2)), "compression 9");
  EXPECT_ERROR(read_all(patch(bytes, first + 8, 1, 2)), "encrypted");
  EXPECT_ERROR(read_all(patch(bytes, first + 34, 1, 2)), "several disks");
  EXPECT_ERROR(read_all(patch(bytes, first + 20, 0xffffffff, 4)), "stored in another size");
  EXPECT_ERROR(read_all(patch(bytes, bytes.size() - 14, 60000, 2)), "several disks");
  std::string overlap = patch(patch(bytes, first + 20, 80, 4), first + 24, 80, 4);
  EXPECT_ERROR(read_all(overlap), "overlap");
  EXPECT_ERROR(read_all(patch(bytes, second + 16, 1, 4)), "checksum differs");
  EXPECT_ERROR(read_all(bytes + "x"), "no end record");
}

// What deflates to more than it may: refused by what it claims, before a byte is allocated.
TEST(ArchiveZip, BombsAreRefused) {
  std::string bytes = two_entries();
  size_t first = directory_of(bytes);
  std::string bomb = patch(patch(bytes, first + 10, 8, 2), 8, 8, 2);
  EXPECT_ERROR(read_all(patch(bomb, first + 24, 0xf0000000, 4)),
               "would inflate to 4026531840 bytes");
  EXPECT_ERROR(read_all(patch(bomb, first + 24, 1u << 20, 4)), "claims more than it can hold");
  EXPECT_ERROR(read_all(patch(bomb, first + 24, 64, 4)), "does not inflate");
}

TEST(ArchiveZip, CutOffOrFlippedAnywhere) {
  std::string bytes = two_entries();
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(error_of([&] { read_all(bytes.substr(0, n)); }), "no error") << n;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      error_of([&] { read_all(flipped); });
    }
  }
}

std::string pickle_of(const std::string& body) { return "\x80\x02" + body + "."; }

std::string bad_pickle(const std::string& bytes) {
  return error_of([&] { Pickle(bytes, "x"); });
}

TEST(ArchivePickle, NumbersStringsAndContainersReadBack) {
  PickleWriter w;
  w.op(opcode::kMark);
  std::vector<int64_t> integers = {0, 255, 256, 65535, 65536, -1, INT32_MIN, INT64_MIN, INT64_MAX};
  for (int64_t i : integers) w.integer(i);
  w.real(-0.5);
  w.boolean(true);
  w.none();
  w.str("one");
  w.str("one");
  w.op(opcode::kTuple);
  Pickle p(w.finish(), "x");
  const Pickled& root = p.root();
  ASSERT_EQ(root.items.size(), integers.size() + 5);
  for (size_t i = 0; i < integers.size(); ++i) EXPECT_EQ(root.items[i]->integer, integers[i]);
  EXPECT_EQ(root.items[9]->real, -0.5);
  EXPECT_EQ(root.items[12]->text, "one");
  EXPECT_EQ(root.items[12], root.items[13]);
}

TEST(ArchivePickle, NothingIsExecuted) {
  Pickle p(pickle_of("cos\nsystem\nX\x02\x00\x00\x00ls\x85R"s), "x");
  EXPECT_TRUE(p.root().is(Kind::Call));
  EXPECT_EQ(p.root().items[0]->text, "os system");
}

TEST(ArchivePickle, UnknownOpcodesNameTheirOffset) {
  EXPECT_NE(bad_pickle(pickle_of("N0")).find("at byte 3, opcode 0x30"), std::string::npos);
  EXPECT_NE(bad_pickle("\x80\x04N.").find("protocol 2"), std::string::npos);
}

TEST(ArchivePickle, CyclesAreRefused) {
  EXPECT_NE(bad_pickle(pickle_of("]q\x01h\x01\x61")).find("held by another one, or by itself"),
            std::string::npos);
  EXPECT_NE(
      bad_pickle(pickle_of("]q\x01]q\x02h\x01\x61h\x01h\x02\x61")).find("held by another one"),
      std::string::npos);
  EXPECT_NE(bad_pickle(pickle_of("]q\x01\x85h\x01h\x01\x61")).find("held by another one"),
            std::string::npos);
}

TEST(ArchivePickle, DepthAndUnfoldedSizeAreLimited) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "\x85";
  EXPECT_NE(bad_pickle(pickle_of("N" + deep)).find("nest more than 200 deep"), std::string::npos);
  std::string bomb = "N\x85";
  for (int i = 0; i < 30; ++i) bomb += "q\x01h\x01\x86"s;
  EXPECT_NE(bad_pickle(pickle_of(bomb)).find("unfolds to more than"), std::string::npos);
  EXPECT_NE(bad_pickle(pickle_of(std::string(3 << 20, '('))).find("stack grows too high"),
            std::string::npos);
  EXPECT_NE(bad_pickle(pickle_of(std::string(3 << 20, 'N'))).find("more than"), std::string::npos);
  EXPECT_NE(bad_pickle(pickle_of("X\xff\xff\xff\xff")).find("beyond the end"), std::string::npos);
  EXPECT_NE(bad_pickle(pickle_of("h\x07")).find("nothing was remembered as 7"), std::string::npos);
}

TEST(ArchivePickle, CutOffOrFlippedAnywhere) {
  PickleWriter w;
  w.global("__torch__", "Net");
  w.op(opcode::kEmptyTuple);
  w.op(opcode::kNewObject);
  w.op(opcode::kEmptyDict);
  w.op(opcode::kMark);
  w.str("weight");
  w.real(1.5);
  w.str("n");
  w.integer(70000);
  w.op(opcode::kSetItems);
  w.op(opcode::kBuild);
  std::string bytes = w.finish();
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(bad_pickle(bytes.substr(0, n)), "no error") << n;
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(value);
      bad_pickle(flipped);
    }
  }
}

}  // namespace
}  // namespace fusillade::archive

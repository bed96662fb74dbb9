// Arena lists: order kept over growth, edits in the middle, elements destroyed once each.
#include "engine/ir/list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace fusillade {
namespace {

TEST(List, KeepsOrderWhileItGrows) {
  Arena arena;
  List<int64_t> list;
  for (int64_t i = 0; i < 5000; ++i)
    list.push_back(arena, i);  // beyond the largest chunk's first pieces
  ASSERT_EQ(list.size(), 5000u);
  for (size_t i = 0; i < list.size(); ++i) ASSERT_EQ(list[i], static_cast<int64_t>(i));
}

TEST(List, ErasesInTheMiddle) {
  Arena arena;
  List<int> list;
  for (int v : {0, 1, 2, 3, 4}) list.push_back(arena, v);
  EXPECT_TRUE(list == std::vector<int>({0, 1, 2, 3, 4}));
  list.erase(1);
  list.erase(3);
  EXPECT_TRUE(list == std::vector<int>({0, 2, 3}));
  EXPECT_FALSE(list == std::vector<int>({0, 2}));
}

TEST(List, DestroysWhatItHolds) {
  Arena arena;
  auto element = std::make_shared<std::string>("shared");
  {
    List<std::shared_ptr<std::string>> list;
    for (int i = 0; i < 9; ++i) list.push_back(arena, element);
    EXPECT_EQ(element.use_count(), 10);
    list.erase(4);
    EXPECT_EQ(element.use_count(), 9);
  }
  EXPECT_EQ(element.use_count(), 1);
}

TEST(Arena, PiecesAreAlignedAndDisjoint) {
  Arena arena;
  char* last = nullptr;
  for (size_t bytes : {size_t{1}, size_t{17}, size_t{5000}, size_t{1} << 20, size_t{3}}) {
    char* piece = static_cast<char*>(arena.take(bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % 16, 0u);
    EXPECT_NE(piece, last);
    std::fill(piece, piece + bytes, 'x');
    last = piece;
  }
}

}  // namespace
}  // namespace fusillade

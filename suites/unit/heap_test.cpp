// Small blocks that a thread keeps: used again in their class, by that thread alone.
#include "fuzz/process/heap.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "engine/scalar/nodes_seen.h"

namespace fusillade::fuzz {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUS_WATCHED 1
#endif
#endif

void on_thread_that_keeps(const std::function<void()>& f) {
  std::thread([&] {
    keep_small_blocks();
    f();
  }).join();
}

#ifndef FUS_WATCHED
TEST(Heap, BlockThatDiedIsTheNextOfItsClass) {
  on_thread_that_keeps([] {
    void* first = operator new(40);
    void* second = operator new(40);
    operator delete(first);
    operator delete(second, 40);
    EXPECT_EQ(operator new(33), second);  // 25 to 40 bytes are one class
    void* larger = operator new(41);
    EXPECT_NE(larger, first);
    EXPECT_EQ(operator new(25), first);
  });
}
#endif

TEST(Heap, BlocksOfAllSizesAreDisjoint) {
  on_thread_that_keeps([] {
    for (int round = 0; round < 3; ++round) {
      std::vector<unsigned char*> blocks;
      for (size_t n = 0; n < 1200; ++n) {
        blocks.push_back(static_cast<unsigned char*>(operator new(n)));
        EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks.back()) % 16, 0u);
        std::memset(blocks.back(), static_cast<int>(n % 251), n);
      }
      for (size_t n = 0; n < blocks.size(); ++n) {
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(blocks[n][i], n % 251);
        if (n % 2) operator delete(blocks[n]);
        else operator delete(blocks[n], n);
      }
    }
  });
}

TEST(Heap, BlockMayDieOnAnotherThread) {
  on_thread_that_keeps([] {
    auto* block = new std::vector<int>(100, 7);
    std::thread([block] { delete block; }).join();
    std::vector<int>* theirs = nullptr;
    std::thread([&] { theirs = new std::vector<int>(100, 8); }).join();
    EXPECT_EQ(theirs->at(99), 8);
    delete theirs;
  });
}

TEST(NodesSeen, EachOnceHoweverMany) {
  ExprPool pool;
  const ExprPool::Scope scope(pool);
  NodesSeen seen;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(seen.insert(Expr::imm_i(i).node()));
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(seen.insert(Expr::imm_i(i).node()));
    seen.clear();
  }
}

}  // namespace
}  // namespace fusillade::fuzz

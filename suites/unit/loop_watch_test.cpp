// Loops that do not end: each executor reports iterations, and a child ends itself where it is.
#include "engine/ir/loop_watch.h"

#include <gtest/gtest.h>

#include "engine/front/script.h"
#include "engine/run/plan.h"
#include "fuzz/process/isolate.h"

namespace fusillade {
namespace {

using fuzz::ChildResult;

constexpr const char* kLong =
    "def inner(n: int) -> int:\n    while n > 0:\n        n = n % 7 + 1\n    return n\n"
    "def f(n: int) -> int:\n    return inner(n)\n";

int asked = 0;

TEST(LoopWatch, EveryExecutorReportsIterations) {
  const Script script = compile_script(
      "def f(n: int) -> int:\n    s = 0\n    for i in range(n):\n        s = (s + i) % 7\n"
      "    return s\n",
      "f.py");
  watch_loops([](const Node* loop) {
    EXPECT_EQ(loop->range.where(), "f.py:3:4");
    ++asked;
  });
  for (const char* plan : {"eager", "vm", "vm/o2", "jit"}) {
    asked = 0;
    prepare(*script.find("f"), parse_plan(plan))->run({IValue(6400)});
    EXPECT_GE(asked, 99) << plan;
    EXPECT_LE(asked, 102) << plan;
  }
  watch_loops(nullptr);
}

TEST(LoopWatch, AChildEndsItselfInALoopThatDoesNotEnd) {
  for (const char* plan : {"eager", "vm/o2", "jit"}) {
    const ChildResult r = fuzz::run_isolated(
        [&]() -> std::string {
          const Script script = compile_script(kLong, "f.py");
          prepare(*script.find("f"), parse_plan(plan))->run({IValue(3)});
          return "ended";
        },
        {.seconds = 0.3, .megabytes = 2048});
    EXPECT_EQ(r.kind, ChildResult::Kind::Hang) << plan;
    EXPECT_EQ(r.signal, 0) << plan;
    EXPECT_NE(r.how_lost().find("still in the loop at f.py:2:4 after 0.3 s"), std::string::npos)
        << plan << ": " << r.how_lost();
  }
}

}  // namespace
}  // namespace fusillade

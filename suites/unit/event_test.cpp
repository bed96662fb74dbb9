// What the compiler reports while it works: the kinds, in order, with times that add up; and how a
// bench keeps them.
#include "engine/base/event.h"

#include <gtest/gtest.h>

#include "bench/harness/entry.h"
#include "bench/harness/events.h"
#include "engine/front/autograd.h"
#include "engine/run/plan.h"

namespace fusillade {
namespace {

std::vector<std::string> kinds_of(const std::function<void()>& body) {
  std::vector<std::string> kinds;
  const EventListener listener([&](const Event& e) { kinds.emplace_back(e.kind); });
  body();
  return kinds;
}

Tensor full(const Dims& sizes, double value) {
  Tensor t = Tensor::empty(sizes, DType::F32);
  for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, value);
  return t;
}

// A constant of its own, so that no other test has compiled its kernel.
std::unique_ptr<Graph> chain(double constant) {
  return parse_graph(fmt::format(R"(graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %c : float = prim::Constant[value={:.6f}]()
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::add(%a, %c, %one)
  %d : Tensor = aten::mul(%b, %x)
  return (%d)
)",
                                 constant));
}

TEST(Event, NobodyListensNothingIsKept) {
  EXPECT_FALSE(events_heard());
  report_event("guard failed");
  const TimedEvent timed("passes run");
}

TEST(Event, OneWithinAnotherOfItsKindIsNotReported) {
  const auto kinds = kinds_of([] {
    const TimedEvent outer("passes run");
    const TimedEvent between("group lowered");
    const TimedEvent inner("passes run");
  });
  EXPECT_EQ(kinds, (std::vector<std::string>{"group lowered", "passes run"}));
}

TEST(Event, ItTakesAsLongAsItsScope) {
  double outer = 0, inner = 0;
  const EventListener listener(
      [&](const Event& e) { (e.kind == "passes run" ? outer : inner) = e.seconds; });
  {
    const TimedEvent passes("passes run");
    const TimedEvent lowering("group lowered");
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(2)) {
    }
  }
  EXPECT_GE(inner, 0.002);
  EXPECT_GE(outer, inner);
}

TEST(Event, TwoListenersAreABug) {
  const EventListener one([](const Event&) {});
  EXPECT_THROW(EventListener([](const Event&) {}), Bug);
}

TEST(Event, AProgramIsCompiledInItsFirstCall) {
  const auto graph = chain(1.140917);
  const std::vector<IValue> inputs{full({8, 3}, 1), full({8, 3}, 2)};
  const auto plan = parse_plan("vm/o2,fuse(loopnest,llvm)");  // makes the back end ready, once
  std::unique_ptr<Executable> ready;
  EXPECT_EQ(kinds_of([&] { ready = prepare(*graph, plan); }),
            std::vector<std::string>{"passes run"});
  EXPECT_EQ(kinds_of([&] { ready->run(inputs); }),
            (std::vector<std::string>{"group lowered", "kernel linked", "kernel compiled",
                                      "group specialised"}));
  EXPECT_TRUE(kinds_of([&] { ready->run(inputs); }).empty());
  EXPECT_EQ(kinds_of([&] { prepare(*graph, plan)->run(inputs); }),
            (std::vector<std::string>{"passes run", "group lowered", "kernel known",
                                      "group specialised"}));
}

TEST(Event, AProfilingExecutorTellsVersionsGuardsAndItsCache) {
  const auto graph = chain(1.140918);
  const auto ready = prepare(*graph, parse_plan("jit/o2"));
  const std::vector<IValue> inputs{full({8, 3}, 1), full({8, 3}, 2)};
  const std::vector<IValue> others{full({5}, 1), full({5}, 2)};
  EXPECT_EQ(kinds_of([&] { ready->run(inputs); }),
            (std::vector<std::string>{"call profiled", "passes run", "version compiled"}));
  EXPECT_EQ(kinds_of([&] { ready->run(inputs); }), std::vector<std::string>{"plan added"});
  EXPECT_EQ(kinds_of([&] { ready->run(inputs); }), std::vector<std::string>{"cache hit"});
  EXPECT_TRUE(kinds_of([&] { ready->run(inputs); }).empty());
  EXPECT_EQ(kinds_of([&] { ready->run(others); }),
            (std::vector<std::string>{"guard failed", "call profiled", "passes run",
                                      "version compiled"}));
}

TEST(Event, AFallbackIsReportedOnce) {
  const auto graph = chain(1.140919);
  const auto ready = prepare(*graph, parse_plan("vm/o2,fuse(loopnest,interp)"));
  const eager::Gradients recorded;
  const Tensor wants = eager::requires_grad(full({4}, 1));
  const std::vector<IValue> inputs{wants, full({4}, 2)};
  EXPECT_EQ(kinds_of([&] { ready->run(inputs); }), std::vector<std::string>{"fallback"});
  EXPECT_TRUE(kinds_of([&] { ready->run(inputs); }).empty());
}

TEST(EventBook, KeepsCallsAndAddsWhatRepeats) {
  bench::EventBook book;
  const EventListener listener(&bench::EventBook::write_into_current);
  report_event("guard failed");  // no book is open
  {
    const bench::EventBook::Recording scope(book);
    const TimedEvent passes("passes run");
  }
  {
    const bench::EventBook::Recording scope(book);
    book.next_call();
    report_event("kernel known", "llvm");
    report_event("kernel known", "llvm");
    report_event("kernel known", "interp");
    book.next_call();
    report_event("kernel known", "llvm");
  }
  ASSERT_EQ(book.entries().size(), 4u);
  const std::vector<bench::JitEvent>& e = book.entries();
  EXPECT_EQ((std::vector<int64_t>{e[0].call, e[1].call, e[2].call, e[3].call}),
            (std::vector<int64_t>{-1, 0, 0, 1}));
  EXPECT_EQ(e[1].count, 2);
  EXPECT_EQ(e[2].what, "interp");
  EXPECT_LE(e[0].at + e[0].took, e[1].at);
  EXPECT_EQ(book.total("passes run"), e[0].took);
}

TEST(EventBook, IsShortWhateverHappens) {
  bench::EventBook book;
  const bench::EventBook::Recording scope(book);
  const EventListener listener(&bench::EventBook::write_into_current);
  for (int i = 0; i < 1000; ++i) {
    book.next_call();
    report_event("guard failed", std::string(static_cast<size_t>(i), 'x'));
  }
  report_event("fallback");
  ASSERT_EQ(book.entries().size(), bench::EventBook::kMost + 1);
  EXPECT_EQ(book.entries()[bench::EventBook::kMost - 1].count, 1001 - 64);
  EXPECT_EQ(book.entries().back().kind, "fallback");
  for (const bench::JitEvent& e : book.entries())
    EXPECT_LE(e.what.size(), bench::EventBook::kMostText);
}

}  // namespace
}  // namespace fusillade

// Children, the message channel between them, and workers that speak its protocol, well or badly.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "engine/base/lack.h"
#include "engine/tensor/tensor.h"
#include "fuzz/case/case.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/service.h"
#include "fuzz/process/unit_clock.h"

namespace fusillade::fuzz {
namespace {

using Got = Channel::Got;

std::string message(std::string_view kind, std::string_view body) {
  std::string out;
  Channel::append(out, kind, body);
  return out;
}

TEST(Spawn, HowAChildEndsIsReported) {
  EXPECT_TRUE(spawn([] {}).wait().clean());
  EXPECT_EQ(spawn([] { _exit(7); }).wait().status, 7);
  EXPECT_EQ(spawn([] { raise(SIGKILL); }).wait().signal, SIGKILL);
  EXPECT_EQ(spawn([] { throw std::bad_alloc(); }).wait().status, kOutOfMemory);
  EXPECT_EQ(spawn([] { become({"/nonexistent/program"}); }).wait().status, kCannotExec);
  EXPECT_TRUE(spawn([] { become({"true"}); }).wait().clean());
}

// A small block that the system refuses is no program's fault, whoever catches the exception.
TEST(Spawn, SmallBlocksThatAreRefusedAreALack) {
  EXPECT_EQ(spawn([] {
              note_no_memory(64);
              throw std::bad_alloc();
            })
                .wait()
                .status,
            kLackStatus);
  EXPECT_EQ(spawn([] {
              note_no_memory(size_t{1} << 30);
              throw std::bad_alloc();
            })
                .wait()
                .status,
            kOutOfMemory);
  const auto judge_sample = [] {
    try {
      note_no_memory(64);
      throw std::bad_alloc();
    } catch (const std::bad_alloc&) {  // as for a program that is too large
    }
    const Case c = parse_case(
        "fusillade case 2\noracle: differential\nplan: vm\nscript:\n"
        "  from torch import Tensor\n  def f(x: Tensor) -> Tensor:\n      return x.relu()\n"
        "call:\n    x = f32[1] {0x1p+0}\nend\n",
        "sample");
    return judge_here(c).reason;
  };
  // The parent lacks it as well: another child, so that it is not this process.
  EXPECT_EQ(spawn([&] { run_isolated(judge_sample, {}); }).wait().status, kLackStatus);
}

TEST(Spawn, TheLogIsItsLastPart) {
  Child child = spawn(
      [] {
        for (int i = 0; i < 30000; ++i) std::fprintf(stderr, "line %d\n", i);
        throw std::runtime_error("the end");
      },
      {.name = "who", .keep_log = true});
  while (child.log_fd() >= 0) child.read_log();
  EXPECT_EQ(child.wait().status, 1);
  EXPECT_TRUE(child.log().ends_with("line 29999\nwho: the end\n"));
  EXPECT_LT(child.log().size(), 200'000u);
}

// Compiling starts commands, and threads compile.
TEST(Spawn, ThreadsSpawnAtOnce) {
  constexpr int kThreads = 8, kEach = 40;
  std::atomic<int> clean{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < kEach; ++k) clean += spawn([] {}).wait().clean();
      });
  }
  EXPECT_EQ(clean.load(), kThreads * kEach);
}

TEST(Spawn, LettingGoEndsTheChild) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  {
    Child child = spawn([] {
      for (;;) pause();
    });
    EXPECT_TRUE(child.alive());
    EXPECT_FALSE(child.try_reap().has_value());
    Child moved = std::move(child);
    EXPECT_FALSE(child.alive());
    close(pipe_ends[1]);
  }
  char c;
  EXPECT_EQ(read(pipe_ends[0], &c, 1), 0);  // its copy of the other end is closed
  close(pipe_ends[0]);
}

// The pipe ends when nobody holds its other end: the grandchild is gone with its parent.
TEST(Spawn, ChildrenDieWithTheirParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Child parent = spawn([&] {
    Child child = spawn([] {
      for (;;) pause();
    });
    EXPECT_EQ(write(ends[1], "s", 1), 1);
    for (;;) pause();
  });
  close(ends[1]);
  char c = 0;
  ASSERT_EQ(read(ends[0], &c, 1), 1);
  EXPECT_EQ(c, 's');
  parent.end();
  EXPECT_EQ(read(ends[0], &c, 1), 0);
  close(ends[0]);
}

TEST(Spawn, DeadlinesAreOfTheClockOrOfTheProcessor) {
  Child idle = spawn([] {
    for (;;) pause();
  });
  int begin[2];
  ASSERT_EQ(pipe(begin), 0);
  Child busy = spawn([&] {
    char start_byte;
    EXPECT_EQ(read(begin[0], &start_byte, 1), 1);
    for (volatile int i = 0;; i = i + 1) {
    }
  });
  Deadline of_idle(idle, 0.2);
  Deadline of_busy(busy, 0.2);
  Deadline of_clock(0.2);
  Deadline never(0);
  EXPECT_FALSE(of_busy.has_passed());
  EXPECT_EQ(write(begin[1], "b", 1), 1);
  for (int i = 0; i < 3000 && !(of_busy.has_passed() && of_clock.has_passed()); ++i) usleep(10'000);
  EXPECT_TRUE(of_busy.has_passed());
  EXPECT_TRUE(of_clock.has_passed());
  EXPECT_FALSE(of_idle.has_passed());
  EXPECT_FALSE(never.has_passed());
  for (int end : begin) close(end);
}

TEST(Channel, MessagesComeWholeAndInOrder) {
  auto [mine, its] = Channel::make();
  std::string some = message("run", std::string("a\0b\n", 4)) + message("values", "");
  Message m;
  EXPECT_EQ(mine.receive(m, 0), Got::Nothing);
  EXPECT_TRUE(its.send(some.substr(0, 5)));
  EXPECT_EQ(mine.receive(m, 0), Got::Nothing);
  EXPECT_TRUE(its.send(some.substr(5)));
  EXPECT_EQ(mine.receive(m, 0), Got::Whole);
  EXPECT_EQ(m.kind, "run");
  EXPECT_EQ(m.body, std::string("a\0b\n", 4));
  EXPECT_TRUE(mine.has_more());
  EXPECT_EQ(mine.receive(m, 0), Got::Whole);
  EXPECT_EQ(m.kind + m.body, "values");
  its.close();
  EXPECT_EQ(mine.receive(m, 0), Got::Gone);
  EXPECT_FALSE(mine.send(message("run", "")));
}

TEST(Channel, BabbleIsDistinguished) {
  for (const char* bytes :
       {"hello\n", "12\n", "x run\nabc", "-1 run\n", "1000001 run\n",
        "99999999999999999999999 run\n", "no newline within the bytes before a body"}) {
    auto [mine, its] = Channel::make(1'000'000);
    EXPECT_TRUE(its.send(bytes));
    Message m;
    EXPECT_EQ(mine.receive(m, 0), Got::Babble) << bytes;
  }
}

// Each sends more than the socket holds before it receives.
TEST(Channel, TwoMaySendAtOnce) {
  auto [mine, its] = Channel::make();
  std::string large = message("values", std::string(8 << 20, 'x'));
  auto exchange = [&](Channel& end) {
    Message m;
    bool sent = end.send(large);
    return sent && end.receive(m, 10'000) == Got::Whole && m.body.size() == size_t{8} << 20;
  };
  std::thread other([&] { EXPECT_TRUE(exchange(its)); });
  EXPECT_TRUE(exchange(mine));
  other.join();
}

TEST(Channel, APeerThatNeverReadsIsGivenUp) {
  auto [mine, its] = Channel::make();
  int asked = 0;
  EXPECT_FALSE(mine.send(std::string(64 << 20, 'x'), [&] { return ++asked > 0; }));
}

TEST(Isolate, EndingWithoutAnAnswerIsACrash) {
  ChildResult r = run_isolated([]() -> std::string { _exit(0); }, {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Crash);
  EXPECT_EQ(r.status, 0);
}

TEST(Isolate, EachUnitOfAJobHasTheWholeTime) {
  Limits limits;
  limits.seconds = 1;
  auto units = [&](int count, bool ends) {
    return run_isolated(
               [&]() -> std::string {
                 for (int i = 0; i < count; ++i) {
                   heartbeat();
                   usleep(100'000);
                 }
                 while (!ends) usleep(1000);
                 return "";
               },
               limits)
        .kind;
  };
  EXPECT_EQ(units(15, true), ChildResult::Kind::Done);
  EXPECT_EQ(units(3, false), ChildResult::Kind::Hang);
}

void spin_on(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
  for (volatile int i = 0;; i = i + 1) {
  }
}

// Four of them on one processor: each has a quarter of the time, the rest of it is the others'.
TEST(UnitClock, WaitingForAProcessorIsNobodysUnit) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &allowed)) ++processor;
  std::vector<Child> children;
  for (int i = 0; i < 4; ++i) children.push_back(spawn([=] { spin_on(processor); }));
  const double ran_before = children[0].processor_seconds();
  const int64_t began = now_us();
  UnitClock clock;
  clock.seconds(children[0], began);
  double own = 0;
  // Whoever looks seldom counts less than what passed, and goes on looking.
  while (own < 0.25 && children[0].processor_seconds() - ran_before < 5) {
    usleep(10'000);
    own = clock.seconds(children[0], began);
  }
  if (children[0].queued_seconds() == 0) GTEST_SKIP() << "this kernel does not tell";
  const double passed = static_cast<double>(now_us() - began) / 1e6;
  EXPECT_LT(own, 0.6 * passed);
  EXPECT_GT(own, 0.2);
  const int64_t next = now_us();
  EXPECT_LE(clock.seconds(children[0], next), static_cast<double>(now_us() - next) / 1e6);
}

// As when this process is stopped with all that it started, and goes on later.
TEST(UnitClock, WhatNobodyLookedAtCountsASecond) {
  Child idle = spawn([] {
    for (;;) pause();
  });
  Deadline waiting(idle, 1);
  UnitClock clock;
  const int64_t began = now_us();
  clock.seconds(idle, began);
  usleep(4'000'000);
  EXPECT_LE(clock.seconds(idle, began), 2.1);  // the gap before the first look, and this one
  EXPECT_LE(clock.seconds(idle, now_us()), 1.1);
  EXPECT_FALSE(waiting.has_passed());
}

TEST(UnitClock, AChildThatIsStoppedDoesNothing) {
  Child child = spawn([] {
    raise(SIGSTOP);
    for (;;) pause();
  });
  while (!child.is_stopped()) usleep(1000);
  UnitClock clock;
  const int64_t began = now_us();
  clock.seconds(child, began);
  for (int i = 0; i < 100; ++i) {
    usleep(10'000);
    clock.seconds(child, began);
  }
  EXPECT_LT(clock.seconds(child, began), 0.5 * static_cast<double>(now_us() - began) / 1e6);
}

// The child writes its beats itself.
TEST(UnitClock, ABeatThatIsStillToComeGivesNoTime) {
  Child idle = spawn([] {
    for (;;) pause();
  });
  for (const bool from_the_first : {false, true}) {
    UnitClock clock;
    const int64_t began = now_us();
    constexpr int64_t kHour = 3'600'000'000;
    clock.seconds(idle, from_the_first ? began + kHour : began);
    usleep(200'000);
    EXPECT_GE(clock.seconds(idle, INT64_MAX), 0.1);
    usleep(200'000);
    EXPECT_GE(clock.seconds(idle, now_us() + kHour), 0.3);
    EXPECT_LE(clock.seconds(idle, now_us()), 0.1);
    clock.seconds(idle, INT64_MIN);
  }
}

// A worker in another language: its whole text, around what it does with a call.
std::vector<std::string> python(const std::string& what) {
  return {"/usr/bin/python3", "-c",
          "import os, sys, time\n"
          "def say(kind, body):\n"
          "    sys.stdout.buffer.write(b'%d %s\\n%s' % (len(body), kind, body))\n"
          "    sys.stdout.buffer.flush()\n"
          "hello = b'protocol: 1\\nname: toy\\nversion: 2\\nforms: script\\nvalues: python\\n'\n"
          "say(b'hello', hello)\n"
          "while line := sys.stdin.buffer.readline():\n"
          "    size, kind = line.split()\n"
          "    form, how, text, *calls = sys.stdin.buffer.read(int(size)).split(b'\\0')\n"
          "    for call in calls:\n        " +
              what + "\n"};
}

std::string request(const std::string& text, const std::vector<std::string>& calls);

// It says that programs begin, and never what one came to.
TEST(Service, AnEndlessRowOfBeginsIsBabble) {
  Service service(python("while True: say(b'begin', b'one')"));
  ASSERT_TRUE(service.ready());
  EXPECT_FALSE(service.exchange(request("a", {"1"}), 1, 60));
  EXPECT_EQ(service.failure().how, Lost::How::Babbled);
  EXPECT_EQ(service.failure().last_begin, "one");
}

std::string request(const std::string& text, const std::vector<std::string>& calls) {
  std::string body = std::string("script") + '\0' + "plain" + '\0' + text;
  for (const std::string& c : calls) body += '\0' + c;
  return message("run", body);
}

TEST(Service, AnswersEachCall) {
  Service s(python("say(b'values', text + call) if call != b'3' else say(b'limit', b'time')"));
  ASSERT_TRUE(s.ready());
  EXPECT_EQ(s.hello().at("name"), "toy");
  EXPECT_EQ(s.hello().at("forms"), "script");
  auto out = s.exchange(request("a", {"1", "2"}) + request("b", {"3"}), 3, 5);
  ASSERT_TRUE(out.has_value());
  EXPECT_EQ((*out)[0].body, "a1");
  EXPECT_EQ((*out)[1].body, "a2");
  EXPECT_EQ((*out)[2].kind, "limit");
}

TEST(Service, WhatGoesWrongIsAnAnswerAndTheNextOneIsFresh) {
  for (const char* wrong :
       {"os._exit(0)", "os.kill(os.getpid(), 9)", "os.write(1, b'no message at all\\n')",
        "say(b'praise', b'')", "os.write(1, b'99999999999 values\\n')", "exec('while True: pass')",
        "sys.stdout.buffer.write(2 * b'0 values\\n'), sys.stdout.buffer.flush()"}) {
    Service s(python("say(b'values', b'good') if call == b'1' else " + std::string(wrong)));
    ASSERT_TRUE(s.ready());
    bool extra = std::string(wrong).find("2 *") != std::string::npos;
    EXPECT_EQ(s.exchange(request("", {"2"}), 1, 0.5).has_value(), extra) << wrong;
    // The second answer to one call is met when the next is asked for.
    if (extra) EXPECT_FALSE(s.exchange(request("", {"1"}), 1, 5).has_value());
    ASSERT_TRUE(s.ready()) << wrong;
    auto good = s.exchange(request("", {"1"}), 1, 5);
    ASSERT_TRUE(good.has_value()) << wrong;
    EXPECT_EQ((*good)[0].body, "good") << wrong;
  }
}

TEST(Service, WithoutAGreetingThereIsNone) {
  for (const auto& command :
       {std::vector<std::string>{"/nonexistent/worker"}, std::vector<std::string>{"echo", "hi"},
        std::vector<std::string>{"echo", "12 hello\nprotocol: 9"}}) {
    Service s(command);
    EXPECT_FALSE(s.ready());
    EXPECT_FALSE(s.ready());
  }
}

TEST(Service, AForkedChildStartsItsOwn) {
  Service s(python("say(b'values', b'%d' % os.getppid())"));
  auto service_parent = [&] {
    EXPECT_TRUE(s.ready());
    return s.exchange(request("", {"1"}), 1, 5)->at(0).body;
  };
  EXPECT_EQ(service_parent(), std::to_string(getpid()));
  ChildResult r = run_isolated(
      [&] { return service_parent() == std::to_string(getpid()) ? "own" : "shared"; }, {});
  EXPECT_EQ(r.output, "own");
  EXPECT_EQ(service_parent(), std::to_string(getpid()));
}

}  // namespace
}  // namespace fusillade::fuzz

// What keeps a campaign's findings safe: the store, the shared slots, isolated children, files that
// are whole or absent.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/base/file.h"
#include "engine/tensor/tensor.h"
#include "fuzz/campaign/store.h"
#include "fuzz/campaign/triage_share.h"
#include "fuzz/campaign/watched.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

std::string fresh_folder() {
  std::string path = testing::TempDir() + "/fusillade.XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream s;
  s << in.rdbuf();
  return s.str();
}

FindingRow finding(const std::string& bucket, double seen) {
  return {bucket,           "mismatch", "differential",
          "cse/merge",      2,          "findings/x/reduced.case",
          "seed=1 index=2", 1,          seen};
}

TEST(Store, RemembersEverything) {
  std::string out = fresh_folder();
  Counters c;
  c.programs = 10;
  c.executions = 1ull << 40;
  c.compared = 7;
  c.tight = 6;
  c.untrusted = 5;
  c.unsaved = 4;
  for (int i = 0; i < kNumVerdicts; ++i) c.verdicts[i] = static_cast<uint64_t>(100 + i);
  {
    Store s(out);
    s.note_asked("1.case", 2);
    s.note_asked("1.case", 3);
    EXPECT_TRUE(s.load_left().empty());
    EXPECT_TRUE(s.meta("identity").empty());
    s.set_meta("identity", "a'b\"c");
    EXPECT_TRUE(s.add_finding(finding("one", 2.5), "1-0.case"));
    EXPECT_FALSE(s.add_finding(finding("one", 9), "2-0.case"));
    EXPECT_FALSE(s.add_finding(finding("one", 9), "2-0.case"));  // after a kill: counted once
    EXPECT_TRUE(s.add_finding(finding("two", 1), "3-0.case"));
    s.let_go("4-0.case");
    s.save_progress({{4, 3, 40}, {9, 2}}, c, {{"skip: no elements", 3}}, Sample{.seconds = 1.25},
                    2.5);
    Sample late{.seconds = 2.5, .programs = 7, .findings = 2, .operators = 30, .rewrites = 4};
    late.count(c.verdicts);
    s.save_progress({{6, 2}, {11, 2}}, c, {{"skip: no elements", 5}}, late, 5);
  }
  Store s(out);
  EXPECT_EQ(s.join_attempts(), (std::map<std::string, size_t>{{"1.case", 3}}));
  EXPECT_EQ(s.meta("identity"), "a'b\"c");
  EXPECT_EQ(s.load_left(), (std::vector<Progression>{{6, 2}, {11, 2}}));
  EXPECT_EQ(s.load_job_seconds(), 5);
  std::vector<std::string> shown;
  for (const Shown& one : s.shown_cases()) shown.push_back(one.name + " " + one.bucket);
  EXPECT_EQ(shown, (std::vector<std::string>{"1-0.case one", "2-0.case one", "3-0.case two",
                                             "4-0.case "}));
  Counters back = s.load_totals();
  EXPECT_EQ(back.executions, c.executions);
  EXPECT_EQ(back.unsaved, 4u);
  for (int i = 0; i < kNumVerdicts; ++i) EXPECT_EQ(back.verdicts[i], c.verdicts[i]);
  EXPECT_EQ(s.load_reasons().at("skip: no elements"), 5u);
  EXPECT_NEAR(s.load_seconds(), 2.5, 1e-9);
  ASSERT_EQ(s.findings().size(), 2u);
  EXPECT_EQ(s.findings()[0].bucket, "two");  // by time
  EXPECT_EQ(s.findings()[1].count, 2);
  EXPECT_EQ(s.findings()[1].first_seen, 2.5);
  ASSERT_EQ(s.samples().size(), 2u);
  const Sample late = s.samples()[1];
  EXPECT_EQ(late.seconds, 2.5);
  EXPECT_EQ(late.programs, 7u);
  EXPECT_EQ(late.findings, 2u);
  EXPECT_EQ(late.ok, 100u);
  EXPECT_EQ(late.failed, 101u + 102 + 103 + 104 + 105 + 106 + 107);
  EXPECT_EQ(late.untrusted, 108u);
  EXPECT_EQ(late.skipped, 109u);
  EXPECT_EQ(late.operators, 30u);
  EXPECT_EQ(late.rewrites, 4u);
}

TEST(Store, RefusesWhatIsNoDatabase) {
  std::string out = fresh_folder();
  std::ofstream(out + "/campaign.db") << std::string(5000, 'x');
  try {
    Store s(out);
    FAIL() << "opened";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("campaign.db"), std::string::npos) << e.what();
  }
  EXPECT_THROW(Store("/nonexistent/folder"), Error);
}

// A truncated database is refused or read, never a crash, and the file is left for people to look
// at.
TEST(Store, TruncatedDatabaseIsAnErrorOrReadable) {
  std::string out = fresh_folder();
  {
    Store s(out);
    for (int i = 0; i < 300; ++i)
      s.add_finding(finding("bucket" + std::to_string(i), i), std::to_string(i));
  }
  std::string whole = text_of(out + "/campaign.db");
  int refused = 0;
  for (size_t n : {size_t{1}, size_t{50}, size_t{99}, size_t{100}, size_t{1000}, whole.size() / 2,
                   whole.size() - 1}) {
    std::string other = fresh_folder();
    std::ofstream(other + "/campaign.db", std::ios::binary) << whole.substr(0, n);
    try {
      Store s(other);
      s.findings();
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, 5);
}

// A child writes and is killed while it does: each transaction is there whole or not at all.
TEST(Store, KillLosesNoFinishedTransaction) {
  for (int round = 0; round < 8; ++round) {
    std::string out = fresh_folder();
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    pid_t pid = fork();
    if (pid == 0) {
      Store s(out);
      for (int i = 0;; ++i) {
        s.add_finding(finding("b" + std::to_string(i), i), std::to_string(i));
        if (write(channel[1], &i, sizeof i) < 0) _exit(1);
      }
    }
    close(channel[1]);
    int last = -1;
    auto read_last = [&] { return read(channel[0], &last, sizeof last) == sizeof last; };
    for (int i = 0; i <= 3 * round; ++i) ASSERT_TRUE(read_last());
    usleep(static_cast<useconds_t>(700 * round));  // some moment of what it writes then
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    while (read_last()) {
    }
    close(channel[0]);
    Store s(out);
    EXPECT_GE(static_cast<int>(s.findings().size()), last + 1);
  }
}

TEST(Slot, CountsReasonsAndSnapshots) {
  Slot* slots = map_slots(2);
  for (int i = 0; i < 5; ++i) slots[0].count_reason("skip: a");
  slots[0].count_reason(std::string(200, 'b'));
  slots[0].count_reason(std::string(200, 'b'));
  for (int i = 0; i < 100; ++i)
    slots[1].count_reason("reason " + std::to_string(i));  // more than there is room for
  EXPECT_EQ(slots[0].reasons[0].count, 5u);
  EXPECT_EQ(slots[0].reasons[1].count, 2u);
  EXPECT_EQ(strnlen(slots[0].reasons[1].text, kReasonLength),
            static_cast<size_t>(kReasonLength - 1));
  slots[0].counters.programs = 3;
  EXPECT_EQ(slots[0].snapshot().counters.programs, 3u);
  slots[0].next.store(9);
  EXPECT_EQ(slots[0].snapshot().next, 9u);
  slots[0].version.store(1);  // died while adding: a snapshot still ends
  EXPECT_EQ(slots[0].snapshot().counters.programs, 3u);
}

TEST(Slot, IsSharedWithChildren) {
  Slot* slots = map_slots(1);
  pid_t pid = fork();
  if (pid == 0) {
    slots[0].next.store(42);
    slots[0].counters.programs = 7;
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(slots[0].next.load(), 42u);
  EXPECT_EQ(slots[0].snapshot().counters.programs, 7u);
}

// One that is stopped between two programs works at nothing that has a limit of its own.
TEST(Watched, StandingStillIsNoProgramsFault) {
  Slot* slots = map_slots(1);
  Limits limits;
  limits.seconds = 1e-6;
  Watched worker;
  worker.most_idle = 0.2;
  worker.child = spawn([] {
    for (;;) pause();
  });
  while (worker.alive()) {
    usleep(10'000);
    worker.kill_beyond(limits, slots[0]);
  }
  EXPECT_TRUE(worker.idle_too_long);
  EXPECT_EQ(worker.killed_for, VerdictKind::Ok);
  EXPECT_EQ(worker.child.wait().signal, SIGKILL);
}

// Between two programs again and again, it is at work.
TEST(Watched, OneThatGoesOnIsNotIdle) {
  Slot* slots = map_slots(1);
  Watched worker;
  worker.most_idle = 0.2;
  worker.child = spawn([] {
    for (;;) pause();
  });
  for (int i = 0; i < 50; ++i) {
    slots[0].next.store(static_cast<uint64_t>(i));
    usleep(10'000);
    worker.kill_beyond({}, slots[0]);
  }
  EXPECT_TRUE(worker.alive());
  slots[0].started_us.store(now_us() - 100'000'000);
  while (worker.alive()) {
    usleep(10'000);
    worker.kill_beyond({.seconds = 0.2}, slots[0]);
  }
  EXPECT_EQ(worker.killed_for, VerdictKind::Hang);
}

TEST(Isolate, ResultsComeBackWhole) {
  std::string large(3 << 20, 'x');
  ChildResult r = run_isolated([&] { return large + "end"; }, {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Done);
  EXPECT_EQ(r.output.size(), large.size() + 3);
}

TEST(Isolate, CrashesAreAnswers) {
  ChildResult r = run_isolated(
      []() -> std::string {
        std::fprintf(stderr, "about to die\n");
        raise(SIGSEGV);
        return "";
      },
      {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Crash);
  EXPECT_NE(r.log.find("about to die"), std::string::npos);
  r = run_isolated([]() -> std::string { std::abort(); }, {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Crash);
  r = run_isolated([]() -> std::string { throw std::runtime_error("oh"); }, {});
  EXPECT_EQ(r.kind, ChildResult::Kind::Crash);
  EXPECT_EQ(r.signal, 0);
  EXPECT_NE(r.log.find("oh"), std::string::npos);
}

TEST(Isolate, HangsEnd) {
  Limits limits;
  limits.seconds = 0.3;
  ChildResult r = run_isolated(
      []() -> std::string {
        for (;;) usleep(1000);
      },
      limits);
  EXPECT_EQ(r.kind, ChildResult::Kind::Hang);
}

TEST(Isolate, MemoryIsLimited) {
  Limits limits;
  limits.megabytes = 300;
  ChildResult r = run_isolated(
      []() -> std::string {
        Storage::allocate(size_t{1} << 30);
        return "";
      },
      limits);
  EXPECT_EQ(r.kind, ChildResult::Kind::Memory);
  r = run_isolated([]() -> std::string { throw std::bad_alloc(); }, limits);
  EXPECT_EQ(r.kind, ChildResult::Kind::Memory);
}

TEST(Files, AreWholeOrAbsent) {
  std::string out = fresh_folder();
  write_atomically(out + "/a", "one");
  write_atomically(out + "/a", "two");
  EXPECT_EQ(text_of(out + "/a"), "two");
  EXPECT_NE(access((out + "/a.part").c_str(), F_OK), 0);
  EXPECT_THROW(write_atomically("/nonexistent/folder/a", "x"), Error);
  EXPECT_THROW(write_atomically(out, "x"), Error);
  // What is no file stays what it is.
  ASSERT_EQ(mkfifo((out + "/pipe").c_str(), 0600), 0);
  const int reader = open((out + "/pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_atomically(out + "/pipe", "three");
  char got[8] = {};
  EXPECT_EQ(read(reader, got, sizeof got), 5);
  EXPECT_STREQ(got, "three");
  close(reader);
  struct stat pipe;
  EXPECT_TRUE(stat((out + "/pipe").c_str(), &pipe) == 0 && S_ISFIFO(pipe.st_mode));
  // In a process of its own: that a disk was full stays noted (engine/base/lack.h).
  const auto fill = [] {
    try {
      write_atomically("/dev/full", "x");
    } catch (const Error&) {
      _exit(3);
    }
    _exit(0);
  };
  EXPECT_EQ(spawn(fill).wait().status, 3);
}

TEST(TriageShare, IsAFifthOfTheTimeAskedInAll) {
  TriageShare share{.asked = 200};
  EXPECT_EQ(share.seconds_left(0.02), 40);  // the first finding need not wait
  share.used = 8;
  EXPECT_EQ(share.seconds_left(39), 0);  // then those that come spread over the time
  EXPECT_EQ(share.seconds_left(41), 32);
  share.workers_ended = 200;
  EXPECT_EQ(share.seconds_left(200), 32);
  share.used = 40;
  EXPECT_EQ(share.seconds_left(232), 0);
  EXPECT_EQ((TriageShare{.asked = 3}.seconds_left(1)), kLeastShare);
  EXPECT_EQ((TriageShare{.asked = 3, .used = kLeastShare + 1, .workers_ended = 3}.seconds_left(9)),
            0);
}

TEST(TriageShare, GrowsWithWhatWaits) {
  const TriageShare share{.asked = 1000};
  EXPECT_EQ(share.seconds_left(10, 0), 200);
  EXPECT_EQ(share.seconds_left(10, 1), 200);
  EXPECT_NEAR(share.seconds_left(10, 4), 300, 1e-9);
  EXPECT_EQ(share.seconds_left(10, 10), 500);
  EXPECT_EQ(share.seconds_left(10, 1000), 500);
}

TEST(TriageShare, WithoutATimeFollowsTheProgramsTime) {
  TriageShare share;
  EXPECT_EQ(share.seconds_left(1), kLeastShare);
  share.used = 15;
  EXPECT_EQ(share.seconds_left(70), 0);
  EXPECT_EQ(share.seconds_left(100), kLeastShare - 15);
  EXPECT_EQ(share.seconds_left(1000), 185);
  share.workers_ended = 80;
  EXPECT_EQ(share.seconds_left(80), kLeastShare - 15);
  share.used = kLeastShare;
  EXPECT_EQ(share.seconds_left(120), 0);
  share.workers_ended = 500;
  EXPECT_EQ(share.seconds_left(900), 100 - kLeastShare);
}

}  // namespace
}  // namespace fusillade::fuzz

// fusillade bench: the programs of bench/programs/ under each plan, as Google Benchmark's JSON.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/harness/code.h"
#include "bench/harness/context.h"
#include "bench/harness/count.h"
#include "bench/harness/entry.h"
#include "bench/harness/measure.h"
#include "bench/harness/peaks.h"
#include "engine/base/file.h"
#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/python.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/process/installed.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/stop_signals.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {
namespace {

using bench::Measured;
using nlohmann::json;

struct BenchOptions {
  bench::MeasureOptions measure;
  std::string programs = fuzz::here_or_installed("bench/programs");
  std::string filter;
  std::vector<std::string> sizes;
  std::string out;
  std::string timeout;
  std::string count_into;
  std::vector<std::string> count_not;  // PROGRAM/PLAN
  std::vector<std::string> plans{"eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)"};
  bool instructions = false;
};

// "12 allocations, peak 64.0 KiB"; empty where it is not known.
std::string memory_text(const Measured& m) {
  if (!m.cost) return "";
  const bench::Memory& memory = m.cost->memory;
  return fmt::format("{} allocations, peak {:.1f} KiB", memory.allocations,
                     static_cast<double>(memory.peak_bytes) / 1024);
}

std::string spread_text(const bench::Estimate& e) {
  if (e.processes < 2) return "[one process]";
  return fmt::format("[{:.2f}, {:.2f}]", e.lower * 1e6, e.upper * 1e6);
}

void print_row(const Measured& m, double base) {
  fmt::print(
      "{:<28} {:<28} {:>12.2f} us  {}  {:>6.2f}x  compile {:>8.2f} ms  first "
      "{:>9.2f} us  {}  {}\n",
      visible_line(m.program->name), m.plan.text + (m.alone ? " (alone)" : ""), m.call.value * 1e6,
      spread_text(m.call), base / m.call.value, m.compile.value * 1e3, m.first_call.value * 1e6,
      memory_text(m), m.verdict);
}

// The first plan of the program in the same mode, of which the others are multiples.
const Measured& base_of(const Measured& m, const std::vector<Measured>& all) {
  for (const Measured& b : all)
    if (b.program == m.program && b.alone == m.alone) return b;
  return m;
}

void print_floor(const char* what, std::optional<double> floor) {
  if (floor)
    fmt::print("A/A noise floor, {}: {:.2f} % (later over earlier processes, median)\n", what,
               100 * *floor);
  else fmt::print("A/A noise floor, {}: not known with fewer than four processes\n", what);
}

// Progress for a person, and whether to go on.
class Progress {
 public:
  bool operator()(size_t done, size_t all) {
    if (!isatty(STDERR_FILENO)) return !is_interrupted();
    const double used = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string left =
        done ? fmt::format(", {:.0f} s left",
                           used / static_cast<double>(done) * static_cast<double>(all - done))
             : "";
    clear_progress_line();
    fmt::print(stderr, "{} of {} processes{}{}", done, all, left, done + 1 == all ? "\n" : "");
    std::fflush(stderr);
    return !is_interrupted();
  }

  static bool is_interrupted() { return stop_ != 0; }

  // From now on the first signal to stop ends the measuring, the second of a kind the process.
  static void watch() {
    const auto on_signal = [](int) {
      stop_ = 1;
      constexpr char kMessage[] = "\ninterrupted: what was measured is being written\n";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
    };
    fuzz::on_stop_signals(on_signal, static_cast<int>(SA_RESETHAND | SA_RESTART));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static volatile std::sig_atomic_t stop_;
  Clock::time_point start_ = Clock::now();
};
volatile std::sig_atomic_t Progress::stop_ = 0;

json maybe(std::optional<double> value) { return value ? json(*value) : json(); }

// Null where the process that measures them fails: for lack of memory.
json peaks() {
  const fuzz::ChildResult r =
      fuzz::run_isolated([] { return bench::machine_peaks().dump(); }, {60, 0});
  return r.kind == fuzz::ChildResult::Kind::Done ? json::parse(r.output) : json();
}

json not_measured(const std::vector<bench::NotMeasured>& failed) {
  json out = json::array();
  for (const bench::NotMeasured& f : failed)
    out.push_back(
        {{"program", f.program}, {"engine", f.plan}, {"kind", f.kind}, {"error", f.error}});
  return out;
}

json file_of(const std::vector<Measured>& all, const std::vector<bench::NotMeasured>& failed,
             bool typed) {
  json entries = json::array();
  const std::string runtime = bench::runtime_code();
  for (const Measured& m : all)
    entries.push_back(
        bench::entry(m, base_of(m, all), static_cast<int>(entries.size()), typed, runtime));
  json context = bench::context();
  context["noise_floor"] = {{"steady", maybe(noise_floor(all, &Measured::aa_steady))},
                            {"compile", maybe(noise_floor(all, &Measured::aa_compile))}};
  context["interrupted"] = Progress::is_interrupted();
  context["peaks"] = Progress::is_interrupted() ? json() : peaks();
  context["not_measured"] = not_measured(failed);
  return {{"context", context}, {"benchmarks", entries}};
}

// The flags by which another process loads the same programs and makes the same inputs.
std::vector<std::string> words_of(const BenchOptions& o,
                                  const std::vector<bench::NotMeasured>& failed) {
  std::vector<std::string> out{"bench",
                               "--programs",
                               o.programs,
                               "--filter",
                               o.filter,
                               "--seed",
                               std::to_string(o.measure.seed)};
  for (const std::string& plan : o.plans) out.insert(out.end(), {"--plan", plan});
  for (const std::string& size : o.sizes) out.insert(out.end(), {"--size", size});
  if (o.measure.typed) out.push_back("--typed");
  for (const bench::NotMeasured& f : failed)
    out.insert(out.end(), {"--count-not", f.program + "/" + f.plan});
  return out;
}

// Those that were asked for; external engines measure no gradients.
std::vector<bench::Program> programs_of(const BenchOptions& o) {
  std::vector<bench::Program> out =
      bench::load_programs(o.programs, o.filter, bench::sizes_named(o.sizes));
  const auto outside = [](const Plan& p) { return fuzz::is_outside(p.engine); };
  const auto plan = std::ranges::find_if(o.measure.plans, outside);
  if (plan == o.measure.plans.end()) return out;
  const size_t left_out = std::erase_if(out, [](const bench::Program& p) { return p.backward; });
  if (out.empty())
    fail("gradients are measured under our own engines alone, and '{}' is none", plan->text);
  if (left_out)
    fmt::print(stderr, "{} programs with gradients left out: '{}' is no engine of ours\n", left_out,
               plan->text);
  return out;
}

void count(std::vector<Measured>& all, const BenchOptions& o,
           const std::vector<bench::NotMeasured>& failed) {
  try {
    bench::count_instructions(all, words_of(o, failed), &Progress::is_interrupted);
  } catch (const Error&) {
    if (!Progress::is_interrupted()) throw;
  }
}

int run_bench(const BenchOptions& o) {
  if (!o.count_into.empty()) {
    bench::run_counted(programs_of(o), o.measure, o.count_not, o.count_into);
    return kOk;
  }
  if (o.out.empty()) fail("--out FILE is required");
  make_place_for(o.out);
  for (const Plan& plan : o.measure.plans) check_device(plan);
  require_engines(o.measure.plans);
  const std::vector<bench::Program> programs = programs_of(o);
  Progress::watch();
  std::vector<bench::NotMeasured> failed;
  bench::MeasureOptions measuring = o.measure;
  measuring.stopped = &Progress::is_interrupted;
  std::vector<Measured> all = bench::measure(programs, measuring, Progress(), failed);
  if (o.instructions && !Progress::is_interrupted()) count(all, o, failed);
  write_atomically(
      o.out,
      file_of(all, failed, o.measure.typed).dump(1, ' ', true, json::error_handler_t::replace) +
          "\n");
  bool wrong = false;
  for (const Measured& m : all) {
    print_row(m, base_of(m, all).call.value);
    wrong = wrong || !(m.verdict == "ok" || m.verdict == "untrusted" || m.verdict == "not checked");
  }
  print_floor("steady call", noise_floor(all, &Measured::aa_steady));
  print_floor("compile", noise_floor(all, &Measured::aa_compile));
  if (wrong) fmt::print(stderr, "an output is wrong: see the verdicts above\n");
  for (const bench::NotMeasured& f : failed)
    fmt::print(stderr, "not measured: {} under {}: {}\n", visible_line(f.program), f.plan,
               visible_line(f.error));
  wrong = wrong || !failed.empty();
  if (!Progress::is_interrupted()) return wrong ? kFindings : kOk;
  fmt::print(stderr, "interrupted: {} holds what was measured until then\n", o.out);
  return kInterrupted;
}

VERB(bench, "time programs under several plans, and check their outputs") {
  auto o = std::make_shared<BenchOptions>();
  app.add_option("--out", o->out, "JSON file to write, in Google Benchmark's format");
  app.add_option("--plan", o->plans,
                 "plan to time (repeats; default: eager, vm/o2 and vm/o2,fuse(loopnest,llvm)); "
                 "ratios are to the first");
  declare_engines(app);
  app.add_option("--filter", o->filter, "regular expression on program names (default: all)");
  app.add_option(
         "--size", o->sizes,
         "sizes of the programs: small, medium or large (repeats; default: small and medium)")
      ->check(CLI::IsMember({"small", "medium", "large"}));
  app.add_option("--programs", o->programs, "folder of programs");
  app.add_option("--processes", o->measure.processes, "fresh processes")
      ->check(CLI::Range(1, 1000));
  app.add_option("--iterations", o->measure.rounds, "timed rounds per process")
      ->check(CLI::Range(20, 100000));
  app.add_flag("--typed", o->measure.typed, "compile for the types of the inputs");
  app.add_flag(
      "--alone", o->measure.alone,
      "also measure each plan in processes of its own, where no other plan uses the caches");
  app.add_flag("--instructions", o->instructions,
               "also count instructions, by callgrind (needs valgrind and binutils)");
  app.add_option("--timeout", o->timeout,
                 "limit for making a plan ready, and for a round of its calls (default: 60s; "
                 "external engines: 600s)");
  app.preparse_callback([](size_t) { fuzz::end_on_stop_signals(); });  // flags start engines
  app.add_option("--count-into", o->count_into)->group("");
  app.add_option("--count-not", o->count_not)->group("");
  app.add_flag("!--no-check", o->measure.check,
               "do not check the outputs (which takes minutes for large products)");
  app.add_option("--seed", o->measure.seed, "seed of inputs and of the order of plans")
      ->check(cli::kWhole);
  return [o] {
    o->measure.plans = parse_plans(o->plans);
    if (o->sizes.empty()) o->sizes = {"small", "medium"};
    bench::refuse_twice(o->measure.plans);
    o->measure.seconds = std::max(timeout_of(o->timeout, o->measure.plans),
                                  o->timeout.empty() ? o->measure.seconds : 0);
    if (o->measure.seconds <= 0) fail("--timeout: a program needs some time");
    const auto has_passes = [](const Plan& p) { return !p.pipeline.empty(); };
    if (o->measure.typed && std::ranges::none_of(o->measure.plans, has_passes))
      fail("--typed: types are for the passes of a plan, and none of the plans has any");
    return run_bench(*o);
  };
}

struct ReportOptions {
  std::string folder;
  std::string history, commit_url;
  std::string format;
  std::string to;
};

int run_report(const ReportOptions& o) {
  if (o.format.empty() != o.to.empty()) fail("--export FORMAT and --to FILE go together");
  const bool page = o.format.empty();
  if (!page) make_place_for(o.to);
  if (!page && !(o.history.empty() && o.commit_url.empty()))
    fail("--history and --commit-url are about the page, not about --export");
  const int status = page ? fuzz::ask_report({"page", o.folder, o.history, o.commit_url})
                          : fuzz::ask_report({"export", o.folder, o.format, o.to});
  if (status != kOk) return status;  // it said why
  fmt::print("{}\n", page ? o.folder + "/report/index.html" : o.to);
  return kOk;
}

VERB(report, "make one HTML page of a campaign's folder, of bench.json and the like") {
  auto o = std::make_shared<ReportOptions>();
  app.add_option("folder", o->folder, "a campaign's --out; or any folder with a bench.json")
      ->required();
  app.add_option("--history", o->history,
                 "a file of `history add` to draw (default: history.sqlite in the folder)");
  app.add_option("--commit-url", o->commit_url,
                 "URL of a commit, with a % for its hash, for links in the history");
  app.add_option("--export", o->format,
                 "write the folder's bench.json in another format: bmf, asv, lnt, "
                 "github-action-benchmark, csv");
  app.add_option("--to", o->to, "file for --export");
  return [o] { return run_report(*o); };
}

}  // namespace
}  // namespace fusillade::cli

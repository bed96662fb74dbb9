// fusillade bench: the programs of bench/programs/ under each plan, as Google Benchmark's JSON.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/harness/context.h"
#include "bench/harness/measure.h"
#include "engine/base/file.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/python.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"

namespace fusillade::cli {
namespace {

using bench::Measured;
using nlohmann::json;

struct BenchOptions {
  bench::MeasureOptions measure;
  std::string programs = "bench/programs";
  std::string filter;
  std::string out;
};

const std::vector<std::string>& default_plans() {
  static const std::vector<std::string> plans{"eager", "vm/o2", "vm/o2,fuse(loopnest,llvm)"};
  return plans;
}

json interval(const bench::Estimate& e) {
  return {{"estimate", e.value * 1e9},
          {"lower", e.lower * 1e9},
          {"upper", e.upper * 1e9},
          {"level", 0.95},
          {"processes", e.processes}};
}

json entry(const std::string& name, const Measured& m, int family, bool typed) {
  json warmup = json::array();
  json samples = json::array();
  int64_t iterations = 0;
  for (size_t p = 0; p < m.processes.size(); ++p) {
    const bench::PlanSeries& s = m.processes[p];
    warmup.push_back({{"class", m.steady[p].kind}, {"steady_from", m.steady[p].start}});
    json series = json::array();
    for (double t : s.rounds) series.push_back(t * 1e9);
    samples.push_back(series);
    iterations += static_cast<int64_t>(s.rounds.size()) * s.batch;
  }
  std::string full = name + "/" + m.plan;
  return {{"name", full},
          {"run_name", full},
          {"run_type", "iteration"},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"repetitions", m.processes.size()},
          {"repetition_index", 0},
          {"threads", 1},
          {"iterations", iterations},
          {"real_time", m.call.value * 1e9},
          {"cpu_time", m.cpu.value * 1e9},
          {"time_unit", "ns"},
          {"engine", m.plan},
          {"program", name},
          {"typed", typed},
          {"phases",
           {{"compile", interval(m.compile)},
            {"first_call", interval(m.first_call)},
            {"steady", interval(m.call)}}},
          {"warmup",
           {{"rule", "window medians within 15 % of the second half's level"},
            {"per_process", warmup}}},
          {"correctness", {{"verdict", m.verdict}, {"tight_share", m.tight_share}}},
          {"samples_ns", samples}};
}

void print_row(const std::string& name, const Measured& m, double base) {
  fmt::print(
      "{:<28} {:<28} {:>12.2f} us  [{:.2f}, {:.2f}]  {:>6.2f}x  compile {:>8.2f} ms  first "
      "{:>9.2f} us  {}\n",
      name, m.plan, m.call.value * 1e6, m.call.lower * 1e6, m.call.upper * 1e6, base / m.call.value,
      m.compile.value * 1e3, m.first_call.value * 1e6, m.verdict);
  std::fflush(stdout);
}

int run_bench(const BenchOptions& o) {
  make_place_for(o.out);
  for (const std::string& plan : o.measure.plans) check_device(parse_plan(plan));
  std::vector<bench::Program> programs = bench::load_programs(o.programs, o.filter);
  json entries = json::array();
  int family = 0;
  bool wrong = false;
  for (const bench::Program& p : programs) {
    std::vector<Measured> all = bench::measure(p, o.measure);
    for (const Measured& m : all) {
      print_row(p.name, m, all[0].call.value);
      entries.push_back(entry(p.name, m, family++, o.measure.typed));
      bool fine = m.verdict == "ok" || m.verdict == "untrusted" || m.verdict == "not checked";
      wrong = wrong || !fine;
    }
  }
  write_atomically(o.out,
                   json({{"context", bench::context()}, {"benchmarks", entries}}).dump(1) + "\n");
  if (wrong) fmt::print(stderr, "an output is wrong: see the verdicts above\n");
  return wrong ? kFindings : kOk;
}

VERB(bench, "time programs under several plans, outputs checked") {
  auto o = std::make_shared<BenchOptions>();
  app.add_option("--out", o->out, "JSON file in Google Benchmark's dialect")->required();
  app.add_option("--plan", o->measure.plans,
                 "plan to time (repeats); the first is the base of the ratios");
  declare_engines(app);
  app.add_option("--filter", o->filter, "regular expression on program names");
  app.add_option("--programs", o->programs, "folder of programs");
  app.add_option("--processes", o->measure.processes, "fresh processes")
      ->check(CLI::Range(1, 1000));
  app.add_option("--iterations", o->measure.rounds, "timed rounds per process")
      ->check(CLI::Range(20, 100000));
  app.add_flag("--typed", o->measure.typed, "compile for the types of the inputs");
  app.add_flag("!--no-check", o->measure.check,
               "do not judge the outputs (of large products that takes minutes)");
  app.add_option("--seed", o->measure.seed, "of inputs and of the order of plans")
      ->check(cli::kWhole);
  return [o] {
    if (o->measure.plans.empty()) o->measure.plans = default_plans();
    return run_bench(*o);
  };
}

struct ReportOptions {
  std::string folder;
  std::string format;
  std::string to;
};

int run_report(const ReportOptions& o) {
  if (o.format.empty() != o.to.empty()) fail("--export FORMAT and --to FILE go together");
  const bool page = o.format.empty();
  if (!page) make_place_for(o.to);
  const std::string problem = page ? fuzz::run_report({"page", o.folder})
                                   : fuzz::run_report({"export", o.folder, o.format, o.to});
  if (!problem.empty()) fail("{}", problem);
  fmt::print("{}\n", page ? o.folder + "/report/index.html" : o.to);
  return kOk;
}

VERB(report, "draw a campaign's folder, with bench.json if it holds one, as one HTML page") {
  auto o = std::make_shared<ReportOptions>();
  app.add_option("folder", o->folder, "a campaign's --out; or any folder with a bench.json")
      ->required();
  app.add_option("--export", o->format,
                 "instead: the folder's bench.json as bmf, asv, lnt, github-action-benchmark, csv");
  app.add_option("--to", o->to, "file for --export");
  return [o] { return run_report(*o); };
}

}  // namespace
}  // namespace fusillade::cli

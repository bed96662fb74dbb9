// fusillade check FILE...: one's own programs, judged by every oracle under every plan on many
// drawn inputs. A campaign whose programs are given: same store, findings and exit codes.
#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "engine/run/archive/archive.h"
#include "fuzz/campaign/supervisor.h"
#include "fuzz/cli/campaign_defaults.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/given_file.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/plain_python.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/program.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/process/room.h"
#include "fuzz/process/watchdog.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::cli {
namespace {

constexpr int kCalls = 8;  // draws of inputs that one judgement meets

struct Options {
  std::vector<std::string> files;
  std::string function;
  ModuleChoice module;
  InputFlags inputs;
  uint64_t draws = 64;
  std::vector<std::string> plans;
  std::string timeout, known;
  fuzz::SupervisorOptions campaign;
};

fuzz::Given load_given(const CLI::App& app, const Options& o, const std::string& file) {
  const InputFlags& flags = o.inputs;
  bool hinted = !flags.in.empty() || !flags.random.empty() || !flags.args.empty();
  if (file.ends_with(".case") && !hinted && o.function.empty() && !o.module.needs_module())
    return given_case(file);
  Program program = load_program(file, o.function, o.module);
  std::vector<InputHint> hints = collect_hints(app, flags, program);
  return given_program(file, std::move(program), hints);
}

// What was tried, how it ended, and where to find details.
void report_refused(const fuzz::Given& given, bool judged, const std::string& why) {
  std::string inputs;
  for (const fuzz::GivenInput& in : given.inputs)
    if (!in.fixed)
      inputs += fmt::format("{}{} ({})", inputs.empty() ? "" : ", ", in.name, in.type.text());
  fmt::print(
      stderr,
      "fusillade: {}: no input was accepted{}: {}\n  Its inputs, in order: {}. Tell their "
      "dtypes and sizes by --rand 'f32[2,3]', one for each, values by --in FILE.npy or "
      "--arg{}.\n",
      visible_line(given.file), judged ? "" : ", so nothing of it is judged", visible_lines(why),
      inputs.empty() ? "none that is not given" : visible_line(inputs),
      is_archive_name(given.file) ? ", or lay examples beside it: NAME.x0.npy, NAME.x1.npy" : "");
}

// A file as plain Python; none: it is no script, or no engine takes one. `read`: as our front end
// read it; null: it did not, for the reason `why`.
std::optional<fuzz::Given> load_plain(const CLI::App& app, const Options& o,
                                      const std::string& file, const fuzz::Given* read,
                                      const std::string& why) {
  const fuzz::Family* taker =
      file.ends_with(".py") ? taker_of_plain_python(o.campaign.campaign) : nullptr;
  if (!taker) return {};
  const std::string written = read_text_file(file);
  if (!read) require_python(written, file, taker->interpreter());
  try {
    const std::string text = plain_text(written, file, o.function, o.module);
    std::optional<fuzz::Given> out = given_plain(app, o.inputs, file, text, read);
    fuzz::trust_texts(true);  // they are the caller's own
    if (!read)
      fmt::print(stderr, "fusillade: {}: not read, so only the oracle plain_python judges it: {}\n",
                 visible_line(file), visible_lines(why));
    return out;
  } catch (const Exception& e) {
    if (!read) fail("{}\n  nor as plain Python: {}", why, e.what());
    fmt::print(stderr, "fusillade: {}: not judged as plain Python: {}\n", visible_line(file),
               visible_lines(e.what()));
    return {};
  }
}

// The oracles that take these programs under these plans.
std::string name_takers(const fuzz::CampaignOptions& campaign, uint64_t draws) {
  std::vector<std::string> names;
  for (const fuzz::Oracle* oracle : Table<fuzz::Oracle>::instance().by_name()) {
    fuzz::CampaignOptions one = campaign;
    one.oracles = {oracle->name};
    if (fuzz::trials_of_check(one, draws) > 0) names.push_back(oracle->name);
  }
  return names.empty() ? "no oracle does" : "these do: " + join(names, ", ");
}

int check_programs(const CLI::App& app, Options& o) {
  fuzz::SupervisorOptions& s = o.campaign;
  s.campaign.use = fuzz::Use::Check;
  s.campaign.calls = kCalls;
  s.campaign.seed = o.module.seed = o.inputs.seed;
  s.campaign.plans = chosen_plans(o.plans);
  fuzz::validate(s.campaign);
  require_engines(s.campaign.plans);
  s.limits.seconds = timeout_of(o.timeout, s.campaign.plans);
  if (s.limits.seconds <= 0) fail("--timeout: a program needs some time");
  if (!o.known.empty()) s.known = fuzz::read_known(o.known);
  fuzz::limit_this_process({0, fuzz::usual_megabytes()});  // programs are read here
  std::vector<fuzz::Given> programs;
  for (const std::string& file : o.files) {
    try {
      programs.push_back(load_given(app, o, file));
    } catch (const Exception& e) {
      std::optional<fuzz::Given> plain = load_plain(app, o, file, nullptr, e.what());
      if (!plain) throw;
      programs.push_back(std::move(*plain));
    }
  }
  bool accepted = true;  // some input, by each program
  const auto add = [&](fuzz::Given given) {
    s.campaign.given.push_back(std::make_shared<const fuzz::Given>(std::move(given)));
  };
  for (fuzz::Given& given : programs) {
    if (given.program.plain) {
      add(std::move(given));
      continue;
    }
    std::string why = fuzz::find_inputs(given, s.limits, {s.campaign.seed, o.draws});
    if (!why.empty()) {
      accepted = false;
      // What dies or never ends is a finding. What is refused is neither right nor wrong, but what
      // is compiled outside has to raise, too.
      const bool judged = given.dies || fuzz::judges_errors(s.campaign, given);
      report_refused(given, judged, why);
      if (!given.dies)
        (judged ? s.campaign.refused : s.campaign.left_out).insert(s.campaign.given.size());
    }
    std::optional<fuzz::Given> plain = load_plain(app, o, given.file, &given, "");
    add(std::move(given));
    if (plain) add(std::move(*plain));
  }
  s.runs = fuzz::trials_of_check(s.campaign, o.draws);
  if (s.runs == 0 && s.campaign.left_out.size() == s.campaign.given.size())
    return kInconclusive;  // nothing can be judged, as is said above
  if (s.runs == 0)
    fail("no oracle asked for takes a program of this form under these plans ({})",
         name_takers(s.campaign, o.draws));
  s.min_yield = 1e-9;  // something was compared
  s.progress = true;
  if (!app.count("--jobs")) s.jobs = default_jobs();
  keep_identity(s, true, app.count("--jobs") > 0);
  const int code = fuzz::run_campaign(s);
  if (code == kInterrupted) print_resume_hint(s);
  return code == kOk && !accepted ? static_cast<int>(kInconclusive) : code;
}

}  // namespace

VERB(check, "test your programs with every oracle under every plan, on many random inputs") {
  auto o = std::make_shared<Options>();
  fuzz::SupervisorOptions& s = o->campaign;
  app.add_option("file", o->files, "programs: .py, .ir, .case, .pt, .pt2 or .onnx")->required();
  app.add_option(
      "--fn", o->function,
      "function of a script (default: the only one), or method of an archive's module (default: "
      "forward)");
  declare_module(app, o->module);
  declare_inputs(app, o->inputs);
  app.add_option("--inputs", o->draws, "sets of random inputs for each program")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  app.add_option("--out", s.out, "folder for findings, database and reports")->required();
  app.add_option("--plan", o->plans,
                 "plan to test (repeats; =-PLAN removes one from the default set, which is of the "
                 "built-in engine; --plan torch:compile tests PyTorch)");
  app.add_option("--oracle", s.campaign.oracles, "oracle to use (repeats; default: all)");
  app.add_option("--max-findings", s.max_findings,
                 "stop after that many new findings (0: no limit)");
  app.add_option("-j,--jobs", s.jobs, "worker processes (default: one for each core)")
      ->check(CLI::Range(1, 256));
  app.add_option("--timeout", o->timeout, kTimeoutHelp);
  app.add_option("--rss-limit-mb", s.limits.megabytes,
                 "limit for each worker; more memory is a finding");
  app.add_option("--known", o->known,
                 "mute list: causes that do not count, with a reason, an owner and a last day");
  declare_engines(app);
  app.add_flag("--resume", s.resume, "continue the check in --out");
  return [o, &app] { return check_programs(app, *o); };
}

}  // namespace fusillade::cli

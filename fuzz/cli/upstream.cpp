// fusillade upstream FOLDER: a finding of an external engine as the issue that its makers are
// given.
//
// The script is regenerated from the reduced case and seen to fail before anything is written:
// nothing from the folder is run, as it may come from a stranger. The text is written by
// reports/fusillade_reports/upstream.py.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "engine/base/visible.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/python.h"
#include "fuzz/case/case.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/limits.h"
#include "fuzz/cli/plans.h"
#include "fuzz/cli/verb.h"
#include "fuzz/judge/judge.h"
#include "fuzz/process/room.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/script.h"
#include "fuzz/triage/finding.h"

namespace fusillade::cli {
namespace {

namespace fs = std::filesystem;

// A folder of this process, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string name = fs::temp_directory_path() / "fusillade-upstream-XXXXXX";
    if (!mkdtemp(name.data()))
      fail("no folder can be made in {}", fs::temp_directory_path().string());
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

struct Options {
  std::string folder, timeout;
  size_t megabytes = 4096;
};

// Issues are for the makers of external engines.
void require_about_outside(const std::string& folder, const fuzz::Case& c) {
  if (c.plans.empty()) fail("{}: the finding names no plan", folder);
  const Plan& plan = c.plans[0];
  const Engine* engine = Table<Engine>::instance().find(plan.engine);
  if (engine && !engine->outside)
    fail("{}: the finding is about {}, which is ours: issues are for external engines", folder,
         plan.text);
  if (engine) return;
  fail("{}: {}{}", folder, plan.error, fuzz::how_it_was_judged(folder + "/reduced.case"));
}

int write_issue(const Options& o) {
  const std::string file = o.folder + "/reduced.case";
  if (!fs::exists(o.folder + "/finding.json") || !fs::exists(file))
    fail("{} is not the folder of a finding: it holds no finding.json and reduced.case", o.folder);
  fuzz::Case c = fuzz::read_case(file);
  require_about_outside(o.folder, c);
  require_engines(c.plans);
  const fuzz::Limits limits{timeout_of(o.timeout, c.plans), o.megabytes};
  fuzz::require_room(limits);
  const fuzz::Verdict v = fuzz::judge_isolated(c, limits);
  report_other_versions(c, file);
  if (!fuzz::is_finding(v.kind)) {
    fmt::print(stderr, "{}\n",
               visible_line(file + " does not fail here (" + name_of(v.kind) +
                            "): there is nothing to report"));
    return kInconclusive;
  }
  if (!v.plan.empty()) c.plans = {v.plan};
  c.oracle = v.oracle;
  const Scratch scratch;
  const std::string script = scratch.file("script.py");
  const std::string why = fuzz::save_script(script, c, v, limits, scratch.file("tried.py"));
  if (!why.empty()) fail("{}: there is no script that shows it: {}", file, why);
  std::string python = fuzz::family_of(c.plans[0].engine).interpreter();
  if (python.find('/') != std::string::npos) python = fs::absolute(python);
  const std::string& worker = fuzz::family_of(c.plans[0].engine).worker;
  return fuzz::ask_report({"upstream", fs::absolute(o.folder), script, python, worker});
}

VERB(upstream,
     "write an issue about a finding for the compiler's project, with script and versions") {
  auto o = std::make_shared<Options>();
  app.add_option("folder", o->folder, "the folder of a finding of an external engine")->required();
  app.add_option("--timeout", o->timeout, kTimeoutHelp);
  app.add_option("--rss-limit-mb", o->megabytes, "limit of memory");
  declare_engines(app);
  return [o] { return write_issue(*o); };
}

}  // namespace
}  // namespace fusillade::cli

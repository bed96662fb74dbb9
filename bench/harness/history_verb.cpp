// fusillade history: results of bench kept over commits, and what changed at which. The database
// and the statistics are in reports/ (fusillade_reports/history.py, changepoints.py).
#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/error.h"
#include "fuzz/campaign/python.h"
#include "fuzz/cli/verb.h"
#include "fuzz/run/commit.h"

namespace fusillade::cli {
namespace {

struct HistoryOptions {
  std::string action;
  std::string folder;
  std::string db;
  std::string commit;
  std::string machine;
  std::string program, plan, metric;
  bool all = false;
};

// What names the other action's things is a mistake.
void refuse(const HistoryOptions& o, const std::vector<std::pair<const char*, bool>>& given) {
  for (const auto& [what, there] : given)
    if (there) fail("history {} takes no {}", o.action, what);
}

int add(const HistoryOptions& o) {
  refuse(o, {{"--program", !o.program.empty()},
             {"--plan", !o.plan.empty()},
             {"--metric", !o.metric.empty()},
             {"--all", o.all}});
  if (o.folder.empty())
    fail("history add needs what to add: bench.json, or a folder that holds it");
  if (o.commit.empty() && fuzz::has_changes())
    fail("files differ from those of HEAD: --commit says which commit was measured");
  const fuzz::Commit c = fuzz::find_commit(o.commit.empty() ? "HEAD" : o.commit);
  std::vector<std::string> words{"history", "add", o.folder, "--db", o.db, "--commit", c.hash};
  words.insert(words.end(), {"--time", std::to_string(c.time), "--number", std::to_string(c.number),
                             "--subject=" + c.subject});
  if (o.commit.empty()) words.emplace_back("--measured-after");
  if (!o.machine.empty()) words.push_back("--machine=" + o.machine);
  return fuzz::ask_report(words);
}

int show(const HistoryOptions& o) {
  refuse(o, {{"--commit", !o.commit.empty()},
             {"--machine", !o.machine.empty()},
             {"folder", !o.folder.empty()}});
  std::vector<std::string> words{"history", "show", "--db", o.db};
  if (!o.program.empty()) words.push_back("--program=" + o.program);
  if (!o.plan.empty()) words.push_back("--plan=" + o.plan);
  if (!o.metric.empty()) words.push_back("--metric=" + o.metric);
  if (o.all) words.emplace_back("--all");
  return fuzz::ask_report(words);
}

VERB(history,
     "keep results of bench over commits, and name the commit that made a program slower") {
  auto o = std::make_shared<HistoryOptions>();
  app.add_option("action", o->action, "add: store a run; show: print what changed")
      ->required()
      ->check(CLI::IsMember({"add", "show"}));
  app.add_option("run", o->folder, "add: bench.json, or a folder that holds one");
  app.add_option("--db", o->db, "the history, an SQLite file, which add creates")->required();
  app.add_option("--commit", o->commit,
                 "add: the commit that was measured (default: HEAD, if no file differs from it)");
  app.add_option("--machine", o->machine, "add: name of the machine (default: its host name)");
  app.add_option("--program", o->program,
                 "show: regular expression on program names (default: all)");
  app.add_option("--plan", o->plan, "show: regular expression on plans (default: all)");
  app.add_option("--metric", o->metric, "show: steady, compile, instructions, ...");
  app.add_flag("--all", o->all, "show: also timings without changes");
  return [o] { return o->action == "add" ? add(*o) : show(*o); };
}

}  // namespace
}  // namespace fusillade::cli

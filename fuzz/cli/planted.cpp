// fusillade planted: how good is the fuzzer? Bugs are planted, one at a time; campaigns look for
// them.
//
// suites/planted/plant.py copies the tree to SOURCE/build/planted/tree with every record as a
// run-time switch; the copy is built once (Release). Then each record gets one campaign of at most
// S seconds, with one worker and pinned with all its children to one core, which stops at the first
// finding.
//   reached    how often the planted place was passed with the switch on
//   triggered  the campaign gave a finding at all
//   detected   the finding is real: it reproduces with the switch on, and is gone when it is off
//   seconds    of the campaign until the finding was noticed; its triage comes on top
//   programs   of the campaign until then: what it is of another machine, or of a loaded one
//   blame      right when what the bisection names starts with what the record expects (one of
//   several
//              words for an analysis that several passes use)
//   nodes      operator nodes of the reduced program
//   buckets    findings after the campaign went on for --count seconds more, stopping at none
//   cases      that show these findings; `waiting` were not triaged
// A finding that stays without the switch is none of the record's: the campaign goes on. A record
// of the oracle `against` switches an optimisation off: its campaign is against the copy as it is.
// The control is a campaign with no switch on; it must find nothing. stdout: a page of Markdown, or
// JSON (--json), which OUT/planted.json has as well, after each record, for `fusillade report OUT`.
// Exit 0: all detected and the control clean; 2 otherwise. Environment: FUSILLADE_PYTHON is the
// interpreter of plant.py (default /usr/bin/python3).
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>

#include "engine/base/file.h"
#include "engine/base/options.h"
#include "engine/base/shell.h"
#include "engine/base/text.h"
#include "fuzz/case/against.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/folder.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/whole.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/process/installed.h"
#include "fuzz/process/spawn.h"

namespace fusillade::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct PlantedOptions {
  std::string filter = ".*", seconds = "60s", count = "10s", out, source;
  uint64_t seed = 1;
  bool as_json = false;
};

bool exists(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0;
}

// A command whose stdout and stderr go to a file.
struct Command {
  std::vector<std::string> words;
  std::string log;
  std::string planted;  // switch, or empty
  std::string reached;  // counter file
  bool one_core = false;
  std::string options = {};  // of the engine: NAME=VALUE by blanks
};

void set_options(const std::string& options) {
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    const size_t equal = word.find('=');
    const OptionRow* row = Table<OptionRow>::instance().find(word.substr(0, equal));
    if (!row || equal == std::string::npos) fail("'{}' is no option and value", word);
    setenv(row->env().c_str(), word.c_str() + equal + 1, 1);
  }
}

void set_up(const Command& c) {
  if (c.one_core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(std::max(sched_getcpu(), 0)), &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  set_options(c.options);
  unsetenv("FUSILLADE_PLANTED");
  unsetenv("FUSILLADE_PLANTED_REACHED");
  if (!c.planted.empty()) {
    setenv("FUSILLADE_PLANTED", c.planted.c_str(), 1);
    setenv("FUSILLADE_PLANTED_REACHED", c.reached.c_str(), 1);
    // Its workers count there.
    const char* writes = std::getenv("FUSILLADE_ENGINE_WRITES");
    const std::string folder = std::filesystem::path(c.reached).parent_path().string();
    setenv("FUSILLADE_ENGINE_WRITES",
           writes ? (std::string(writes) + ":" + folder).c_str() : folder.c_str(), 1);
  }
}

// The exit code, or 128 + the signal that ended it.
int run(const Command& c) {
  int log = open(c.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (log < 0) fail("cannot write {}: {}", c.log, std::strerror(errno));
  fuzz::SpawnOptions options{.name = c.words[0]};
  options.output = options.errors = log;
  options.death_signal = SIGTERM;  // a campaign writes down what it has
  fuzz::Child child = fuzz::spawn(
      [&] {
        set_up(c);
        fuzz::become(c.words);
      },
      options);
  close(log);
  fuzz::Ending ending = child.wait();
  return ending.signal ? 128 + ending.signal : ending.status;
}

void must_run(const Command& c) {
  int code = run(c);
  if (code != 0) fail("'{}' ended with code {}; its output is in {}", c.words[0], code, c.log);
}

// The source tree: above the binary, unless given.
std::string find_source(const std::string& given) {
  const std::string at = given.empty() ? fuzz::own_executable() : given;
  for (std::string up = at; !up.empty(); up.resize(up.rfind('/'))) {
    if (exists(up + "/suites/planted/plant.py")) return up;
    if (!given.empty() || up.find('/') == std::string::npos) break;
  }
  fail("there is no suites/planted/plant.py {} {}; give the source tree with --source",
       given.empty() ? "above" : "in", at);
}

struct Measured {
  json record;  // as plant.py lists it
  uint64_t reached = 0;
  bool triggered = false, detected = false, right = false;
  double seconds = 0;  // of the campaign
  json finding;        // as in campaign.json; null: none
  std::string ended;   // how the campaign itself ended, where the bug ended it
  uint64_t programs = 0;
  size_t buckets = 0, waiting = 0;
  int64_t cases = 0;
};

class Measurement {
 public:
  explicit Measurement(const PlantedOptions& o)
      : o_(o),
        source_(find_source(o.source)),
        seconds_(parse_duration("--seconds", o.seconds)),
        count_seconds_(parse_duration("--count", o.count)) {
    out_ = o.out.empty() ? source_ + "/build/planted/campaigns" : o.out;
    tree_ = source_ + "/build/planted/tree";
    binary_ = tree_ + "/build/release/fusillade";
  }

  int run_all();

 private:
  std::vector<json> load_records();
  void build();
  std::string as_it_is() const;
  void add_oracle(const json& record, std::vector<std::string>& words) const;
  Measured measure(const json& record);
  json campaign(const std::string& folder, const json& record, double seconds, bool resume,
                int most_findings = 1);
  void count_buckets(const std::string& folder, Measured& m);
  bool stays_without_switch(const json& record, const std::string& file);
  void judge(const json& finding, const std::string& folder, Measured& m);
  ordered_json document(const std::vector<Measured>& all, const Measured* control) const;
  void keep(const ordered_json& document) const;

  const PlantedOptions& o_;
  std::string source_, out_, tree_, binary_;
  double seconds_;
  double count_seconds_;
};

std::vector<json> Measurement::load_records() {
  const std::string python = fuzz::python_interpreter();
  std::string script = source_ + "/suites/planted/plant.py";
  must_run({{python, script, "list"}, out_ + "/records.json", "", ""});
  must_run({{python, script, "make", tree_}, out_ + "/plant.log", "", ""});
  std::regex wanted;
  try {
    wanted = o_.filter;
  } catch (const std::regex_error& e) {
    fail("--filter: '{}' is not a regular expression ({})", o_.filter, e.what());
  }
  std::vector<json> out;
  for (const json& r : json::parse(read_file(out_ + "/records.json"))) {
    if (std::regex_search(r["id"].get<std::string>(), wanted)) out.push_back(r);
  }
  if (out.empty()) fail("--filter '{}': no record of suites/planted has such an id", o_.filter);
  return out;
}

void Measurement::build() {
  std::fprintf(stderr, "building the planted copy in %s\n", tree_.c_str());
  std::string folder = tree_ + "/build/release";
  must_run({{"cmake", "--preset", "release", "-DFUSILLADE_WERROR=OFF", "-S", tree_, "-B", folder},
            out_ + "/cmake.log",
            "",
            ""});
  must_run({{"ninja", "-C", folder, "fusillade"}, out_ + "/ninja.log", "", ""});
}

// The copy with no switch on, as a program.
std::string Measurement::as_it_is() const {
  std::string path = out_ + "/as-it-is";
  write_atomically(path, "#!/bin/sh\nunset FUSILLADE_PLANTED FUSILLADE_PLANTED_REACHED\nexec " +
                             shell_word(binary_) + " \"$@\"\n");
  chmod(path.c_str(), 0755);
  return path;
}

// What a campaign is not asked of by itself.
void Measurement::add_oracle(const json& record, std::vector<std::string>& words) const {
  const std::string name = record.value("oracle", "");
  if (name == fuzz::kAgainst) words.insert(words.end(), {"--against", as_it_is()});
  const fuzz::Oracle* oracle = Table<fuzz::Oracle>::instance().find(name);
  if (oracle && oracle->asked) words.insert(words.end(), {"--oracle", name});
}

// campaign.json of a campaign that stops at its first new finding; 0: at none. Where the bug ends
// the campaign itself, an object that says so (`ended`): no finding.
json Measurement::campaign(const std::string& folder, const json& record, double seconds,
                           bool resume, int most_findings) {
  const std::string id = record.value("id", "");
  Command c{{binary_, "fuzz", fmt::format("--max-total-time={}s", seconds), "--jobs", "1",
             fmt::format("--max-findings={}", most_findings), "--min-yield", "0",
             fmt::format("--seed={}", o_.seed), "--out", folder},
            folder + (resume ? "-resumed.log" : ".log"),
            id,
            folder + ".reached",
            true,
            record.value("options", "")};
  if (record.contains("plan")) c.words.insert(c.words.end(), {"--plan", record["plan"]});
  add_oracle(record, c.words);
  if (resume) c.words.push_back("--resume");
  const int code = run(c);
  if (code == kOk || code == kFindings) return json::parse(read_file(folder + "/campaign.json"));
  const std::string how = fmt::format("a campaign ended with code {}", code);
  if (id.empty()) fail("{}; its output is in {}", how, c.log);
  return {{"ended", how}};
}

// A front end with the switch on may take what none takes, and the reducer then makes such a
// script: what cannot be read without the switch is judged as it was found.
bool Measurement::stays_without_switch(const json& record, const std::string& file) {
  auto run_repro = [&](const std::string& path) {
    Command c{{binary_, "repro", path}, path + ".without", "", ""};
    c.options = record.value("options", "");
    add_oracle(record, c.words);
    return run(c);
  };
  int code = run_repro(file);
  if (code == kUsage) code = run_repro(file.substr(0, file.rfind('/') + 1) + "original.case");
  return code != kOk;
}

void Measurement::judge(const json& finding, const std::string& folder, Measured& m) {
  m.triggered = true;
  m.finding = finding;
  m.seconds = finding["first_seen"];
  std::string found = finding["blame"];
  std::string expected = m.record["blame"];
  std::vector<std::string> words = split_outside_brackets(expected, '|');
  bool flaky = finding["verdict"] == "flaky";
  std::string file = finding["case"].get<std::string>();
  m.detected = !flaky && !file.empty() && !stays_without_switch(m.record, folder + "/" + file);
  m.right = m.detected && std::any_of(words.begin(), words.end(), [&](const std::string& w) {
              return found.rfind(trim(w), 0) == 0;
            });
}

Measured Measurement::measure(const json& record) {
  Measured m;
  m.record = record;
  std::string id = record.value("id", "");
  std::string folder = out_ + "/" + (id.empty() ? "control" : id);
  must_run({{"rm", "-rf", folder, folder + ".reached"}, out_ + "/rm.log", "", ""});
  double used = 0;
  size_t seen = 0;
  for (bool resume = false; used < seconds_ && !m.detected; resume = true) {
    json c = campaign(folder, record, seconds_ - used, resume);
    if (c.contains("ended")) {
      m.triggered = true;
      m.ended = c["ended"];
      break;
    }
    m.programs = c["programs"];
    const json& findings = c["findings"];
    double now = c["seconds"];
    if (findings.size() == seen) break;
    for (; seen < findings.size() && !m.detected; ++seen) {
      if (id.empty()) m.triggered = true, m.finding = findings[seen];
      else judge(findings[seen], folder, m);
    }
    used = std::max(now, used + 0.1);
  }
  if (!m.detected) m.seconds = std::max(used, seconds_);
  else if (count_seconds_ > 0) count_buckets(folder, m);
  if (exists(folder + ".reached")) {
    std::string bytes = read_file(folder + ".reached");
    std::copy_n(bytes.data(), std::min(bytes.size(), sizeof m.reached),
                reinterpret_cast<char*>(&m.reached));
  }
  return m;
}

void Measurement::count_buckets(const std::string& folder, Measured& m) {
  json c = campaign(folder, m.record, count_seconds_, true, 0);
  if (c.contains("ended")) return;
  m.buckets = c["findings"].size();
  for (const json& f : c["findings"]) m.cases += f["count"].get<int64_t>();
  m.waiting = c["pending"];
}

// In a cell of a table.
std::string alternatives(const ordered_json& words) {
  std::string out;
  for (const std::string& word : split_outside_brackets(words.get<std::string>(), '|'))
    out += (out.empty() ? "" : " / ") + std::string(trim(word));
  return out;
}

std::string text_of(const json& finding, const char* key) {
  return finding.is_null() ? "" : finding[key].get<std::string>();
}

ordered_json control_of(const Measured& m) {
  return {{"programs", m.programs},
          {"seconds", m.seconds},
          {"bucket", m.finding.is_null() ? json() : m.finding["bucket"]}};
}

ordered_json Measurement::document(const std::vector<Measured>& all,
                                   const Measured* control) const {
  ordered_json records = ordered_json::array();
  int detected = 0, right = 0;
  std::vector<int> nodes;
  std::vector<size_t> buckets;
  for (const Measured& m : all) {
    const json& r = m.record;
    ordered_json row = {{"id", r["id"]},
                        {"real", r["real"]},
                        {"file", r["file"]},
                        {"class", r["class"]},
                        {"reached", m.reached},
                        {"triggered", m.triggered},
                        {"detected", m.detected},
                        {"seconds", m.seconds},
                        {"programs", m.programs},
                        {"oracle_expected", r["oracle"]},
                        {"oracle_found", text_of(m.finding, "oracle")},
                        {"verdict", m.ended.empty() ? text_of(m.finding, "verdict") : m.ended},
                        {"blame_expected", r["blame"]},
                        {"blame_found", text_of(m.finding, "blame")},
                        {"blame_right", m.right},
                        {"nodes", m.finding.is_null() ? json() : m.finding["nodes"]},
                        {"buckets", m.buckets},
                        {"cases", m.cases},
                        {"waiting", m.waiting}};
    records.push_back(row);
    detected += m.detected;
    right += m.right;
    if (m.detected) nodes.push_back(m.finding["nodes"]);
    if (m.detected) buckets.push_back(m.buckets);
  }
  std::sort(nodes.begin(), nodes.end());
  std::sort(buckets.begin(), buckets.end());
  ordered_json totals = {
      {"records", all.size()},
      {"detected", detected},
      {"blamed_right", right},
      {"median_nodes", nodes.empty() ? json() : json(nodes[nodes.size() / 2])},
      {"median_buckets", buckets.empty() ? json() : json(buckets[buckets.size() / 2])},
      {"most_buckets", buckets.empty() ? json() : json(buckets.back())}};
  return {{"schema", 1},
          {"limit_seconds", seconds_},
          {"count_seconds", count_seconds_},
          {"seed", o_.seed},
          {"records", records},
          {"control", control ? control_of(*control) : ordered_json()},
          {"totals", totals}};
}

// So that what was measured is there however the hunt ends.
void Measurement::keep(const ordered_json& document) const {
  write_atomically(out_ + "/planted.json", document.dump(2, ' ', true) + "\n");
}

std::string yes(const ordered_json& v) { return v.get<bool>() ? "yes" : "**no**"; }

std::string cell(const ordered_json& v) { return v.is_null() ? "" : v.dump(); }

std::string page(const ordered_json& d) {
  std::string out = fmt::format(
      "# Planted bugs\n\nOne campaign of at most {:.0f} s on one core for each record of "
      "`suites/planted/`; the columns are "
      "explained in `fuzz/cli/planted.cpp`.\n\n"
      "| record | modelled on | reached | triggered | detected | seconds | programs | oracle | "
      "blame expected "
      "| blame found | right | "
      "nodes | buckets | cases | waiting |\n"
      "|---|---|---:|---|---|---:|---:|---|---|---|---|---:|---:|---:|---:|\n",
      d["limit_seconds"].get<double>());
  for (const ordered_json& r : d["records"]) {
    out += fmt::format(
        "| {} | {} | {} | {} | {} | {:.1f} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        r["id"].get<std::string>(), r["real"].get<std::string>(), r["reached"].get<uint64_t>(),
        yes(r["triggered"]), yes(r["detected"]), r["seconds"].get<double>(), cell(r["programs"]),
        r["oracle_found"].get<std::string>(), alternatives(r["blame_expected"]),
        r["blame_found"].get<std::string>(), yes(r["blame_right"]), cell(r["nodes"]),
        cell(r["buckets"]), cell(r["cases"]), cell(r["waiting"]));
  }
  const ordered_json& t = d["totals"];
  const ordered_json& control = d["control"];
  out += fmt::format(
      "\n{} records; detected: {}; blamed right: {}; median nodes: {}; buckets each: "
      "median {}, at most {}.\n",
      t["records"].dump(), t["detected"].dump(), t["blamed_right"].dump(), t["median_nodes"].dump(),
      t["median_buckets"].dump(), t["most_buckets"].dump());
  out += fmt::format(
      "Control, no switch on: {} programs, {}.\n", control["programs"].dump(),
      control["bucket"].is_null() ? "no finding" : "FOUND " + control["bucket"].get<std::string>());
  return out;
}

int Measurement::run_all() {
  make_folders(out_);
  guard_folder(out_);
  std::vector<json> records = load_records();
  build();
  std::vector<Measured> all;
  for (const json& r : records) {
    all.push_back(measure(r));
    const Measured& m = all.back();
    keep(document(all, nullptr));
    std::fprintf(
        stderr,
        "%-28s %-12s %6.1f s  blame %s (expected %s)  nodes %s  buckets %zu  reached %llu\n",
        r["id"].get<std::string>().c_str(), m.detected ? "detected" : "NOT DETECTED", m.seconds,
        text_of(m.finding, "blame").c_str(), r["blame"].get<std::string>().c_str(),
        m.finding.is_null() ? "-" : m.finding["nodes"].dump().c_str(), m.buckets,
        static_cast<unsigned long long>(m.reached));
  }
  Measured control = measure(json::object());
  ordered_json d = document(all, &control);
  keep(d);
  fmt::print("{}", o_.as_json ? d.dump(2, ' ', true) + "\n" : page(d));
  bool good = control.finding.is_null() && d["totals"]["detected"] == d["totals"]["records"];
  return good ? kOk : kFindings;
}

VERB(planted, "measure the fuzzer: plant bugs one at a time and look for them") {
  auto o = std::make_shared<PlantedOptions>();
  app.add_flag("--json", o->as_json, "a JSON document instead of a page");
  app.add_option("--filter", o->filter, "regular expression that a record's id matches");
  app.add_option("--seconds", o->seconds, "time for each record");
  app.add_option("--count", o->count,
                 "more time for each record, to count buckets after it was detected (0: none)");
  app.add_option("--seed", o->seed, "seed of the campaigns")->check(kWhole);
  app.add_option(
      "--out", o->out,
      "folder for the campaigns and planted.json (default: build/planted/campaigns in the "
      "source tree)");
  app.add_option("--source", o->source, "source tree (default: the one above this binary)");
  return [o] { return Measurement(*o).run_all(); };
}

}  // namespace
}  // namespace fusillade::cli

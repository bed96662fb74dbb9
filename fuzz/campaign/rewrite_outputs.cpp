// See rewrite_outputs.h.
#include "fuzz/campaign/rewrite_outputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/outputs.h"
#include "fuzz/campaign/part.h"
#include "fuzz/campaign/pending.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

// What a store does not have, of the campaign.json that is there; one that cannot be read says
// nothing. Its long lists are left out while it is read.
json said_before(const std::string& out) {
  const std::string path = out + "/campaign.json";
  struct stat s;
  if (lstat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return json::object();
  const auto keep_key = [](int depth, json::parse_event_t event, const json& parsed) {
    return depth != 1 || event != json::parse_event_t::key ||
           (parsed != "findings" && parsed != "samples" && parsed != "reach");
  };
  const json before = json::parse(read_file(path), keep_key, false);
  return before.is_object() ? before : json::object();
}

double number_of(const json& before, const char* name, double otherwise) {
  const auto it = before.find(name);
  return it != before.end() && it->is_number() ? it->get<double>() : otherwise;
}

// What a campaign says that its processes were kept from.
std::vector<std::string> walls_in(const json& before, const char* name) {
  std::vector<std::string> out;
  for (const json& wall : before.value(name, json::array()))
    if (wall == "files" || wall == "modes" || wall == "network") out.push_back(wall);
  return out;
}

void read_identity(const std::string& text, CampaignOptions& campaign) {
  const json identity = json::parse(text);
  campaign.seed = identity.at("seed").get<uint64_t>();
  for (const json& plan : identity.at("plans"))
    campaign.plans.push_back(read_plan(plan.get<std::string>()));
  if (identity.value("use", "") == "check") campaign.use = Use::Check;
}

}  // namespace

int rewrite_outputs(const std::string& out, const Store& store, const KnownList& known,
                    std::optional<double> min_yield) {
  const json before = said_before(out);
  SupervisorOptions o;
  o.out = out;
  o.known = known;
  o.min_yield = min_yield ? *min_yield : number_of(before, "min_yield", o.min_yield);
  o.progress = true;
  o.jobs = std::max(1, std::atoi(store.meta("jobs").c_str()));
  read_identity(store.meta("identity"), o.campaign);
  const std::vector<FindingRow> found = store.findings();
  TriageQueue queue({});
  queue.set_waiting(cases_in(pending_folder(out)), [&](const std::string& name) {
    return read_pending(pending_folder(out) + "/" + name);
  });
  double seconds = store.load_seconds();
  for (const Sample& s : store.samples()) seconds = std::max(seconds, s.seconds);
  Ended ended{.totals = store.load_totals(),
              .reasons = store.load_reasons(),
              .reach = Reach::parse(store.meta("reach")),
              .seconds = seconds,
              .after = std::strtod(store.meta("seconds_after").c_str(), nullptr),
              .triage_seconds = number_of(before, "triage_seconds", 0),
              .pending = queue.size(),
              .waiting = queue.groups(),
              .muted = queue.muted_counts(known),
              .cost = Cost::parse(store.meta("cost")),
              .job_seconds = store.load_job_seconds(),
              .shards = shards_in(store),
              .exit_code = comes_to(o, store.load_totals(), found, queue)};
  if (o.campaign.use == Use::Check) ended.given = "[]";
  if (before.contains("given") && before["given"].is_array()) ended.given = before["given"].dump();
  const json engines = json::parse(store.meta("engines"), nullptr, false);
  if (engines.is_object()) engines.get_to(ended.engines);
  ended.walls = walls_in(before, "engines_kept_from");
  ended.worker_walls = walls_in(before, "workers_kept_from");
  announce_known(known, found, ended.muted,
                 o.campaign.plans.empty() ? default_plans() : o.campaign.plans);
  write_outputs(o, store, ended);
  return ended.exit_code;
}

}  // namespace fusillade::fuzz

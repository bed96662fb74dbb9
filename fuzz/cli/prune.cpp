// fusillade prune FOLDER: what a long campaign no longer needs.
#include "fuzz/campaign/prune.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/error.h"
#include "fuzz/cli/duration.h"
#include "fuzz/cli/engines.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

VERB(prune, "remove files that a campaign's folder no longer needs") {
  struct Options {
    fuzz::PruneOptions prune;
    std::string closed_for = "30d", known;
  };
  auto o = std::make_shared<Options>();
  o->prune.joined_lines = 1000;
  app.add_option("folder", o->prune.out, "the campaign's folder")->required();
  app.add_flag("--dry-run", o->prune.dry_run, "only print what would be removed");
  app.add_option(
      "--closed-for", o->closed_for,
      "keep only finding.json and reduced.case of findings closed at least this long, such as 12h "
      "or 30d");
  app.add_option("--joined", o->prune.joined_lines, "lines of each joined.txt that stay");
  app.add_option("--known", o->known, "mute list: also remove waiting cases that it mutes");
  declare_engines(app);
  return [o] {
    std::string given = o->closed_for;
    const bool days = given.ends_with("d");
    if (days) given.back() = 'h';
    o->prune.closed_seconds = parse_duration("--closed-for", given) * (days ? 24 : 1);
    if (!o->known.empty()) o->prune.known = fuzz::read_known(o->known);
    return fuzz::prune_campaign(o->prune);
  };
}

}  // namespace
}  // namespace fusillade::cli

// fusillade merge OUT DIR...: the shards of a campaign as one campaign.
#include "fuzz/campaign/merge.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/base/error.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

VERB(merge, "join the folders of a campaign's shards into one campaign's folder") {
  struct Options {
    fuzz::MergeOptions merge;
    std::string known;
    double min_yield = 0.5;
  };
  auto o = std::make_shared<Options>();
  app.add_option("out", o->merge.out,
                 "folder for the merge: new, or a merge, to which the others are added")
      ->required();
  app.add_option("folder", o->merge.folders, "folders of `fuzz --shard`, or merges of them")
      ->required();
  app.add_option("--known", o->known,
                 "mute list: causes that do not count, with a reason, an owner and a last day");
  app.add_option("--min-yield", o->min_yield,
                 "exit code 3 if a smaller share of judgements compares something (default: as the "
                 "shards had it)");
  return [o, &app] {
    if (!(o->min_yield >= 0 && o->min_yield <= 1))
      fail("--min-yield: {} is not in [0, 1]", o->min_yield);
    if (app.count("--min-yield")) o->merge.min_yield = o->min_yield;
    if (!o->known.empty()) o->merge.known = fuzz::read_known(o->known);
    return fuzz::merge_campaigns(o->merge);
  };
}

}  // namespace
}  // namespace fusillade::cli

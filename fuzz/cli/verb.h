// A verb of the `fusillade` command: one file each, registered where it is defined.
//
//   VERB(opt, "print a program's IR after passes") {
//     auto o = std::make_shared<Options>();
//     app.add_option("file", o->file, "script, IR or case")->required();
//     app.add_flag("--stats", o->stats, "...");
//     return [o] { return run_opt(*o); };       // an exit code below
//   }
//
// Include <CLI/CLI.hpp> in the verb's .cpp only. main() gives every long flag an environment twin
// (--max-total-time: FUSILLADE_MAX_TOTAL_TIME), accepts libFuzzer's spelling (-max_total_time=60),
// turns unknown flags into an error with near misses, and maps exceptions: Error, Unsupported and
// Bug to exit 1 with their text. Results go to stdout, progress and errors to stderr.
#pragma once

#include <functional>
#include <string>

#include "engine/base/table.h"

namespace CLI {
class App;
}

namespace fusillade::cli {

// Exit codes of every verb (shown by --help).
enum ExitCode : int {
  kOk = 0,             // ran, nothing new found
  kUsage = 1,          // usage, configuration or infrastructure error
  kFindings = 2,       // new findings, or a gated regression
  kInconclusive = 3,   // too little data, or yield below the gate
  kTimeout = 70,       // one case: timeout
  kMemory = 71,        // one case: out of memory
  kInterrupted = 72,   // interrupted, state flushed, resumable
  kReproduced = 77,    // one case: failure reproduced
  kCannotJudge = 125,  // bisect step: cannot judge
};

using Action = std::function<int()>;

struct Verb {
  std::string name;
  std::string summary;
  Action (*declare)(CLI::App& app) =
      nullptr;  // adds the flags, returns what to run once they are parsed
};

#define VERB(name, summary)                                                      \
  static ::fusillade::cli::Action declare_##name(CLI::App& app);                 \
  static const ::fusillade::cli::Verb& registered_verb_##name [[maybe_unused]] = \
      ::fusillade::Table<::fusillade::cli::Verb>::instance().add(                \
          {#name, summary, &declare_##name});                                    \
  static ::fusillade::cli::Action declare_##name([[maybe_unused]] CLI::App& app)

}  // namespace fusillade::cli

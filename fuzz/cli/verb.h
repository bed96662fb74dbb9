// A verb of the `fusillade` command: one file each, registered where it is defined.
//
//   VERB(opt, "print a program's IR after passes") {
//     auto o = std::make_shared<Options>();
//     app.add_option("file", o->file, "script, IR or case")->required();
//     app.add_flag("--stats", o->stats, "...");
//     return [o] { return run_opt(*o); };       // a fuzz::ExitCode
//   }
//
// Include <CLI/CLI.hpp> in the verb's .cpp only. main() gives every long flag an environment
// equivalent
// (--max-total-time: FUSILLADE_MAX_TOTAL_TIME), accepts libFuzzer's spelling (-max_total_time=60),
// turns unknown flags into an error with near misses, and maps exceptions: Error, Unsupported and
// Bug to exit 1 with their text. Results go to stdout, progress and errors to stderr.
#pragma once

#include <functional>
#include <string>

#include "engine/base/table.h"
#include "fuzz/process/exit_code.h"

namespace CLI {
class App;
}

namespace fusillade::cli {

using enum fuzz::ExitCode;

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

// Is the flag, "--programs", a word of the command line? Its variable may have set it instead.
bool is_on_command_line(const std::string& flag);

}  // namespace fusillade::cli

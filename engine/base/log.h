// What passes do while they run, and what fusion groups could not do, on stderr, as FUSILLADE_LOG
// says:
//
//   FUSILLADE_LOG=cse           the graph before and after each run of `cse` that changes it
//   FUSILLADE_LOG='>cse'        and each of its rewrites
//   FUSILLADE_LOG='>>cse,dce'   and the graph before each rewrite; `dce` as above
//   FUSILLADE_LOG='>*'          every pass
//   FUSILLADE_LOG=fuse          also why a group keeps a kernel per set of sizes
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fusillade {

enum class LogLevel : uint8_t { None, Graphs, Rewrites, Debug };

// Who knows the names of passes says which are legal, when the program starts.
using LogNames = std::vector<std::string> (*)();
bool set_log_names(LogNames names);

// By name of a pass, "*" for all others. Throws Error naming a word that is no pass, and the legal
// ones.
std::map<std::string, LogLevel> parse_log(const std::string& text);

// Of this process: from the environment, or as set last.
LogLevel log_level(const std::string& pass);
void set_log(const std::string& text);
// One text at a time, whichever thread it comes from.
void log_text(const std::string& text);

}  // namespace fusillade

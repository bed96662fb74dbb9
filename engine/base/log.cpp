// See log.h.
#include "engine/base/log.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>

#include "engine/base/options.h"
#include "engine/base/text.h"

namespace fusillade {
namespace {

const Option<std::string> kLog(
    "log", "",
    "passes that print what they do, as in cse,dce or *; > before a name: more; >>: most");

using Levels = std::map<std::string, LogLevel>;

// Levels that were replaced stay alive, for threads that still read them.
std::atomic<const Levels*>& levels() {
  static std::atomic<const Levels*> now{new Levels(parse_log(kLog.get()))};
  return now;
}

LogNames& names() {
  static LogNames now = nullptr;
  return now;
}

}  // namespace

bool set_log_names(LogNames provider) {
  names() = provider;
  return true;
}

Levels parse_log(const std::string& text) {
  Levels out;
  for (const std::string& part : split_outside_brackets(text, ',')) {
    std::string name(trim(part));
    if (name.empty()) continue;
    int level = 1;
    for (; level < 3 && name.starts_with('>'); ++level) name.erase(0, 1);
    std::vector<std::string> legal = names()();
    legal.insert(legal.begin(), "*");
    if (std::find(legal.begin(), legal.end(), name) == legal.end()) {
      fail("FUSILLADE_LOG: there is no pass '{}'{} (legal: {}; with > or >> before it for more)",
           name, near_misses(name, legal), join(legal, ", "));
    }
    out[name] = static_cast<LogLevel>(level);
  }
  return out;
}

LogLevel log_level(const std::string& pass) {
  const Levels& now = *levels().load();
  if (now.empty()) return LogLevel::None;
  auto found = now.find(pass);
  if (found == now.end()) found = now.find("*");
  return found == now.end() ? LogLevel::None : found->second;
}

void set_log(const std::string& text) { levels() = new Levels(parse_log(text)); }

void log_text(const std::string& text) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  std::fputs(text.c_str(), stderr);
}

}  // namespace fusillade

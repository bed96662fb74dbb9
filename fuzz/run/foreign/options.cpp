// See options.h.
#include "fuzz/run/foreign/options.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/run/plan.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {

using nlohmann::json;

namespace {

constexpr size_t kMost = 3;  // that are drawn for one program

// As a plan has it: words without quotes.
std::string unquote(const std::string& value) {
  return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
}

std::string join_unquoted(const std::vector<std::string>& values) {
  std::vector<std::string> out;
  for (const std::string& v : values) out.push_back(unquote(v));
  return join(out, ", ");
}

std::vector<std::string> names_of(const auto& options) {
  std::vector<std::string> out;
  for (const auto& [name, values] : options) out.push_back(name);
  return out;
}

std::pair<std::string, std::string> name_and_value(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
    fail("the option '{}' is not NAME=VALUE", word);
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace

bool is_drawn(const std::vector<std::string>& words) {
  return words.size() == 1 && words[0] == kDrawn;
}

void check_option_words(const std::vector<std::string>& words) {
  if (is_drawn(words)) return;
  std::set<std::string> names;
  for (const std::string& word : words) {
    const std::string name = name_and_value(word).first;
    if (!names.insert(name).second) fail("the option '{}' is given twice", name);
  }
}

EngineOptions::EngineOptions(const std::string& family, const json& said,
                             const std::vector<std::string>& engines)
    : family_(family) {
  const auto refuse = [&](const std::string& what) {
    fail(
        "the worker of '{}' says options {}: {}; legal is an object of engines, each with an "
        "object of names (letters, digits, '_', '.' and '-'), each with a list of values (true, "
        "false, integers, such words)",
        family, said.dump(), what);
  };
  for (const auto& [engine, options] : said.items()) {
    if (std::ranges::find(engines, engine) == engines.end())
      refuse(fmt::format("there is no engine '{}'", engine));
    if (!options.is_object()) refuse(fmt::format("'{}' has no object", engine));
    for (const auto& [name, values] : options.items()) {
      if (!is_plan_word(name)) refuse(fmt::format("'{}' is no name", name));
      if (!values.is_array() || values.empty()) refuse(fmt::format("'{}' has no values", name));
      for (const json& v : values) {
        const bool legal = v.is_boolean() || v.is_number_integer() ||
                           (v.is_string() && is_plan_word(v.get<std::string>()));
        if (!legal) refuse(fmt::format("'{}' has the value {}", name, v.dump()));
        by_engine_[engine][name].push_back(v.dump());
      }
    }
  }
}

const std::map<std::string, EngineOptions::Values>& EngineOptions::of(
    const std::string& engine) const {
  const auto it = by_engine_.find(engine);
  if (it == by_engine_.end()) fail("the engine '{}:{}' has no options", family_, engine);
  return it->second;
}

json EngineOptions::parse_words(const std::string& engine,
                                const std::vector<std::string>& words) const {
  json out = json::object();
  if (words.empty()) return out;
  const auto& options = of(engine);
  if (is_drawn(words))
    fail("'{}:{}({})' is for campaigns, which draw options; here name them: {}", family_, engine,
         kDrawn, join(names_of(options), ", "));
  for (const std::string& word : words) {
    const auto [name, value] = name_and_value(word);
    const auto it = options.find(name);
    if (it == options.end())
      fail("the engine '{}:{}' has no option '{}'{} (legal: {})", family_, engine, name,
           near_misses(name, names_of(options)), join(names_of(options), ", "));
    const auto same =
        std::ranges::find(it->second, value, [](const std::string& v) { return unquote(v); });
    if (same == it->second.end())
      fail("the option '{}' of '{}:{}' is never '{}' (legal: {})", name, family_, engine, value,
           join_unquoted(it->second));
    out[name] = json::parse(*same);
  }
  return out;
}

std::vector<std::string> EngineOptions::draw_words(const std::string& engine,
                                                   Choices& choices) const {
  const auto& options = of(engine);
  std::set<std::string> out;
  const auto many = static_cast<size_t>(1 + choices.below(std::min(kMost, options.size())));
  const std::vector<std::string> names = names_of(options);
  std::set<std::string> chosen;
  while (chosen.size() < many) chosen.insert(choices.pick(names));
  for (const std::string& name : chosen)
    out.insert(name + "=" + unquote(choices.pick(options.at(name))));
  return {out.begin(), out.end()};
}

}  // namespace fusillade::fuzz

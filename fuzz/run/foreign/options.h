// Options of an external engine: its compiler's own switches, as words of a plan,
// `torch:compile(epilogue_fusion=false,max_fusion_size=1)`. A worker's hello lists them with the
// values that campaigns draw (docs/reference/workers.md). In place of all of them the word `drawn`
// means some that a campaign draws for each program.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fusillade::fuzz {

class Choices;

inline constexpr const char* kDrawn = "drawn";

// Are these words of a plan that alone?
bool is_drawn(const std::vector<std::string>& words);
// Throws Error where they are neither that nor each NAME=VALUE.
void check_option_words(const std::vector<std::string>& words);

class EngineOptions {
 public:
  EngineOptions() = default;
  // {"compile": {"max_fusion_size": [1, 2]}}, as the worker of that family says it; throws Error.
  EngineOptions(const std::string& family, const nlohmann::json& said,
                const std::vector<std::string>& engines);
  using Values = std::vector<std::string>;  // JSON
  // Throws Error where the engine has none.
  const std::map<std::string, Values>& of(const std::string& engine) const;
  // Values by name. Throws Error, naming what is legal, for one that the engine does not have.
  nlohmann::json parse_words(const std::string& engine,
                             const std::vector<std::string>& words) const;
  // Words for one to three of them.
  std::vector<std::string> draw_words(const std::string& engine, Choices& choices) const;

 private:
  std::string family_;
  std::map<std::string, std::map<std::string, Values>> by_engine_;
};

}  // namespace fusillade::fuzz

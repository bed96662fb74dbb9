// The flags that declare external engines, for verbs that take plans, and what to know of those
// that answered.
#pragma once

#include <memory>
#include <string>

#include "fuzz/case/case.h"

namespace CLI {
class App;
}

namespace fusillade::cli {

// Adds --engine and --engine-python; what they give is declared before the verb runs. `python`: the
// interpreter of what --engine gives, where no --engine-python names one; null: the usual one.
void declare_engines(CLI::App& app, std::shared_ptr<const std::string> python = nullptr);

// Says on stderr where an engine answered as another version than the case of this file notes.
void report_other_versions(const fuzz::Case& c, const std::string& file);

}  // namespace fusillade::cli

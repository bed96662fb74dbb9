// A finding as data: finding.json in its folder, the one place that says what was found. README.md
// beside it is written from it, and whoever reads findings reads it
// (reports/fusillade_reports/schemas/finding.schema.json, docs/reference/campaign.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {

nlohmann::json finding_of(const Triaged& t, const std::string& origin);
// README.md of it. Throws nlohmann::json::exception for what is no finding.
std::string readme_of(const nlohmann::json& finding);
// Both files, each whole or not at all.
void write_finding_files(const std::string& folder, const nlohmann::json& finding);
// That of a folder; none where there is none, or another's: folders may come from strangers.
std::optional<nlohmann::json> read_finding(const std::string& folder);
// The command of finding.json that judges this case, which lies beside it; "": there is none. Of a
// stranger: it is shown, never run.
std::string repro_command_of(const std::string& case_file);

}  // namespace fusillade::fuzz

// A finding as data: finding.json in its folder, the one record of what was found. README.md next
// to it is generated from it, and whoever reads findings reads it
// (reports/fusillade_reports/schemas/finding.schema.json, docs/reference/campaign.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "fuzz/triage/triage.h"

namespace fusillade::fuzz {

nlohmann::json finding_of(const Triaged& t, const std::string& origin);
// README.md of it. Throws nlohmann::json::exception for what is no finding.
std::string readme_of(const nlohmann::json& finding, bool has_repro_script);
// Both files, each whole or not at all.
void write_finding_files(const std::string& folder, const nlohmann::json& finding);
// Whether a folder below findings/ is one: what is still being written is called NAME.part.
bool is_finding_folder(const std::string& folder);
// That of a folder; none where there is none, or another's: folders may come from strangers.
std::optional<nlohmann::json> read_finding(const std::string& folder);
// "\nWhoever found it ran: COMMAND", of the finding.json next to this case; "": there is none. It
// is untrusted: shown, never run.
std::string how_it_was_judged(const std::string& case_file);

}  // namespace fusillade::fuzz

// The folder that a campaign fills: whose it is, and whether what --resume needs is there. What is
// found here is never removed, and nobody is advised to.
#pragma once

#include <string>

namespace fusillade::fuzz {

inline constexpr const char* kDatabase = "campaign.db";

// Locks the folder, created when absent, for this process and its workers, until they are gone.
// Throws Error where another campaign has it, which is named.
void lock_folder(const std::string& out);

// Throws Error where there is nothing to resume, or where there are findings whose database is
// gone.
void require_resumable(const std::string& out);
void require_whole(const std::string& out);

// Throws Error where the folder, which is to be worked on, is none of a campaign.
void require_campaign(const std::string& out);

// The processes that have the file open, as far as we may know: "sqlite3 (process 17)".
std::string holders_of(const std::string& path);

}  // namespace fusillade::fuzz

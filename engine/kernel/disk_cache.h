// Machine code kept on disk by content, so that a later process need not compile it again. Only
// where FUSILLADE_CACHE names a folder.
//
// A file is named by the hash of its key, holds the whole key, and ends in a hash of what it holds:
// one that is torn, altered or another's is not used, and is written anew. Files appear by being
// renamed, so that processes may share a folder. A folder that is missing is made, with those above
// it; where none can be, or nothing can be written, stderr is told why, once, and nothing is kept.
// Whoever can write there decides what runs here.
#pragma once

#include <optional>
#include <string>

namespace fusillade::kernel {

bool keeps_on_disk();
// Nothing where it is not there, or not whole.
std::optional<std::string> find_on_disk(const std::string& key);
// Where it cannot be written that is told, and the process goes on.
void keep_on_disk(const std::string& key, const std::string& code);
// Which build of this library runs: part of a key, for another one may emit other code.
std::string this_build();
// For tests: another folder, empty for none.
void set_disk_cache(const std::string& folder);

}  // namespace fusillade::kernel

// Machine code kept on disk by content, so that a later process need not compile it again. Only
// where FUSILLADE_CACHE names a folder.
//
// A file is named by the hash of its key, holds the whole key, and ends in a hash of its contents:
// one that is torn, altered or another's is not used, and is written anew. Files appear by being
// renamed, so that processes may share a folder. A missing folder is created, with its parents.
// Where that fails, or nothing can be written, stderr says why, once, and nothing is kept. Whoever
// can write there decides what runs here.
#pragma once

#include <optional>
#include <string>

namespace fusillade::kernel {

bool keeps_on_disk();
// Nothing where it is not there, or not whole.
std::optional<std::string> find_on_disk(const std::string& key);
// A failure to write is reported, and the process goes on.
void keep_on_disk(const std::string& key, const std::string& code);
// Which build of this library runs: part of a key, for another one may emit other code.
std::string this_build();
// For tests: another folder, empty for none.
void set_disk_cache(const std::string& folder);

}  // namespace fusillade::kernel

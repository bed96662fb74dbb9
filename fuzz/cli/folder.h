// Folders for what verbs write, created before the work whose result they receive.
#pragma once

#include <string>

namespace fusillade::cli {

// Creates a folder and those above it. Throws Error naming the one that cannot be created.
void make_folders(const std::string& path);

// Creates the folders above a file that will be written. Throws Error also when `file` is a folder
// itself.
void make_place_for(const std::string& file);

}  // namespace fusillade::cli

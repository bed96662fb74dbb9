// Folders for what verbs write, made before the work whose result they receive.
#pragma once

#include <string>

namespace fusillade::cli {

// Makes a folder and those above it. Throws Error naming the one that cannot be made.
void make_folders(const std::string& path);

// Makes the folders above a file that will be written. Throws Error also when `file` is a folder
// itself.
void make_place_for(const std::string& file);

}  // namespace fusillade::cli

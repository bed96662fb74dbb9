// Names that stay: a file or folder that was created or renamed surely survives a power cut only
// once its parent folder is synced. What files contain, file.h takes care of.
#pragma once

#include <string>

namespace fusillade {

// Syncs a folder that is open, also with O_PATH. The error that ended it, or 0; of folders that
// cannot be synced or read, 0.
int sync_folder(int fd);

// While one lives, this process syncs no file and no folder by itself; sync() does it at once for
// the file system that holds this folder, and ends that. Of what nobody reads before: very many
// files are written many times as fast.
class SyncedTogether {
 public:
  explicit SyncedTogether(std::string folder);
  ~SyncedTogether();
  SyncedTogether(const SyncedTogether&) = delete;
  SyncedTogether& operator=(const SyncedTogether&) = delete;
  void sync();  // Throws Error
  static bool is_on();

 private:
  std::string folder_;
  bool ended_ = false;
};

// Renames a file or a folder, for good. Throws Error.
void rename_for_good(const std::string& from, const std::string& to);

// Makes a folder and those above it, where they are not there, for good. Throws Error.
void make_folders(const std::string& path);

}  // namespace fusillade

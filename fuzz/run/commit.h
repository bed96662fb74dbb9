// Commits of the repository that holds the current folder, and builds of them.
#pragma once

#include <cstdint>
#include <string>

namespace fusillade::fuzz {

struct Commit {
  std::string hash;
  int64_t time = 0;    // when it was committed, in seconds of Unix
  int64_t number = 0;  // of the commits that lead to it, itself included
  std::string subject;
};

// The commit that `name` (a hash, a branch, HEAD~1, ...) refers to. Throws Error where there is
// none.
Commit find_commit(const std::string& name);

// Whether files that git knows differ from those of HEAD.
bool has_changes();

struct CommitBuild {
  std::string hash;
  std::string binary;
};

inline constexpr const char* kBuilds = "build/commits";  // where they are kept by default

// Builds the commit, once, to FOLDER/HASH/fusillade. All are built in one worktree, FOLDER/tree,
// one after the other, so that each costs what differs; who else builds there waits. Throws Error
// where there is no such commit or it does not build.
CommitBuild build_commit(const std::string& name, const std::string& folder);

}  // namespace fusillade::fuzz

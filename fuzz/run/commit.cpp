// See commit.h.
#include "fuzz/run/commit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "engine/base/text.h"
#include "fuzz/process/tool.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;

std::string git(std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  return output_of({std::move(words), "git"});
}

std::string hash_of(const std::string& name) {
  git({"rev-parse", "--git-dir"});  // says where there is no repository
  try {
    return git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  } catch (const Error&) {
    if (!noted_lack().empty()) throw;  // git was not asked
    fail("'{}' is no commit of the repository that holds {}", name, fs::current_path().string());
  }
}

// One that builds in this folder at a time: another, also of another machine, waits for it.
class OneBuilder {
 public:
  explicit OneBuilder(const std::string& folder) {
    fs::create_directories(folder);
    fd_ = open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0 || flock(fd_, LOCK_EX) == 0) return;
    fmt::print(stderr, "{} cannot be locked: builds by others there are not waited for\n", folder);
  }
  OneBuilder(const OneBuilder&) = delete;
  OneBuilder& operator=(const OneBuilder&) = delete;
  ~OneBuilder() {
    if (fd_ >= 0) close(fd_);
  }

 private:
  int fd_;
};

void make_binary(const std::string& hash, const std::string& folder, const std::string& binary) {
  const std::string tree = folder + "/tree";
  fs::create_directories(folder);
  if (fs::exists(tree)) {
    run_tool({{"git", "-C", tree, "checkout", "--quiet", "--detach", hash}, "git"});
  } else {
    run_tool({{"git", "worktree", "add", "--quiet", "--detach", tree, hash}, "git"});
  }
  const std::string build = tree + "/build/release";
  run_tool({{"cmake", "-S", tree, "-B", build, "--preset", "release"}, "cmake"});
  run_tool({{"ninja", "-C", build, "fusillade"}, "ninja-build", {}, true});
  fs::create_directories(fs::path(binary).parent_path());
  fs::copy_file(build + "/fusillade", binary + ".part", fs::copy_options::overwrite_existing);
  fs::rename(binary + ".part", binary);
}

}  // namespace

Commit find_commit(const std::string& name) {
  Commit c;
  c.hash = hash_of(name);
  const std::string output = git({"show", "--no-patch", "--format=%ct%n%s", c.hash});
  const size_t end = std::min(output.find('\n'), output.size());
  c.time = std::atoll(output.substr(0, end).c_str());
  c.number = std::atoll(git({"rev-list", "--count", c.hash}).c_str());
  c.subject = end < output.size() ? output.substr(end + 1) : "";
  return c;
}

bool has_changes() { return !git({"status", "--porcelain", "--untracked-files=no"}).empty(); }

CommitBuild build_commit(const std::string& name, const std::string& folder) {
  CommitBuild b;
  b.hash = hash_of(name);
  b.binary = fs::absolute(folder + "/" + b.hash.substr(0, 12) + "/fusillade");
  if (fs::exists(b.binary)) return b;
  const OneBuilder alone(folder);
  if (fs::exists(b.binary)) return b;
  fmt::print(stderr, "building {} ({})\n", name, b.hash.substr(0, 12));
  make_binary(b.hash, folder, b.binary);
  return b;
}

}  // namespace fusillade::fuzz

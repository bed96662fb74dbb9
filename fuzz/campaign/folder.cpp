// See folder.h.
#include "fuzz/campaign/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "engine/base/durable.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "fuzz/campaign/pending.h"

namespace fusillade::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "campaign.lock";

bool there(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0;
}

bool is_empty(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 && s.st_size == 0;
}

// What a campaign found or wrote there; a link is nobody's result, and refused by who writes.
bool holds_results(const std::string& out) {
  std::error_code none;
  const auto is_own = [&](const char* name) { return !fs::is_symlink(out + name, none); };
  const fs::directory_iterator findings(out + "/findings", none);
  return (is_own("/findings") && findings != fs::directory_iterator()) ||
         (is_own("/pending") && !cases_in(out + "/pending").empty()) ||
         (is_own("/campaign.json") && there(out + "/campaign.json"));
}

// Held as long as this process and those that it forks.
void take(int fd, const std::string& out, bool may_lack) {
  constexpr int kTries = 100;  // a killed campaign's workers follow it within moments
  for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno != EWOULDBLOCK && may_lack) return;
    if (errno != EWOULDBLOCK) fail("cannot lock {}: {}", out, std::strerror(errno));
    const std::string who = holders_of(out + "/" + kLock);
    if (tries == kTries)
      fail("another campaign is running in {}{}: wait for its end, or take another folder", out,
           who.empty() ? "" : ": " + who);
    usleep(100'000);
  }
}

}  // namespace

std::string holders_of(const std::string& path) {
  std::error_code none;
  const fs::path wanted = fs::canonical(path, none);
  std::string out;
  for (fs::directory_iterator process("/proc", none), end; !none && process != end;
       process.increment(none)) {
    const std::string pid = process->path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (pid == std::to_string(getpid())) continue;
    std::error_code unreadable;
    for (fs::directory_iterator fd(process->path() / "fd", unreadable), last;
         !unreadable && fd != last; fd.increment(unreadable)) {
      std::error_code gone;
      if (fs::read_symlink(fd->path(), gone) != wanted || gone) continue;
      const std::string name(trim(read_text_file(process->path() / "comm")));
      out += fmt::format("{}{} (process {})", out.empty() ? "" : ", ", name, pid);
      break;
    }
  }
  return out;
}

// The folder too: a file may be removed while it is locked.
void lock_folder(const std::string& out) {
  try {
    make_folders(out);
  } catch (const Error& e) {
    fail("--out: {}", e.what());
  }
  guard_folder(out);
  refuse_links(out + "/" + kLock);
  const int folder = open(out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) take(folder, out, true);
  const int fd = open((out + "/" + kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0 && errno == ENOENT)
    fail("{} is gone: another command that had it has moved or removed it; try again", out);
  if (fd < 0) fail("cannot write {}/{}: {}", out, kLock, std::strerror(errno));
  take(fd, out, false);
}

// A campaign that was killed before its first second has its lock and no more: it begins anew.
void require_resumable(const std::string& out) {
  if (!there(out)) fail("--resume: there is no folder {}; without --resume a campaign begins", out);
  if (there(out + "/" + kDatabase) || there(out + "/" + kLock) || holds_results(out)) return;
  fail("--resume: {} holds no campaign (there is no {}); without --resume one begins", out,
       kDatabase);
}

void require_campaign(const std::string& out) {
  if (!there(out)) fail("there is no folder {}", out);
  if (!there(out + "/" + kDatabase)) fail("{} holds no campaign: there is no {}", out, kDatabase);
}

void require_whole(const std::string& out) {
  const std::string database = out + "/" + kDatabase;
  const bool gone = !there(database);
  if ((!gone && !is_empty(database)) || !holds_results(out)) return;
  fail(
      "{} {}: what was known of the campaign whose findings are in {} is lost, and they are left "
      "as they are; give another --out, or put the database back",
      database, gone ? "is gone" : "is empty", out);
}

}  // namespace fusillade::fuzz

// See confine.h.
#include "fuzz/process/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "fuzz/process/apart.h"
#include "fuzz/process/filter.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

// Of a child that tries them.
constexpr int kReported = 16, kFiles = 1, kNetwork = 2, kModes = 4, kCannotSeal = 1;

constexpr uint64_t kChanges = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kMove = 1 << 13;              // between folders: from version 2 of Landlock on
constexpr uint64_t kTruncate = 1 << 14;          // from version 3 on
constexpr uint64_t kControl = 1 << 15;           // ioctl of devices, from version 5 on
constexpr uint64_t kNets = 3;                    // TCP bound and connected, from version 4 on
constexpr uint64_t kAbstract = 1, kSignals = 2;  // outside of its own, from version 6 on
constexpr int kMoves = 2, kTruncates = 3, kHasNets = 4, kControls = 5, kScopes = 6;
constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kControl;

int landlock_version() {
  return static_cast<int>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

// landlock_ruleset_attr, which older headers have in part.
struct Forbidden {
  uint64_t files = 0;
  uint64_t net = 0;
  uint64_t scoped = 0;
};

struct Beneath {
  int fd;
  uint64_t allowed;
};

// Forbids these but where they are allowed. False: it cannot.
bool forbid(const Forbidden& what, const std::vector<Beneath>& places) {
  const long rules = syscall(SYS_landlock_create_ruleset, &what, sizeof what, 0);
  if (rules < 0) return false;
  for (const Beneath& place : places) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = place.allowed;
    rule.parent_fd = place.fd;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(static_cast<int>(rules));
  return done;
}

// Any change of files but on these grounds, TCP, and of version 6 on what is in `scoped`.
bool stay_on(const std::vector<const Grounds*>& grounds, uint64_t scoped) {
  const int version = landlock_version();
  // Caches are filled by moves from folder to folder, which version 1 forbids everywhere.
  if (version < kMoves) return false;
  Forbidden what{kChanges | kMove};
  if (version >= kTruncates) what.files |= kTruncate;
  if (version >= kControls) what.files |= kControl;
  if (version >= kHasNets) what.net = kNets;
  if (version >= kScopes) what.scoped = scoped;
  std::vector<Beneath> places;
  for (const Grounds* all : grounds)
    for (const Grounds::Ground& ground : all->all())
      places.push_back({ground.fd, what.files & (ground.is_folder ? ~uint64_t{0} : kOfFiles)});
  return forbid(what, places);
}

// Processes of all that it starts. Only of who has a namespace of users of his own: elsewhere all
// that the user runs counts, and nothing is counted of root.
void limit_processes() {
  constexpr rlim_t kLeast = 4096, kForEachProcessor = 64;
  const long processors = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  const rlim_t most = std::max(kLeast, kForEachProcessor * static_cast<rlim_t>(processors));
  rlimit now{};
  getrlimit(RLIMIT_NPROC, &now);
  now.rlim_cur = std::min(now.rlim_cur, most);
  now.rlim_max = std::min(now.rlim_max, most);
  setrlimit(RLIMIT_NPROC, &now);
}

void leave_no_core() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

bool g_sealed = false;  // this process, or one that it was forked from

// In a namespace of mounts of its own. Ends the process where that goes wrong, which a trial saw go
// well.
bool seal(const std::vector<const Grounds*>& grounds) {
  g_sealed = true;
  if (!seal_mounts(grounds)) _exit(kCannotSeal);
  if (getuid() != 0) limit_processes();
  return true;
}

}  // namespace

void confine() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);
  leave_no_core();
  leave(CLONE_NEWNET);
  // What starts an interpreter, as a shell script does, may write to /dev/null.
  const int sink = open("/dev/null", O_PATH | O_CLOEXEC);
  forbid({kChanges}, {{sink, LANDLOCK_ACCESS_FS_WRITE_FILE}});
  close(sink);
}

namespace {

Walls wall_engine(bool apart) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  leave_no_core();
  const std::vector<const Grounds*> grounds = {&grounds_of_engines()};
  Walls walls;
  if (apart && !g_sealed && leave(CLONE_NEWNET | CLONE_NEWNS))
    walls.network = walls.modes = seal(grounds);
  else walls.network = leave(CLONE_NEWNET);
  drop_capabilities();
  walls.files = stay_on(grounds, kAbstract | kSignals);
  walls.network |= filter_compiler();
  return walls;
}

Walls wall_worker(const Grounds& more, bool apart) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const std::vector<const Grounds*> grounds = {&grounds_of_workers(), &grounds_of_engines(), &more};
  Walls walls;
  if (apart && !g_sealed && leave(CLONE_NEWNS)) walls.modes = seal(grounds);
  drop_capabilities();
  walls.files = stay_on(grounds, kAbstract);
  walls.network = filter_compiler();
  return walls;
}

bool g_sandboxed = true;

// What a child of ours finds that tries them.
Walls try_walls(const std::function<Walls()>& build) {
  Child child = spawn(
      [&] {
        const Walls tried = build();
        _exit(kReported | (tried.files ? kFiles : 0) | (tried.network ? kNetwork : 0) |
              (tried.modes ? kModes : 0));
      },
      {.name = "a trial of walls"});
  const Ending ending = child.wait();
  if (ending.signal != 0 || (ending.status & kReported) == 0) return {};
  return {(ending.status & kFiles) != 0, (ending.status & kNetwork) != 0,
          (ending.status & kModes) != 0};
}

// Tries them with namespaces of mounts, and where that goes wrong without.
Walls try_walls(Walls (*build)(bool apart)) {
  grounds_of_engines();  // opened here: what the trial opens goes with it
  grounds_of_workers();
  no_grounds();
  const Walls walls = try_walls([build] { return build(true); });
  return walls.modes ? walls : try_walls([build] { return build(false); });
}

}  // namespace

void set_sandboxed(bool is) { g_sandboxed = is; }
bool is_sandboxed() { return g_sandboxed; }

void confine_engine() { wall_engine(engine_walls().modes); }

void confine_worker(const Grounds& more) { wall_worker(more, worker_walls().modes); }

Walls engine_walls() {
  static const Walls walls = try_walls(&wall_engine);
  return walls;
}

Walls worker_walls() {
  static const Walls walls =
      try_walls(+[](bool apart) { return wall_worker(*no_grounds(), apart); });
  return walls;
}

std::vector<std::string> names_of(const Walls& walls) {
  std::vector<std::string> out;
  if (walls.files) out.emplace_back("files");
  if (walls.modes) out.emplace_back("modes");
  if (walls.network) out.emplace_back("network");
  return out;
}

std::vector<std::string> walls_around_workers() {
  return is_sandboxed() ? names_of(worker_walls()) : std::vector<std::string>();
}

}  // namespace fusillade::fuzz

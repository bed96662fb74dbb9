// A child that gave up its rights: what it computes it may answer, and nothing else is left to it.
#include "fuzz/process/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/process/filter.h"
#include "fuzz/process/grounds.h"
#include "fuzz/process/isolate.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

struct Tried {
  const char* name;
  std::function<long()> call;
};

const Tried kRefused[] = {
    {"fork", [] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
    {"execve", [] { return syscall(SYS_execve, "/bin/true", nullptr, nullptr); }},
    {"execveat", [] { return syscall(SYS_execveat, AT_FDCWD, "/bin/true", nullptr, nullptr, 0); }},
    {"open to write",
     [] { return syscall(SYS_openat, AT_FDCWD, "pwned", O_CREAT | O_RDWR, 0600); }},
    {"open to read", [] { return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY); }},
    {"socket", [] { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }},
    {"ptrace", [] { return syscall(SYS_ptrace, 0, 0, 0, 0); }},
    {"kill", [] { return syscall(SYS_kill, getppid(), 0); }},
    {"unlink", [] { return syscall(SYS_unlinkat, AT_FDCWD, "none", 0); }},
    {"rename", [] { return syscall(SYS_renameat2, AT_FDCWD, "none", AT_FDCWD, "other", 0); }},
    {"mkdir", [] { return syscall(SYS_mkdirat, AT_FDCWD, "none", 0700); }},
    {"chmod", [] { return syscall(SYS_fchmodat, AT_FDCWD, "none", 0700); }},
    {"mount", [] { return syscall(SYS_mount, "a", "b", "c", 0, nullptr); }},
    {"limits", [] { return syscall(SYS_prlimit64, 0, 7, nullptr, nullptr); }},
    {"io_uring", [] { return syscall(SYS_io_uring_setup, 1, nullptr); }},
    {"memory of code",
     [] {
       return syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
     }},
};

// What a child says that has given up its rights: of each call, whether it is refused.
std::string reported_by_child() {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const std::string filter = syscall_filter();
  Child child = spawn([&] {
    confine();
    const sock_fprog program{static_cast<unsigned short>(filter.size() / sizeof(sock_filter)),
                             reinterpret_cast<sock_filter*>(const_cast<char*>(filter.data()))};
    std::string said;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) said = "no filter";
    for (const Tried& t : kRefused)
      if (t.call() != -1 || errno != EPERM) said += std::string(t.name) + " goes through; ";
    const std::string more(1 << 20, 'x');  // memory is still to be had
    said += more.size() == 1 << 20 ? "computes" : "";
    (void)!write(ends[1], said.data(), said.size());
  });
  close(ends[1]);
  std::string said(4096, '\0');
  const ssize_t n = read(ends[0], said.data(), said.size());
  close(ends[0]);
  said.resize(static_cast<size_t>(n < 0 ? 0 : n));
  return child.wait().clean() ? said : said + " and did not end well";
}

TEST(Confine, AChildComputesAndNoMore) {
  if (syscall_filter().empty()) GTEST_SKIP() << "no filter is known for this machine";
  const std::string said = reported_by_child();
  if (said.starts_with("no filter")) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(said, "computes");
}

// Restrictions in force while the interpreter starts, before it has the filter.
TEST(Confine, AProgramThatStartsChangesNoFiles) {
  if (syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
    GTEST_SKIP() << "no Landlock here";
  const std::string folder = testing::TempDir() + "/confined_" + std::to_string(getpid());
  const std::string there = folder + "/there";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  ASSERT_EQ(mkdir(there.c_str(), 0700), 0);
  Child child = spawn([&] {
    confine();
    const std::string none = folder + "/none";
    const bool file_created = open(none.c_str(), O_CREAT | O_RDWR, 0600) >= 0;
    const bool folder_created = mkdir(none.c_str(), 0700) == 0;
    const bool removed = rmdir(there.c_str()) == 0;
    const bool sink = open("/dev/null", O_WRONLY) >= 0;
    _exit(file_created + 2 * folder_created + 4 * removed + 8 * !sink);
  });
  const Ending ending = child.wait();
  EXPECT_EQ(ending.signal, 0);
  EXPECT_EQ(ending.status, 0);
  unlink((folder + "/none").c_str());
  rmdir((folder + "/none").c_str());
  rmdir(there.c_str());
  rmdir(folder.c_str());
}

// In a child whose job runs a stranger's program: what `call` gives, and errno.
std::string try_isolated(const std::function<long()>& call) {
  const ChildResult r = run_isolated(
      [&] {
        errno = 0;
        const long result = call();
        return result >= 0 ? std::string("done") : std::string(strerrorname_np(errno));
      },
      Limits{});
  return r.kind == ChildResult::Kind::Done ? r.output : "the child ended";
}

// By Landlock, or as all that is mounted is read-only.
bool is_refusal(const std::string& answer) { return answer == "EACCES" || answer == "EROFS"; }

TEST(ConfineWorker, HasNoSocketButLocalOnes) {
  if (!worker_walls().network) GTEST_SKIP() << "no seccomp here";
  for (int family : {AF_INET, AF_INET6, AF_PACKET, AF_VSOCK})
    EXPECT_EQ(try_isolated([&] { return socket(family, SOCK_STREAM, 0); }), "EPERM") << family;
  EXPECT_EQ(try_isolated([] { return socket(AF_UNIX, SOCK_STREAM, 0); }), "done");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_ptrace, 0, 0, 0, 0); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_io_uring_setup, 1, nullptr); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_mount, "a", "b", "c", 0, nullptr); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_pidfd_getfd, 0, 0, 0); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_fsmount, 0, 0, 0); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0); }),
            "EPERM");
#ifdef __x86_64__
  EXPECT_EQ(try_isolated([] { return syscall(0x40000000 | SYS_getpid); }), "EPERM");
#endif
}

TEST(ConfineWorker, TypesNothingIntoATerminal) {
  if (!worker_walls().network) GTEST_SKIP() << "no seccomp here";
  char key = 'x', paste = 3;
  EXPECT_EQ(try_isolated([&] { return ioctl(0, TIOCSTI, &key); }), "EPERM");
  EXPECT_EQ(try_isolated([&] { return ioctl(0, TIOCLINUX, &paste); }), "EPERM");
  EXPECT_EQ(try_isolated([&] { return ioctl(-1, TIOCGWINSZ, &key); }), "EBADF");
}

TEST(ConfineWorker, ReachesNobodyByNameOrNumber) {
  if (!worker_walls().network) GTEST_SKIP() << "no seccomp here";
  const sockaddr_un nobody{AF_UNIX, "/nowhere"};
  const auto connect_local = [&] {
    return connect(socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<const sockaddr*>(&nobody),
                   sizeof nobody);
  };
  EXPECT_EQ(try_isolated(connect_local), "EPERM");
  int ends[2];
  for (int kind : {+SOCK_DGRAM, +SOCK_RAW, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK}) {
    EXPECT_EQ(try_isolated([&] { return socket(AF_UNIX, kind, 0); }), "EPERM");
    EXPECT_EQ(try_isolated([&] { return socketpair(AF_UNIX, kind, 0, ends); }), "EPERM");
  }
  EXPECT_EQ(try_isolated([&] { return socketpair(AF_UNIX, SOCK_STREAM, 0, ends); }), "done");
  EXPECT_EQ(try_isolated([] { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_mq_open, "a", O_RDONLY, 0, nullptr); }), "EPERM");
}

TEST(ConfineWorker, ChangesNoOtherProcess) {
  if (!worker_walls().network) GTEST_SKIP() << "no seccomp here";
  rlimit now{};
  EXPECT_EQ(try_isolated([&] { return prlimit(getppid(), RLIMIT_CORE, nullptr, &now); }), "EPERM");
  EXPECT_EQ(try_isolated([&] { return prlimit(0, RLIMIT_CORE, nullptr, &now); }), "done");
}

TEST(ConfineWorker, HasNoCapabilitiesAndNoNamespacesToMake) {
  if (!worker_walls().network) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(try_isolated([] { return unshare(CLONE_NEWUSER); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return setns(0, 0); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_clone, CLONE_NEWUSER, 0, 0, 0, 0); }), "EPERM");
  EXPECT_EQ(try_isolated([] { return syscall(SYS_clone3, nullptr, 0); }), "ENOSYS");
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (capability == CAP_DAC_OVERRIDE || capability == CAP_DAC_READ_SEARCH) continue;
    EXPECT_EQ(try_isolated([&] { return -prctl(PR_CAPBSET_READ, capability, 0, 0, 0); }), "done")
        << capability;
  }
}

TEST(ConfineWorker, HasNoFileThatTheCommandHasOpen) {
  char here[] = "/tmp/confined.XXXXXX";
  const int file = mkstemp(here);
  ASSERT_GE(file, 0);
  EXPECT_EQ(try_isolated([&] { return write(file, "spilled", 7); }), "EBADF");
  // What engines that it is lent say on stderr is in such files.
  const auto spill = [] {
    long wrote = 0;
    for (int fd = 3; fd < 1024; ++fd) {
      char name[64] = "";
      (void)!readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), name, sizeof name - 1);
      wrote += !std::string(name).starts_with("/memfd:worker") && pwrite(fd, "spilled", 7, 0) > 0;
    }
    return -wrote;
  };
  EXPECT_EQ(try_isolated(spill), "done");
  struct stat status{};
  EXPECT_EQ(fstat(file, &status), 0);
  EXPECT_EQ(status.st_size, 0);
  close(file);
  unlink(here);
}

// As a worker of an earlier command could have left it.
TEST(ConfineWorker, FollowsNoLinkThatAWorkerMayHaveMade) {
  if (!worker_walls().files) GTEST_SKIP() << "no Landlock here";
  char there[] = "confined.XXXXXX", trap[] = "/tmp/confined.XXXXXX";
  ASSERT_NE(mkdtemp(there), nullptr);
  ASSERT_NE(mkdtemp(trap), nullptr);
  const std::string folder = std::string(getcwd(nullptr, 0)) + "/" + there;
  const std::string link = std::string(trap) + "/pending", file = folder + "/file";
  if (folder.starts_with("/tmp/") || folder.starts_with("/dev/")) GTEST_SKIP() << folder;
  const auto makes = [&](const std::shared_ptr<const Grounds>& grounds) {
    SpawnOptions options{.confined_to = grounds};
    return spawn([&] { _exit(mkdir(file.c_str(), 0700) == 0 ? 1 : 2); }, options).wait().status;
  };
  ASSERT_EQ(mkdir(link.c_str(), 0700), 0);
  const auto opened = std::make_shared<Grounds>(std::vector{link});
  ASSERT_EQ(rmdir(link.c_str()), 0);
  ASSERT_EQ(symlink(folder.c_str(), link.c_str()), 0);
  EXPECT_EQ(makes(opened), 2);
  if (worker_walls().modes) {  // and the descriptor does not lead to where nothing is read-only
    const int first = opened->all()[0].fd;
    const auto climbs = [&] { _exit(openat(first, "..", O_PATH) >= 0); };
    EXPECT_TRUE(spawn(climbs, {.confined_to = opened}).wait().clean());
  }
  testing::internal::CaptureStderr();
  const auto again = std::make_shared<Grounds>(std::vector{link});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the symbolic link " + link),
            std::string::npos);
  EXPECT_EQ(makes(again), 2);
  EXPECT_EQ(makes(std::make_shared<Grounds>(std::vector{folder})), 1);
  rmdir(file.c_str());
  unlink(link.c_str());
  rmdir(trap);
  rmdir(folder.c_str());
}

// Where no worker can have made it, a link is somebody's wish.
TEST(ConfineWorker, FollowsOtherLinks) {
  if (!worker_walls().files) GTEST_SKIP() << "no Landlock here";
  char there[] = "confined.XXXXXX";
  ASSERT_NE(mkdtemp(there), nullptr);
  const std::string folder = std::string(getcwd(nullptr, 0)) + "/" + there;
  const std::string link = folder + "/link", file = folder + "/real/file";
  if (folder.starts_with("/tmp/") || folder.starts_with("/dev/")) GTEST_SKIP() << folder;
  ASSERT_EQ(mkdir((folder + "/real").c_str(), 0700), 0);
  ASSERT_EQ(symlink("real", link.c_str()), 0);
  SpawnOptions options{.confined_to = std::make_shared<Grounds>(std::vector{link})};
  EXPECT_TRUE(spawn([&] { _exit(mkdir(file.c_str(), 0700)); }, options).wait().clean());
  for (const std::string& path : {file, folder + "/real"}) rmdir(path.c_str());
  unlink(link.c_str());
  rmdir(folder.c_str());
}

TEST(ConfineWorker, KeepsModesAndTimesOfFiles) {
  if (!worker_walls().modes) GTEST_SKIP() << "no namespace of mounts here";
  char here[] = "confined.XXXXXX", temporary[] = "/tmp/confined.XXXXXX";
  ASSERT_GE(close(mkstemp(here)), 0);
  ASSERT_GE(close(mkstemp(temporary)), 0);
  const std::string file = std::string(getcwd(nullptr, 0)) + "/" + here;
  if (file.starts_with("/tmp/") || file.starts_with("/dev/")) GTEST_SKIP() << file;
  EXPECT_EQ(try_isolated([&] { return chmod(file.c_str(), 0777); }), "EROFS");
  EXPECT_EQ(try_isolated([&] { return utimensat(AT_FDCWD, file.c_str(), nullptr, 0); }), "EROFS");
  EXPECT_EQ(try_isolated([&] { return chmod(here, 0777); }), "EROFS");  // by the working folder
  EXPECT_EQ(try_isolated([&] { return chmod(temporary, 0700); }), "done");
  EXPECT_EQ(try_isolated([&] { return open(temporary, O_RDWR | O_TRUNC); }), "done");
  // What leads out of a ground is not the place that was left.
  EXPECT_EQ(try_isolated([&] {
              for (const Grounds::Ground& ground : grounds_of_workers().all())
                if (fchmodat(ground.fd, ("../../../../" + file).c_str(), 0777, 0) == 0) return 0;
              return -1;
            }),
            "EROFS");
  unlink(here);
  unlink(temporary);
}

TEST(ConfineWorker, WritesByTheWorkingFolderWhereItMay) {
  char folder[] = "/tmp/confined.XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  EXPECT_TRUE(
      spawn([&] {
        if (chdir(folder) != 0) _exit(2);
        _exit(
            spawn([] { _exit(mkdir("made", 0700)); }, {.confined_to = no_grounds()}).wait().status);
      })
          .wait()
          .clean());
  rmdir((std::string(folder) + "/made").c_str());
  rmdir(folder);
}

// Of root nothing is counted.
TEST(ConfineWorker, StartsNotAnyNumberOfProcesses) {
  if (!worker_walls().modes || getuid() == 0) GTEST_SKIP() << "root, or no namespaces of users";
  const auto may_start = [] {
    rlimit most{};
    getrlimit(RLIMIT_NPROC, &most);
    return static_cast<long>(most.rlim_max) - std::max(4096L, 64 * sysconf(_SC_NPROCESSORS_ONLN));
  };
  EXPECT_EQ(try_isolated([&] { return may_start() <= 0 ? 0L : -1L; }), "done");
}

TEST(ConfineWorker, WritesNoDeviceButSinks) {
  if (!worker_walls().files) GTEST_SKIP() << "no Landlock here";
  for (const char* node : {"/dev/null", "/dev/zero", "/dev/urandom"})
    EXPECT_EQ(try_isolated([&] { return open(node, O_RDWR); }), "done") << node;
  for (const char* node : {"/dev/ptmx", "/dev/tty", "/dev/made"}) {
    const std::string said = try_isolated([&] { return open(node, O_RDWR | O_CREAT, 0600); });
    EXPECT_TRUE(is_refusal(said) || said == "ENXIO") << node << " " << said;
  }
}

TEST(ConfineWorker, ProgramsThatItStartsAreKeptFromTheSame) {
  if (!worker_walls().network) GTEST_SKIP() << "no seccomp here";
  SpawnOptions options{.confined_to = no_grounds()};
  const std::vector<std::string> connects = {
      "python3", "-c", "import socket, sys\ntry: socket.socket()\nexcept OSError: sys.exit(9)"};
  EXPECT_EQ(spawn([&] { become(connects); }, options).wait().status, 9);
}

TEST(ConfineWorker, ChangesFilesOnlyWhereItMay) {
  if (!worker_walls().files) GTEST_SKIP() << "no Landlock here";
  char here[] = "confined.XXXXXX";  // not below the folder of temporary files
  ASSERT_NE(mkdtemp(here), nullptr);
  const std::string folder = std::string(getcwd(nullptr, 0)) + "/" + here, file = folder + "/file";
  if (folder.starts_with("/tmp/") || folder.starts_with("/dev/")) GTEST_SKIP() << folder;
  ASSERT_GE(close(open(file.c_str(), O_CREAT | O_RDWR, 0600)), 0);
  EXPECT_TRUE(is_refusal(try_isolated([&] { return open(file.c_str(), O_RDWR); })));
  EXPECT_TRUE(is_refusal(try_isolated([&] { return truncate(file.c_str(), 0); })));
  EXPECT_TRUE(is_refusal(try_isolated([&] { return unlink(file.c_str()); })));
  EXPECT_TRUE(is_refusal(try_isolated([&] { return mkdir((folder + "/a").c_str(), 0700); })));
  EXPECT_TRUE(is_refusal(try_isolated([&] { return symlink("/", (folder + "/a").c_str()); })));
  EXPECT_TRUE(
      is_refusal(try_isolated([&] { return rename(file.c_str(), (folder + "/a").c_str()); })));
  EXPECT_TRUE(is_refusal(try_isolated([&] { return open("/proc/self/mem", O_RDWR); })));
  EXPECT_EQ(try_isolated([&] { return open(file.c_str(), O_RDONLY); }), "done");
  SpawnOptions options{.confined_to = std::make_shared<Grounds>(std::vector{folder})};
  EXPECT_TRUE(spawn([&] { _exit(open(file.c_str(), O_RDWR) < 0 || unlink(file.c_str())); }, options)
                  .wait()
                  .clean());
  unlink(file.c_str());
  rmdir(folder.c_str());
}

TEST(ConfineWorker, NothingIsRefusedWithoutASandbox) {
  set_sandboxed(false);
  EXPECT_EQ(try_isolated([] { return socket(AF_INET, SOCK_STREAM, 0); }), "done");
  EXPECT_TRUE(walls_around_workers().empty());
  set_sandboxed(true);
}

}  // namespace
}  // namespace fusillade::fuzz

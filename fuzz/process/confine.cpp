// See confine.h. The filter is a program of classic BPF over struct seccomp_data: a list of the
// system calls that are allowed, each compared with the call's number, and an end that refuses.
#include "fuzz/process/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <iterator>

#include "engine/base/text.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kMachine = 0;
#endif

// What an interpreter asks for that computes, and answers on what is open.
constexpr uint32_t kAllowed[] = {
    SYS_read,           SYS_write,         SYS_readv,           SYS_writev,
    SYS_close,          SYS_munmap,        SYS_mremap,          SYS_brk,
    SYS_madvise,        SYS_futex,         SYS_rt_sigreturn,    SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_sigaltstack,   SYS_restart_syscall, SYS_exit,
    SYS_exit_group,     SYS_clock_gettime, SYS_gettimeofday,    SYS_getrandom,
    SYS_sched_yield,    SYS_getpid,        SYS_gettid,          SYS_getrusage,
    SYS_ppoll,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

// Of memory: allowed unless it is to hold code.
constexpr uint32_t kOfMemory[] = {SYS_mmap, SYS_mprotect};

// Of workers of our own: what no compiler and no interpreter needs.
constexpr uint32_t kOpenTreeAttr = 467;  // open_tree_attr, newer than the headers
constexpr uint32_t kDenied[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    kOpenTreeAttr,
    SYS_setns,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_perf_event_open,
    SYS_open_by_handle_at,
    SYS_syslog,
};
// Put text into the input of a terminal, as if its user had typed it.
constexpr uint32_t kTyping[] = {TIOCSTI, TIOCLINUX};
constexpr int kLocal[] = {AF_UNIX, AF_NETLINK};
constexpr uint32_t kOtherNumbers = 0x40000000;  // system calls of x32 begin there

sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}

sock_filter answer(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

// Skips so many of the following where the loaded word is `k`, or is not.
sock_filter equal(uint32_t k, size_t then, size_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, static_cast<uint8_t>(then),
                  static_cast<uint8_t>(otherwise));
}

// Of a child that tries them.
constexpr int kReported = 16, kFiles = 1, kNetwork = 2;

constexpr uint64_t kChanges = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kMove = 1 << 13;      // between folders: from version 2 of Landlock on
constexpr uint64_t kTruncate = 1 << 14;  // from version 3 on
constexpr int kMoves = 2, kTruncates = 3;

int landlock_version() {
  return static_cast<int>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

// Forbids these but below the folders, of which some need not be there. False: it cannot.
bool forbid(uint64_t changes, const std::vector<std::string>& folders, uint64_t there) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = changes;
  const long rules = syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return false;
  for (const std::string& folder : folders) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = there;
    rule.parent_fd = open(folder.c_str(), O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) continue;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
  }
  const bool done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  close(static_cast<int>(rules));
  return done;
}

void write_to(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!write(fd, text.data(), text.size());
  close(fd);
}

// Who is not root has a network of his own to give away in a namespace of users of his own, where
// he stays who he is.
bool leave_network() {
  if (unshare(CLONE_NEWNET) == 0) return true;
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  write_to("/proc/self/setgroups", "deny");
  write_to("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
  write_to("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
  return true;
}

}  // namespace

void confine() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);
  setrlimit(RLIMIT_CORE, &none);
  leave_network();
  // What starts an interpreter, as a shell script does, may write to /dev/null.
  forbid(kChanges, {"/dev/null"}, LANDLOCK_ACCESS_FS_WRITE_FILE);
}

std::vector<std::string> writable_to_engines() {
  std::vector<std::string> out = {"/dev", "/tmp", "/var/tmp"};
  const auto add = [&](const char* name, const char* below) {
    const char* value = std::getenv(name);
    if (value && *value) out.push_back(std::string(value) + below);
  };
  add("TMPDIR", "");
  add("XDG_CACHE_HOME", "");
  for (const char* folder : {"/.cache", "/.triton", "/.nv"}) add("HOME", folder);
  for (const char* name : {"TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUDA_CACHE_PATH",
                           "JAX_COMPILATION_CACHE_DIR"})
    add(name, "");
  if (const char* more = std::getenv("FUSILLADE_ENGINE_WRITES"))
    for (const std::string& folder : split_outside_brackets(more, ':'))
      if (!folder.empty()) out.push_back(folder);
  return out;
}

Walls confine_engine() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  Walls walls;
  walls.network = leave_network();
  // Caches are filled by moves from folder to folder, which version 1 forbids everywhere.
  const int version = landlock_version();
  const uint64_t changes = kChanges | kMove | (version >= kTruncates ? kTruncate : 0);
  walls.files = version >= kMoves && forbid(changes, writable_to_engines(), changes);
  return walls;
}

namespace {

bool g_sandboxed = true;

// Refuses kDenied, kTyping, and sockets but kLocal; allows all else.
std::vector<sock_filter> worker_filter() {
  constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  constexpr size_t kFamily = offsetof(seccomp_data, args);  // its low half
  std::vector<sock_filter> out = {load(offsetof(seccomp_data, arch)),
                                  equal(kMachine, 1, 0),
                                  answer(kRefused),
                                  load(offsetof(seccomp_data, nr)),
                                  BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 0, 1),
                                  answer(kRefused)};
  for (uint32_t call : kDenied) {
    out.push_back(equal(call, 0, 1));
    out.push_back(answer(kRefused));
  }
  out.push_back(equal(SYS_ioctl, 0, 2 + 2 * std::size(kTyping)));
  out.push_back(load(offsetof(seccomp_data, args) + sizeof(uint64_t)));  // low half of the request
  for (uint32_t request : kTyping) {
    out.push_back(equal(request, 0, 1));
    out.push_back(answer(kRefused));
  }
  out.push_back(answer(SECCOMP_RET_ALLOW));
  out.push_back(equal(SYS_socket, 1, 0));
  out.push_back(answer(SECCOMP_RET_ALLOW));
  out.push_back(load(kFamily));
  for (int family : kLocal) {
    out.push_back(equal(static_cast<uint32_t>(family), 0, 1));
    out.push_back(answer(SECCOMP_RET_ALLOW));
  }
  out.push_back(answer(kRefused));
  return out;
}

// What a child of ours finds that tries them.
Walls try_walls(const std::function<Walls()>& build) {
  Child child = spawn(
      [&] {
        const Walls tried = build();
        _exit(kReported | (tried.files ? kFiles : 0) | (tried.network ? kNetwork : 0));
      },
      {.name = "a trial of walls"});
  const Ending ending = child.wait();
  const bool known = ending.signal == 0 && (ending.status & kReported) == kReported;
  return {known && (ending.status & kFiles) != 0, known && (ending.status & kNetwork) != 0};
}

}  // namespace

void set_sandboxed(bool is) { g_sandboxed = is; }
bool is_sandboxed() { return g_sandboxed; }

Walls confine_worker(const std::vector<std::string>& writes) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  std::vector<std::string> folders = writable_to_engines();
  folders.insert(folders.end(), writes.begin(), writes.end());
  if (const char* cache = std::getenv("FUSILLADE_CACHE"); cache && *cache) folders.push_back(cache);
  Walls walls;
  const int version = landlock_version();
  const uint64_t changes = kChanges | kMove | (version >= kTruncates ? kTruncate : 0);
  walls.files = version >= kMoves && forbid(changes, folders, changes);
  if (!kMachine) return walls;
  std::vector<sock_filter> filter = worker_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  walls.network = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  return walls;
}

Walls engine_walls() {
  static const Walls walls = try_walls(&confine_engine);
  return walls;
}

std::vector<std::string> names_of(const Walls& walls) {
  std::vector<std::string> out;
  if (walls.files) out.emplace_back("files");
  if (walls.network) out.emplace_back("network");
  return out;
}

std::vector<std::string> walls_around_workers() {
  return is_sandboxed() ? names_of(worker_walls()) : std::vector<std::string>();
}

Walls worker_walls() {
  static const Walls walls = try_walls([] { return confine_worker({}); });
  return walls;
}

std::string syscall_filter() {
  if (!kMachine) return "";
  constexpr size_t kProtection = offsetof(seccomp_data, args) + 2 * sizeof(uint64_t);  // low half
  constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> out = {load(offsetof(seccomp_data, arch)), equal(kMachine, 1, 0),
                                  answer(SECCOMP_RET_KILL_PROCESS),
                                  load(offsetof(seccomp_data, nr))};
  for (uint32_t call : kAllowed) {
    out.push_back(equal(call, 0, 1));
    out.push_back(answer(SECCOMP_RET_ALLOW));
  }
  for (uint32_t call : kOfMemory) {
    out.push_back(equal(call, 0, 4));
    out.push_back(load(kProtection));
    out.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
    out.push_back(answer(SECCOMP_RET_ALLOW));
    out.push_back(answer(kRefused));
  }
  out.push_back(answer(kRefused));
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(sock_filter)};
}

}  // namespace fusillade::fuzz

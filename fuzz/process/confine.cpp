// See confine.h. The filter is a program of classic BPF over struct seccomp_data: a list of the
// system calls that are allowed, each compared with the call's number, and an end that refuses.
#include "fuzz/process/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <vector>

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

sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}

sock_filter answer(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

// Skips so many of the following where the loaded word is `k`, or is not.
sock_filter equal(uint32_t k, size_t then, size_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, static_cast<uint8_t>(then),
                  static_cast<uint8_t>(otherwise));
}

// No rule names a folder where these may be done: they may be done nowhere. What starts an
// interpreter, as a shell script does, may write to /dev/null.
void forbid_changed_files() {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  const long rules = syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return;
  const int sink = open("/dev/null", O_PATH | O_CLOEXEC);
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
  rule.parent_fd = sink;
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  if (sink >= 0) close(sink);
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(static_cast<int>(rules));
}

}  // namespace

void confine() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);
  setrlimit(RLIMIT_CORE, &none);
  // Who is not root has a network of his own to give away in a namespace of users of his own.
  if (unshare(CLONE_NEWNET) != 0) (void)!unshare(CLONE_NEWUSER | CLONE_NEWNET);
  forbid_changed_files();
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

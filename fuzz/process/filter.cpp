// See filter.h. Programs of classic BPF over struct seccomp_data: lists of system calls, each
// compared with the call's number.
#include "fuzz/process/filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
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

// What no compiler and nothing that it starts needs.
constexpr uint32_t kSetXattrAt = 463, kRemoveXattrAt = 466, kOpenTreeAttr = 467;  // newer
constexpr uint32_t kDenied[] = {
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_perf_event_open,
    // ways around this filter
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    // connections to what others run: those by name, and memory and queues that are shared by
    // number
    SYS_connect,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semop,
    SYS_semtimedop,
    SYS_semctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // owners and attributes of files
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    kSetXattrAt,
    kRemoveXattrAt,
#ifdef SYS_chown
    SYS_chown,
    SYS_lchown,
#endif
    // other namespaces, and mounts
    SYS_unshare,
    SYS_setns,
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
    SYS_open_by_handle_at,
    // administrators' work
    SYS_bpf,
    SYS_userfaultfd,
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
    SYS_syslog,
    SYS_fanotify_init,
    SYS_vhangup,
#ifdef SYS_iopl
    SYS_iopl,
    SYS_ioperm,
#endif
};
// Of ioctl: put text into the input of a terminal, as if its user had typed it; lead to the
// namespace of a network device.
constexpr uint32_t kControls[] = {TIOCSTI, TIOCLINUX, SIOCGSKNS};
// Of clone. Those of clone3 are in memory, where no filter sees them: libraries then use clone.
constexpr uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr uint32_t kOtherNumbers = 0x40000000;  // system calls of x32 begin there

sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}

// Of an argument of the call.
size_t low_half(size_t argument) { return offsetof(seccomp_data, args) + argument * 8; }

sock_filter answer(uint32_t action) { return BPF_STMT(BPF_RET | BPF_K, action); }

// Skips so many of the following where the loaded word is `k`, or is not.
sock_filter equal(uint32_t k, size_t then, size_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, static_cast<uint8_t>(then),
                  static_cast<uint8_t>(otherwise));
}

sock_filter at_least(uint32_t k, size_t then, size_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k, static_cast<uint8_t>(then),
                  static_cast<uint8_t>(otherwise));
}

sock_filter any_of(uint32_t bits, size_t then, size_t otherwise) {
  return BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, static_cast<uint8_t>(then),
                  static_cast<uint8_t>(otherwise));
}

constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
constexpr uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

using Program = std::vector<sock_filter>;

// Of that call; the number is loaded before it, and after it where it is another. The last of
// `then` answers.
void of_call(Program& out, uint32_t call, const Program& then) {
  out.push_back(equal(call, 0, then.size()));
  out.insert(out.end(), then.begin(), then.end());
}

// Sockets of the kernel (netlink), and such local ones as only a connection gives to others: a
// datagram goes to whom its sender names.
Program of_sockets() {
  constexpr uint32_t kKind = 0xf;
  return {load(low_half(0)),
          equal(AF_NETLINK, 0, 1),
          answer(SECCOMP_RET_ALLOW),
          equal(AF_UNIX, 1, 0),
          answer(kRefused),
          load(low_half(1)),
          BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kKind),
          equal(SOCK_STREAM, 1, 0),
          equal(SOCK_SEQPACKET, 0, 1),
          answer(SECCOMP_RET_ALLOW),
          answer(kRefused)};
}

// Of a compiler and what it starts: refuses what is above, and allows all else.
Program compiler_filter() {
  Program out = {
      load(offsetof(seccomp_data, arch)), equal(kMachine, 1, 0),         answer(kRefused),
      load(offsetof(seccomp_data, nr)),   at_least(kOtherNumbers, 0, 1), answer(kRefused)};
  for (uint32_t call : kDenied) of_call(out, call, {answer(kRefused)});
  Program controls = {load(low_half(1))};
  for (uint32_t request : kControls) {
    controls.push_back(equal(request, 0, 1));
    controls.push_back(answer(kRefused));
  }
  controls.push_back(answer(SECCOMP_RET_ALLOW));
  of_call(out, SYS_ioctl, controls);
  of_call(out, SYS_socket, of_sockets());
  of_call(out, SYS_socketpair, of_sockets());
  of_call(out, SYS_clone3, {answer(kUnknown)});
  of_call(
      out, SYS_clone,
      {load(low_half(0)), any_of(kNamespaces, 0, 1), answer(kRefused), answer(SECCOMP_RET_ALLOW)});
  of_call(out, SYS_prlimit64,
          {load(low_half(0)), equal(0, 1, 0), answer(kRefused), answer(SECCOMP_RET_ALLOW)});
  out.push_back(answer(SECCOMP_RET_ALLOW));
  return out;
}

}  // namespace

std::string syscall_filter() {
  if (!kMachine) return "";
  std::vector<sock_filter> out = {load(offsetof(seccomp_data, arch)), equal(kMachine, 1, 0),
                                  answer(SECCOMP_RET_KILL_PROCESS),
                                  load(offsetof(seccomp_data, nr))};
  for (uint32_t call : kAllowed) {
    out.push_back(equal(call, 0, 1));
    out.push_back(answer(SECCOMP_RET_ALLOW));
  }
  for (uint32_t call : kOfMemory) {
    out.push_back(equal(call, 0, 4));
    out.push_back(load(low_half(2)));
    out.push_back(any_of(PROT_EXEC, 1, 0));
    out.push_back(answer(SECCOMP_RET_ALLOW));
    out.push_back(answer(kRefused));
  }
  out.push_back(answer(kRefused));
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(sock_filter)};
}

bool filter_compiler() {
  if (!kMachine) return false;
  std::vector<sock_filter> filter = compiler_filter();
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace fusillade::fuzz

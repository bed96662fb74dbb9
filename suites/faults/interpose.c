// Calls to the system that fail once, or are written down: a library for LD_PRELOAD.
//
// FAULTS_EXE names the program it acts in; other programs (CPython, a shell) pass through.
// FAULTS_STATE is a file that all its processes map (`struct state`, which run.py fills): of each
// kind of call how many there were, and which one fails, and with what error. FAULTS_LOG is a file
// that tells, in order, all that changed a file below FAULTS_ROOT, and what was written to stdout
// and stderr.
//
// It reaches what goes through the dynamic linker: the program's own calls, those of libstdc++
// (std::ofstream, std::filesystem), SQLite and LLVM. It does not reach calls that glibc makes of
// itself: the writes and reads of stdio behind fwrite and fread (opening by fopen is reached), the
// mappings of malloc and of threads, dlopen; blocks that `operator new` takes from its own lists
// (fuzz/process/heap.cpp) ask malloc for nothing. In a program linked statically it reaches
// nothing. Calls by number (`syscall`) are not seen.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// In the order of KINDS in shim.py.
enum kind {
  WRITE,
  SYNC,
  RENAME,
  CREATE,
  OPEN,
  FOLDER,
  REMOVE,
  TRUNCATE,
  CLOSE,
  READ,
  MAP,
  FORK,
  THREAD,
  MALLOC,
  NUM_KINDS
};

struct state {
  int64_t kind;    // of the call that fails; -1: none does
  int64_t number;  // which of its kind, from 1
  int64_t error;
  int64_t half;  // a write is cut short instead
  _Atomic int64_t fired;
  int64_t pid;  // whose call it was
  _Atomic int64_t lock;
  _Atomic int64_t counts[NUM_KINDS];
  char what[1024];
};

static struct state* state;
static char root[PATH_MAX], log_path[PATH_MAX];
static size_t root_length;

static int raw_open(const char* path, int flags) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0644);
}

__attribute__((constructor)) static void begin(void) {
  char exe[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  const char *mine = getenv("FAULTS_EXE"), *shared = getenv("FAULTS_STATE");
  if (n <= 0 || !mine || !shared) return;
  exe[n] = 0;
  if (strcmp(exe, mine) != 0) return;
  if (getenv("FAULTS_LOG") && getenv("FAULTS_ROOT")) {
    snprintf(log_path, sizeof log_path, "%s", getenv("FAULTS_LOG"));
    snprintf(root, sizeof root, "%s", getenv("FAULTS_ROOT"));
    root_length = strlen(root);
  }
  const int fd = raw_open(shared, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void* at = (void*)syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                            (off_t)0);
  syscall(SYS_close, fd);
  if (at != MAP_FAILED) state = at;
}

// Nothing fails before `main`, where a program could tell nobody.
static int begun;
static int (*real_main)(int, char**, char**);

static int begin_main(int count, char** words, char** environment) {
  begun = 1;
  return real_main(count, words, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void* stack_end) {
  int (*start)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
               void (*)(void), void*);
  *(void**)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return start(begin_main, count, words, init, fini, loader_fini, stack_end);
}

// The function that stands behind ours.
#define REAL(name)                      \
  static __typeof__(&name) real_##name; \
  if (!real_##name) *(void**)&real_##name = dlsym(RTLD_NEXT, #name)

// ---- faults

static int64_t strike(enum kind kind, const char* call, const char* path, int fd) {
  if (!state || !begun) return 0;
  const int64_t number = atomic_fetch_add(&state->counts[kind], 1) + 1;
  if (state->kind != kind || state->number != number) return 0;
  if (atomic_exchange(&state->fired, 1)) return 0;
  state->pid = getpid();
  char name[PATH_MAX] = "";
  if (!path && fd >= 0) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = 0;
  }
  snprintf(state->what, sizeof state->what, "%s %.900s", call, path ? path : name);
  return state->error;
}

// Whether the call is to fail, with errno set.
static int fails(enum kind kind, const char* call, const char* path, int fd) {
  const int64_t error = strike(kind, call, path, fd);
  if (!error) return 0;
  errno = (int)error;
  return 1;
}

// A file with a name: neither a pipe, a socket nor memory.
static int is_file(int fd) {
  struct stat s;
  return state && begun && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink > 0;
}

// ---- the log

static void lock(void) {
  for (int64_t turns = 0;; ++turns) {
    int64_t free = 0;
    if (atomic_compare_exchange_weak(&state->lock, &free, getpid())) return;
    if (turns % 1000 == 999 && free && kill((pid_t)free, 0) != 0)  // it was killed with it
      atomic_compare_exchange_strong(&state->lock, &free, 0);
    sched_yield();
  }
}

static void unlock(void) { atomic_store(&state->lock, 0); }

static int logging(void) { return state && root_length > 0; }

// The path that a descriptor and a name give; empty if it is none of ours.
static void path_of(int fd, const char* name, char* out) {
  out[0] = 0;
  char whole[PATH_MAX];
  if (name && name[0] == '/') {
    snprintf(whole, sizeof whole, "%s", name);
  } else {
    char link[64];
    ssize_t n = 0;
    if (fd == AT_FDCWD) {
      n = getcwd(whole, sizeof whole) ? (ssize_t)strlen(whole) : 0;
    } else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      n = readlink(link, whole, sizeof whole - 1);
    }
    if (n <= 0) return;
    whole[n] = 0;
    if (name) snprintf(whole + n, sizeof whole - (size_t)n, "/%s", name);
  }
  if (strncmp(whole, root, root_length) == 0) snprintf(out, PATH_MAX, "%s", whole);
}

// One line, and the bytes behind it: OP PID INODE OFFSET LENGTH, path, second path.
static void note(const char* op, uint64_t inode, int64_t offset, const void* data, size_t length,
                 const char* path, const char* second) {
  char head[3 * PATH_MAX];
  const int n = snprintf(head, sizeof head, "%s %d %llu %lld %zu\t%s\t%s\n", op, getpid(),
                         (unsigned long long)inode, (long long)offset, length, path, second);
  const int fd = raw_open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC);
  const struct iovec parts[2] = {{head, (size_t)n}, {(void*)data, length}};
  if (fd < 0 || syscall(SYS_writev, fd, parts, data ? 2 : 1) < 0) abort();
  syscall(SYS_close, fd);
}

static uint64_t inode_of(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 ? s.st_ino : 0;
}

static void note_data(int fd, int64_t offset, const void* data, ssize_t length) {
  if (length <= 0) return;
  char path[PATH_MAX];
  path_of(fd, NULL, path);
  if (fd == STDOUT_FILENO || fd == STDERR_FILENO) note("tell", 0, fd, data, (size_t)length, "", "");
  else if (path[0] && is_file(fd))
    note("write", inode_of(fd), offset, data, (size_t)length, path, "");
}

// ---- writes and reads

static ssize_t half_of(size_t length) { return (ssize_t)(length > 1 ? length / 2 : length); }

// Where a write at the file's own position began.
static int64_t began(int fd, ssize_t length) { return lseek(fd, 0, SEEK_CUR) - length; }

ssize_t write(int fd, const void* data, size_t length) {
  REAL(write);
  if (is_file(fd)) {
    const int64_t error = strike(WRITE, "write", NULL, fd);
    if (error && !state->half) {
      errno = (int)error;
      return -1;
    }
    if (error) length = (size_t)half_of(length);
  }
  if (!logging()) return real_write(fd, data, length);
  lock();
  const ssize_t n = real_write(fd, data, length);
  const int error = errno;
  note_data(fd, n > 0 ? began(fd, n) : 0, data, n);
  unlock();
  errno = error;
  return n;
}

ssize_t pwrite64(int fd, const void* data, size_t length, off64_t offset) {
  REAL(pwrite64);
  if (is_file(fd)) {
    const int64_t error = strike(WRITE, "pwrite", NULL, fd);
    if (error && !state->half) {
      errno = (int)error;
      return -1;
    }
    if (error) length = (size_t)half_of(length);
  }
  if (!logging()) return real_pwrite64(fd, data, length, offset);
  lock();
  const ssize_t n = real_pwrite64(fd, data, length, offset);
  const int error = errno;
  note_data(fd, offset, data, n);
  unlock();
  errno = error;
  return n;
}

ssize_t pwrite(int fd, const void* data, size_t length, off_t offset) {
  return pwrite64(fd, data, length, offset);
}

// As one write for each part: a short one ends it, as the system may.
ssize_t writev(int fd, const struct iovec* parts, int count) {
  ssize_t sum = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const ssize_t n = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (n < 0) return sum ? sum : -1;
    sum += n;
    if ((size_t)n < parts[i].iov_len) break;
  }
  return sum;
}

ssize_t read(int fd, void* data, size_t length) {
  REAL(read);
  if (is_file(fd) && fails(READ, "read", NULL, fd)) return -1;
  return real_read(fd, data, length);
}

ssize_t pread64(int fd, void* data, size_t length, off64_t offset) {
  REAL(pread64);
  if (is_file(fd) && fails(READ, "pread", NULL, fd)) return -1;
  return real_pread64(fd, data, length, offset);
}

ssize_t pread(int fd, void* data, size_t length, off_t offset) {
  return pread64(fd, data, length, offset);
}

// ---- what makes data stay

static void note_sync(int fd) {
  if (!logging()) return;
  char path[PATH_MAX];
  path_of(fd, NULL, path);
  if (!path[0]) return;
  lock();
  note("sync", inode_of(fd), 0, NULL, 0, path, "");
  unlock();
}

int fsync(int fd) {
  REAL(fsync);
  if (fails(SYNC, "fsync", NULL, fd)) return -1;
  const int done = real_fsync(fd);
  if (done == 0) note_sync(fd);
  return done;
}

int fdatasync(int fd) {
  REAL(fdatasync);
  if (fails(SYNC, "fdatasync", NULL, fd)) return -1;
  const int done = real_fdatasync(fd);
  if (done == 0) note_sync(fd);
  return done;
}

int ftruncate64(int fd, off64_t length) {
  REAL(ftruncate64);
  if (is_file(fd) && fails(TRUNCATE, "ftruncate", NULL, fd)) return -1;
  if (!logging()) return real_ftruncate64(fd, length);
  char path[PATH_MAX];
  path_of(fd, NULL, path);
  lock();
  const int done = real_ftruncate64(fd, length);
  if (done == 0 && path[0]) note("truncate", inode_of(fd), length, NULL, 0, path, "");
  unlock();
  return done;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int close(int fd) {
  REAL(close);
  if (is_file(fd) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY) {
    const int64_t error = strike(CLOSE, "close", NULL, fd);
    if (error) {
      real_close(fd);
      errno = (int)error;
      return -1;
    }
  }
  return real_close(fd);
}

// ---- names

static int for_writing(int flags) {
  return (flags & O_CREAT) != 0 || ((flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0);
}

static int open_fails(const char* path, int flags) {
  return fails(OPEN, "open", path, -1) ||
         (for_writing(flags) && fails(CREATE, "open for writing", path, -1));
}

static int open_noted(int folder, const char* name, int flags, mode_t mode) {
  char path[PATH_MAX];
  path_of(folder, name, path);
  if (!path[0] || !for_writing(flags)) return (int)syscall(SYS_openat, folder, name, flags, mode);
  lock();
  struct stat before;
  const int there = stat(path, &before) == 0;
  const int fd = (int)syscall(SYS_openat, folder, name, flags, mode);
  const int error = errno;
  if (fd >= 0 && !there) note("create", inode_of(fd), 0, NULL, 0, path, "");
  if (fd >= 0 && there && (flags & O_TRUNC)) note("truncate", inode_of(fd), 0, NULL, 0, path, "");
  unlock();
  errno = error;
  return fd;
}

static int open_at(int folder, const char* name, int flags, mode_t mode) {
  if (open_fails(name, flags)) return -1;
  if (logging()) return open_noted(folder, name, flags, mode);
  return (int)syscall(SYS_openat, folder, name, flags, mode);
}

static mode_t mode_in(int flags, va_list rest) {
  return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_at(folder, path, flags, mode);
}

static int flags_of(const char* how) {
  const int plus = strchr(how, '+') != NULL;
  if (how[0] == 'r') return plus ? O_RDWR : O_RDONLY;
  return (plus ? O_RDWR : O_WRONLY) | O_CREAT | (how[0] == 'w' ? O_TRUNC : O_APPEND);
}

FILE* fopen64(const char* path, const char* how) {
  REAL(fopen64);
  const int flags = flags_of(how);
  if (open_fails(path, flags)) return NULL;
  char ours[PATH_MAX] = "";
  if (logging()) path_of(AT_FDCWD, path, ours);
  if (!ours[0] || !for_writing(flags)) return real_fopen64(path, how);
  const int fd = open_noted(AT_FDCWD, path, flags | O_CLOEXEC, 0666);
  return fd < 0 ? NULL : fdopen(fd, how);
}

FILE* fopen(const char* path, const char* how) { return fopen64(path, how); }

DIR* opendir(const char* path) {
  REAL(opendir);
  if (fails(OPEN, "opendir", path, -1)) return NULL;
  return real_opendir(path);
}

static int rename_noted(int from_folder, const char* from, int to_folder, const char* to,
                        unsigned flags) {
  if (fails(RENAME, "rename", to, -1)) return -1;
  if (!logging()) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  char a[PATH_MAX], b[PATH_MAX];
  path_of(from_folder, from, a);
  path_of(to_folder, to, b);
  lock();
  const int done = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
  const int error = errno;
  if (done == 0 && (a[0] || b[0])) note("rename", 0, 0, NULL, 0, a, b);
  unlock();
  errno = error;
  return done;
}

int rename(const char* from, const char* to) {
  return rename_noted(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return rename_noted(from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return rename_noted(from_folder, from, to_folder, to, flags);
}

int mkdirat(int folder, const char* name, mode_t mode) {
  if (fails(FOLDER, "mkdir", name, -1)) return -1;
  if (!logging()) return (int)syscall(SYS_mkdirat, folder, name, mode);
  char path[PATH_MAX];
  path_of(folder, name, path);
  lock();
  const int done = (int)syscall(SYS_mkdirat, folder, name, mode);
  const int error = errno;
  if (done == 0 && path[0]) note("folder", 0, 0, NULL, 0, path, "");
  unlock();
  errno = error;
  return done;
}

int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char* name, int flags) {
  if (fails(REMOVE, "unlink", name, -1)) return -1;
  if (!logging()) return (int)syscall(SYS_unlinkat, folder, name, flags);
  char path[PATH_MAX];
  path_of(folder, name, path);
  lock();
  const int done = (int)syscall(SYS_unlinkat, folder, name, flags);
  const int error = errno;
  if (done == 0 && path[0]) note("remove", 0, 0, NULL, 0, path, "");
  unlock();
  errno = error;
  return done;
}

int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

// ---- what a process asks of the machine

void* mmap64(void* at, size_t length, int rights, int flags, int fd, off64_t offset) {
  if (fails(MAP, "mmap", NULL, fd)) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, length, rights, flags, fd, offset);
}

void* mmap(void* at, size_t length, int rights, int flags, int fd, off_t offset) {
  return mmap64(at, length, rights, flags, fd, offset);
}

pid_t fork(void) {
  REAL(fork);
  if (fails(FORK, "fork", NULL, -1)) return -1;
  return real_fork();
}

pid_t vfork(void) { return fork(); }

int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* how, char* const words[], char* const environment[]) {
  REAL(posix_spawn);
  if (fails(FORK, "posix_spawn", path, -1)) return errno;
  return real_posix_spawn(pid, path, actions, how, words, environment);
}

int posix_spawnp(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* how, char* const words[], char* const environment[]) {
  REAL(posix_spawnp);
  if (fails(FORK, "posix_spawnp", path, -1)) return errno;
  return real_posix_spawnp(pid, path, actions, how, words, environment);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*),
                   void* given) {
  REAL(pthread_create);
  if (fails(THREAD, "pthread_create", NULL, -1)) return errno;
  return real_pthread_create(thread, how, body, given);
}

int pipe2(int* ends, int flags) {
  if (fails(OPEN, "pipe2", NULL, -1)) return -1;
  return (int)syscall(SYS_pipe2, ends, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2]) {
  if (fails(OPEN, "socketpair", NULL, -1)) return -1;
  return (int)syscall(SYS_socketpair, domain, type, protocol, ends);
}

int memfd_create(const char* name, unsigned flags) {
  if (fails(OPEN, "memfd_create", name, -1)) return -1;
  return (int)syscall(SYS_memfd_create, name, flags);
}

int dup(int fd) {
  if (fails(OPEN, "dup", NULL, fd)) return -1;
  return (int)syscall(SYS_dup, fd);
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

void* malloc(size_t length) {
  if (fails(MALLOC, "malloc", NULL, -1)) return NULL;
  return __libc_malloc(length);
}

void* calloc(size_t count, size_t length) {
  if (fails(MALLOC, "calloc", NULL, -1)) return NULL;
  return __libc_calloc(count, length);
}

void* realloc(void* block, size_t length) {
  if (fails(MALLOC, "realloc", NULL, -1)) return NULL;
  return __libc_realloc(block, length);
}

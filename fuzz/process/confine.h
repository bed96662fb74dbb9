// Rights that a child gives up which runs untrusted code.
//
// Two steps, for a program needs more while it starts than afterwards. `confine` runs before the
// program: no new processes, no rights by what it executes, and where the machine has namespaces
// and Landlock no network and no file opened to write, created or removed. When the program is
// ready it sets the limits of files itself and installs `syscall_filter`, by prctl(PR_SET_SECCOMP):
// from then on the system answers nothing but reading and writing what is open, memory that holds
// no code, time, and the end. All else fails with EPERM.
//
// An external compiler starts programs and writes caches, so it keeps more: `confine_engine`. So
// does a process in which our own compiler runs a program, for it starts workers of engines:
// `confine_worker`.
#pragma once

#include <string>
#include <vector>

namespace fusillade::fuzz {

// Of this process, for good. What the machine does not allow is left out: the filter is the wall.
void confine();

// Whether there are walls at all: there are, unless it is said before.
void set_sandboxed(bool is);
bool is_sandboxed();

// What a process is kept from, each where the system can keep it from that.
struct Walls {
  bool files = false;    // changing any but those below `writable_to_engines` (Landlock)
  bool network = false;  // engines: namespaces; our own: no sockets but local ones (seccomp)
};
std::vector<std::string> names_of(const Walls& walls);  // "files", "network"

// Of this process and all that it starts, for good; also no new rights by what they execute.
Walls confine_engine();
// Those that hold on this machine, tried once in a child.
Walls engine_walls();

// Of this process, which has one thread, and all that it starts, for good: it may change files only
// below `writable_to_engines`, the folder of compiled kernels (FUSILLADE_CACHE) and `writes`; it
// has no socket but local ones, and may not trace, read or write other processes, nor ask the
// kernel for what administrators do. Files may be read, and programs started.
Walls confine_worker(const std::vector<std::string>& writes);
// Those that hold on this machine, tried once in a child.
Walls worker_walls();
std::vector<std::string> walls_around_workers();  // their names; none where nothing is sandboxed
// The folders of devices, temporary files and caches, and those that FUSILLADE_ENGINE_WRITES names,
// with colons between.
std::vector<std::string> writable_to_engines();

// The filter as the kernel takes it (an array of struct sock_filter), for this build's machine;
// empty for one whose system calls are not known here.
std::string syscall_filter();

}  // namespace fusillade::fuzz

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

#include "fuzz/process/grounds.h"

namespace fusillade::fuzz {

// Of this process, for good. What the machine does not allow is left out: the filter is the wall.
void confine();

// Whether there are walls at all: there are, unless it is said before.
void set_sandboxed(bool is);
bool is_sandboxed();

// What a process is kept from, each where the system can keep it from that.
struct Walls {
  bool files = false;    // changing any but those on its grounds (Landlock)
  bool network = false;  // sockets but local ones (seccomp); engines also by a namespace
  bool modes = false;    // changing modes, owners, times (a namespace of mounts)
};
std::vector<std::string> names_of(const Walls& walls);  // "files", "modes", "network"

// Those that hold on this machine, tried once in a child: before the first process that has them.
Walls engine_walls();
Walls worker_walls();
std::vector<std::string> walls_around_workers();  // their names; none where nothing is sandboxed

// Of this process, which has one thread, and all that it starts, for good. It may change files only
// on grounds_of_engines; it has no socket but local ones, which it cannot connect by name; it may
// not trace, read or write other processes, nor signal them, nor ask the kernel for what
// administrators do. Files may be read, and programs started.
void confine_engine();
// The same, on grounds_of_workers and `more`; it may signal, for it ends engines that it was lent.
void confine_worker(const Grounds& more);

}  // namespace fusillade::fuzz

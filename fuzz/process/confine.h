// Rights that a child gives up which runs what a stranger wrote.
//
// Two steps, for a program needs more while it starts than afterwards. `confine` stands before the
// program: no new processes, no rights by what it executes, and where the machine has namespaces
// and Landlock no network and no file opened to write, made or removed. When the program is ready
// it sets the limits of files itself and installs `syscall_filter`, by prctl(PR_SET_SECCOMP): from
// then on the system answers nothing but reading and writing what is open, memory that holds no
// code, time, and the end. All else fails with EPERM.
//
// A compiler that stands outside starts programs and writes caches, so it keeps more: see Walls.
#pragma once

#include <string>
#include <vector>

namespace fusillade::fuzz {

// Of this process, for good. What the machine does not allow is left out: the filter is the wall.
void confine();

// What an external engine is kept from, each where the system can keep it from that.
struct Walls {
  bool files = false;    // changing any but those below `writable_to_engines` (Landlock)
  bool network = false;  // (namespaces)
};

// Of this process and all that it starts, for good; also no new rights by what they execute.
Walls confine_engine();
// Those that hold on this machine, tried once in a child.
Walls engine_walls();
// The folders of devices, temporary files and caches, and those that FUSILLADE_ENGINE_WRITES names,
// with colons between.
std::vector<std::string> writable_to_engines();

// The filter as the kernel takes it (an array of struct sock_filter), for this build's machine;
// empty for one whose system calls are not known here.
std::string syscall_filter();

}  // namespace fusillade::fuzz

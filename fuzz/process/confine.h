// Rights that a child gives up which runs what a stranger wrote.
//
// Two steps, for a program needs more while it starts than afterwards. `confine` stands before the
// program: no new processes, no rights by what it executes, and where the machine has namespaces
// and Landlock no network and no file opened to write, made or removed. When the program is ready
// it sets the limits of files itself and installs `syscall_filter`, by prctl(PR_SET_SECCOMP): from
// then on the system answers nothing but reading and writing what is open, memory that holds no
// code, time, and the end. All else fails with EPERM.
#pragma once

#include <string>

namespace fusillade::fuzz {

// Of this process, for good. What the machine does not allow is left out: the filter is the wall.
void confine();

// The filter as the kernel takes it (an array of struct sock_filter), for this build's machine;
// empty for one whose system calls are not known here.
std::string syscall_filter();

}  // namespace fusillade::fuzz

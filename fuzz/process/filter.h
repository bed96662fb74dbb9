// Filters of system calls (seccomp): what a process that runs strangers' programs is refused.
#pragma once

#include <string>

namespace fusillade::fuzz {

// Of an interpreter that is ready: nothing but reading and writing what is open, memory that holds
// no code, time, and the end. As the kernel takes it (an array of struct sock_filter), for this
// build's machine; empty for one whose system calls are not known here.
std::string syscall_filter();

// Of this process and all that it starts, for good: no socket but local ones, nothing of other
// processes, and none of what administrators do. Files may be read, and programs started. False
// where the system has no such filter. The process may gain no rights (PR_SET_NO_NEW_PRIVS).
bool filter_compiler();

}  // namespace fusillade::fuzz

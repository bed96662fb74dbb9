// What this process could not have of the machine: a process, a thread, a descriptor, room on a
// disk, a small block of memory. No program under test is to blame for it, however deep in one's
// judgement it shows and whatever becomes of the exception on the way up; so it is noted where it
// shows, and whoever would report a finding asks here first.
#pragma once

#include <cstddef>
#include <string>

namespace fusillade {

// What a child exits with that lacked something: its parent lacks it as well.
inline constexpr int kLackStatus = 87;

// Is an errno of that kind?
bool is_lack(int error);

// An errno for people; of a limit that the process was given, with how much that is and who sets
// it: "File too large (ulimit -f allows a file of 8192 bytes)".
std::string error_text(int error);

// Notes it, where `error` is of that kind: "cannot fork: Resource temporarily unavailable".
void note_lack(const std::string& what, int error);

void note_lack(const std::string& what);

// Notes that the system refused a block of so many bytes, if it is small: what a program is to
// blame for, and what our own limits refuse, is large. Allocates nothing.
void note_no_memory(size_t bytes) noexcept;

// Was one? Then what went through a stream of the library, which keeps such failures for itself,
// may be cut short.
bool lacked_memory();

// The first that was noted in this process; empty: none.
const std::string& noted_lack();

// An error's message, and what was noted where the message does not say it.
std::string with_lack(const std::string& message);

}  // namespace fusillade

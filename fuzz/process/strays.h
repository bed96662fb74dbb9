// Processes that a child of ours started and would leave behind: in a session of its own, or after
// a second fork, so that neither its end nor its group's reaches them.
#pragma once

namespace fusillade::fuzz {

// From here on a process below this one whose parent ends becomes a child of this one (Linux'
// child subreaper). What this process forks does not adopt.
void adopt_strays();

// Stops that process and kills all that are below it, at any depth.
void end_descendants(int pid);

// Reaps those that were adopted and have ended: children of this process that spawn() did not fork.
void reap_strays();

// Kills and reaps what is below this process: the last that a command does.
void end_strays();

}  // namespace fusillade::fuzz

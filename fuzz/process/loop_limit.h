// The limit of time of a child that judges, where the program stays in a loop: the child ends
// itself, with the place of the loop. What stays elsewhere is ended by whoever limits it.
#pragma once

namespace fusillade::fuzz {

// A child that ended itself so.
inline constexpr int kEndlessLoop = 89;

// How the line on stderr begins.
inline constexpr const char* kStillInLoop = "still in the loop at ";

// How long others wait beyond a limit, so that a loop can say where it is.
inline constexpr double kLoopGrace = 1.1;

// From now on a thread of this process that has been at a unit of work (heartbeat.h) for `seconds`
// of processor time ends the process, at an iteration of a program's loop, with kEndlessLoop. Where
// `says`, a line on stderr names the loop.
void limit_loops(double seconds, bool says);

}  // namespace fusillade::fuzz

// Fibers: functions that stop in the middle for each other, on one thread of the host.
#pragma once

namespace fusillade::kernel {

// body(context, i) for i = 0 .. count-1, each up to its next meet() or its end, then each on from
// there. Throws Bug where some wait for others that have ended.
void run_fibers(int count, void (*body)(void* context, int fiber), void* context);
// Within a body: goes on when all others have come to their next meet() too.
void meet();

}  // namespace fusillade::kernel

// Iterations of loops, counted, so that whoever limits the time of a program can end one that stays
// in a loop: from within, without a signal, and knowing which loop it is.
//
// Executors report each iteration of a program's loops. Kernels need not: their trip counts are
// sizes of tensors.
#pragma once

#include <cstdint>

#include "engine/ir/graph.h"

namespace fusillade {

// Is asked every 64 iterations of a thread, with the loop of the last; may end the process.
using LoopWatcher = void (*)(const Node* loop);

// From now on the watcher of this process, and of those that it forks; null: nobody watches.
void watch_loops(LoopWatcher watcher);

void ask_loop_watcher(const Node* loop);
inline thread_local int iterations_to_ask = 0;

inline void count_iteration(const Node* loop) {
  if (--iterations_to_ask < 0) [[unlikely]]
    ask_loop_watcher(loop);
}

}  // namespace fusillade

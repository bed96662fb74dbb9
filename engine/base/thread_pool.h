// The one pool of threads: parallel loops of kernels, of operators that run by themselves and of
// products.
//
// A loop is cut into pieces that any thread may run. Whoever cuts sees to it that results do not
// depend on where: option `threads` (FUSILLADE_THREADS) changes no bit. Pieces do plain arithmetic
// on memory: modes, domains and limits of the calling thread are not those of the pool's threads.
#pragma once

#include <cstdint>

namespace fusillade {

// FUSILLADE_THREADS, or how many cores there are. Throws Error for a negative number.
int64_t thread_count();

// body(context, begin, end) over disjoint pieces that cover 0 .. n-1, on at most `threads` threads,
// the caller's included. Pieces start at multiples of `grain`. Returns when all are done, and
// throws what a piece threw first.
void parallel_for(int64_t threads, int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t),
                  void* context);

// The same with f(begin, end), on thread_count() threads; `grain` is what is worth a thread's
// while.
template <class F>
void parallel(int64_t n, int64_t grain, F f) {
  if (n <= grain) return f(int64_t{0}, n);
  parallel_for(
      thread_count(), n, grain,
      [](void* context, int64_t begin, int64_t end) { (*static_cast<F*>(context))(begin, end); },
      &f);
}

}  // namespace fusillade

// Small blocks of the heap, in a process that judges program after program.
//
// Graphs, values and texts of a judgement are hundreds of thousands of small, short-lived blocks. A
// fifth of a worker's time goes to malloc and free, which look at the neighbours of each block. A
// thread that keeps blocks puts one that is freed on a list of its size and takes the next from
// there: ten instructions each.
//
// Only `operator new` and `operator delete` do so, and those for aligned types do not. The memory
// of tensors has its own (engine/tensor/memory_pool.h). Where AddressSanitizer watches the heap
// nothing is kept.
#pragma once

namespace fusillade::fuzz {

// From here on, on this thread. Benchmarks do not ask for it: they time the engine with the heap
// that its users have.
void keep_small_blocks();

}  // namespace fusillade::fuzz

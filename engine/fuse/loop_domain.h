// How the elements of a tensor map to blocks, threads and iterations: axes that are split and
// merged, and where each of the remaining ones runs.
//
//   roots a0[3] a1[40]; a2 = a0 * a1; a2 -> a3[4] * a4[32]     120 elements, 4 blocks of 32 threads
//
// The axes given are the roots. A split replaces an axis by two, outer * factor + inner; where the
// extent is no multiple of the factor, the last outer iteration is masked. A merge replaces two
// axes by one. Axes that are neither split nor merged are leaves. The roots' indices are computed
// from the leaves' variables. Extents may be dynamic (dynamic_numbers.h): a split of one is masked,
// unless it is known to be a multiple, and what has been divided is not merged.
#pragma once

#include <string>
#include <vector>

#include "engine/fuse/dynamic_numbers.h"
#include "engine/fuse/statements.h"

namespace fusillade::fuse {

class LoopDomain {
 public:
  enum class Map : uint8_t { Serial, Block, Thread };

  // Each axis gets a variable of the kernel.
  LoopDomain(const Dims& roots, DynamicNumbers& numbers, kernel::Kernel& kernel);

  struct Halves {
    int outer, inner;
  };
  Halves split(int axis, int64_t factor);
  // Into so many; `whole`: they are just as many.
  Halves split(int axis, int64_t outer, int64_t inner, bool whole);
  Halves split_whole(int axis, int64_t factor);  // what is left of the last inner one stays outside
  int merge(int outer, int inner);
  int merge(const std::vector<int>& axes);  // outermost first; of none, an axis of one element
  // Blocks and threads are nested as they are mapped, outermost first.
  void map(int axis, Map to);
  // A leaf walks with the variable of another domain's leaf.
  void walk_with(int axis, int var);

  int64_t extent(int axis) const { return at(axis).extent; }
  int var(int axis) const { return at(axis).var; }
  bool root(int axis) const { return at(axis).origin == Origin::Root; }
  bool needs_mask(const std::vector<int>& axes) const;  // does any of them end inside a block?

  // The index of an axis by the variables of the leaves; of a part of one element it is 0.
  Expr index(int axis) const;
  // Defines variables for the rest of a body: those of `axes` where nothing masks them, else those
  // that the mask reads.
  kernel::Body define(const std::vector<int>& axes);
  // `work`, which reads the variables of `axes`, where all of them are inside their extents.
  kernel::Body around(const std::vector<int>& axes, kernel::Body work) const;
  // The same for works one after the other, each in a loop over the leaf `lane`.
  struct Lanes {
    kernel::LoopKind loop;
    kernel::Body work;
  };
  kernel::Body around(const std::vector<int>& axes, int lane, std::vector<Lanes> works) const;
  // What a thread does, as blocks and threads.
  kernel::Stmt grid(kernel::Body body) const;
  // Iterations of a serial leaf around a body, be it one: variables are the body's own.
  kernel::Body iterations(int axis, kernel::Body body) const;

  std::string text() const;

 private:
  enum class Origin : uint8_t { Root, Outer, Inner, Merged };
  struct Axis {
    int64_t extent = 1;
    int var = -1;
    Origin origin = Origin::Root;
    int from[2] = {-1, -1};    // what it was split off, or merged of
    int halves[2] = {-1, -1};  // of a split axis
    int merged = -1;           // what it was merged into
    bool masked = false;       // a split axis whose last outer half is not whole
    bool cut = false;          // or what is left of it is outside
    bool defined = false;
    bool leaf() const { return halves[0] < 0 && merged < 0; }
  };
  // Definitions gathered for one body.
  struct Gathered {
    std::vector<Expr> known;
    kernel::Body outside;
    std::vector<int> outside_of;
    Expr condition;
  };

  const Axis& at(int axis) const { return axes_[static_cast<size_t>(axis)]; }
  Axis& at(int axis) { return axes_[static_cast<size_t>(axis)]; }
  int add(Axis axis);
  Expr gather(int axis, Gathered& into) const;
  // The variables of `axes`, where the condition holds.
  kernel::Body gather_all(const std::vector<int>& axes, Gathered& into) const;

  kernel::Kernel* kernel_;
  DynamicNumbers* numbers_;
  int roots_;
  std::vector<Axis> axes_;
  std::vector<std::pair<int, Map>> mapped_;
};

}  // namespace fusillade::fuse

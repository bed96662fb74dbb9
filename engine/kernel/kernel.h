// Kernel IR: what fusers lower to and back ends run. Loop nests over buffers.
//
// A kernel is specialised to dtypes and to what its sizes and strides have in common: each extent
// and stride is a number, or an argument of the kernel that is known at launch only, within a range
// that the kernel states. Whoever launches it holds to the ranges.
// Index expressions are Expr of model I64 over loop variables, one per dimension of the buffer; a
// back end turns them into offsets with the strides. Values are Expr over Load, Var and literals; a
// load converts from the buffer's dtype to its compute model, a store converts (Round) from the
// compute model to the buffer's dtype.
//
// A statement of the body whose loop is of kind Block is a grid: loops over blocks, one inside the
// other, then loops over the threads of a block, then what a thread does. Of each kind the
// innermost is axis x. How many blocks there are may be known at launch only, how many threads is a
// number. Blocks run in any order; threads of a block meet at barriers. The interpreter
// (interp.cpp) is what this means.
//
// Invariants (check()): indices inside sizes wherever interval arithmetic can decide, variables
// defined before use, stores to no In buffer, parallel loops write disjoint elements, grids as
// grid.cpp defines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/scalar/expr.h"
#include "engine/tensor/tensor.h"

namespace fusillade::kernel {

// In, Out and Temp lie in memory that all see. Each block of a grid has its own Shared, each thread
// its own Register; what they hold at first is not defined.
enum class BufferRole : uint8_t { In, Out, Temp, Shared, Register };
inline bool is_argument(BufferRole role) { return role <= BufferRole::Out; }
inline bool is_global(BufferRole role) { return role <= BufferRole::Temp; }

struct Buffer {
  BufferRole role;
  DType dtype;
  Dims sizes;
  Dims strides;          // elements; contiguous but of arguments
  bool aligned = false;  // In: element 0 lies at a multiple of kWideBytes; Out and Temp always do
};

inline constexpr int64_t kUnlimited = INT64_MAX;

// A scalar argument of the kernel (a Number known only at launch), read through Var `id`.
struct ScalarParam {
  int var;
  Model model;                // I64, F32 or F64
  int64_t least = -1;         // an extent: an I64 that is this or more; -1: any value
  int64_t most = kUnlimited;  // and this or less
};

// An extent, size or stride: a number, or below 0 the scalar argument -1 - n.
inline bool is_dynamic(int64_t n) { return n < 0; }
inline int64_t dynamic_number(size_t scalar) { return -1 - static_cast<int64_t>(scalar); }
inline size_t scalar_of(int64_t n) { return static_cast<size_t>(-1 - n); }
inline int64_t number_at_launch(int64_t n, const uint64_t* scalars) {
  return is_dynamic(n) ? static_cast<int64_t>(scalars[scalar_of(n)]) : n;
}

// Parallel: iterations run in any order or at the same time, on several threads. Vector: the
// iterations, a number of them up to kMostLanes, run at the same time on one thread; it holds no
// loop. Of neither does one iteration touch what another writes. Among the threads of a grid a
// vector loop holds lets and stores alone, and its accesses of neighbours are one (wide.h).
enum class LoopKind : uint8_t { Serial, Parallel, Vector, Block, Thread };
inline bool is_grid(LoopKind kind) { return kind >= LoopKind::Block; }

inline constexpr int64_t kMostLanes = 64;
inline constexpr int64_t kWideBytes = 16;  // most that a thread of a grid loads or stores at once
inline constexpr int64_t kWarp = 32;       // threads that shuffle with each other
inline constexpr int64_t kMostThreads = 1024;
inline constexpr int64_t kMostSharedBytes = 48 * 1024;
inline constexpr int kMostAxes = 3;
inline constexpr int64_t kMostBlocks[kMostAxes] = {INT32_MAX, 65535, 65535};  // along x, y, z

struct Stmt;
using Body = std::vector<Stmt>;

struct Stmt {
  enum class Kind : uint8_t {
    For,      // for var in [0, extent): body
    Store,    // buffer[indices] = value
    Let,      // var = value, visible until the end of the enclosing body
    Declare,  // accumulator var of `model` starts as `value`
    Update,   // accumulator var = value (which may read it as Var)
    If,       // body, where the Bool `value` holds
    Barrier,  // all threads of the block come here before one goes on
    Shuffle,  // var = `value` as thread indices[0] of the same warp has it here, where all come
  };
  Kind kind;
  LoopKind loop = LoopKind::Serial;
  int var = -1;
  int64_t extent = 0;
  bool reassociate =
      false;  // For: its Updates may be computed in any order (vectorised reductions)
  int buffer = -1;
  std::vector<Expr> indices;
  Expr value;
  Body body;
};

struct Kernel {
  std::vector<Buffer> buffers;
  std::vector<ScalarParam> scalars;
  Body body;
  int num_vars = 0;                // ids 0 .. num_vars-1
  std::shared_ptr<ExprPool> pool;  // owns every Expr of this kernel
  Domain domain = Domain::Real;
  // Pairs of buffers that may share memory at launch (an output written over an input). All others
  // are disjoint.
  std::vector<std::pair<int, int>> may_alias;
  // Where sizes are dynamic: from a buffer's first element to its last it is less than this.
  int64_t reach = kUnlimited;
};

// The least and the most that a number, or a dynamic extent, is at any launch.
inline int64_t least_of(const Kernel& kernel, int64_t n) {
  return is_dynamic(n) ? kernel.scalars[scalar_of(n)].least : n;
}
inline int64_t most_of(const Kernel& kernel, int64_t n) {
  return is_dynamic(n) ? kernel.scalars[scalar_of(n)].most : n;
}
// "", or what a launch with these scalars would have outside the ranges that the kernel states.
std::string beyond_ranges(const Kernel& kernel, const uint64_t* scalars);

std::string print(const Kernel& kernel);  // deterministic: the content that caches hash
void check(const Kernel& kernel);         // throws Bug
void check_grids(const Kernel& kernel);   // a part of it (grid.cpp)

// The block loops and the thread loops of a grid, outermost first, and what a thread does.
struct Grid {
  std::vector<const Stmt*> blocks;
  std::vector<const Stmt*> threads;
  const Body* body = nullptr;
  int64_t threads_per_block() const;
};
Grid grid_of(const Stmt& loop);      // throws Bug where one is not right inside the other
bool has_barrier(const Body& body);  // or a shuffle

// One argument per In and Out buffer, in order, then the scalars. Results begin at multiples of
// kWideBytes, and so do inputs that are `aligned`.
struct LaunchArgs {
  void* const* buffers;     // address of element 0 of each In/Out buffer
  const uint64_t* scalars;  // bits in the ScalarParam's model
};

// Where the buffers of a launch lie, and in what order it runs there. On the host it has ended when
// launch returns. On a device it is queued: what is asked of the same queue later finds it done.
struct Stream {
  DeviceType device = DeviceType::Cpu;
  void* queue = nullptr;  // as the device's driver has it; null: the one that tensors share
};

inline void need_host(const Stream& stream) {
  FUS_CHECK(stream.device == DeviceType::Cpu, "a kernel of the host on a stream of a device");
}

// Compiled code for one kernel on one back end. Thread-safe.
class Program {
 public:
  virtual ~Program() = default;
  void launch(const LaunchArgs& args) const { launch(args, Stream()); }
  // Throws Bug where the stream is of another device than the back end's.
  virtual void launch(const LaunchArgs& args, const Stream& stream) const = 0;
  // The back end's output as text: assembly, or CUDA text with what its compiler noted.
  virtual std::string disassembly() const { return ""; }
};

// Does a back end take a kernel, whatever machine this is? No: why not.
struct Support {
  bool yes = true;
  std::string why_not = {};
};
Support support_of_grids(const Kernel& kernel);  // of back ends whose kernels are grids alone

struct Backend {
  std::string name;     // "interp", "llvm"
  std::string summary;  // one line for `fusillade list backends`
  bool exact = false;   // computes each scalar function exactly as eager mode does (same code)
  bool drawn = true;    // campaigns meet it unasked; false where each kernel costs a process
  DeviceType device = DeviceType::Cpu;  // whose buffers its programs take, as well as the host's
  Support (*supports)(const Kernel& kernel) = nullptr;  // null: all that check() takes
  std::unique_ptr<Program> (*compile)(const Kernel& kernel) = nullptr;  // throws Unsupported
  std::string (*needs)() =
      nullptr;                  // what it needs that is no part of this, and whether it is here
  void (*prepare)() = nullptr;  // called when a plan that names it is read
};
const Backend& backend(const std::string& name);  // throws Error listing the legal names
Support supports(const Backend& backend, const Kernel& kernel);
void prepare(const Backend& backend);

// Compiles, or returns the program compiled before for the same content and back end. Throws
// Unsupported where it is none that the back end supports.
std::shared_ptr<const Program> compile_cached(const Kernel& kernel, const Backend& backend);

}  // namespace fusillade::kernel

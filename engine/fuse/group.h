// A fusion group at run time: specialise to the arguments seen, guard, launch, or fall back.
//
// Each set of dtypes, sizes and strides is lowered and compiled once per group, up to
// kMaxSpecialisations; a call whose arguments match one launches it. A node whose attribute `sizes`
// is "dynamic" asks for kernels that serve all sizes of one pattern (dynamic_sizes.h) within the
// ranges that a kernel states, beyond which there is another; where its fuser cannot make one, it
// is a kernel per set again. When lowering declines, or there are too many specialisations, the
// subgraph runs node by node, which defines the group's meaning. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

class Group {
 public:
  static constexpr size_t kMaxSpecialisations = 64;

  // How an executor runs a subgraph node by node.
  using ByNode = std::function<std::vector<IValue>(std::span<const IValue>)>;
  // A prim::fusion_group() node; throws Error on unknown names.
  Group(const Node& node, ByNode by_node);
  ~Group();
  // Appends the group's results. Throws what the subgraph's operators throw; Bug when a kernel
  // wrote outside its buffers.
  void run(std::span<const IValue> args, std::vector<IValue>& results) const;
  // The same by a kernel; false, and nothing appended, where there is none for these arguments.
  bool launch(std::span<const IValue> args, std::vector<IValue>& results) const;
  // Has it as many specialisations as it takes?
  bool full() const;

 private:
  struct Specialisation;
  struct Values {  // of a specialisation with dynamic sizes
    std::vector<int64_t> symbols;
    std::vector<uint64_t> scalars;  // of the kernel: its extents, and room for the others
  };
  const Specialisation& find(std::span<const IValue> args, Values& values) const;
  std::unique_ptr<Specialisation> make(std::span<const IValue> args) const;
  void check_devices(const Specialisation& s) const;  // throws Unsupported
  void make_program(Specialisation& s) const;         // throws Unsupported
  static void keep_alignment_needed(Specialisation& s);
  enum class Dynamic { Compiled, NothingDynamic, Refused };
  Dynamic compile_dynamic(Specialisation& s) const;
  Lowered lower(const Specialisation& s, const DynamicSizes* dynamic) const;
  void launch(const Specialisation& s, const Values& values, std::span<const IValue> args,
              std::vector<IValue>& results) const;
  void fall_back(std::span<const IValue> args, std::vector<IValue>& results, const char* why) const;

  std::shared_ptr<Graph> graph_;
  ByNode by_node_;
  const Fuser& fuser_;
  const kernel::Backend& backend_;
  const bool dynamic_;
  const bool multiplies_;                      // holds matrix products or convolutions
  mutable std::atomic<int> refused_{0};        // patterns that have no kernel with dynamic sizes
  mutable std::atomic<bool> reported_{false};  // that operators run instead
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Specialisation>> specialisations_;
};

}  // namespace fusillade::fuse

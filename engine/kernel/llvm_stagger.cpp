// Several vectors in an iteration, one some way behind the other.
//
// A function written out is a chain of 20 instructions, each of which waits for the one before. The
// core looks ahead for others that are ready, but no further than some 60 that wait, which are two
// or three vectors. So loops with such functions get several vectors in an iteration, and their
// instructions are put in an order in which neighbours seldom wait for each other: the vectors are
// interleaved, each a little behind the one before. So not all are at the same kind of instruction
// at a time, for which there are not enough units.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IntrinsicInst.h>

#include "engine/kernel/llvm_emit.h"

namespace fusillade::kernel::jit {
namespace {

constexpr int64_t kVectors = 8;  // a few of them spill; four leave the core waiting
constexpr size_t kBehind = 4;    // instructions
constexpr int64_t kOften = 16;   // iterations of so many make up for those left over
constexpr size_t kFewest = 64;   // instructions of a loop worth it

using Instruction = llvm::Instruction*;

// The instructions that make what a loop stores and what it hands to its next iteration: one group
// for each of these, each instruction in the first that needs it.
class Groups {
 public:
  explicit Groups(llvm::BasicBlock& loop) : loop_(loop) {
    for (llvm::Instruction& i : loop)
      if (llvm::isa<llvm::StoreInst>(i)) add(&i);
    for (llvm::PHINode& phi : loop.phis())
      if (auto* next = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(&loop)))
        add(next);
  }
  const std::vector<std::vector<Instruction>>& of() const { return groups_; }

 private:
  // In program order. What is short goes with the group of what it needs.
  void add(Instruction root) {
    std::vector<Instruction> found;
    size_t target_group = groups_.size();
    std::vector<Instruction> work{root};
    while (!work.empty()) {
      Instruction i = work.back();
      work.pop_back();
      if (i->getParent() != &loop_ || llvm::isa<llvm::PHINode>(i)) continue;
      if (const auto known = group_.find(i); known != group_.end()) {
        target_group = std::min(target_group, known->second);
        continue;
      }
      group_[i] = groups_.size();
      found.push_back(i);
      for (llvm::Value* operand : i->operands())
        if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand))
          work.push_back(instruction);
    }
    std::ranges::sort(found, [](Instruction a, Instruction b) { return a->comesBefore(b); });
    constexpr size_t kShort = 4;
    if (found.size() <= kShort && target_group < groups_.size()) {
      for (Instruction i : found) group_[i] = target_group;
      groups_[target_group].insert(groups_[target_group].end(), found.begin(), found.end());
    } else {
      groups_.push_back(std::move(found));
    }
  }

  llvm::BasicBlock& loop_;
  llvm::DenseMap<Instruction, size_t> group_;
  std::vector<std::vector<Instruction>> groups_;
};

class Staggered {
 public:
  Staggered(llvm::BasicBlock& loop, const Groups& groups) : loop_(loop) {
    size_t longest = 0;
    for (const auto& group : groups.of()) longest = std::max(longest, group.size());
    for (size_t time = 0; time < longest + kBehind * groups.of().size(); ++time)
      for (size_t g = 0; g < groups.of().size(); ++g) {
        const size_t place = time - g * kBehind;  // a very large one before it begins
        if (place < groups.of()[g].size()) place_in_order(groups.of()[g][place]);
      }
  }

  void put() {
    for (Instruction i : order_) i->moveBefore(loop_.getTerminator());
    // What no group holds, such as the test at the end, comes last.
    std::vector<Instruction> rest;
    for (llvm::Instruction& i : loop_)
      if (!placed_.contains(&i) && !llvm::isa<llvm::PHINode>(i) && !i.isTerminator())
        rest.push_back(&i);
    for (Instruction i : rest) i->moveBefore(loop_.getTerminator());
  }

 private:
  // After what it needs, and after what touched memory before it where one of the two writes.
  void place_in_order(Instruction i) {
    if (i->getParent() != &loop_ || llvm::isa<llvm::PHINode>(i) || !placed_.insert(i).second)
      return;
    for (llvm::Value* operand : i->operands())
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand))
        place_in_order(instruction);
    if (i->mayReadOrWriteMemory())
      for (llvm::Instruction& before : loop_) {
        if (&before == i) break;
        const bool meets =
            i->mayWriteToMemory() ? before.mayReadOrWriteMemory() : before.mayWriteToMemory();
        if (meets) place_in_order(&before);
      }
    order_.push_back(i);
  }

  llvm::BasicBlock& loop_;
  llvm::DenseSet<Instruction> placed_;
  std::vector<Instruction> order_;
};

bool is_loop(const llvm::BasicBlock& block) {
  return llvm::is_contained(llvm::successors(&block), &block);
}

}  // namespace

int64_t Emitter::vectors_of(const llvm::BasicBlock& loop, Value begin, Value end) {
  const auto functions =
      llvm::count_if(loop, [](const llvm::Instruction& i) { return is_to_be_written(i); });
  if (functions == 0 || functions > 2) return 0;
  const int64_t vectors = kVectors / functions, elements = vectors * vector_bits() / 32;
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (first && last) {
    const int64_t n = last->getSExtValue() - first->getSExtValue();
    if (n % elements != 0 && n < kOften * elements) return 0;
  }
  return vectors;
}

void stagger(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    if (!is_loop(block) || block.size() < kFewest) continue;
    const auto written = llvm::count_if(block, [](const llvm::Instruction& i) {
      const auto* called = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      return called && called->getIntrinsicID() == llvm::Intrinsic::fma &&
             called->getType()->isVectorTy();
    });
    const Groups groups(block);
    if (written == 0 || groups.of().size() < 2) continue;
    Staggered(block, groups).put();
  }
}

}  // namespace fusillade::kernel::jit

// One large expression: element-wise rows over many operands, nearly every intermediate read once,
// so that a fuser makes one group of it: one to sixty nodes with up to forty arguments, and a few
// results. Steps drawn one by one reuse values all over the program, which cuts groups small.
#include <algorithm>
#include <utility>

#include "fuzz/gen/builder.h"

namespace fusillade::fuzz {
namespace {

constexpr int kTries = 8;

bool joins_two(const Row& row) { return std::ranges::count(row.roles, Role::Operand) >= 2; }

}  // namespace

// While it is made, what is still to be read is all that its nodes find in scope.
void Builder::expression() {
  if (menu_->pointwise.empty() || tensors_.empty()) return;
  const std::vector<Value*> before = std::exchange(tensors_, {pick_tensor()});
  const size_t ends = choices_.chance(0.6) ? 1 : 1 + choices_.below(4);
  const double grows = choices_.unit() * 0.8;  // how much of the expression is operands
  const int count = static_cast<int>(choices_.between(0, budget_)) + 1;
  for (int i = 0; i < count; ++i) {
    if (tensors_.size() < 2 || choices_.chance(grows)) {
      Value* more = choices_.chance(0.2) ? choices_.pick(before) : fresh_input();
      if (more) tensors_.push_back(more);
    }
    const bool closes = tensors_.size() > ends && i + static_cast<int>(tensors_.size()) >= count;
    read_once(closes);
  }
  for (size_t left = tensors_.size(); left > ends; --left) read_once(true);
  budget_ -= count - 1;
  tensors_.insert(tensors_.begin(), before.begin(), before.end());
}

// One more node, of two operands where the expression closes; what it read is gone from scope, but
// for a few.
void Builder::read_once(bool closes) {
  for (int i = 0; i < kTries; ++i) {
    const Row& row = *choices_.pick(menu_->pointwise);
    if ((closes && !joins_two(row)) || !node(row)) continue;
    std::erase_if(tensors_, [&](Value* v) {
      return !v->unused() && v != made_->output() && choices_.chance(0.97);
    });
    return;
  }
}

}  // namespace fusillade::fuzz

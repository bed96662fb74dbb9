// What passes over loops share: which loops only count, and copies of an iteration.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace fusillade {

// Does only the number of iterations end it: is the condition true at first and after each one?
bool only_counts(const Node* loop);
// The number of iterations of a loop that only counts, where it is a constant.
std::optional<int64_t> iterations_of(const Node* loop);
// Does it certainly run an iteration?
bool surely_runs(const Node* loop);
// Nodes of one iteration, nested ones included, constants excluded.
size_t size_of_iteration(const Node* loop);
// Is the node, or what holds it, in the loop's body?
bool within(const Node* node, const Node* loop);

// The values that a loop carries in at first.
std::vector<Value*> first_carried(const Node* loop);
// The body once more, before `before`; replaces what is carried, returns the condition.
Value* copy_iteration(const Node* loop, Value* index, std::vector<Value*>& carried, Node* before);
// The uses of the loop's results become uses of these; the loop goes.
void replace_loop(Node* loop, std::span<Value* const> by);
// Within the loop its index becomes the index plus `by`.
void shift_index(Node* loop, Value* by);

}  // namespace fusillade

// The context torch.autocast: casts of what its block computes, in the functions too that it calls.
#pragma once

#include <optional>
#include <string>

#include "engine/front/class.h"

namespace fusillade::front {

using NotCast = decltype(Program::not_cast);

struct AutocastContext {
  bool of_cpu = true;  // else nothing here is cast, or no longer cast
  bool enabled = true;
  DType dtype = DType::BF16;
};

// None: `path` is none of its names.
std::optional<AutocastContext> autocast_context(Emitter& to, const std::string& path,
                                                const Expr& context);

// Casts for the nodes of the block behind `before` (for all, where it is none of them), and within
// them.
void autocast_behind(Block* block, Node* before, const AutocastContext& context, NotCast& not_cast);

// What is said of the graph's nodes is said of its copy's: a call holds a copy of what it calls.
void copy_not_cast(const Graph& from, const Graph& copy, NotCast& not_cast);

}  // namespace fusillade::front

// Statements of Kernel IR, as fusers write them.
#pragma once

#include <algorithm>
#include <iterator>

#include "engine/kernel/kernel.h"

namespace fusillade::fuse::write {

using kernel::Body;
using kernel::Stmt;

inline Expr number(int64_t n) { return Expr::imm_i(n); }
inline Expr index_var(int v) { return Expr::var(v, Model::I64); }

// Let, Declare or Update.
inline Stmt set(Stmt::Kind kind, int var, Expr value) {
  Stmt s{};
  s.kind = kind;
  s.var = var;
  s.value = value;
  return s;
}

inline Stmt store(int buffer, std::vector<Expr> indices, Expr value) {
  Stmt s{};
  s.kind = Stmt::Kind::Store;
  s.buffer = buffer;
  s.indices = std::move(indices);
  s.value = value;
  return s;
}

inline Stmt loop(kernel::LoopKind kind, int var, int64_t extent, Body body) {
  Stmt s{};
  s.kind = Stmt::Kind::For;
  s.loop = kind;
  s.var = var;
  s.extent = extent;
  s.body = std::move(body);
  return s;
}

inline Stmt when(Expr condition, Body body) {
  Stmt s{};
  s.kind = Stmt::Kind::If;
  s.value = condition;
  s.body = std::move(body);
  return s;
}

inline Stmt barrier() {
  Stmt s{};
  s.kind = Stmt::Kind::Barrier;
  return s;
}

// What thread `from` of the warp has.
inline Stmt shuffle(int var, Expr value, Expr from) {
  Stmt s = set(Stmt::Kind::Shuffle, var, value);
  s.indices = {from};
  return s;
}

inline void append(Body from, Body& to) { std::ranges::move(from, std::back_inserter(to)); }

}  // namespace fusillade::fuse::write

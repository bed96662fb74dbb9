// What lines of a kind say of an operator, parsed when first asked and kept for the thread.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/base/error.h"
#include "engine/ops/entry.h"
#include "engine/ops/operator.h"

namespace fusillade::fuzz {

// `parse` takes the text of a line; a Bug where that throws Error, for entries are ours.
template <LineKind kKind, class T>
const std::vector<T>& lines_of(const Operator& op, std::vector<T> (*parse)(std::string_view)) {
  thread_local std::unordered_map<const Operator*, std::vector<T>> known;
  const auto [it, fresh] = known.try_emplace(&op);
  const EntryLine* line = fresh ? line_of(op, kKind) : nullptr;
  if (!line) return it->second;
  try {
    it->second = parse(line->text);
  } catch (const Error& e) {
    FUS_BUG("{}: {}", op.name, e.what());
  }
  return it->second;
}

}  // namespace fusillade::fuzz

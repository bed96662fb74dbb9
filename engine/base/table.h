// Tables of rows that register themselves where they are defined.
//
// A row type R has a `std::string name`. Rows are added by static initialisers (or by the one
// function that builds a family) before main; addresses are stable for the life of the program.
// Two rows of one name are a Bug. `by_name()` is what anything printed iterates.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/error.h"

namespace fusillade {

template <class R>
class Table {
 public:
  static Table& instance() {
    static Table table;
    return table;
  }

  // A row type with a `number` learns its place in order of registration.
  const R& add(R row) {
    FUS_CHECK(!find(row.name), "two rows are called '{}'", row.name);
    if constexpr (requires { row.number; }) row.number = rows_.size();
    rows_.push_back(std::move(row));
    const R& kept = rows_.back();
    index_.emplace(kept.name, &kept);
    return kept;
  }

  // What a row was called before, which files and commands of then still say: `find` knows it, and
  // nothing prints it.
  bool add_former_name(std::string former, std::string name) {
    return former_.emplace(std::move(former), std::move(name)).second;
  }

  // Former names, and what each is called now.
  const std::map<std::string, std::string, std::less<>>& former() const { return former_; }
  std::vector<std::string> former_names(std::string_view name) const {
    std::vector<std::string> out;
    for (const auto& [former, now] : former_)
      if (now == name) out.push_back(former);
    return out;
  }

  // nullptr when there is no such row.
  const R* find(std::string_view name) const {
    auto it = index_.find(name);
    if (it != index_.end()) return it->second;
    const auto former = former_.find(name);
    if (former == former_.end()) return nullptr;
    it = index_.find(former->second);
    return it == index_.end() ? nullptr : it->second;
  }

  size_t size() const { return rows_.size(); }
  // In order of registration.
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  std::vector<const R*> by_name() const {
    std::vector<const R*> out;
    for (const R& row : rows_) out.push_back(&row);
    std::sort(out.begin(), out.end(), [](auto* a, auto* b) { return a->name < b->name; });
    return out;
  }

 private:
  Table() = default;

  std::deque<R> rows_;
  std::unordered_map<std::string_view, const R*> index_;
  std::map<std::string, std::string, std::less<>> former_;
};

}  // namespace fusillade

// See row_names.h.
#include "fuzz/run/row_names.h"

#include "engine/base/table.h"
#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace {

std::vector<const RowNames*>& lists() {
  static std::vector<const RowNames*> made;
  return made;
}

}  // namespace

RowNames::RowNames(std::initializer_list<const char*> names) : names_(names.begin(), names.end()) {
  lists().push_back(this);
}

RowNames::~RowNames() { std::erase(lists(), this); }

const std::vector<const RowNames*>& RowNames::all() { return lists(); }

void RowNames::resolve() const {
  std::unordered_multimap<std::string, const Row*> named;
  for (const Row& row : Table<Row>::instance()) {
    named.emplace(row.schema.name, &row);
    if (row.name != row.schema.name) named.emplace(row.name, &row);
  }
  for (const std::string& name : names_) {
    const auto [first, last] = named.equal_range(name);
    bool adds = false;
    for (auto it = first; it != last; ++it) adds = rows_.insert(it->second).second || adds;
    if (first == last) wrong_.push_back("no row is called '" + name + "'");
    else if (!adds) wrong_.push_back("'" + name + "' is named twice");
  }
}

std::vector<std::string> RowNames::wrong() const {
  std::call_once(once_, [&] { resolve(); });
  return wrong_;
}

bool RowNames::has(const Row& row) const {
  std::call_once(once_, [&] { resolve(); });
  FUS_CHECK(wrong_.empty(), "a list of rows: {}", join(wrong_, "; "));
  return rows_.count(&row) > 0;
}

}  // namespace fusillade::fuzz

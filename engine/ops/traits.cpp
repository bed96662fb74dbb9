// See traits.h.
#include "engine/ops/traits.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/entry.h"

namespace fusillade {
namespace {

struct TraitName {
  const char* word;
  Trait trait;
};
constexpr TraitName kTraits[] = {
    {"join", Trait::Join},
    {"sums", Trait::Sums},
    {"products", Trait::Products},
    {"greatest", Trait::Greatest},
    {"least", Trait::Least},
    {"uniform", Trait::Uniform},
    {"drops", Trait::Drops},
    {"reshapes", Trait::Reshapes},
    {"expands", Trait::Expands},
    {"dynamic shape", Trait::DynamicShape},
    {"unwritten", Trait::Unwritten},
    {"commutes", Trait::Commutes},
    {"conjugated", Trait::Conjugated},
    {"total", Trait::Total},
    {"by rank", Trait::ByRank},
    {"slices dim", Trait::SlicesDim},
    {"keeps order", Trait::KeepsOrder},
    {"matrix product", Trait::MatrixProduct},
    {"refused", Trait::Refused},
};

uint32_t bit_of(Trait trait) { return uint32_t{1} << static_cast<int>(trait); }

// The table is still open to operators of users: operator() would close it.
const Operator& operator_by_name(std::string_view name) {
  const Operator* found = OperatorTable::instance().find(name);
  if (!found) fail("'{}' is no operator", name);
  return *found;
}

// By the operators' numbers.
std::vector<uint32_t> all_traits() {
  std::vector<uint32_t> out(OperatorTable::instance().size());
  for (const Entry& e : entries()) {
    const EntryLine* line = e.line(LineKind::Traits);
    if (!line) continue;
    try {
      for (const Trait trait : parse_traits(line->text))
        for (const std::string_view name : e.names)
          out[operator_by_name(name).number] |= bit_of(trait);
    } catch (const Error& error) {
      FUS_BUG("{}: {}", e.place(line->number), error.what());
    }
  }
  return out;
}

}  // namespace

std::vector<Trait> parse_traits(std::string_view line) {
  std::vector<Trait> out;
  for (const std::string& part : split_outside_brackets(line, ',')) {
    const std::string word(trim(part));
    const auto* at = std::ranges::find(kTraits, word, &TraitName::word);
    if (at == std::end(kTraits)) {
      std::vector<std::string> legal;
      for (const TraitName& t : kTraits) legal.emplace_back(t.word);
      fail("'{}' is no trait{}; there are: {}", word, near_misses(word, legal), join(legal, ", "));
    }
    out.push_back(at->trait);
  }
  return out;
}

bool has_trait(const Operator& op, Trait trait) {
  static const std::vector<uint32_t> traits = all_traits();
  return op.number < traits.size() && (traits[op.number] & bit_of(trait)) != 0;
}

}  // namespace fusillade

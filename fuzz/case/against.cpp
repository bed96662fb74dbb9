// See against.h.
#include "fuzz/case/against.h"

namespace fusillade::fuzz {
namespace {

const std::string kNote = "against: ";

}  // namespace

std::string against_of(const Case& c) {
  for (const std::string& note : c.notes)
    if (note.starts_with(kNote)) return note.substr(kNote.size());
  return "";
}

void set_against(Case& c, const std::string& binary) {
  std::erase_if(c.notes, [](const std::string& note) { return note.starts_with(kNote); });
  if (!binary.empty()) c.notes.push_back(kNote + binary);
}

}  // namespace fusillade::fuzz

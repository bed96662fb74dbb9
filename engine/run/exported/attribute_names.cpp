// See attribute_names.h.
#include "engine/run/exported/attribute_names.h"

#include <set>

#include "engine/base/error.h"
#include "engine/front/lexer.h"

namespace fusillade::exported {
namespace {

std::string words_of(std::string name) {
  for (char& c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9')) c = '_';
  }
  return name;
}

bool is_plain(const std::string& name) {
  return !name.empty() && words_of(name) == name && !front::is_keyword(name);
}

}  // namespace

std::vector<std::string> attribute_names(const ClassType& cls) {
  std::set<std::string> taken;
  for (const Field& field : cls.fields)
    if (is_plain(field.name)) taken.insert(field.name);
  std::vector<std::string> names;
  for (const Field& field : cls.fields) {
    std::string name = field.name;
    const std::string base = words_of(name);
    for (int next = 1; !is_plain(field.name); ++next) {
      name = fmt::format("{}_{}", base, next);
      if (taken.insert(name).second) break;
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace fusillade::exported

// See class_type.h.
#include "engine/ops/class_type.h"

namespace fusillade {

int ClassType::slot(std::string_view field) const {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == field) return static_cast<int>(i);
  }
  return -1;
}

void ClassTable::add(ClassPtr cls) {
  ClassPtr known = find(cls->name);
  if (known && known != cls) fail("a second class '{}'", cls->name);
  if (!known) all_.push_back(std::move(cls));
}

ClassPtr ClassTable::find(std::string_view name) const {
  for (const ClassPtr& c : all_) {
    if (c->name == name) return c;
  }
  return nullptr;
}

}  // namespace fusillade

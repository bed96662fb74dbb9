// The table of fusers.
#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

const Fuser& fuser(const std::string& name) {
  if (const Fuser* found = Table<Fuser>::instance().find(name)) return *found;
  std::string legal;
  for (const Fuser* f : Table<Fuser>::instance().sorted()) {
    legal += legal.empty() ? f->name : ", " + f->name;
  }
  fail("there is no fuser '{}'; the fusers are: {}", name, legal);
}

}  // namespace fusillade::fuse

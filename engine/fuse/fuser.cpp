// The table of fusers, and schedules as text.
#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

const Fuser& fuser(const std::string& name) {
  if (const Fuser* found = Table<Fuser>::instance().find(name)) return *found;
  std::string legal;
  for (const Fuser* f : Table<Fuser>::instance().by_name()) {
    legal += legal.empty() ? f->name : ", " + f->name;
  }
  fail("there is no fuser '{}'; the fusers are: {}", name, legal);
}

Schedule schedule_of(std::string name, const kernel::Stmt& statement) {
  Schedule out{std::move(name), {}};
  if (statement.kind != kernel::Stmt::Kind::For) return out;
  if (!kernel::is_grid(statement.loop)) {
    out.parameters.emplace_back("iterations", statement.extent);
    return out;
  }
  const kernel::Grid grid = kernel::grid_of(statement);
  for (const kernel::Stmt* s : grid.blocks) out.parameters.emplace_back("blocks", s->extent);
  for (const kernel::Stmt* s : grid.threads) out.parameters.emplace_back("threads", s->extent);
  return out;
}

std::string to_string(const Schedule& schedule) {
  std::string out = schedule.name, last;
  for (const auto& [what, n] : schedule.parameters) {
    if (what == last) out += " x ";
    else out += (last.empty() ? ": " : ", ") + what + " ";
    out += kernel::is_dynamic(n) ? fmt::format("argument {}", kernel::scalar_of(n))
                                 : fmt::format("{}", n);
    last = what;
  }
  return schedule.domain.empty() ? out : out + "; " + schedule.domain;
}

}  // namespace fusillade::fuse

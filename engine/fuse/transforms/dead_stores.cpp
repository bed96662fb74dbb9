// dead_stores(): removes what nothing reads: stores to temporaries that are not loaded, lets and
// accumulators that are not read, loops and conditions that are left empty.
//
// Legal wherever it finds something: expressions have no effects.
#include "engine/base/table.h"
#include "engine/fuse/transforms/edit.h"
#include "engine/fuse/transforms/transform.h"

namespace fusillade::fuse {
namespace {

using namespace write;
using kernel::Kernel;

// Variables read but by an update of themselves.
std::set<int> used_variables(const Body& body) {
  std::set<int> out;
  for_each_stmt(body, [&](const Stmt& s) {
    std::set<int> read;
    if (s.value.is_defined()) read = variables_read(s.value);
    if (s.kind == Stmt::Kind::Update) read.erase(s.var);
    out.merge(read);
    for (const Expr& e : s.indices) out.merge(variables_read(e));
  });
  return out;
}

class Removal {
 public:
  explicit Removal(const Kernel& kernel)
      : kernel_(kernel), loaded_(loaded_by(kernel.body)), read_(used_variables(kernel.body)) {}

  Body body(const Body& statements) const {
    Body out;
    for (Stmt s : statements) {
      const bool had = !s.body.empty();
      s.body = body(s.body);
      if (!dead(s) && !(had && s.body.empty())) out.push_back(std::move(s));
    }
    return out;
  }

 private:
  bool dead(const Stmt& s) const {
    switch (s.kind) {
      case Stmt::Kind::Store:
        return kernel_.buffers[static_cast<size_t>(s.buffer)].role == kernel::BufferRole::Temp &&
               !loaded_.count(s.buffer);
      case Stmt::Kind::Let:
      case Stmt::Kind::Declare:
      case Stmt::Kind::Update:
        return !read_.count(s.var);
      case Stmt::Kind::For:
      case Stmt::Kind::If:
        return s.body.empty();
      default:
        return false;
    }
  }

  const Kernel& kernel_;
  std::set<int> loaded_, read_;
};

void apply(Kernel& kernel, const Arguments&) {
  for (size_t before = 0; before != statement_count(kernel.body);) {
    before = statement_count(kernel.body);
    kernel.body = Removal(kernel).body(kernel.body);
  }
}

std::string why_not(const KernelFacts& facts, const Arguments& a) {
  Kernel transformed = facts.kernel;
  apply(transformed, a);
  return statement_count(transformed.body) == statement_count(facts.kernel.body) ? "nothing is dead"
                                                                                 : "";
}

const Transform& registered = Table<Transform>::instance().add(
    {"dead_stores", "stores that nothing reads are removed", {}, &why_not, &apply});

}  // namespace
}  // namespace fusillade::fuse

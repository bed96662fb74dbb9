// Records what groups are compiled to: while a CompileLog is alive, it notes each specialisation
// that this thread compiles, and each launch.
#pragma once

#include <string>
#include <vector>

#include "engine/fuse/fuser.h"

namespace fusillade::fuse {

struct Compilation {
  std::string fuser, backend;
  std::string group;  // as text
  std::vector<ArgSpec> args;
  Lowered lowered;
  std::shared_ptr<const kernel::Program> program;  // null: declined
  std::string why;                                 // it was
};

struct Launch {
  const kernel::Program* program = nullptr;  // of one of `compilations`, or of an earlier one
  std::vector<uint64_t> scalars;
};

class CompileLog {
 public:
  CompileLog();
  ~CompileLog();
  CompileLog(const CompileLog&) = delete;
  CompileLog& operator=(const CompileLog&) = delete;
  static CompileLog* current();  // null: none is alive

  std::vector<Compilation> compilations;
  std::vector<Launch> launches;

 private:
  CompileLog* saved_;
};

}  // namespace fusillade::fuse

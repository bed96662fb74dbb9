// What groups are made into, for those who ask: while a CompileLog stands, each specialisation that
// this thread makes is noted in it, and each of its launches.
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
  const kernel::Program* program = nullptr;  // of one of `made`, or of one made earlier
  std::vector<uint64_t> scalars;
};

class CompileLog {
 public:
  CompileLog();
  ~CompileLog();
  CompileLog(const CompileLog&) = delete;
  CompileLog& operator=(const CompileLog&) = delete;
  static CompileLog* current();  // null: none stands

  std::vector<Compilation> compilations;
  std::vector<Launch> launches;

 private:
  CompileLog* saved_;
};

}  // namespace fusillade::fuse

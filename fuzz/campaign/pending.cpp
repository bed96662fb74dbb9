// See pending.h.
#include "fuzz/campaign/pending.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "engine/run/plan.h"
#include "fuzz/campaign/slot.h"
#include "fuzz/case/header.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/triage/cause.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {
namespace {

// The op of a line of a program's text that computes: "%b : Tensor = aten::exp(%a)".
void add_op(const std::string& line, std::set<std::string>& ops) {
  const size_t at = line.find(" = ");
  if (at == std::string::npos) return;
  const size_t end = line.find_first_of("([", at);
  const std::string op = line.substr(at + 3, end == std::string::npos ? end : end - at - 3);
  static const std::set<std::string> glue = {"prim::Constant", "prim::ListConstruct",
                                             "prim::ListUnpack", "prim::TupleConstruct",
                                             "prim::TupleUnpack"};
  if (glue.count(op) == 0) ops.insert(op);
}

// What cannot be read for want of a descriptor, or by a disk's error, is not taken for absent.
void require_given(const std::string& path, int error) {
  if (!is_lack(error)) return;
  note_lack("cannot read " + path, error);
  fail("cannot read {}: {}", path, error_text(error));
}

}  // namespace

std::vector<std::string> cases_in(const std::string& folder) {
  std::vector<std::string> out;
  DIR* d = opendir(folder.c_str());
  if (!d) require_given(folder, errno);
  if (d) {
    while (dirent* e = readdir(d)) {
      std::string name = e->d_name;
      struct stat file;
      if (!name.ends_with(".case")) continue;
      const bool regular =
          e->d_type == DT_REG ||
          (e->d_type != DT_DIR && stat((folder + "/" + name).c_str(), &file) == 0 &&
           S_ISREG(file.st_mode));
      if (regular) out.push_back(name);
    }
    closedir(d);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Untriaged read_pending(const std::string& path) {
  std::ifstream lines(path);
  if (!lines) require_given(path, errno);
  CaseHeader header = read_header(lines);
  Untriaged result;
  Verdict v;
  result.verdict = header.verdict;
  v.plan = read_plan(header.plan);
  v.reason = std::move(header.reason);
  v.detail = std::move(header.detail);
  for (int i = 0; i < kNumVerdicts; ++i)
    if (result.verdict == name_of(static_cast<VerdictKind>(i)))
      v.kind = static_cast<VerdictKind>(i);
  result.message = message_of(v);
  const std::string& engine = v.plan.engine;
  if (is_outside(engine)) {
    result.engines = tiers_below(engine);
    result.engines.push_back(engine);
  }
  std::string line;
  while (header.graph && std::getline(lines, line) && line.starts_with("  "))
    add_op(line, result.ops);
  if (lines.bad()) require_given(path, EIO);
  return result;
}

}  // namespace fusillade::fuzz

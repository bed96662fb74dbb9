// See triage_result.h.
#include "fuzz/campaign/triage_result.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/lack.h"
#include "engine/base/visible.h"
#include "fuzz/verdict/verdict.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr size_t kMostText = size_t{1} << 24;  // bytes
constexpr const char* kUntriaged = "untriaged-";

[[noreturn]] void lack(const std::string& what, int error) {
  note_lack(what, error);
  fail("{}: {}", what, std::strerror(error));
}

std::string text_in(const json& all, const char* key) {
  const auto it = all.find(key);
  if (it == all.end() || !it->is_string()) fail("it says no {}", key);
  return *it;
}

}  // namespace

TriageResult::TriageResult() : fd_(memfd_create("triage", MFD_CLOEXEC)) {
  if (fd_ < 0) lack("no file for what a triage comes to", errno);
}

TriageResult::~TriageResult() { close(fd_); }

void TriageResult::clear() const {
  if (ftruncate(fd_, 0) != 0) lack("cannot empty the file of a triage", errno);
}

void TriageResult::write(const std::string& text) const {
  const ssize_t n = pwrite(fd_, text.data(), text.size(), 0);
  if (n != static_cast<ssize_t>(text.size())) lack("cannot write what a triage came to", errno);
}

bool TriageResult::is_written() const {
  struct stat status{};
  return fstat(fd_, &status) == 0 && status.st_size > 0;
}

std::string TriageResult::text() const {
  struct stat status{};
  if (fstat(fd_, &status) != 0) return "";
  std::string out(std::min(static_cast<size_t>(status.st_size), kMostText), '\0');
  const ssize_t n = pread(fd_, out.data(), out.size(), 0);
  out.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  return out;
}

FindingRow parse_triage_result(const std::string& text, std::string* let_go) {
  const json all = json::parse(text, nullptr, false);
  if (!all.is_object()) fail("it is no JSON");
  *let_go = text_in(all, "let_go");
  FindingRow row;
  if (!let_go->empty()) return row;
  row.bucket = text_in(all, "bucket");
  row.verdict = text_in(all, "verdict");
  row.oracle = text_in(all, "oracle");
  row.blame = text_in(all, "blame");
  row.path = text_in(all, "path");
  row.origin = text_in(all, "origin");
  row.cause = text_in(all, "cause");
  const json nodes = all.value("nodes", json());
  if (!nodes.is_number_integer() || nodes < 0 || nodes > INT32_MAX) fail("it says no nodes");
  row.nodes = nodes;
  if (row.bucket.empty()) return row;
  bool known = false;
  for (int i = 0; i < kNumVerdicts; ++i)
    known = known || row.verdict == name_of(static_cast<VerdictKind>(i));
  if (!known) fail("'{}' is no verdict", visible_line(row.verdict));
  require_own_place(row);
  return row;
}

bool is_plain_name(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() < 240 && text[0] != '.' && std::ranges::all_of(text, plain);
}

void require_own_place(const FindingRow& row) {
  const std::string name =
      row.bucket.starts_with(kUntriaged) ? row.path.substr(row.path.rfind('/') + 1) : row.bucket;
  const std::string path = row.bucket.starts_with(kUntriaged)
                               ? "findings/untriaged/" + name
                               : "findings/" + name + "/reduced.case";
  const bool own = is_plain_name(row.bucket) && is_plain_name(name) && row.bucket != "untriaged";
  if (!own || (!row.path.empty() && row.path != path))
    fail("a finding is called '{}' and lies at '{}', as no campaign writes it",
         visible_line(row.bucket), visible_line(row.path));
}

}  // namespace fusillade::fuzz

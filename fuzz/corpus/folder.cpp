// See folder.h.
#include "fuzz/corpus/folder.h"

#include <dirent.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/durable.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/visible.h"
#include "fuzz/process/heartbeat.h"
#include "fuzz/process/isolate.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kBatch = 256;  // parsed in one child
constexpr size_t kMostName = 240;

bool is_plain_name(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.size() < kMostName && name[0] != '.' &&
         std::ranges::all_of(name, plain);
}

// Names of cases, sorted; a folder that is not there has none.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  DIR* d = opendir(folder.c_str());
  if (!d && errno == ENOENT) return out;
  if (!d) fail("cannot read {}: {}", folder, error_text(errno));
  while (const dirent* e = readdir(d))
    if (const std::string name = e->d_name; name.ends_with(".case")) out.push_back(name);
  closedir(d);
  std::ranges::sort(out);
  return out;
}

// Why it is not read, or "".
std::string unread(const std::string& path, const std::string& name, size_t room) {
  struct stat s;
  if (!is_plain_name(name)) return "no name that a corpus gives";
  if (lstat(path.c_str(), &s) != 0) return error_text(errno);
  if (S_ISLNK(s.st_mode)) return "a link";
  if (!S_ISREG(s.st_mode)) return "no file";
  const auto size = static_cast<size_t>(s.st_size);
  if (size > kMostCaseBytes) return fmt::format("more than {} bytes", kMostCaseBytes);
  if (size > room) return fmt::format("the corpus is more than {} bytes", kMostCorpusBytes);
  return "";
}

void read_folder(Corpus& corpus, const std::string& within, size_t& room) {
  const std::string folder = corpus.folder + "/" + within;
  for (const std::string& name : names_in(folder)) {
    const std::string path = folder + name;
    std::string why = unread(path, name, room);
    CorpusCase c{within + name, {}};
    try {
      if (why.empty()) c.text = read_file(path, kMostCaseBytes);
    } catch (const Error& e) {
      why = e.what();
    }
    if (why.empty() && c.text.empty()) why = "it is empty";
    if (!why.empty()) {
      corpus.passed_over.push_back(visible_line(within + name + ": " + why));
      continue;
    }
    room -= std::min(room, c.text.size());
    corpus.cases.push_back(std::move(c));
  }
}

// Of each case from `first` on why it does not parse, null where it does, as far as the child came.
ChildResult parse_in_child(const Corpus& corpus, size_t first, size_t end, const Limits& limits) {
  return run_isolated(
      [&] {
        nlohmann::json out = nlohmann::json::array();
        for (size_t i = first; i < end; ++i) {
          heartbeat();
          nlohmann::json why;
          try {
            parse_case(corpus.cases[i].text, corpus.cases[i].name);
          } catch (const Exception& e) {
            const std::string text = e.what();
            why = text.substr(0, text.find('\n'));
          }
          out.push_back(std::move(why));
        }
        return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      },
      limits);
}

void leave_out_broken(Corpus& corpus, const Limits& limits) {
  std::vector<std::string> whys(corpus.cases.size());
  const std::function<void(size_t, size_t)> look = [&](size_t first, size_t end) {
    const ChildResult r = parse_in_child(corpus, first, end, limits);
    if (r.kind == ChildResult::Kind::Done && !r.output.empty()) {
      const auto answers = nlohmann::json::parse(r.output);
      for (size_t i = first; i < end; ++i)
        if (!answers[i - first].is_null()) whys[i] = answers[i - first].get<std::string>();
    } else if (end - first == 1) {
      whys[first] = "reading it ends the process";
    } else {
      const size_t middle = first + (end - first) / 2;
      look(first, middle);
      look(middle, end);
    }
  };
  for (size_t first = 0; first < corpus.cases.size(); first += kBatch)
    look(first, std::min(first + kBatch, corpus.cases.size()));
  std::vector<CorpusCase> whole;
  for (size_t i = 0; i < whys.size(); ++i) {
    if (whys[i].empty()) whole.push_back(std::move(corpus.cases[i]));
    else corpus.passed_over.push_back(visible_line(corpus.cases[i].name + ": " + whys[i]));
  }
  corpus.cases = std::move(whole);
}

Features noted_in(const std::string& text) {
  std::istringstream lines(text);
  constexpr std::string_view kNote = "note: ";
  for (std::string line; std::getline(lines, line) && line != "program:" && line != "script:";)
    if (line.starts_with(kNote))
      if (Features out = features_in(std::string_view(line).substr(kNote.size())); !out.empty())
        return out;
  return {};
}

bool is_file(const std::string& path) {
  struct stat s;
  return lstat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

// Of a name of its own, so that two who write one file do not meet.
void write_whole(const std::string& path, const std::string& text) {
  uint64_t token = 0;
  if (getrandom(&token, sizeof token, 0) != sizeof token) fail("getrandom: {}", error_text(errno));
  const std::string temp_path =
      fmt::format("{}{}{:016x}", path.substr(0, path.rfind(".case")), kBeingWritten, token);
  write_new_file(temp_path, text);
  rename_for_good(temp_path, path);
}

}  // namespace

void open_corpus_folder(const std::string& folder) {
  struct stat s;
  if (stat(folder.c_str(), &s) == 0 && !S_ISDIR(s.st_mode)) fail("{} is no folder", folder);
  make_folders(folder);
  guard_folder(folder);
  refuse_links(folder + "/" + kRegression);
  make_folder(folder + "/" + kRegression);
}

Corpus read_corpus(const std::string& folder, const Limits& limits) {
  Corpus corpus{folder, {}, {}};
  size_t room = kMostCorpusBytes;
  read_folder(corpus, std::string(kRegression) + "/", room);
  read_folder(corpus, "", room);
  leave_out_broken(corpus, limits);
  for (CorpusCase& c : corpus.cases) c.features = noted_in(c.text);
  return corpus;
}

std::string corpus_name(const Case& c) {
  Case bare = c.clone();
  bare.origin.clear();
  bare.notes.clear();
  bare.blame.clear();
  bare.verdict = "ok";
  return fmt::format("{:016x}.case", hash_bytes(print(bare)));
}

std::string corpus_text(const Case& c, const Features& features) {
  Case noted = c.clone();
  noted.verdict = "ok";
  noted.blame.clear();
  noted.notes = {note_of(features)};
  return print(noted);
}

uint64_t content_of(const std::string& text) {
  const size_t note = text.find("\nnote: " + std::string(kFeatureNote));
  if (note == std::string::npos) return hash_bytes(text);
  const size_t end = std::min(text.find('\n', note + 1), text.size());
  return hash_bytes(std::string_view(text).substr(end), hash_bytes(text.substr(0, note)));
}

bool add_to_corpus(const std::string& folder, const std::string& name, const std::string& text) {
  const std::string path = folder + "/" + name;
  if (is_file(path)) return false;
  write_whole(path, text);
  return true;
}

void replace_in_corpus(const std::string& folder, const std::string& name,
                       const std::string& text) {
  write_whole(folder + "/" + name, text);
}

bool add_regression(const std::string& folder, const std::string& bucket, const std::string& from) {
  if (!is_plain_name(bucket) || !is_file(from)) return false;
  const std::string text = read_file(from);
  if (text.size() > kMostCaseBytes) return false;
  return add_to_corpus(folder, fmt::format("{}/{}.case", kRegression, bucket), text);
}

}  // namespace fusillade::fuzz

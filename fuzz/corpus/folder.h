// The folder of a corpus: DIR/HASH.case, a case for something that no other had reached, named by
// its content; DIR/regression/BUCKET.case, the reduced case of each finding that a campaign with
// this corpus had.
//
// Several campaigns may write into one folder: a file is written next to its target, synced and
// renamed. Files there may be anybody's: a link is neither read nor written through, and a file
// that is no case is reported and skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/case/case.h"
#include "fuzz/corpus/feature.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {

inline constexpr size_t kMostKeptBytes = size_t{1} << 18;    // of a program that becomes a case
inline constexpr size_t kMostCaseBytes = size_t{1} << 20;    // of a case that is kept, or read
inline constexpr size_t kMostCorpusBytes = size_t{1} << 28;  // of all that are read
inline constexpr const char* kRegression = "regression";     // the folder within
inline constexpr std::string_view kBeingWritten =
    ".case.being-written-";  // in names of no case yet

struct CorpusCase {
  std::string name;  // "HASH.case", "regression/BUCKET.case"
  std::string text;  // empty: it is gone
  Features features = {};

  bool is_regression() const { return name.find('/') != std::string::npos; }
};

struct Corpus {
  std::string folder;
  std::vector<CorpusCase> cases;         // by name
  std::vector<std::string> passed_over;  // "NAME: why", as people may be shown it
};

// Creates the folder, where it is absent, and guards it (engine/base/file.h). Throws Error where it
// is no folder, or cannot be created.
void open_corpus_folder(const std::string& folder);

// All that can be read as cases; each is parsed in a child first, under these limits.
Corpus read_corpus(const std::string& folder, const Limits& limits);

// The name of a case: cases of one program, calls, oracle and plans have one name, whoever wrote
// them.
std::string corpus_name(const Case& c);
// The text of a case as a corpus has it, with its features as a note.
std::string corpus_text(const Case& c, const Features& features);

// Of a case's text what makes it another case: all but the note of its features.
uint64_t content_of(const std::string& text);

// Writes a file of the corpus, unless one of that name is there; true: it was written. Whole or not
// at all, whoever else writes it. Throws Error.
bool add_to_corpus(const std::string& folder, const std::string& name, const std::string& text);
// In the place of one that is there.
void replace_in_corpus(const std::string& folder, const std::string& name, const std::string& text);

// Copies the reduced case of a finding to regression/; true: it was not there.
bool add_regression(const std::string& folder, const std::string& bucket, const std::string& from);

}  // namespace fusillade::fuzz

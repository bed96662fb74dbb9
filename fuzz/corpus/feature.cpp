// See feature.h.
#include "fuzz/corpus/feature.h"

#include <algorithm>
#include <iterator>

namespace fusillade::fuzz {
namespace {

constexpr const char* kNames[] = {"production", "operator", "rule",    "guard",  "event",
                                  "fused",      "kernel",   "decline", "verdict"};
static_assert(std::size(kNames) == kNumFeatureKinds);
constexpr size_t kMostLetters = 96;  // behind the kind

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./:#+-").find(c) != std::string_view::npos;
}

}  // namespace

const char* name_of(FeatureKind kind) { return kNames[static_cast<int>(kind)]; }

std::string feature(FeatureKind kind, std::string_view what) {
  std::string out(what.substr(0, kMostLetters));
  std::ranges::replace_if(out, [](char c) { return !is_plain(c); }, '_');
  return std::string(name_of(kind)) + ":" + out;
}

std::optional<FeatureKind> kind_of(std::string_view word) {
  const size_t colon = word.find(':');
  if (colon == std::string_view::npos) return {};
  const std::string_view what = word.substr(colon + 1);
  if (what.empty() || what.size() > kMostLetters || !std::ranges::all_of(what, &is_plain))
    return {};
  for (int i = 0; i < kNumFeatureKinds; ++i)
    if (word.substr(0, colon) == kNames[i]) return static_cast<FeatureKind>(i);
  return {};
}

std::string note_of(const Features& features) {
  std::string out(kFeatureNote);
  for (const std::string& word : features) out += (out.back() == ' ' ? "" : " ") + word;
  return out;
}

Features features_in(std::string_view note) {
  Features out;
  if (!note.starts_with(kFeatureNote)) return out;
  note.remove_prefix(kFeatureNote.size());
  while (!note.empty() && out.size() < kMostFeatures) {
    const size_t end = std::min(note.find(' '), note.size());
    if (const std::string_view word = note.substr(0, end); kind_of(word)) out.emplace(word);
    note.remove_prefix(std::min(end + 1, note.size()));
  }
  return out;
}

}  // namespace fusillade::fuzz

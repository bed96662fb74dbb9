// See corpus_books.h.
#include "fuzz/campaign/corpus_books.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/hash.h"
#include "engine/base/visible.h"
#include "fuzz/campaign/replay.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr const char* kMeta = "corpus";           // in the store
constexpr const char* kMetaKept = "corpus kept";  // of it what each second changes
constexpr uint64_t kLeastReplays = 16;            // where --runs alone says how much is a share
constexpr size_t kMostPoints = 512;               // of the curve
constexpr size_t kNamed = 5;                      // files that are passed over

// Regression cases first; the others in another order for each seed, so that those for which there
// is no time are others each night.
void put_in_order(std::vector<CorpusCase>& cases, uint64_t seed) {
  std::ranges::sort(cases, {}, [seed](const CorpusCase& c) {
    const uint64_t order_key = hash_bytes(c.name, hash_bytes(std::to_string(seed)));
    return std::tuple(!c.is_regression(), c.is_regression() ? 0 : order_key, c.name);
  });
}

std::vector<uint64_t> by_kind(const std::vector<CorpusCase>& cases) {
  std::vector<uint64_t> out(kNumFeatureKinds);
  Features all;
  for (const CorpusCase& c : cases) all.insert(c.features.begin(), c.features.end());
  for (const std::string& word : all) ++out[static_cast<size_t>(*kind_of(word))];
  return out;
}

uint64_t sum_of(const std::vector<uint64_t>& numbers) {
  uint64_t out = 0;
  for (const uint64_t n : numbers) out += n;
  return out;
}

void report_passed_over(const Corpus& corpus) {
  const size_t n = corpus.passed_over.size();
  for (size_t i = 0; i < std::min(n, kNamed); ++i)
    std::fprintf(stderr, "fusillade: --corpus: passed over: %s\n", corpus.passed_over[i].c_str());
  if (n > kNamed) std::fprintf(stderr, "fusillade: --corpus: and %zu other files\n", n - kNamed);
}

}  // namespace

CorpusBooks::CorpusBooks(SupervisorOptions& options, Store& store) : o_(options), store_(store) {
  if (o_.campaign.corpus.empty()) return;
  open_corpus_folder(o_.campaign.corpus);
  Corpus corpus = read_corpus(o_.campaign.corpus, o_.limits);
  report_passed_over(corpus);
  passed_over_ = corpus.passed_over.size();
  put_in_order(corpus.cases, o_.campaign.seed);
  seen_ = map_seen();
  const std::string known = store_.meta(kMeta);
  if (!known.empty()) {
    for (const CorpusCase& c : corpus.cases) seen_->add(c.features);
    go_on(known);
    std::map<std::string, CorpusCase*> there;
    for (CorpusCase& c : corpus.cases) there[c.name] = &c;
    std::vector<CorpusCase> cases;
    for (const auto& [name, hash] : list_) {
      const auto found = there.find(name);
      const bool same = found != there.end() && content_of(found->second->text) == hash;
      cases.push_back(same ? std::move(*found->second) : CorpusCase{name, ""});
      gone_ += !same;
    }
    corpus.cases = std::move(cases);
  } else {
    for (const CorpusCase& c : corpus.cases) list_.emplace_back(c.name, content_of(c.text));
    before_ = by_kind(corpus.cases);
  }
  to_judge_ = list_.size();
  if (o_.max_seconds == 0) to_judge_ = std::min(to_judge_, std::max(kLeastReplays, o_.runs / 10));
  if (!store_.meta(kMerged).empty()) to_judge_ = 0;  // no program of a merge runs
  if (known.empty()) store_.set_meta(kMeta, text());
  std::fprintf(stderr, "fusillade: corpus of %zu cases, %llu features%s\n", list_.size(),
               static_cast<unsigned long long>(sum_of(before_)),
               gone_ ? fmt::format("; {} cases of its start are gone", gone_).c_str() : "");
  options.campaign.kept = std::make_shared<const Corpus>(std::move(corpus));
}

void CorpusBooks::go_on(const std::string& known) {
  const json j = json::parse(known);
  j.at("list").get_to(list_);
  j.at("before").get_to(before_);
  before_.resize(kNumFeatureKinds);
  j.at("kept").get_to(base_kept_);
  j.at("kept_bytes").get_to(base_kept_bytes_);
  if (const json kept = json::parse(store_.meta(kMetaKept), nullptr, false);
      kept.is_array() && kept.size() >= 2) {
    kept[0].get_to(base_kept_);
    kept[1].get_to(base_kept_bytes_);
    if (kept.size() > 2) kept[2].get_to(coverage_);
  }
  j.at("not_judged").get_to(not_judged_);
  if (coverage_.empty()) j.at("coverage").get_to(coverage_);
}

std::string CorpusBooks::kept_text() const {
  return json::array({base_kept_ + seen_->kept, base_kept_bytes_ + seen_->kept_bytes, coverage_})
      .dump();
}

std::string CorpusBooks::text() const {
  return json{{"list", list_},
              {"before", before_},
              {"kept", base_kept_ + seen_->kept},
              {"kept_bytes", base_kept_bytes_ + seen_->kept_bytes},
              {"not_judged", not_judged_},
              {"coverage", coverage_}}
      .dump();
}

// Of a campaign that has no limit of time, to_judge() is the limit.
bool CorpusBooks::is_over(double hunted) const {
  return o_.max_seconds > 0 && hunted >= kReplayShare * o_.max_seconds;
}

void CorpusBooks::end_replays(const std::vector<uint64_t>& not_judged) {
  not_judged_ += not_judged.size();
  for (const uint64_t index : not_judged)
    seen_->add(o_.campaign.kept->cases[index - kReplays].features);
  for (size_t i = to_judge_; i < list_.size(); ++i) seen_->add(o_.campaign.kept->cases[i].features);
  if (!not_judged.empty())
    std::fprintf(stderr,
                 "fusillade: %zu cases of the corpus are not judged again: they have %g %% of the "
                 "time\n",
                 not_judged.size(), 100 * kReplayShare);
}

void CorpusBooks::add(const FindingRow& row) {
  if (!any() || !row.path.ends_with("/reduced.case")) return;
  add_regression(o_.campaign.corpus, row.bucket, o_.out + "/" + row.path);
}

// A point where features grew, and few of them: then every other one goes.
void CorpusBooks::sample(double seconds) {
  const uint64_t now = seen_->count();
  if (!coverage_.empty() && coverage_.back().second == now) return;
  coverage_.emplace_back(seconds, now);
  if (coverage_.size() <= kMostPoints) return;
  std::vector<std::pair<double, uint64_t>> some;
  for (size_t i = 0; i < coverage_.size(); i += 2) some.push_back(coverage_[i]);
  some.push_back(coverage_.back());
  coverage_ = std::move(some);
}

void CorpusBooks::keep(double seconds) {
  constexpr double kPeriod = 1, kWritten = 10;
  if (!any() || (!coverage_.empty() && seconds < coverage_.back().first + kPeriod)) return;
  sample(seconds);
  store_.set_meta(kMetaKept, kept_text());
  if (seconds < kept_at_ + kWritten) return;
  kept_at_ = seconds;
  store_.set_meta(kMeta, text());
}

void CorpusBooks::close(double seconds) {
  if (!any()) return;
  for (const FindingRow& row : store_.findings()) add(row);
  sample(seconds);
  store_.set_meta(kMetaKept, kept_text());
  store_.set_meta(kMeta, text());
}

std::string CorpusBooks::report(uint64_t judged) const {
  if (!any()) return "";
  const auto regression = static_cast<uint64_t>(std::ranges::count_if(
      o_.campaign.kept->cases, [](const CorpusCase& c) { return c.is_regression(); }));
  json kinds = json::array();
  for (int i = 0; i < kNumFeatureKinds; ++i)
    kinds.push_back({{"kind", name_of(static_cast<FeatureKind>(i))},
                     {"before", before_[static_cast<size_t>(i)]},
                     {"after", seen_->by_kind[i].load()}});
  return json{{"cases", list_.size()},
              {"regression", regression},
              {"passed_over", passed_over_},
              {"gone", gone_},
              {"judged_again", judged},
              {"not_judged_again", not_judged_ + (list_.size() - to_judge_)},
              {"features_before", sum_of(before_)},
              {"features", seen_->count()},
              {"kinds", kinds},
              {"kept", base_kept_ + seen_->kept},
              {"kept_bytes", base_kept_bytes_ + seen_->kept_bytes},
              {"coverage", coverage_}}
      .dump();
}

std::string corpus_summary(const json& c) {
  if (c.is_null()) return "";
  std::string out = fmt::format(
      "\nCorpus: {} cases at the start, {} judged again, {} not; features {} at the start, {} at "
      "the end; {} cases kept.\n",
      c["cases"].get<uint64_t>(), c["judged_again"].get<uint64_t>(),
      c["not_judged_again"].get<uint64_t>(), c["features_before"].get<uint64_t>(),
      c["features"].get<uint64_t>(), c["kept"].get<uint64_t>());
  if (const uint64_t n = c["passed_over"].get<uint64_t>())
    out += fmt::format("{} files of it are no cases, and were passed over.\n", n);
  if (const uint64_t n = c["gone"].get<uint64_t>())
    out += fmt::format("{} cases of its start are gone, or are others.\n", n);
  return out;
}

}  // namespace fusillade::fuzz

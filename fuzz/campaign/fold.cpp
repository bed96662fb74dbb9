// See fold.h.
#include "fuzz/campaign/fold.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <tuple>

#include "fuzz/triage/cause.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

// The number of the program, where the origin contains it.
uint64_t index_of(const std::string& origin) {
  uint64_t seed = 0, index = 0;
  const int read = std::sscanf(origin.c_str(), "seed=%" SCNu64 " index=%" SCNu64, &seed, &index);
  return read == 2 ? index : kEndless;
}

auto content_key(const Reported& g) {
  const FindingRow& r = g.row;
  return std::tuple(r.nodes, index_of(r.origin), r.origin, r.verdict, r.oracle, r.blame, r.path,
                    r.cause, g.productions);
}

struct FoldEntry {
  const std::string* bucket;
  Cause cause;
  bool names_a_part;
};

// The representatives, indexed by what a cause must share with its representative: the verdict, the
// part and one op. That op is the representative's rarest: all ops of a representative are also ops
// of the causes that it represents, as no representative has more ops than a later cause. Where one
// op in common is enough, a representative is indexed by each of its ops.
class Representatives {
 public:
  explicit Representatives(const std::map<std::string, size_t>& times) : times_(times) {}

  void add(const FoldEntry& t) {
    const auto rarest = std::ranges::min_element(t.cause.ops, {}, [&](const std::string& op) {
      return std::pair(times_.at(op), std::string_view(op));
    });
    if (one_op_is_enough(t.cause))
      for (const std::string& op : t.cause.ops) put(t, op);
    else put(t, rarest == t.cause.ops.end() ? "" : *rarest);
    ++added_;
  }

  // The first of the same cause that was added; null: there is none.
  const FoldEntry* first_of_cause(const FoldEntry& t) const {
    std::pair<size_t, const FoldEntry*> first{added_, nullptr};
    const auto look = [&](const std::string& op) {
      const auto listed = by_.find(key(t, op));
      if (listed == by_.end()) return;
      for (const auto& [number, s] : listed->second) {
        if (number >= first.first) return;
        if (same_cause(s->cause, t.cause)) first = {number, s};
      }
    };
    look("");
    for (const std::string& op : t.cause.ops) look(op);
    return first.second;
  }

 private:
  using Key = std::tuple<std::string, Culprit, std::string, std::string>;
  static Key key(const FoldEntry& t, const std::string& op) {
    const bool any = one_op_is_enough(t.cause);  // whatever the message says
    return {t.cause.verdict, t.cause.part, any && !op.empty() ? "" : t.cause.message, op};
  }
  void put(const FoldEntry& t, const std::string& op) { by_[key(t, op)].emplace_back(added_, &t); }

  const std::map<std::string, size_t>& times_;
  std::map<Key, std::vector<std::pair<size_t, const FoldEntry*>>>
      by_;  // in the order of their numbers
  size_t added_ = 0;
};

}  // namespace

std::string print(const Reported& g) {
  const FindingRow& r = g.row;
  const json j = {{"bucket", r.bucket},      {"verdict", r.verdict},       {"oracle", r.oracle},
                  {"blame", r.blame},        {"nodes", r.nodes},           {"path", r.path},
                  {"origin", r.origin},      {"first_seen", r.first_seen}, {"cause", r.cause},
                  {"made_of", g.productions}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Reported parse_reported(const std::string& text) {
  const json j = json::parse(text);
  Reported g;
  FindingRow& r = g.row;
  j.at("bucket").get_to(r.bucket);
  j.at("verdict").get_to(r.verdict);
  j.at("oracle").get_to(r.oracle);
  j.at("blame").get_to(r.blame);
  j.at("nodes").get_to(r.nodes);
  j.at("path").get_to(r.path);
  j.at("origin").get_to(r.origin);
  j.at("first_seen").get_to(r.first_seen);
  j.at("cause").get_to(r.cause);
  j.at("made_of").get_to(g.productions);
  return g;
}

bool same_content(const Reported& a, const Reported& b) { return content_key(a) == content_key(b); }

void keep_one(Reported& kept, const Reported& other) {
  const double first = std::min(kept.row.first_seen, other.row.first_seen);
  if (content_key(other) < content_key(kept)) kept = other;
  kept.row.first_seen = first;
}

void keep_one(Shown& kept, const Shown& other) {
  const auto order = [](const Shown& s) { return std::tuple(s.bucket.empty(), s); };
  if (order(other) < order(kept)) kept = other;
}

std::map<std::string, std::string> fold(const std::map<std::string, Reported>& reported) {
  std::vector<FoldEntry> all;
  std::map<std::string, size_t> times;  // of each op, in how many causes
  for (const auto& [bucket, g] : reported) {
    Cause cause = parse_cause(g.row.cause);
    const bool names_a_part = !print(cause.part).empty();
    for (const std::string& op : cause.ops) ++times[op];
    all.push_back({&bucket, std::move(cause), names_a_part});
  }
  std::ranges::sort(all, {}, [](const FoldEntry& t) {
    return std::tuple(t.cause.ops.size(), std::string_view(*t.bucket));
  });
  std::map<std::string, std::string> out;
  Representatives representatives(times);
  for (const FoldEntry& t : all) {
    const FoldEntry* by = t.names_a_part ? representatives.first_of_cause(t) : nullptr;
    out[*t.bucket] = by ? *by->bucket : *t.bucket;
    if (!by && t.names_a_part) representatives.add(t);
  }
  return out;
}

}  // namespace fusillade::fuzz

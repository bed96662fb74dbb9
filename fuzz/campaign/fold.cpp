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

// By the number of the program, as far as the origin tells it.
uint64_t index_of(const std::string& origin) {
  uint64_t seed = 0, index = 0;
  const int read = std::sscanf(origin.c_str(), "seed=%" SCNu64 " index=%" SCNu64, &seed, &index);
  return read == 2 ? index : kEndless;
}

auto what_it_tells(const Reported& g) {
  const FindingRow& r = g.row;
  return std::tuple(r.nodes, index_of(r.origin), r.origin, r.verdict, r.oracle, r.blame, r.path,
                    r.cause, g.made_of);
}

struct Told {
  const std::string* bucket;
  Cause cause;
  bool names_a_part;
};

}  // namespace

std::string print(const Reported& g) {
  const FindingRow& r = g.row;
  const json j = {{"bucket", r.bucket},  {"verdict", r.verdict},       {"oracle", r.oracle},
                  {"blame", r.blame},    {"nodes", r.nodes},           {"path", r.path},
                  {"origin", r.origin},  {"first_seen", r.first_seen}, {"cause", r.cause},
                  {"made_of", g.made_of}};
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
  j.at("made_of").get_to(g.made_of);
  return g;
}

bool tells_the_same(const Reported& a, const Reported& b) {
  return what_it_tells(a) == what_it_tells(b);
}

void keep_one(Reported& kept, const Reported& other) {
  const double first = std::min(kept.row.first_seen, other.row.first_seen);
  if (what_it_tells(other) < what_it_tells(kept)) kept = other;
  kept.row.first_seen = first;
}

void keep_one(Shown& kept, const Shown& other) {
  const auto order = [](const Shown& s) { return std::tuple(s.bucket.empty(), s); };
  if (order(other) < order(kept)) kept = other;
}

std::map<std::string, std::string> fold(const std::map<std::string, Reported>& reported) {
  std::vector<Told> all;
  for (const auto& [bucket, g] : reported) {
    Cause cause = parse_cause(g.row.cause);
    const bool names_a_part = !print(cause.part).empty();
    all.push_back({&bucket, std::move(cause), names_a_part});
  }
  std::ranges::sort(all, {}, [](const Told& t) {
    return std::tuple(t.cause.ops.size(), std::string_view(*t.bucket));
  });
  std::map<std::string, std::string> out;
  std::vector<const Told*> standing;
  for (const Told& t : all) {
    const auto same = std::ranges::find_if(
        standing, [&](const Told* s) { return t.names_a_part && same_cause(s->cause, t.cause); });
    out[*t.bucket] = same == standing.end() ? *t.bucket : *(*same)->bucket;
    if (same == standing.end() && t.names_a_part) standing.push_back(&t);
  }
  return out;
}

}  // namespace fusillade::fuzz

// See culprit.h.
#include "fuzz/bisect/culprit.h"

#include <string_view>

#include "engine/fuse/transforms/transform.h"
#include "engine/ops/operator.h"
#include "engine/passes/pass.h"
#include "engine/run/plan.h"

namespace fusillade::fuzz {
namespace {

using K = CulpritKind;

// The prefix before the name in the text of a culprit.
struct Spelling {
  K kind;
  std::string_view before;
};
constexpr Spelling kSpellings[] = {
    {K::Operator, "operator "}, {K::OperatorKind, "operator "},
    {K::Backend, "backend "},   {K::Transform, "transform/"},
    {K::Flaky, "flaky, "},      {K::Operator, "row "}};  // as files of version 0.1 say it

// Words that say all.
struct Fixed {
  K kind;
  std::string_view words;
};
constexpr Fixed kFixed[] = {
    {K::NotReproduced, "not reproduced"},
    {K::OutOfTime, "out of time"},
    {K::Unknown, "unknown"},
    {K::Effects, "effects"},
    {K::Generator, "generator"},
    {K::Triage, "untriaged"},
};

// What files of earlier versions say instead.
struct Former {
  std::string_view before, now;
};
constexpr Former kFormer[] = {{"not told in time", "out of time"},
                              {"not told", "unknown"},
                              {"peel/first-turn", "peel/first-iteration"},
                              {"fuse/beside", "fuse/horizontal"}};

// A name as its table has it now; others stay.
template <class R>
std::string name_today(const std::string& name) {
  const R* found = Table<R>::instance().find(name);
  return found ? found->name : name;
}

}  // namespace

const char* name_of(CulpritKind kind) {
  switch (kind) {
    case K::Unknown:
      return "unknown";
    case K::NotReproduced:
      return "not reproduced";
    case K::OutOfTime:
      return "out of time";
    case K::Flaky:
      return "flaky";
    case K::Operator:
      return "operator";
    case K::OperatorKind:
      return "operator kind";
    case K::Pass:
      return "pass";
    case K::Rule:
      return "rule";
    case K::Fuser:
      return "fuser";
    case K::Backend:
      return "back end";
    case K::Transform:
      return "transform";
    case K::Effects:
      return "effects";
    case K::Engine:
      return "engine";
    case K::EngineOutside:
      return "engine outside";
    case K::Part:
      return "part";
    case K::Generator:
      return "generator";
    case K::Triage:
      return "triage";
  }
  return "";
}

std::string print(const Culprit& culprit) {
  if (culprit.is(K::Rule)) return culprit.of + "/" + culprit.name;
  if (culprit.is(K::Fuser)) return culprit.of + "(" + culprit.name + ")";
  for (const Spelling& s : kSpellings)
    if (s.kind == culprit.kind) return std::string(s.before) + culprit.name;
  return culprit.name;
}

Culprit read_culprit(const std::string& words) {
  if (words.empty()) return {};
  for (const Former& f : kFormer)
    if (words == f.before) return read_culprit(std::string(f.now));
  for (const Fixed& f : kFixed)
    if (words == f.words) return {f.kind, words, {}};
  for (const Spelling& s : kSpellings) {
    if (!words.starts_with(s.before)) continue;
    std::string name = words.substr(s.before.size());
    if (s.kind == K::Operator) name = name_today<fusillade::Operator>(name);
    if (s.kind == K::Transform) name = name_today<fuse::Transform>(name);
    const bool of_all = s.kind == K::Operator && name.find("::") == std::string::npos;
    return {of_all ? K::OperatorKind : s.kind, std::move(name), {}};
  }
  if (const Engine* engine = Table<Engine>::instance().find(words))
    return {engine->outside ? K::EngineOutside : K::Engine, words, {}};
  if (const Pass* pass = Table<Pass>::instance().find(words)) return {K::Pass, pass->name, {}};
  const size_t paren = words.find('(');
  const Engine* called = Table<Engine>::instance().find(words.substr(0, paren));
  if (called && called->outside) return {K::EngineOutside, words, {}};  // with options
  if (paren != std::string::npos && words.ends_with(")"))
    return {K::Fuser, words.substr(paren + 1, words.size() - paren - 2), words.substr(0, paren)};
  const size_t slash = words.find('/');
  if (slash != std::string::npos) return {K::Rule, words.substr(slash + 1), words.substr(0, slash)};
  return {K::Part, words, {}};
}

}  // namespace fusillade::fuzz

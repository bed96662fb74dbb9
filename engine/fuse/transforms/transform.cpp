// See transform.h.
#include "engine/fuse/transforms/transform.h"

#include <algorithm>
#include <charconv>

#include "engine/base/table.h"
#include "engine/base/text.h"
#include "engine/fuse/transforms/edit.h"

namespace fusillade::fuse {
namespace {

using kernel::Kernel;
using Kind = Parameter::Kind;

constexpr size_t kMostNamed = 24;  // of the legal sites that a message lists

std::string word_of(const Parameter& p) {
  const std::string name = p.kind == Kind::Word ? join(p.words, "|") : p.name;
  return p.optional ? "[" + name + "]" : name;
}

std::string text_of(const Parameter& p, int64_t value) {
  switch (p.kind) {
    case Kind::Loop:
      return fmt::format("v{}", value);
    case Kind::Buffer:
      return fmt::format("b{}", value);
    case Kind::Number:
      return std::to_string(value);
    case Kind::Word:
      return p.words[static_cast<size_t>(value)];
  }
  FUS_BUG("a parameter of no kind");
}

std::string trim_text(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\n") + 1 - first));
}

std::vector<std::string> pieces(std::string_view text, char between) {
  std::vector<std::string> out;
  for (size_t at = 0;;) {
    const size_t end = text.find(between, at);
    out.push_back(trim_text(text.substr(at, end - at)));
    if (end == std::string_view::npos) return out;
    at = end + 1;
  }
}

const char* what_is(Kind kind) {
  switch (kind) {
    case Kind::Loop:
      return "the variable of a loop, as in v0";
    case Kind::Buffer:
      return "a buffer, as in b1";
    case Kind::Number:
      return "a whole number";
    case Kind::Word:
      return "";
  }
  return "";
}

int64_t parse_argument(const Transform& t, const Parameter& p, const std::string& text) {
  if (p.kind == Kind::Word) {
    const auto at = std::ranges::find(p.words, text);
    if (at == p.words.end())
      fail("{}: '{}' is none of its words; they are: {}", signature(t), text, join(p.words, ", "));
    return at - p.words.begin();
  }
  std::string_view digits = text;
  const char first = p.kind == Kind::Loop ? 'v' : p.kind == Kind::Buffer ? 'b' : 0;
  bool good = !first || (!digits.empty() && digits[0] == first);
  if (first && good) digits.remove_prefix(1);
  int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  good = good && end.ec == std::errc() && end.ptr == digits.data() + digits.size() && value >= 0;
  if (!good) fail("{}: '{}' is not {}", signature(t), text, what_is(p.kind));
  return value;
}

Step parse_step(const std::string& text) {
  const size_t open_paren = text.find('(');
  if (open_paren == std::string::npos || !text.ends_with(')'))
    fail("'{}' is no transform; one is a name and arguments, as in split(v0,8,tail)", text);
  Step step;
  step.transform = &transform(trim_text(text.substr(0, open_paren)));
  std::vector<std::string> given =
      pieces(text.substr(open_paren + 1, text.size() - open_paren - 2), ',');
  if (given.size() == 1 && given[0].empty()) given.clear();
  const std::vector<Parameter>& wanted = step.transform->parameters;
  const auto least = static_cast<size_t>(
      std::ranges::count_if(wanted, [](const Parameter& p) { return !p.optional; }));
  if (given.size() < least || given.size() > wanted.size())
    fail("'{}' has {} arguments; legal is {}", text, given.size(), signature(*step.transform));
  for (size_t i = 0; i < wanted.size(); ++i)
    step.arguments.push_back(i < given.size() ? parse_argument(*step.transform, wanted[i], given[i])
                                              : kNone);
  return step;
}

std::vector<int64_t> candidates(const Parameter& p, const KernelFacts& facts) {
  std::vector<int64_t> out;
  if (p.optional) out.push_back(kNone);
  switch (p.kind) {
    case Kind::Loop:
      for (const auto& [var, at] : facts.loops) out.push_back(var);
      break;
    case Kind::Buffer:
      for (size_t b = 0; b < facts.kernel.buffers.size(); ++b)
        out.push_back(static_cast<int64_t>(b));
      break;
    case Kind::Number:
      out.insert(out.end(), p.numbers.begin(), p.numbers.end());
      break;
    case Kind::Word:
      for (size_t w = 0; w < p.words.size(); ++w) out.push_back(static_cast<int64_t>(w));
      break;
  }
  return out;
}

// Why the arguments name nothing that is there.
std::string why_not_there(const Transform& t, const KernelFacts& facts, const Arguments& a) {
  for (size_t i = 0; i < a.size(); ++i) {
    const Kind kind = t.parameters[i].kind;
    if (kind == Kind::Loop && !facts.loops.count(static_cast<int>(a[i])))
      return fmt::format("there is no loop over v{}", a[i]);
    if (kind == Kind::Buffer && a[i] >= static_cast<int64_t>(facts.kernel.buffers.size()))
      return fmt::format("there is no b{}", a[i]);
  }
  return "";
}

std::string why_not(const Transform& t, const KernelFacts& facts, const Arguments& a) {
  if (facts.grid && !t.allows_grids) return "the kernel holds a grid, which is laid out already";
  const std::string missing = why_not_there(t, facts, a);
  return missing.empty() ? t.why_not(facts, a) : missing;
}

void add_sites(const Transform& t, const KernelFacts& facts, Arguments& so_far,
               std::vector<Arguments>& out) {
  if (so_far.size() == t.parameters.size()) {
    if (t.why_not(facts, so_far).empty()) out.push_back(so_far);
    return;
  }
  for (int64_t value : candidates(t.parameters[so_far.size()], facts)) {
    so_far.push_back(value);
    add_sites(t, facts, so_far, out);
    so_far.pop_back();
  }
}

std::string sites_text(const Transform& t, const std::vector<Arguments>& legal) {
  if (legal.empty()) return "nowhere in this kernel";
  std::vector<std::string> names;
  for (size_t i = 0; i < legal.size() && i < kMostNamed; ++i)
    names.push_back(to_string(Step{&t, legal[i]}));
  const size_t more = legal.size() - names.size();
  return join(names, ", ") + (more ? fmt::format(" and {} more", more) : "");
}

bool any_at_once(const kernel::Body& body) {
  return std::ranges::any_of(body, [](const kernel::Stmt& s) {
    const bool at_once =
        s.kind == kernel::Stmt::Kind::For &&
        (s.loop == kernel::LoopKind::Parallel || s.loop == kernel::LoopKind::Vector);
    return at_once || any_at_once(s.body);
  });
}

// A loop whose iterations ran concurrently, and for which that can no longer be proven, becomes
// serial.
void serialise_unproven(Kernel& kernel) {
  std::vector<int> serial;
  if (!any_at_once(kernel.body)) return;
  const KernelFacts facts(kernel);
  for (const auto& [var, at] : facts.loops) {
    const kernel::Stmt& loop = *at.loop;
    if (loop.loop != kernel::LoopKind::Parallel && loop.loop != kernel::LoopKind::Vector) continue;
    for (const kernel::Access* a : facts.within(loop))
      if (a->write && !kernel::disjoint_from_itself(kernel, *a, loop)) serial.push_back(var);
  }
  for (int var : serial) find_loop(kernel, var).stmt().loop = kernel::LoopKind::Serial;
}

}  // namespace

std::string signature(const Transform& t) {
  std::vector<std::string> words;
  for (const Parameter& p : t.parameters) words.push_back(word_of(p));
  return t.name + "(" + join(words, ", ") + ")";
}

const Transform& transform(const std::string& name) {
  if (const Transform* found = Table<Transform>::instance().find(name)) return *found;
  std::vector<std::string> names;
  for (const Transform* t : Table<Transform>::instance().by_name()) names.push_back(t->name);
  fail("there is no transform '{}'; the transforms are: {}{}", name, join(names, ", "),
       near_misses(name, names));
}

std::string to_string(const Step& step) {
  std::vector<std::string> words;
  for (size_t i = 0; i < step.arguments.size(); ++i)
    if (step.arguments[i] != kNone)
      words.push_back(text_of(step.transform->parameters[i], step.arguments[i]));
  return step.transform->name + "(" + join(words, ",") + ")";
}

std::string to_string(const std::vector<Step>& steps) {
  std::vector<std::string> words;
  for (const Step& s : steps) words.push_back(to_string(s));
  return join(words, ";");
}

std::vector<Step> parse_steps(const std::string& text) {
  std::vector<Step> out;
  for (const std::string& piece : pieces(text, ';'))
    if (!piece.empty()) out.push_back(parse_step(piece));
  if (out.empty()) fail("'{}' names no transform; as in split(v0,8,tail);unroll(v3)", text);
  return out;
}

std::vector<Arguments> sites(const Transform& t, const Kernel& kernel) {
  return sites(t, facts_of(kernel));
}

std::vector<Arguments> sites(const Transform& t, const KernelFacts& facts) {
  const ExprPool::Scope scope(*facts.kernel.pool);
  std::vector<Arguments> out;
  Arguments so_far;
  if (!facts.grid || t.allows_grids) add_sites(t, facts, so_far, out);
  return out;
}

int64_t refusals(const Transform& t, const KernelFacts& facts) {
  int64_t all = 1;
  for (const Parameter& p : t.parameters) all *= std::ssize(candidates(p, facts));
  return all - std::ssize(sites(t, facts));
}

KernelFacts facts_of(const Kernel& kernel) {
  const ExprPool::Scope scope(*kernel.pool);
  return KernelFacts(kernel);
}

bool is_legal(const Kernel& kernel, const Step& step) {
  const ExprPool::Scope scope(*kernel.pool);
  return why_not(*step.transform, KernelFacts(kernel), step.arguments).empty();
}

Kernel own_names(const Kernel& kernel) {
  const ExprPool::Scope scope(*kernel.pool);
  Kernel out = kernel;
  out.num_vars = 0;
  Replacements by;
  for (kernel::ScalarParam& s : out.scalars) {
    by[s.var] = Expr::var(out.num_vars, s.model);
    s.var = out.num_vars++;
  }
  out.body = copy_body(out, kernel.body, by);
  return out;
}

Kernel apply_step(const Kernel& kernel, const Step& step) {
  return apply_step(facts_of(kernel), step);
}

Kernel apply_step(const KernelFacts& facts, const Step& step) {
  const Kernel& kernel = facts.kernel;
  const ExprPool::Scope scope(*kernel.pool);
  const std::string why = why_not(*step.transform, facts, step.arguments);
  if (!why.empty())
    fail("{} is not legal here: {}; legal is: {}", to_string(step), why,
         sites_text(*step.transform, sites(*step.transform, facts)));
  Kernel out = kernel;
  step.transform->apply(out, step.arguments);
  serialise_unproven(out);
  check(out);
  return out;
}

}  // namespace fusillade::fuse

// See watch.h. What a probe of caches, threads or memory counts hangs on what ran before in the
// process, so that it is no feature of a program.
#include "fuzz/corpus/watch.h"

#include <algorithm>

#include "engine/ops/call.h"
#include "engine/ops/operator.h"
#include "fuzz/corpus/kernel_shape.h"
#include "fuzz/gen/production.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

size_t number_of_operators() {
  size_t most = 0;
  for (const Operator& op : OperatorTable::instance())
    most = std::max(most, static_cast<size_t>(op.number));
  return most + 1;
}

std::optional<FeatureKind> kind_of_probe(const std::string& name) {
  for (const char* area : {"kernel/", "device/", "tasks/", "tensor/", "jit/"})
    if (name.starts_with(area)) return {};
  if (name.starts_with("guard/")) return FeatureKind::Guard;
  if (name.starts_with("fuse/") || name.starts_with("autodiff/")) return FeatureKind::Event;
  return FeatureKind::Rule;
}

// Operators of a group's text: "%b : Tensor = aten::exp(%a)".
void add_fused(const fuse::Compilation& compilation, Features& out) {
  constexpr std::string_view kBefore = " = aten::";
  for (size_t at = 0; (at = compilation.group.find(kBefore, at)) != std::string::npos;) {
    at += 3;
    const size_t end = compilation.group.find_first_of("([", at);
    out.insert(feature(FeatureKind::Fused,
                       compilation.fuser + "/" + compilation.group.substr(at, end - at)));
  }
}

// A reason without what differs by operator: one word for all operators.
std::string without_operators(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    out += (out.empty() ? "" : " ") + (word.find("::") == std::string::npos ? word : "op");
    at = end + 1;
  }
  return out;
}

}  // namespace

Watch::Watch() {
  if (!operator_runs) {
    own_.resize(number_of_operators());
    operator_runs = own_.data();
  }
  static const size_t operators = number_of_operators();
  before_.assign(operator_runs, operator_runs + operators);
  for (const Probe* p : probes()) probes_.emplace_back(p, p->count());
}

Watch::~Watch() {
  if (!own_.empty()) operator_runs = nullptr;
}

Features Watch::reached_features(const Verdict& verdict) const {
  Features out;
  for (const Operator& op : OperatorTable::instance())
    if (operator_runs[op.number] != before_[op.number])
      out.insert(feature(FeatureKind::Operator, op.name));
  auto before = probes_.begin();  // that are there no more never are; new ones come between
  for (const Probe* p : probes()) {
    const bool known = before != probes_.end() && before->first == p;
    const uint64_t then = known ? (before++)->second : 0;
    if (p->count() == then) continue;
    if (const auto kind = kind_of_probe(p->name())) out.insert(feature(*kind, p->name()));
  }
  for (const fuse::Compilation& compilation : log_.compilations) {
    if (!compilation.program) {
      const std::string why = without_operators(stable_phrase(compilation.why));
      out.insert(feature(FeatureKind::Decline, compilation.fuser + "/" + why));
      continue;
    }
    add_fused(compilation, out);
    out.insert(
        feature(FeatureKind::Kernel, fmt::format("{}/{}/{}", compilation.fuser, compilation.backend,
                                                 shape_of(compilation.lowered.kernel))));
  }
  if (verdict.raises) out.insert(feature(FeatureKind::Verdict, verdict.oracle + "/raises"));
  if (!verdict.reason.empty() && !is_finding(verdict.kind))
    out.insert(feature(FeatureKind::Verdict,
                       fmt::format("{}/{}/{}", verdict.oracle, name_of(verdict.kind),
                                   without_operators(stable_phrase(verdict.reason)))));
  return out;
}

Features productions_in(std::span<const uint32_t> counts) {
  Features out;
  for (const Production& p : Table<Production>::instance())
    if (p.number < counts.size() && counts[p.number])
      out.insert(feature(FeatureKind::Production, p.name));
  return out;
}

Features noted_productions(const Features& noted) {
  Features out;
  for (const Production& p : Table<Production>::instance())
    if (std::string word = feature(FeatureKind::Production, p.name); noted.count(word))
      out.insert(std::move(word));
  return out;
}

}  // namespace fusillade::fuzz

// Claim: any legal sequence of transforms (engine/fuse/transforms) leaves every bit of a kernel's
// results as it is.
//
// The program is run under its plans that fuse by `loopnest`, and under one such where there is
// none, in floats or in residues in their place, as is drawn. What its groups were lowered to is
// taken from that run. Loop nests are drawn in addition (fuzz/gen/nest), for programs create few
// temporaries. Each such kernel is rewritten by sequences drawn from a stream that the case's
// origin and program seed. What comes out runs on the checking back end, and in residues now and
// then on `llvm`, which promises no bits of floats, on synthetic data; before and after must agree
// bit for bit.
//
// A finding blames a transform: the last one of the shortest prefix that fails, less those before
// it that are not needed; or `llvm`, where the transformed kernel is right on the checking back
// end. Its detail, which is also the note of its case, begins with them:
// "transforms: split(v0,3,tail);unroll(v2) on interp of nest 71". A case with such a note meets
// that sequence, on that nest or wherever it is legal, and no drawn one.
#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/base/hash.h"
#include "engine/base/probe.h"
#include "engine/fuse/compile_log.h"
#include "engine/fuse/transforms/transform.h"
#include "engine/tensor/domain.h"
#include "fuzz/gen/nest.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/oracle/kernel_data.h"
#include "fuzz/oracle/residues.h"

namespace fusillade::fuzz {
namespace {

using fuse::Lowered;
using fuse::Step;
using kernel::Kernel;
using Steps = std::vector<Step>;
using Bytes = std::vector<std::vector<uint8_t>>;

constexpr const char* kNote = "transforms: ";
constexpr std::string_view kOfNest = " of nest ";
constexpr size_t kMostKernels = 6;       // of a case
constexpr int kNests = 4;                // drawn in addition
constexpr int kSequences = 3;            // of a kernel
constexpr int64_t kMostSteps = 6;        // of a sequence
constexpr size_t kMostStatements = 400;  // more are not rewritten any further
constexpr uint64_t kMostBytes = 1 << 18;

// Plans of ours with the fuser `loopnest` on the checking back end, each once.
std::vector<Plan> fusing(const Case& c) {
  std::vector<Plan> out;
  for (Plan plan : c.plans) {
    bool fuses = false;
    for (PassCall& p : plan.pipeline) {
      if (p.pass->name != "fuse" || p.args.size() < 2 || p.args[0] != "loopnest") continue;
      p.args[1] = "interp";
      fuses = true;
    }
    const Plan on_interp = respell(std::move(plan));
    if (fuses && engine_of(on_interp).ring && std::ranges::find(out, on_interp) == out.end())
      out.push_back(on_interp);
  }
  if (out.empty()) out.push_back(parse_plan("vm/o2,fuse(loopnest,interp)"));
  return out;
}

struct Difference {
  VerdictKind kind = VerdictKind::Ok;
  std::string reason;
  std::string detail;
  bool exists() const { return kind != VerdictKind::Ok; }
};

Difference differs(VerdictKind kind, const std::string& reason, const std::string& detail) {
  return {kind, reason, detail};
}

// One kernel, what it gives as it was lowered, and what it gives when it is rewritten.
class Subject {
 public:
  explicit Subject(const Lowered& lowered, std::string origin = "")
      : kernel_(fuse::own_names(lowered.kernel)), data_(lowered), origin_(std::move(origin)) {}

  // False where there is nothing to compare with.
  bool ready() {
    if (data_.bytes() > kMostBytes || kernel_.body.empty()) return false;
    try {
      wanted_ = data_.run(*kernel::backend("interp").compile(kernel_));
    } catch (const Exception&) {  // what is wrong with it is the claim of `kernels`
      return false;
    }
    return true;
  }

  const Kernel& kernel() const { return kernel_; }
  const std::string& origin() const { return origin_; }  // "" or " of nest 71"
  uint64_t elements() const {
    uint64_t n = 0;
    for (const auto& b : wanted_) n += b.size();
    return n;
  }

  // `transformed`: the kernel after the steps, where that is known.
  Difference after(const Steps& steps, const std::string& backend,
                   const std::optional<Kernel>& transformed = {}) const {
    try {
      Kernel k = transformed ? *transformed : kernel_;
      if (!transformed)
        for (const Step& s : steps) k = fuse::apply_step(k, s);
      const Bytes got = data_.run(*kernel::backend(backend).compile(k));
      return compare(got, k);
    } catch (const Unsupported&) {
      return {};
    } catch (const Bug& e) {
      return differs(VerdictKind::Bug, "bug", e.what());
    }
  }

  // Legal all along?
  bool takes(const Steps& steps) const {
    Kernel k = kernel_;
    for (const Step& s : steps) {
      if (!fuse::is_legal(k, s)) return false;
      try {
        k = fuse::apply_step(k, s);
      } catch (const Bug&) {  // whoever runs it meets it
        return true;
      }
    }
    return true;
  }

 private:
  Difference compare(const Bytes& got, const Kernel& k) const {
    for (size_t b = 0; b < wanted_.size(); ++b)
      for (size_t i = 0; i < wanted_[b].size(); ++i)
        if (got[b][i] != wanted_[b][i])
          return differs(VerdictKind::Mismatch, "value",
                         fmt::format("byte {} of result {} is {}, not {}\nbefore:\n{}after:\n{}", i,
                                     b, got[b][i], wanted_[b][i], print(kernel_), print(k)));
    return {};
  }

  Kernel kernel_;
  KernelData data_;
  std::string origin_;
  Bytes wanted_;
};

void note_steps(const Steps& steps) {
  for (const Step& s : steps) probe("kernel/transform-" + s.transform->name).hit();
  probe(fmt::format("kernel/transforms-in-a-row-{}", steps.size())).hit();
}

// A sequence, and the kernel after it unless a transform threw.
struct Drawn {
  Steps steps;
  std::optional<Kernel> transformed;
};

// Legal transforms, each drawn with its place in the kernel that those before it left.
Drawn draw_steps(Choices& choices, const Subject& subject) {
  const auto all = Table<fuse::Transform>::instance().by_name();
  Kernel k = subject.kernel();
  std::optional<fuse::KernelFacts> facts(fuse::facts_of(k));
  Steps steps;
  const int64_t wanted = choices.between(1, kMostSteps);
  for (int64_t tries = 0; tries < 4 * wanted && std::ssize(steps) < wanted; ++tries) {
    const fuse::Transform* t = choices.pick(all);
    const std::vector<fuse::Arguments> sites = fuse::sites(*t, *facts);
    if (sites.empty()) continue;
    steps.push_back({t, choices.pick(sites)});
    try {
      Kernel transformed = fuse::apply_step(*facts, steps.back());
      facts.reset();
      k = std::move(transformed);
    } catch (const Bug&) {
      return {steps, {}};  // whoever runs it meets it
    }
    if (fuse::statement_count(k.body) > kMostStatements || std::ssize(steps) == wanted) break;
    facts.emplace(fuse::facts_of(k));
  }
  return {steps, std::move(k)};
}

// The shortest prefix that fails, without what is not needed of it.
Steps least(const Subject& subject, const Steps& steps, const std::string& backend) {
  const auto fails = [&](const Steps& s) {
    return subject.takes(s) && subject.after(s, backend).exists();
  };
  Steps out;
  for (const Step& s : steps) {
    out.push_back(s);
    if (fails(out)) break;
  }
  for (size_t i = out.size(); i-- > 0;) {
    Steps without = out;
    without.erase(without.begin() + static_cast<ptrdiff_t>(i));
    if (!without.empty() && fails(without)) out = without;
  }
  return out;
}

Verdict finding(const Subject& subject, const Steps& steps, const std::string& backend) {
  const Steps guilty = least(subject, steps, backend);
  const Difference d = subject.after(guilty, backend);
  Verdict v;
  v.kind = d.kind;
  // A kernel is what the checking back end makes of it: one that is right there is right.
  const bool on_its_own = backend != "interp" && !subject.after(guilty, "interp").exists();
  v.part = on_its_own ? "backend " + backend : "transform/" + guilty.back().transform->name;
  v.reason = d.reason;
  v.detail = fmt::format("{}{} on {}{}: {}", kNote, to_string(guilty), backend, subject.origin(),
                         d.detail);
  return v;
}

// What is known of the sequence: that it changes nothing, or that it does.
Verdict judge_steps(const Subject& subject, const Steps& steps, bool compiled,
                    const std::optional<Kernel>& transformed = {}) {
  note_steps(steps);
  for (const char* backend : {"interp", "llvm"}) {
    const bool llvm = std::string_view(backend) == "llvm";
    if ((llvm && !compiled) || !subject.after(steps, backend, transformed).exists()) continue;
    if (llvm && subject.after({}, backend).exists())
      continue;  // what `llvm` makes of the kernel as it was lowered is the claim of others
    return finding(subject, steps, backend);
  }
  Verdict v;
  v.elements = {subject.elements(), subject.elements(), 0};
  v.executions = 2;
  return v;
}

Verdict skip(const char* why) {
  Verdict v;
  v.kind = VerdictKind::Skip;
  v.reason = why;
  return v;
}

std::vector<Lowered> lowered_groups(const Case& c, const Plan& plan, Judging& judging) {
  std::vector<Lowered> out;
  fuse::CompileLog log;
  const Prepared ready(c, plan);
  for (const Call& call : c.calls) {
    ready.run(call);
    judging.count_runs();
  }
  for (fuse::Compilation& m : log.compilations)
    if (m.program && out.size() < kMostKernels) out.push_back(std::move(m.lowered));
  return out;
}

bool judge_kernel(const Plan& plan, Subject subject, Choices& choices, Judging& judging) {
  if (!subject.ready()) return false;
  const bool exact = subject.kernel().domain == Domain::Ring;
  for (int i = 0; i < kSequences; ++i) {
    const auto [steps, transformed] = draw_steps(choices, subject);
    const bool compiled = exact && choices.chance(0.05);
    if (steps.empty()) continue;
    if (judging.add(judge_steps(subject, steps, compiled, transformed), plan, 0)) return true;
  }
  return false;
}

bool judge_noted(const Plan& plan, Subject subject, const std::string& note, Judging& judging) {
  const Steps steps = fuse::parse_steps(note);
  if (!subject.ready() || !subject.takes(steps)) return false;
  const bool exact = subject.kernel().domain == Domain::Ring;
  return judging.add(judge_steps(subject, steps, exact), plan, 0);
}

Subject nest(uint64_t seed) {
  Choices choices(seed, 0x6e657374);
  Lowered lowered;
  lowered.kernel = generate_nest(choices);
  return Subject(lowered, fmt::format("{}{}", kOfNest, seed));
}

// What the case is about: a sequence, and a nest where it was met on one.
struct Noted {
  std::string steps;  // empty: drawn ones
  std::optional<uint64_t> nest;
};

Noted read_note(const Case& c) {
  for (const std::string& n : c.notes) {
    const size_t at = n.find(kNote);
    if (at == std::string::npos) continue;
    const std::string text = n.substr(at + std::string_view(kNote).size());
    Noted out{text.substr(0, text.find(" on ")), {}};
    const std::string where = text.substr(out.steps.size(), text.find(": ") - out.steps.size());
    if (const size_t nest = where.find(kOfNest); nest != std::string::npos) {
      const std::string digits = where.substr(nest + kOfNest.size());
      uint64_t seed = 0;
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
      if (end.ec != std::errc() || end.ptr != digits.data() + digits.size())
        fail("note '{}': '{}' is not the whole number of a nest", n, digits);
      out.nest = seed;
    }
    return out;
  }
  return {};
}

// In the domain that is in force, where `run` is what is run of `c`. True when judging must stop.
bool judge_groups(const Case& c, const Case& run, const Noted& note, Choices& choices,
                  Judging& judging) {
  for (const Plan& plan : fusing(c))
    for (const Lowered& lowered : lowered_groups(run, plan, judging))
      if (note.steps.empty() ? judge_kernel(plan, Subject(lowered), choices, judging)
                             : judge_noted(plan, Subject(lowered), note.steps, judging))
        return true;
  return false;
}

bool in_ring(const Case& c, const Noted& note, Choices& choices, Judging& judging) {
  const DomainScope ring(Domain::Ring);
  return judge_groups(c, with_residues(c), note, choices, judging);
}

Verdict judge(const Case& c) {
  Choices choices(hash_bytes(c.origin, hash_bytes(print(*c.program))), 0x7363686564);
  const Noted note = read_note(c);
  const Plan plan = fusing(c)[0];
  Judging judging;
  judging.add(skip("no group of loopnest that a transform takes"), {}, 0);
  if (note.nest) {
    judge_noted(plan, nest(*note.nest), note.steps, judging);
    return judging.verdict();
  }
  const bool drawn = note.steps.empty(), ring = !drawn || choices.chance(0.5);
  if ((!drawn || !ring) && judge_groups(c, c, note, choices, judging)) return judging.verdict();
  if (ring && in_ring(c, note, choices, judging)) return judging.verdict();
  for (int i = 0; drawn && i < kNests; ++i)
    if (judge_kernel(plan, nest(choices.bits() >> 32), choices, judging)) break;
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "schedules",
     .summary = "any legal sequence of transforms keeps every bit of a kernel's results",
     .judge = &judge,
     .part = "transforms"});

}  // namespace
}  // namespace fusillade::fuzz

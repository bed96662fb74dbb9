// See expected.h.
#include "fuzz/cli/expected.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/visible.h"
#include "engine/tensor/npy.h"
#include "fuzz/cli/verb.h"
#include "fuzz/given/lift.h"
#include "fuzz/oracle/sampled.h"

namespace fusillade::cli {

Expected::Expected(const Program& program, const std::vector<IValue>& inputs) {
  if (program.module.unit) {
    fuzz::Lifted lifted = fuzz::lift(*program.graph, program.module.self);
    graph_ = std::move(lifted.graph);
    call_.inputs.assign(inputs.begin() + 1, inputs.end());
    call_.inputs.insert(call_.inputs.end(), lifted.values.begin(), lifted.values.end());
  } else {
    graph_ = program.graph->clone();
    call_.inputs = inputs;
  }
  call_ = fuzz::copy_call(call_);
  reference_ = make_reference(*graph_, call_, fuzz::Shadow::Of::Any);
  if (reference_->outcome.kind != fuzz::Outcome::Kind::Values)
    fail("--expect: the program gives no results: {}", reference_->outcome.message);
}

bool Expected::all_within_bounds(const std::vector<Result>& results, fuzz::Elements& seen) {
  if (!reference_->untrusted.empty()) {
    fmt::print("expected: there are no bounds: {}\n", visible_line(reference_->untrusted));
    return true;
  }
  const std::vector<Tensor> wanted = fuzz::tensors_in(reference_->outcome.outputs);
  fuzz::Verdict verdict;
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor& of = wanted.at(i % wanted.size());
    if (reference_->shadow.admits(of, results[i].tensor, results[i].name, verdict)) continue;
    fmt::print("expected: {}\n", visible_line(verdict.detail));
    return false;
  }
  seen = verdict.elements;
  return true;
}

bool Expected::all_as_sampled(const std::vector<Result>& results, fuzz::Elements& seen) {
  std::optional<fuzz::Samples> samples;
  try {
    samples.emplace(*graph_, call_);
  } catch (const Error& e) {
    fmt::print("expected: there are no samples: {}\n", visible_lines(e.what()));
    return true;
  }
  fuzz::Verdict verdict;
  for (size_t i = 0; i < results.size(); ++i) {
    if (samples->admits(i % (results.size() / 2), results[i].tensor, results[i].name, verdict))
      continue;
    fmt::print("expected: {}\n", visible_line(verdict.detail));
    return false;
  }
  seen = verdict.elements;
  return true;
}

int Expected::judge(const std::vector<IValue>& outputs, const std::vector<std::string>& files) {
  std::vector<Result> results;  // of this run, then of the files
  for (const Tensor& t : fuzz::tensors_in(outputs))
    results.push_back({t, fmt::format("tensor {} of this run", results.size())});
  if (results.size() != files.size())
    fail("--expect: {} files, and the results are {} tensors", files.size(), results.size());
  for (size_t i = 0; i < files.size(); ++i) {
    const Tensor theirs = load_npy(files[i]), &ours = results[i].tensor;
    if (theirs.dtype() != ours.dtype() || theirs.sizes() != ours.sizes()) {
      fmt::print("expected: {} is {}, this run gives {}\n", visible_line(files[i]),
                 describe(theirs), describe(ours));
      return kFindings;
    }
    results.push_back({theirs, files[i]});
  }
  fuzz::Elements bounded, sampled;
  if (!all_within_bounds(results, bounded)) return kFindings;
  const bool all_tight = bounded.tight == bounded.compared && bounded.untrusted == 0;
  if ((!all_tight || bounded.compared == 0) && !all_as_sampled(results, sampled)) return kFindings;
  fmt::print("expected: {} elements within their bounds, {} of them tight\n", bounded.compared,
             bounded.tight);
  if (sampled.compared + sampled.untrusted > 0)
    fmt::print("expected: {} elements as samples of roundings, {} not judged by these\n",
               sampled.compared, sampled.untrusted);
  const bool any =
      std::ranges::any_of(results, [](const Result& r) { return r.tensor.numel() > 0; });
  return any && bounded.compared + sampled.compared == 0 ? kInconclusive : kOk;
}

}  // namespace fusillade::cli

// Claim: archives are faithful. A graph saved as TorchScript's archive and loaded again computes
// the same bits, and saving what was loaded gives the same bytes. A module that holds the inputs of
// the first call comes back with the same state: bits, sizes, strides, what shares memory; and
// every entry's data is aligned as PyTorch wants it.
#include "engine/ir/composite.h"
#include "engine/run/archive/archive.h"
#include "engine/run/archive/zip.h"
#include "fuzz/oracle/judging.h"
#include "fuzz/run/stateful_module.h"

namespace fusillade::fuzz {
namespace {

// An archive holds a program's text and what its module holds, each written and read by code of its
// own.
constexpr const char* kCode = "archive code";
constexpr const char* kState = "archive state";

// The loaded module's `forward` as a graph with the inputs and outputs of the one that was saved.
std::unique_ptr<Graph> unwrap(const Module& module, const Graph& saved) {
  auto out = std::make_unique<Graph>();
  Node* end = out->block()->return_node();
  Node* self = out->create(prim::create_object(), {}, 1);
  self->output()->set_type(module.self.type());
  self->insert_before(end);
  std::vector<Value*> inputs{self->output()};
  for (const Value* v : saved.inputs()) inputs.push_back(out->add_input(v->type()));
  std::vector<Value*> results = inline_graph(*method_of(module, "forward").graph, end, inputs);
  if (saved.outputs().empty()) results.clear();  // None
  if (saved.outputs().size() > 1) {
    Node* unpack =
        out->create(prim::tuple_unpack(), {results[0]}, static_cast<int>(saved.outputs().size()));
    unpack->insert_before(end);
    infer_types(unpack);
    results = {unpack->outputs().begin(), unpack->outputs().end()};
  }
  for (Value* v : results) out->add_output(v);
  return out;
}

// The graph read back, or a finding in `verdict`.
std::unique_ptr<Graph> reload(const Graph& graph, Verdict& verdict) {
  try {
    std::string bytes = save_archive(module_of_function(graph));
    Module module = load_archive(bytes, "saved");
    if (save_archive(module) == bytes) return unwrap(module, graph);
    verdict = mismatch("bytes",
                       "saved, loaded and saved again it is another archive; loaded it reads:\n" +
                           print(*method_of(module, "forward").graph));
  } catch (const Error& e) {
    verdict = mismatch("unreadable", e.what());
  } catch (const Unsupported& e) {
    verdict.kind = VerdictKind::Skip;
    verdict.reason = "the archive's text cannot say it";
    verdict.detail = e.what();
  }
  return nullptr;
}

// What the module of the first call's inputs holds, before saving and after loading.
Verdict judge_state(const Case& c) {
  Verdict verdict;
  try {
    Module module = holding(*c.program, copy_call(c.calls[0]));
    std::string bytes = save_archive(module);
    archive::ZipReader zip(bytes, "saved");
    for (const archive::ZipEntry& e : zip.entries())
      if (e.begin % archive::ZipWriter::kAlignment)
        return mismatch("alignment",
                        fmt::format("the data of '{}' begins at byte {}", e.name, e.begin));
    std::string difference = state_difference(module, load_archive(bytes, "saved"));
    if (!difference.empty()) return mismatch("state", difference);
    verdict.elements.compared = verdict.elements.tight = c.calls[0].inputs.size();
  } catch (const Error& e) {
    verdict = mismatch("unreadable", e.what());
  } catch (const Unsupported& e) {
    verdict.kind = VerdictKind::Skip;
    verdict.reason = "the archive's text cannot say it";
    verdict.detail = e.what();
  }
  return verdict;
}

Verdict about(const char* part, Verdict v) {
  v.part = part;
  return v;
}

// An archive calls what was forked, so that errors of tasks come elsewhere: the calls that raise
// none, here and there.
Case without_errors(const Case& c, const Graph& loaded) {
  Case out = c.clone();
  Prepared here(c, reference_plan());
  Prepared there = Prepared::of_graph(loaded, reference_plan());
  std::erase_if(out.calls, [&](const Call& call) {
    const bool error = here.run(call).kind == Outcome::Kind::Error;
    return error || there.run(call).kind == Outcome::Kind::Error;
  });
  return out;
}

Verdict judge(const Case& c) {
  Judging judging;
  Verdict text;
  std::unique_ptr<Graph> back = reload(*c.program, text);
  if (judging.add(about(kCode, text), {}, -1) || !back) return judging.verdict();
  if (!c.calls.empty() && judging.add(about(kState, judge_state(c)), {}, 0))
    return judging.verdict();
  judge_same(has_tasks(c.program->block()) ? without_errors(c, *back) : c.clone(), *back, judging);
  return about(kCode, judging.verdict());
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "archive",
     .summary = "graphs saved as archives load back to themselves, byte for byte",
     .judge = &judge,
     .part = "archive"});

}  // namespace
}  // namespace fusillade::fuzz

// Claim: text is faithful. A case and a graph print, parse and print to the same text, before and
// after each plan's passes, and the graph that was read back computes the same bits.
#include "engine/run/on_device.h"
#include "engine/tensor/device_access.h"
#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

// The graph read back, or a finding in `verdict`.
std::unique_ptr<Graph> reread(const Graph& graph, Verdict& verdict) {
  std::string text = print(graph);
  try {
    ClassTable classes = classes_in(graph);
    std::unique_ptr<Graph> back = parse_graph(text, "<ir>", &classes);
    std::string again = print(*back);
    if (again == text) return back;
    verdict = mismatch(
        "text", "printed, parsed and printed again it reads:\n" + again + "but was:\n" + text);
  } catch (const Exception& e) {
    verdict = mismatch("unreadable", std::string(e.what()) + "\n" + text);
  }
  return nullptr;
}

Verdict case_text(const Case& c) {
  std::string text = print(c);
  try {
    if (print(parse_case(text, "<case>")) != text)
      return mismatch("case text", "the case reads back differently");
  } catch (const Exception& e) {
    return mismatch("case unreadable", e.what());
  }
  return {};
}

Verdict judge(const Case& c) {
  Judging judging;
  if (judging.add(case_text(c), {}, -1)) return judging.verdict();
  Verdict text;
  std::unique_ptr<Graph> back = reread(*c.program, text);
  if (judging.add(text, {}, -1)) return judging.verdict();
  if (judge_same(c, *back, judging)) return judging.verdict();
  for (const Plan& plan : c.plans) {
    Prepared optimised(c, plan);
    if (!optimised.graph()) continue;
    const Graph* ran = optimised.graph();
    std::unique_ptr<Graph> here;
    if (find_device_access(plan.device.type)) {
      here = ran->clone();
      leave_device(*here);
      ran = here.get();
    }
    Verdict after;
    reread(*ran, after);
    if (judging.add(after, plan, -1)) return judging.verdict();
  }
  return judging.verdict();
}

const Oracle& registered = Table<Oracle>::instance().add(
    {.name = "roundtrip",
     .summary = "graphs and cases print, parse and run back to themselves",
     .judge = &judge,
     .random = true,
     .part = "text"});

}  // namespace
}  // namespace fusillade::fuzz

// See pack.h.
#include "fuzz/run/foreign/pack.h"

#include <algorithm>
#include <map>

#include "engine/passes/effects.h"
#include "fuzz/run/foreign/foreign_worker.h"

namespace fusillade::fuzz {
namespace {

using Kind = Outcome::Kind;

// Reads the elements of a tensor into a number.
bool reads_elements(const Node* n) {
  if (n->kind() != OpKind::Scalar || n->row().metadata) return false;
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [](const Value* v) { return v->type().is_tensor(); });
}

void append(const Graph& member, Graph& whole) {
  std::vector<Value*> inputs;
  for (const Value* v : member.inputs()) inputs.push_back(whole.add_input(v->type()));
  for (Value* v : inline_graph(member, whole.block()->return_node(), inputs)) whole.add_output(v);
}

// What tells a case's question from others: the program and the bytes of its calls.
std::string question(const Case& c, const std::string& plan) {
  std::string out = plan + "\n" + print(*c.program);
  for (const Call& call : c.calls) {
    WireWriter writer;
    nlohmann::json args = nlohmann::json::array();
    for (const IValue& v : call.inputs) args.push_back(writer.value(v));
    out += writer.body({{"args", args}});
  }
  return out;
}

std::vector<IValue> part(const std::vector<IValue>& all, size_t& from, size_t count) {
  auto begin = all.begin() + static_cast<long>(from);
  from += count;
  return {begin, begin + static_cast<long>(count)};
}

bool all_values(const std::vector<Outcome>& outcomes) {
  return std::all_of(outcomes.begin(), outcomes.end(),
                     [](const Outcome& o) { return o.kind == Kind::Values; });
}

}  // namespace

bool may_pack(const Graph& program) {
  bool computes = false;
  Effects effects(program);
  for (const Node* n : program.block()->nodes()) {
    if (!n->blocks().empty() || n->has_attr("Subgraph") || has_side_effect(n) ||
        is_nondeterministic(n) || reads_elements(n))
      return false;
    for (const Value* v : n->outputs()) computes = computes || v->type().is_tensor();
    for (const Value* v : n->inputs())
      if (effects.written(v) && effects.outside(v)) return false;
  }
  return computes;
}

Case packed(std::span<const Case* const> members) {
  Case out;
  out.oracle = members[0]->oracle;
  out.origin = fmt::format("{} and {} more in a pack", members[0]->origin, members.size() - 1);
  out.program = std::make_unique<Graph>();
  out.calls.resize(members[0]->calls.size());
  for (const Case* c : members) {
    append(*c->program, *out.program);
    for (size_t i = 0; i < out.calls.size(); ++i) {
      const std::vector<IValue>& inputs = c->calls[i].inputs;
      out.calls[i].inputs.insert(out.calls[i].inputs.end(), inputs.begin(), inputs.end());
    }
  }
  return out;
}

Foreseen& Foreseen::of_thread() {
  thread_local Foreseen all;
  return all;
}

void Foreseen::ask(std::span<const Case* const> cases, const std::string& plan) {
  const std::string engine = parse_plan(plan).engine;
  const Family& family = family_of(engine);
  size_t most = ForeignWorker::of(family).contract(name_in_family(engine)).packs;
  if (most < 2) return;
  std::map<size_t, std::vector<Member>> of_calls;
  for (const Case* c : cases) {
    if (!may_pack(*c->program) || c->calls.empty()) continue;
    Prepared eager(*c, eager_of(engine));
    Member member{c, {}};
    for (const Call& call : c->calls) {
      member.eager.push_back(eager.run(call));
      if (member.eager.back().kind != Kind::Values) break;
    }
    if (all_values(member.eager)) of_calls[c->calls.size()].push_back(std::move(member));
  }
  for (auto& [calls, members] : of_calls)
    for (size_t from = 0; from < members.size(); from += most)
      ask_pack(std::span(members).subspan(from, std::min(most, members.size() - from)), plan);
}

void Foreseen::ask_pack(std::span<Member> members, const std::string& plan) {
  if (members.size() < 2) return;
  std::vector<const Case*> cases;
  for (const Member& m : members) cases.push_back(m.given);
  auto pack = std::make_shared<Case>(packed(cases));
  pack->oracle = "compiled";
  pack->plans = {plan};
  const Family& family = family_of(parse_plan(plan).engine);
  Prepared candidate(*pack, plan);
  std::vector<Outcome> whole;
  bool broken = false;
  for (const Call& call : pack->calls) {
    whole.push_back(candidate.run(call));
    broken = whole.back().kind != Kind::Values || ForeignWorker::of(family).interpreted();
    if (broken) break;
  }
  if (broken) {
    if (whole.back().kind == Kind::Hang) return;
    ask_pack(members.first(members.size() / 2), plan);
    return ask_pack(members.subspan(members.size() / 2), plan);
  }
  std::vector<size_t> inputs(whole.size()), outputs(whole.size());
  for (Member& m : members) {
    const Graph& program = *m.given->program;
    Answer answer{std::move(m.eager), {}, pack};
    for (size_t i = 0; i < whole.size(); ++i) {
      Outcome& o = answer.observed.emplace_back();
      o.outputs = part(whole[i].outputs, outputs[i], program.outputs().size());
      o.inputs = part(whole[i].inputs, inputs[i], program.inputs().size());
    }
    answers_.emplace_back(question(*m.given, plan), std::move(answer));
  }
}

std::optional<Foreseen::Answer> Foreseen::take(const Case& c, const std::string& plan) {
  if (answers_.empty()) return std::nullopt;
  std::string asked;
  try {
    asked = question(c, plan);
  } catch (const Unsupported&) {  // values that no worker takes
    return std::nullopt;
  }
  auto it = std::find_if(answers_.begin(), answers_.end(),
                         [&](const auto& a) { return a.first == asked; });
  if (it == answers_.end()) return std::nullopt;
  Answer out = std::move(it->second);
  answers_.erase(it);
  return out;
}

}  // namespace fusillade::fuzz

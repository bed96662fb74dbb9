// See pack.h.
#include "fuzz/run/foreign/pack.h"

#include <algorithm>
#include <map>

#include "engine/ir/visit.h"
#include "engine/passes/effects.h"
#include "fuzz/run/foreign/foreign_worker.h"
#include "fuzz/run/foreign/unanswered.h"

namespace fusillade::fuzz {
namespace {

// Reads the elements of a tensor into a number.
bool reads_elements(const Node* n) {
  if (n->kind() != OpKind::Scalar || n->op().metadata) return false;
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [](const Value* v) { return v->type().is_tensor(); });
}

struct Kind {
  bool separate = false, computes = false, writes = false;
};

void look_at(const Block& block, const Effects& effects, Kind& kind) {
  each_node(&block, [&](const Node* n) {
    kind.separate =
        kind.separate || has_side_effect(n) || is_nondeterministic(n) || reads_elements(n);
    for (const Value* v : n->outputs()) kind.computes = kind.computes || v->type().is_tensor();
    for (const Value* v : n->inputs())
      kind.writes = kind.writes || (effects.is_written(v) && effects.outside(v));
  });
}

void append(const Graph& member, Graph& whole) {
  std::vector<Value*> inputs;
  for (const Value* v : member.inputs()) inputs.push_back(whole.add_input(v->type()));
  for (Value* v : inline_graph(member, whole.block()->return_node(), inputs)) whole.add_output(v);
}

// What distinguishes a case's question from others: the program and the bytes of its calls.
std::string question(const Case& c, const Plan& plan) {
  std::string out = plan.text + "\n" + print(*c.program);
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

// What of a call's arguments is not elements: sizes, strides, what shares memory, plain values.
std::string form_of(const Call& call) {
  WireWriter writer;
  nlohmann::json args = nlohmann::json::array();
  for (const IValue& v : call.inputs) args.push_back(writer.value(v));
  std::string body = writer.body({{"args", args}});
  return body.substr(0, body.find('\n'));
}

// The numbers of a case's calls, those together that one compile serves.
std::vector<std::vector<size_t>> calls_together(const Case& c, const Contract& contract) {
  std::vector<std::string> forms;
  std::vector<std::vector<size_t>> out;
  for (size_t i = 0; i < c.calls.size(); ++i) {
    std::string form = contract.recompiles ? form_of(c.calls[i]) : "";
    size_t k = static_cast<size_t>(std::find(forms.begin(), forms.end(), form) - forms.begin());
    if (k == forms.size()) {
      forms.push_back(std::move(form));
      out.emplace_back();
    }
    out[k].push_back(i);
  }
  return out;
}

bool is_declined(const Contract& contract, const Graph& program) {
  if (contract.declines.empty()) return false;
  const std::vector<std::string> ops = python_source(*without_calls(program)).ops;
  return std::any_of(ops.begin(), ops.end(),
                     [&](const std::string& op) { return contract.declines.count(op) != 0; });
}

}  // namespace

Packs packs_of(const Graph& program) {
  Kind kind;
  try {
    std::unique_ptr<Graph> flat = without_calls(program);
    look_at(*flat->block(), Effects(*flat), kind);
  } catch (const Unsupported&) {  // calls that are no functions
    return Packs::Alone;
  }
  if (kind.separate || !kind.computes) return Packs::Alone;
  return kind.writes ? Packs::WithWriters : Packs::WithReaders;
}

Case pack_cases(std::span<const PackMember> members) {
  Case out;
  out.oracle = members[0].given->oracle;
  out.origin =
      fmt::format("{} and {} more in a pack", members[0].given->origin, members.size() - 1);
  out.program = std::make_unique<Graph>();
  size_t calls = 0;
  for (const PackMember& m : members) calls = std::max(calls, m.calls.size());
  out.calls.resize(calls);
  for (const PackMember& m : members) {
    append(*m.given->program, *out.program);
    for (size_t i = 0; i < calls; ++i) {
      const size_t number = m.calls[std::min(i, m.calls.size() - 1)];
      const std::vector<IValue>& inputs = m.given->calls[number].inputs;
      out.calls[i].inputs.insert(out.calls[i].inputs.end(), inputs.begin(), inputs.end());
    }
  }
  return out;
}

Foreseen& Foreseen::of_thread() {
  thread_local Foreseen all;
  return all;
}

void Foreseen::ask(std::span<const Case* const> cases, const Plan& plan) {
  const std::string& engine = plan.engine;
  const Family& family = family_of(engine);
  const Contract contract = ForeignWorker::of(family).contract(name_in_family(engine));
  if (contract.packs < 2) return;
  std::vector<Asked> asked;
  asked.reserve(cases.size());
  std::map<std::pair<Packs, size_t>, Members> kinds;
  for (const Case* c : cases) {
    const Packs kind = packs_of(*c->program);
    if (kind == Packs::Alone || Unanswered::of_thread(engine).in(*c->program)) continue;
    Answer answer;
    Prepared eager(*c, plan_of_engine(eager_of(engine)));
    for (const Call& call : c->calls) {
      answer.eager.push_back(eager.run(call));
      if (answer.eager.back().kind != Outcome::Kind::Values) break;
    }
    if (answer.eager.empty() || answer.eager.back().kind != Outcome::Kind::Values) continue;
    if (is_declined(contract, *c->program)) continue;
    answer.observed.resize(c->calls.size());
    answer.packs.resize(c->calls.size());
    asked.push_back({c, std::move(answer)});
    // Calls that other sizes come to are of one number in a pack: none is repeated.
    const size_t number = contract.recompiles ? 0 : c->calls.size();
    for (std::vector<size_t>& together : calls_together(*c, contract))
      kinds[{kind, number}].push_back({&asked.back(), {c, std::move(together)}});
  }
  for (auto& [kind, members] : kinds)
    for (size_t from = 0; from < members.size(); from += contract.packs)
      ask_pack(std::span(members).subspan(from, std::min(contract.packs, members.size() - from)),
               plan);
  for (Asked& a : asked)
    if (a.answered == a.given->calls.size())
      answers_.emplace_back(question(*a.given, plan), std::move(a.answer));
}

void Foreseen::ask_pack(std::span<Members::value_type> members, const Plan& plan) {
  if (members.size() < 2) return;
  std::vector<PackMember> parts;
  for (const auto& [asked, member] : members) parts.push_back(member);
  auto pack = std::make_shared<Case>(pack_cases(parts));
  pack->oracle = "compiled";
  pack->plans = {plan};
  const std::string& engine = plan.engine;
  const Family& family = family_of(engine);
  Prepared candidate(*pack, plan);
  std::vector<Outcome> whole;
  bool broken = false;
  for (const Call& call : pack->calls) {
    whole.push_back(candidate.run(call));
    broken =
        whole.back().kind != Outcome::Kind::Values || ForeignWorker::of(family).is_interpreted();
    if (broken) break;
  }
  if (broken) {
    if (whole.back().kind == Outcome::Kind::Hang) return;
    ask_pack(members.first(members.size() / 2), plan);
    return ask_pack(members.subspan(members.size() / 2), plan);
  }
  std::vector<size_t> inputs(whole.size()), outputs(whole.size());
  for (auto& [asked, member] : members) {
    const Graph& program = *member.given->program;
    Unanswered::of_thread(engine).record(program, true);
    for (size_t i = 0; i < whole.size(); ++i) {
      Outcome o;
      o.outputs = part(whole[i].outputs, outputs[i], program.outputs().size());
      o.inputs = part(whole[i].inputs, inputs[i], program.inputs().size());
      if (i >= member.calls.size()) continue;
      asked->answer.observed[member.calls[i]] = std::move(o);
      asked->answer.packs[member.calls[i]] = pack;
      ++asked->answered;
    }
  }
}

std::optional<Foreseen::Answer> Foreseen::take(const Case& c, const Plan& plan) {
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

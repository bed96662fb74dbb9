// See from_case.h.
#include "fuzz/given/from_case.h"

#include "engine/ir/composite.h"
#include "engine/passes/pass.h"
#include "engine/run/frame.h"
#include "fuzz/given/lift.h"

namespace fusillade::fuzz {
namespace {

// Calls that came with a case say how its inputs are where its types do not.
void narrow_by_call(Given& given) {
  if (given.program.calls.empty()) return;
  const std::vector<IValue>& values = given.program.calls[0].inputs;
  for (size_t i = 0; i < given.inputs.size() && i < values.size(); ++i) {
    GivenInput& in = given.inputs[i];
    bool object = values[i].tag() == IValue::Tag::Object;
    if (object || !drawable(in.type)) in.fixed = values[i];
    else if (values[i].is_tensor() && in.type.is_tensor() && !in.type.info().complete())
      in.type = values[i].type();
  }
}

}  // namespace

Given given_of(Case c, const std::string& file) {
  if (!c.refused.empty()) fail("{}", c.refused);
  Given given;
  given.file = file;
  given.program.script = std::move(c.script);
  given.program.program = std::move(c.program);
  given.program.self = std::move(c.self);
  given.program.calls = std::move(c.calls);
  for (const Value* v : given.program.program->inputs())
    given.inputs.push_back({v->name(), v->type(), {}, {}});
  if (!given.program.self.is_none()) given.inputs[0].fixed = given.program.self;
  narrow_by_call(given);
  check_inputs_known(given);
  return given;
}

void check_inputs_known(const Given& given) {
  for (const GivenInput& in : given.inputs) {
    if (!in.fixed && !drawable(in.type))
      fail("{}: no values are drawn for '{}' of type {}; give one by --arg", given.file, in.name,
           in.type.text());
    if (!in.fixed) continue;
    Graph takes_it;
    takes_it.name = given.file;
    takes_it.add_input(in.type)->set_name(in.name);
    check_inputs(takes_it, {*in.fixed});
  }
}

void as_one_graph(Given& given) {
  Case& c = given.program;
  c.script.clear();
  // What a task calls is inlined into it, and then no archive can say it.
  if (has_tasks(c.program->block())) fail("{}: it starts tasks, which no mutant does", given.file);
  if (c.self.is_none()) {
    run_pipeline(*c.program, parse_pipeline("inline"), {});
    return;
  }
  Lifted lifted = lift(*c.program, c.self);
  given.inputs.erase(given.inputs.begin());
  for (size_t i = 0; i < lifted.values.size(); ++i) {
    const Value* v = lifted.graph->inputs()[given.inputs.size()];
    given.inputs.push_back({v->name(), v->type(), lifted.values[i], {}});
  }
  c.program = std::move(lifted.graph);
  c.calls.clear();
  c.self = IValue();
}

}  // namespace fusillade::fuzz

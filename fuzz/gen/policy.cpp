// The policies of the generator: what each one draws more often.
#include "fuzz/gen/policy.h"

#include "engine/base/text.h"
#include "fuzz/gen/generate.h"

namespace fusillade::fuzz {
namespace {

Policy make(const char* name, const char* summary, int weight) {
  Policy p;
  p.name = name;
  p.summary = summary;
  p.weight = weight;
  return p;
}

[[maybe_unused]] const bool kRegistered = [] {
  auto& table = Table<Policy>::instance();
  Policy mixed = make("mixed", "a little of everything", 6);
  mixed.contract = 1;
  mixed.branch = mixed.loop = mixed.tuple = mixed.call = mixed.stores = mixed.items = 1;
  table.add(mixed);

  Policy chains =
      make("chains", "element-wise chains over broadcast operands, as fusers like them", 5);
  chains.pointwise = 20;
  chains.reduce = chains.view = 1;
  chains.movement = chains.create = chains.composite = 0;
  chains.scalar = 2;  // numbers that are arguments of groups
  chains.in_place = 0.03;
  chains.compiled = 0.08;
  table.add(chains);

  Policy reduce = make("reduce", "reductions, normalisations and what surrounds them", 3);
  reduce.reduce = 8;
  reduce.composite = 3;
  reduce.integers = 0.3;
  reduce.wide = 0.25;
  reduce.compiled = 0.2;  // loops over lanes, and what remains of them, are chosen by the back end
  table.add(reduce);

  Policy views = make("views", "views of views, layouts, data movement", 3);
  views.view = 14;
  views.movement = 3;
  views.strided = 0.6;
  views.repeat = 4;
  table.add(views);

  Policy in_place = make("inplace", "writes through views and aliases", 3);
  in_place.in_place = 0.6;
  in_place.view = 8;
  in_place.branch = in_place.tuple = in_place.items = 1;
  in_place.loop = in_place.stores = 3;
  in_place.repeat = 4;
  in_place.fails = 0.02;
  table.add(in_place);

  Policy control = make("control", "branches and loops, nested, with carried values", 4);
  control.branch = control.loop = 4;
  control.scalar = 4;
  control.tuple = control.call = control.items = control.stores = 1;
  control.in_place = 0.2;
  control.repeat = 4;
  control.max_ops = 10;
  control.fails = 0.02;
  table.add(control);

  Policy integers = make("integers", "integer and bool arithmetic, casts between all dtypes", 3);
  integers.integers = 0.85;
  integers.rewritable = 3;
  table.add(integers);

  Policy matrix = make("matrix", "matrix products between element-wise chains", 6);
  matrix.contract = 6;
  matrix.repeat = 8;
  matrix.integers = 0.1;
  table.add(matrix);

  Policy scalars = make("scalars", "arithmetic of ints, floats and bools beside tensors", 1);
  scalars.scalar = 10;
  scalars.branch = 2;
  table.add(scalars);

  Policy source =
      make("source", "scripts: control flow, lists, tuples, strings, classes, calls", 8);
  source.source = true;
  table.add(source);

  Policy tensors =
      make("source_tensors",
           "scripts with tensors: operators, methods, slices, writes, control flow, modules", 4);
  tensors.source = tensors.tensors = true;
  tensors.view = 5;
  tensors.contract = tensors.scalar = 1;
  tensors.in_place = 0.25;
  table.add(tensors);

  Policy tasks = make(
      "tasks", "scripts with tasks on other threads, and writes before they are waited for", 4);
  tasks.source = tasks.tensors = true;
  tasks.tasks = 0.2;
  tasks.in_place = 0.25;
  table.add(tasks);

  Policy large = make("large", "long programs, where making one ready is dear", 1);
  large.contract = large.branch = large.loop = large.tuple = large.call = 1;
  large.min_ops = 25;
  large.max_ops = 60;
  large.compiled = 0.3;
  table.add(large);

  Policy groups = make("groups", "expressions that fusers take as one group, up to 40 operands", 2);
  groups.pointwise = groups.view = groups.movement = groups.create = groups.composite = 0;
  groups.scalar = groups.reduce = groups.repeat = groups.rewritable = 1;
  groups.expression = 12;
  groups.min_ops = 1;
  groups.max_ops = 60;
  groups.max_inputs = 40;
  groups.integers = 0.15;
  groups.fails = 0;
  table.add(groups);

  Policy parts = make("parts", "tensors computed part by part, and lists of them, as loops do", 5);
  parts.stores = 8;
  parts.items = parts.contract = 1;
  parts.repeat = 4;
  parts.join = 3;
  parts.max_ops = 8;
  table.add(parts);

  Policy gradients = make("gradients", "loops of floats that write nothing: whole functions", 3);
  gradients.loop = 6;
  gradients.view = gradients.create = gradients.movement = gradients.rewritable = 0;
  gradients.in_place = 0;
  gradients.integers = 0.05;
  gradients.fails = 0;
  gradients.min_ops = 3;
  gradients.max_ops = 8;
  table.add(gradients);

  Policy rules = make("rules", "left sides of rewrite rules, whole or one condition broken", 4);
  rules.rewritable = 20;
  rules.pointwise = 4;
  rules.integers = 0.5;
  rules.min_ops = 2;
  rules.max_ops = 8;
  table.add(rules);

  Policy rows = make("rows", "one op: every row, dtype and layout, a table of values", 8);
  rows.one_op = true;
  rows.strided = 0.5;
  rows.min_ops = rows.max_ops = 1;
  rows.compiled = 0.1;
  table.add(rows);
  return true;
}();

}  // namespace

const Policy& policy(const std::string& name) {
  if (const Policy* found = Table<Policy>::instance().find(name)) return *found;
  fail("there is no policy '{}'; the policies are: {}{}", name, join(policy_names(), ", "),
       near_misses(name, policy_names()));
}

std::vector<std::string> policy_names() {
  std::vector<std::string> out;
  for (const Policy* p : Table<Policy>::instance().sorted()) out.push_back(p->name);
  return out;
}

}  // namespace fusillade::fuzz

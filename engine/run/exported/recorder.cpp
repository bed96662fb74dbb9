// See recorder.h. (law: rules name ops)
#include "engine/run/exported/recorder.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/exported/json_text.h"
#include "engine/run/exported/write_target.h"
#include "engine/run/frame.h"

namespace fusillade::exported {
namespace {

std::vector<IValue> values_of(const std::vector<Recorded>& args) {
  std::vector<IValue> out;
  for (const Recorded& a : args) out.push_back(a.value);
  return out;
}

// Where the user wrote a node, as Python's stack traces say it.
std::string place_of(const Node* node) {
  if (!node->range.valid() || node->range.source->text.empty()) return {};
  const std::string where = node->range.where();
  const size_t column = where.rfind(':'), line = where.rfind(':', column - 1);
  return fmt::format("  File \"{}\", line {}, in {}", where.substr(0, line),
                     where.substr(line + 1, column - line - 1), node->graph().name);
}

}  // namespace

std::string Recorder::fresh_name(const std::string& wanted) {
  std::string base = plain_name(wanted);
  if (taken_.insert(base).second) return base;
  for (int& next = next_[base];;)
    if (const std::string name = fmt::format("{}_{}", base, ++next); taken_.insert(name).second)
      return name;
}

void Recorder::bind(const Tensor& tensor, const std::string& name, bool requires_grad) {
  text_.describe(name, tensor, requires_grad);
  names_.try_emplace(tensor.impl(), Named{tensor, name});
}

std::vector<Recorded> Recorder::results(const Graph& graph, const std::vector<IValue>& inputs) {
  std::vector<Recorded> given;
  for (const IValue& v : inputs) given.push_back({v, {}});
  return Interpreter(*this).run(graph, std::move(given));
}

std::optional<bool> Recorder::truth(const Recorded& x) const {
  if (!x.known()) return {};
  return x.value.as_bool();
}

std::optional<int64_t> Recorder::count(const Recorded& x) const {
  if (!x.known()) return {};
  return x.value.as_int();
}

void Recorder::on_error(const Error& e, const Node* place) {
  while (place && !place->range.valid()) place = place->block()->owner();
  rethrow_at(e, place);
}

const Graph* Recorder::callee(const Node* node) {
  return written_as(node->op()) == Written::Call ? nullptr : callee_of(node);
}

void Recorder::unknown_branch(Interpreter<Recorder>&, const Node*) {
  fail("elements of tensors decide this condition: it cannot be written");
}

void Recorder::unknown_loop(Interpreter<Recorder>&, const Node*, Recorded&,
                            std::vector<Recorded>&) {
  fail("elements of tensors decide how often this loop turns: it cannot be written");
}

void Recorder::apply(Interpreter<Recorder>&, const Node* node, std::vector<Recorded>& args,
                     std::vector<Recorded>& results) {
  switch (written_as(node->op())) {
    case Written::Call:
      return call_operator(node, args, results);
    case Written::Constant:
      return lift_result(node, args, results);
    case Written::Conversion:
      return convert(node, args, results);
    case Written::Never:
      fail("{} has no form in programs of torch.export", node->op().name);
    case Written::Computed:
      return run_only(node, args, results);
  }
}

// What is computed when the program is written, and not a part of it.
void Recorder::run_only(const Node* node, std::vector<Recorded>& args,
                        std::vector<Recorded>& results) {
  for (const Recorded& a : args)
    if (!a.known())
      fail("{} of a number that elements of tensors decide cannot be written", node->op().name);
  std::vector<IValue> out;
  fusillade::call(node->op(), site_of(node), values_of(args), out);
  for (IValue& v : out) results.push_back({std::move(v), {}});
}

// The operands are named before the operator runs, since it may write them.
void Recorder::call_operator(const Node* node, std::vector<Recorded>& args,
                             std::vector<Recorded>& results) {
  const Operator& op = node->op();
  NodeText text{.target = target_of(op), .inputs = arguments(op, args), .outputs = {}, .name = ""};
  std::vector<IValue> out;
  fusillade::call(op, site_of(node), values_of(args), out);
  text.name = fresh_name(short_name(op));
  text.place = place_of(node);
  const bool single = out.size() == 1;
  for (IValue& v : out) {
    text.outputs.push_back(add_result(v, single && v.is_tensor() ? text.name : "getitem"));
    results.push_back({std::move(v), {}});
  }
  text_.add_node(text);
  forget_unused();
}

// The text of Argument for a result, which gets a name.
std::string Recorder::add_result(const IValue& value, const std::string& wanted) {
  if (value.is_none()) return only("as_none", "true");
  if (value.tag() == IValue::Tag::List) {
    std::vector<std::string> items;
    for (const IValue& v : value.items()) {
      if (!v.is_tensor()) fail("a {} among its results cannot be written", v.type());
      items.push_back(add_result(v, "getitem"));
    }
    for (std::string& item : items)
      item = item.substr(item.find(':') + 2, item.rfind('}') - item.find(':') - 2);
    return only("as_tensors", array_text(items));
  }
  if (!value.is_tensor()) fail("a {} among its results cannot be written", value.type());
  const Tensor tensor = value.as_tensor();
  const std::string name = wanted == "getitem" ? fresh_name(wanted) : wanted;
  text_.describe(name, tensor);
  names_[tensor.impl()] = {tensor, name};
  return only("as_tensor", named(name));
}

// A tensor made from numbers of the program: a constant, and each run gets its own copy.
void Recorder::lift_result(const Node* node, std::vector<Recorded>& args,
                           std::vector<Recorded>& results) {
  for (const Recorded& a : args)
    if (!a.known())
      fail("{} of a number that elements of tensors decide cannot be written", node->op().name);
  std::vector<IValue> out;
  fusillade::call(node->op(), site_of(node), values_of(args), out);
  const Tensor tensor = out.at(0).as_tensor();
  NodeText text{.target = "torch.ops.aten.lift_fresh_copy.default",
                .inputs = {fmt::format(R"({{"name": "self", "arg": {}, "kind": 1}})",
                                       only("as_tensor", named(name_of(tensor))))},
                .outputs = {},
                .name = fresh_name("lift_fresh_copy"),
                .place = place_of(node)};
  text.outputs = {add_result(out[0], text.name)};
  text_.add_node(text);
  results.push_back({out[0], {}});
}

// What PyTorch's scripts have for a cast, and its graphs write as one: nothing where nothing is
// cast.
void Recorder::convert(const Node* node, std::vector<Recorded>& args,
                       std::vector<Recorded>& results) {
  const Tensor from = args.at(0).value.as_tensor();
  const std::string self = only("as_tensor", named(name_of(from)));
  std::vector<IValue> out;
  fusillade::call(node->op(), site_of(node), values_of(args), out);
  const Tensor to = out.at(0).as_tensor();
  results.push_back({out[0], {}});
  if (to.same(from)) return;
  const Recorded dtype{IValue(int64_t{row_of(to.dtype()).aten_code}), {}};
  NodeText text{.target = "torch.ops.aten.to.dtype", .inputs = {}, .outputs = {}, .name = ""};
  text.inputs = {
      fmt::format(R"({{"name": "self", "arg": {}, "kind": 1}})", self),
      fmt::format(R"({{"name": "dtype", "arg": {}, "kind": 1}})",
                  argument("dtype", TypeKind::Int, dtype)),
      fmt::format(R"({{"name": "copy", "arg": {}, "kind": 2}})", only("as_bool", "true"))};
  text.name = fresh_name("to");
  text.place = place_of(node);
  text.outputs = {add_result(out[0], text.name)};
  text_.add_node(text);
}

void Recorder::add_copy(const Tensor& target, const Tensor& source) {
  NodeText text{.target = "torch.ops.aten.copy_.default", .inputs = {}, .outputs = {}, .name = ""};
  for (const auto& [name, tensor] : {std::pair("self", target), std::pair("src", source)})
    text.inputs.push_back(fmt::format(R"({{"name": "{}", "arg": {}, "kind": 1}})", name,
                                      only("as_tensor", named(name_of(tensor)))));
  text.name = fresh_name("copy_");
  text.outputs = {only("as_tensor", named(text.name))};
  text_.describe(text.name, target);
  text_.add_node(text);
}

// The graph's name of a tensor; one that has none is a constant from now on.
std::string Recorder::name_of(const Tensor& tensor) {
  if (const auto found = names_.find(tensor.impl()); found != names_.end())
    return found->second.name;
  if (!tensor.is_defined()) fail("an undefined tensor cannot be written");
  const std::string name = fresh_name(fmt::format("c_lifted_tensor_{}", lifted_.size()));
  lifted_.push_back({name, contiguous(tensor, true)});
  bind(tensor, name);
  return name;
}

// Tensors that only this recording holds are met no more.
void Recorder::forget_unused() {
  constexpr size_t kLeast = 256;
  if (names_.size() < forget_at_) return;
  std::erase_if(names_, [](const auto& row) { return row.first->use_count() == 1; });
  forget_at_ = std::max(kLeast, 2 * names_.size());
}

}  // namespace fusillade::exported

// See recorder.h. (law: rules name ops)
#include "engine/run/exported/recorder.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/infer.h"
#include "engine/ops/traits.h"
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

bool has_symbols(const Type& type) {
  return type.is_tensor() &&
         std::ranges::any_of(type.info().sizes, [](int64_t s) { return s < 0; });
}

}  // namespace

Type sized_type(const Tensor& tensor, const Dims& sizes) {
  TensorInfo info;
  info.has_dtype = info.rank_known = true;
  info.dtype = tensor.dtype();
  info.sizes = sizes;
  info.strides_known = sizes == tensor.sizes();
  if (info.strides_known) info.strides = tensor.strides();
  info.device = tensor.device();
  return Type::tensor(info);
}

const void* identity_of(const IValue& value) {
  if (value.is_sequence()) return value.seq();
  if (value.tag() == IValue::Tag::Dict) return &value.as_dict();
  return value.tag() == IValue::Tag::Object ? &value.as_object() : nullptr;
}

std::string input_text(std::string_view name, std::string_view argument, bool by_name) {
  return fmt::format(R"({{"name": "{}", "arg": {}, "kind": {}}})", name, argument, by_name ? 2 : 1);
}

std::string Recorder::fresh_name(const std::string& wanted) {
  const std::string base = plain_name(wanted);
  if (taken_.insert(base).second) return base;
  for (int& next = next_[base];;)
    if (const std::string name = fmt::format("{}_{}", base, ++next); taken_.insert(name).second)
      return name;
}

void Recorder::bind(const Tensor& tensor, const std::string& name, const Type& type,
                    bool requires_grad) {
  level().text.describe(name, meta_text(tensor, requires_grad, type.info().sizes, symbols_));
  names_.try_emplace(tensor.impl(), Named{tensor, name, levels_.size() - 1, type});
  if (requires_grad) with_gradient_.emplace(name, tensor);
}

// PyTorch writes no memory whose gradients it is asked for.
void Recorder::refuse_gradient(const Tensor& tensor) {
  std::erase_if(with_gradient_, [&](const auto& row) {
    const auto& [name, parameter] = row;
    if (!parameter.shares_storage(tensor)) return false;
    levels_[0]->text.describe(name, meta_text(parameter, false));
    return true;
  });
}

Recorder::Values Recorder::results(const Graph& graph, const std::vector<IValue>& inputs) {
  Values given;
  for (const IValue& v : inputs) given.push_back({v, {}});
  return In(*this).run(graph, std::move(given));
}

std::optional<bool> Recorder::truth(const Recorded& x) const {
  if (!x.is_known()) return {};
  return x.value.as_bool();
}

std::optional<int64_t> Recorder::count(const Recorded& x) const {
  if (!x.is_known()) return {};
  return x.value.as_int();
}

void Recorder::on_error(const Error& e, const Node* place) {
  while (place && !place->range.valid()) place = place->block()->owner();
  rethrow_at(e, place);
}

const Graph* Recorder::callee(const Node* node) {
  return written_as(node->op()) == Written::Call ? nullptr : callee_of(node);
}

void Recorder::apply(In&, const Node* node, Values& args, Values& results) {
  place_ = place_of(node);
  require_own(node->op(), args);
  switch (written_as(node->op())) {
    case Written::Call:
      return call_operator(node->op(), site_of(node), args, results);
    case Written::Constant:
      return lift_result(node, args, results);
    case Written::Conversion:
      return convert(node, args, results);
    case Written::Computed:
      return compute(node, args, results);
    case Written::Never:
      fail("{} has no form in programs of torch.export", node->op().name);
  }
}

// A graph within writes nothing that lives outside: PyTorch has no form for it.
void Recorder::require_own(const Operator& op, const Values& args) {
  if (levels_.size() == 1) return;
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i) {
    const bool sets = &op == &prim::set_attr() && i == 0;
    if (!op.schema.args[i].written && !sets) continue;
    const IValue& v = args[i].value;
    if (v.is_tensor()) {
      const bool captured = std::ranges::any_of(level().captured, [&](const Captured& c) {
        return c.tensor.shares_storage(v.as_tensor());
      });
      if (!captured && named_tensor(v.as_tensor()).level + 1 == levels_.size()) continue;
    } else if (const void* own = identity_of(v); !own || level().made.count(own)) {
      continue;
    }
    fail(
        "{} writes what lives outside of a branch or loop that elements of tensors decide: "
        "torch.export has no form for that",
        op.name);
  }
}

// The operands are named before the operator runs, since it may write them.
void Recorder::call_operator(const Operator& op, const Site& site, const Values& args,
                             Values& results) {
  if (fold(op, site, args, results)) return;
  NodeText text{.target = target_of(op), .inputs = arguments(op, args), .outputs = {}, .name = ""};
  std::vector<IValue> out;
  fusillade::call(op, site, values_of(args), out);
  const std::vector<Type> types = result_types(op, args, out);
  text.name = fresh_name(short_name(op));
  text.place = place_;
  const bool single = out.size() == 1;
  for (size_t i = 0; i < out.size(); ++i) {
    const std::string wanted = single && out[i].is_tensor() ? text.name : "";
    text.outputs.push_back(add_result(out[i], wanted, types[i]));
    results.push_back({std::move(out[i]), {}});
  }
  level().text.add_node(text);
  forget_unused();
}

Recorded Recorder::call_one(const char* name, Values args) {
  const Operator& op = operator_named(name);
  for (size_t i = args.size(); i < op.schema.args.size(); ++i)
    args.push_back({op.schema.args[i].default_value, {}});
  Values out;
  call_operator(op, Site{}, args, out);
  return out[0];
}

// The text of Argument for a result, which gets a name.
std::string Recorder::add_result(const IValue& value, const std::string& wanted, const Type& type) {
  if (value.is_none()) return only("as_none", "true");
  if (value.tag() == IValue::Tag::List) {
    std::vector<std::string> items;
    for (const IValue& v : value.items()) {
      if (!v.is_tensor()) fail("a {} among its results cannot be written", v.type());
      add_result(v, "", type);
      items.push_back(name_text(name_of(v.as_tensor())));
    }
    return only("as_tensors", array_text(items));
  }
  if (!value.is_tensor()) fail("a {} among its results cannot be written", value.type());
  const Tensor tensor = value.as_tensor();
  const std::string name = wanted.empty() ? fresh_name("getitem") : wanted;
  const bool sized = type.is_tensor() && type.info().sizes.rank() == tensor.rank();
  const Type own = sized ? type : sized_type(tensor, tensor.sizes());
  names_.erase(tensor.impl());
  bind(tensor, name, own);
  return only("as_tensor", name_text(name));
}

// A tensor made from numbers of the program: a constant, and each run gets its own copy.
void Recorder::lift_result(const Node* node, Values& args, Values& results) {
  if (!args.at(0).name.empty()) {
    results.push_back(as_tensor(args[0]));
    std::vector<IValue> out;
    fusillade::call(node->op(), site_of(node), values_of(args), out);
    const DType dtype = out.at(0).as_tensor().dtype();
    if (results[0].value.as_tensor().dtype() != dtype)
      results[0] =
          call_one("aten::to.dtype", {results[0], {IValue(int64_t{row_of(dtype).aten_code}), {}}});
    return;
  }
  for (const Recorded& a : args)
    if (!a.is_known())
      fail("{} of numbers that elements of tensors decide cannot be written", node->op().name);
  std::vector<IValue> out;
  fusillade::call(node->op(), site_of(node), values_of(args), out);
  const Tensor tensor = contiguous(out.at(0).as_tensor(), true);
  constants_.emplace(tensor.impl(), tensor);
  if (tensor.rank() > 0) materialise(tensor);
  results.push_back({tensor, {}});
}

// It gets a name: from now on, its elements are those of a run. The program's own graph holds it.
Recorder::Named& Recorder::materialise(const Tensor& constant) {
  constants_.erase(constant.impl());
  std::vector<std::unique_ptr<Level>> within;
  std::swap(within, levels_);
  levels_.push_back(std::move(within[0]));
  NodeText text{.target = "torch.ops.aten.lift_fresh_copy.default",
                .inputs = {},
                .outputs = {},
                .name = fresh_name("lift_fresh_copy"),
                .place = place_};
  const Tensor lifted = contiguous(constant, true);
  text.inputs = {input_text("self", only("as_tensor", name_text(name_of(lifted))))};
  text.outputs = {add_result(constant, text.name, sized_type(constant, constant.sizes()))};
  level().text.add_node(text);
  within[0] = std::move(levels_[0]);
  std::swap(within, levels_);
  return names_.at(constant.impl());
}

bool Recorder::is_constant(const Recorded& arg) const {
  return arg.is_known() &&
         (!arg.value.is_tensor() || constants_.count(arg.value.as_tensor().impl()));
}

// Arithmetic of numbers that a traced program keeps in tensors.
bool Recorder::fold(const Operator& op, const Site& site, const Values& args, Values& results) {
  const bool pure = op.kind == OpKind::Pointwise && !op.schema.writes() && !op.schema.aliases();
  const auto is_tensor = [](const Recorded& a) { return a.value.is_tensor(); };
  if (!pure || !std::ranges::any_of(args, is_tensor)) return false;
  for (const Recorded& a : args)
    if (!is_constant(a)) return false;
  std::vector<IValue> out;
  fusillade::call(op, site, values_of(args), out);
  for (const IValue& v : out) {
    constants_.emplace(v.as_tensor().impl(), v.as_tensor());
    results.push_back({v, {}});
  }
  return true;
}

// What PyTorch's scripts have for a cast, and its graphs write as one: nothing where nothing is
// cast.
void Recorder::convert(const Node* node, Values& args, Values& results) {
  const Tensor from = args.at(0).value.as_tensor();
  std::vector<IValue> out;
  fusillade::call(node->op(), site_of(node), values_of(args), out);
  const Tensor to = out.at(0).as_tensor();
  if (to.same(from)) results.push_back(args[0]);
  else
    results.push_back(
        call_one("aten::to.dtype", {args[0],
                                    {IValue(int64_t{row_of(to.dtype()).aten_code}), {}},
                                    {IValue(false), {}},
                                    {IValue(true), {}}}));
}

void Recorder::add_copy(const Tensor& target, const Tensor& source) {
  call_one("aten::copy_", {{target, {}}, {source, {}}});
}

// One that nobody named is a constant from now on.
Recorder::Named& Recorder::named_tensor(const Tensor& tensor) {
  if (!tensor.is_defined()) fail("an undefined tensor cannot be written");
  if (const auto found = names_.find(tensor.impl()); found != names_.end()) return found->second;
  if (constants_.count(tensor.impl())) return materialise(tensor);
  const std::string name = fresh_name(fmt::format("c_lifted_tensor_{}", lifted_.size()));
  lifted_.push_back({name, contiguous(tensor, true)});
  const Type type = sized_type(tensor, tensor.sizes());
  levels_[0]->text.describe(name, meta_text(lifted_.back().tensor, false));
  return names_[tensor.impl()] = Named{tensor, name, 0, type};
}

// In the graph that is recorded now, and in those between it and the tensor's.
std::string Recorder::name_of(const Tensor& tensor) {
  const Named found = named_tensor(tensor);
  for (size_t l = found.level + 1; l < levels_.size(); ++l) {
    std::vector<Captured>& captured = levels_[l]->captured;
    if (std::ranges::find(captured, found.name, &Captured::outside) == captured.end())
      captured.push_back({found.name, found.name, tensor, found.type});
  }
  return found.name;
}

// Tensors that only this recording holds are met no more.
void Recorder::forget_unused() {
  constexpr size_t kLeast = 256;
  if (names_.size() < forget_at_) return;
  std::erase_if(names_, [](const auto& row) { return row.first->use_count() == 1; });
  forget_at_ = std::max(kLeast, 2 * names_.size());
}

ArgInfo Recorder::info(const Recorded& arg) {
  const IValue& v = arg.value;
  if (v.is_tensor()) {
    if (!v.as_tensor().is_defined()) return {TypeKind::Tensor, {}, false, {}};
    return {named_tensor(v.as_tensor()).type, {}, false, {}};
  }
  ArgInfo out{v.type(), v, arg.is_known(), {}};
  if (v.tag() != IValue::Tag::List) return out;
  for (const IValue& item : v.items()) {
    if (!item.is_tensor()) continue;
    out.items.push_back(info({item, {}}).type);
    out.known = false;
    out.value = {};
  }
  return out;
}

// Sizes that the arguments do not tell are symbols. An operator that does not say what it gives has
// the sizes of the example.
std::vector<Type> Recorder::result_types(const Operator& op, const Values& args,
                                         const std::vector<IValue>& results) {
  std::vector<ArgInfo> given;
  bool open = has_trait(op, Trait::DynamicShape);
  for (const Recorded& a : args) {
    given.push_back(info(a));
    open = open || !a.is_known() || has_symbols(given.back().type) ||
           std::ranges::any_of(given.back().items, has_symbols);
  }
  std::vector<Type> found;
  try {
    infer_results(op, given, found);
  } catch (const Exception&) {
    found.clear();
  }
  std::vector<Type> out;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_tensor() || !results[i].as_tensor().is_defined()) {
      out.push_back(results[i].type());
      continue;
    }
    const Tensor tensor = results[i].as_tensor();
    Dims sizes = tensor.sizes();
    const TensorInfo* info = i < found.size() && found[i].is_tensor() ? &found[i].info() : nullptr;
    const bool told = info && info->rank_known && info->sizes.rank() == tensor.rank();
    for (int d = 0; d < sizes.rank(); ++d) {
      if (told && info->sizes[d] >= 0) continue;
      if (told && info->sizes[d] < -1) sizes[d] = info->sizes[d];
      else if (open) sizes[d] = symbols_.fresh();
    }
    out.push_back(sized_type(tensor, sizes));
  }
  return out;
}

}  // namespace fusillade::exported

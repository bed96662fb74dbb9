// See trace.h.
#include "engine/front/trace.h"

#include <atomic>

namespace fusillade {
namespace {

using eager::Any;
using eager::Where;

thread_local bool recording = false;

uint64_t fresh_mark() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

// Another handle of the same elements.
Tensor another_handle(const Tensor& t) {
  return Tensor::view_of(t, t.offset(), t.sizes(), t.strides());
}

bool has_variable(const Type& type) {
  if (type.is(TypeKind::Var) || type.is(TypeKind::Any)) return true;
  bool container = type.is(TypeKind::List) || type.is(TypeKind::Optional) ||
                   type.is(TypeKind::Tuple) || type.is(TypeKind::Dict) || type.is(TypeKind::Union);
  if (!container) return false;
  for (const Type& t : type.elements()) {
    if (has_variable(t)) return true;
  }
  return false;
}

// A fresh handle for every tensor of an input: the same tensor given twice is two inputs.
IValue own_handles(const IValue& value) {
  if (value.is_tensor()) return another_handle(value.as_tensor());
  bool tensors = value.tag() == IValue::Tag::List;
  if (!value.is_sequence()) {
    fail("inputs of a trace are tensors, tuples and lists of tensors, given {}", describe(value));
  }
  std::vector<IValue> items;
  for (const IValue& v : value.items()) {
    if (tensors && !v.is_tensor())
      fail("a list given to a trace holds tensors only, given {}", describe(v));
    items.push_back(own_handles(v));
  }
  return tensors ? IValue::list(std::move(items), TypeKind::Tensor)
                 : IValue::tuple(std::move(items));
}

}  // namespace

const char* name_of(TraceWarning::Kind kind) {
  switch (kind) {
    case TraceWarning::Kind::ToBool:
      return "to bool";
    case TraceWarning::Kind::ToInt:
      return "to int";
    case TraceWarning::Kind::ToFloat:
      return "to float";
    case TraceWarning::Kind::Iterating:
      return "iterating";
    case TraceWarning::Kind::ConstantData:
      return "constant data";
    case TraceWarning::Kind::AliasedInPlace:
      return "aliased in place";
    case TraceWarning::Kind::Nondeterministic:
      return "nondeterministic";
  }
  FUS_BUG("a kind of warning without a name");
}

std::string TraceWarning::text() const {
  return fmt::format("{}:{}: [{}] {}", file, line, name_of(kind), message);
}

Tracer* Tracer::current() { return dynamic_cast<Tracer*>(first_mode(ModeKind::Trace)); }

Tracer::Tracer(std::string name, bool training)
    : graph_(std::make_shared<Graph>()), training_(training) {
  if (recording)
    fail("a trace within a trace: finish the first one, or call the traced function itself");
  graph_->name = std::move(name);
  recording = true;
}

Tracer::~Tracer() { recording = false; }

void Tracer::locate(Where at) {
  std::shared_ptr<const fusillade::Source>& file = files_[at.file_name()];
  if (!file)
    file = std::make_shared<const fusillade::Source>(fusillade::Source{at.file_name(), ""});
  range_ = {file, at.line(), at.column()};
}

Any Tracer::add_input(const IValue& value) {
  Value* v = graph_->add_input(value.type().without_shapes());
  Any out = bind(v, value);
  auto count = [&](auto& self, const IValue& part) -> void {
    if (part.is_tensor()) ++sources_[part.as_tensor().storage()].count;
    if (!part.is_sequence()) return;
    for (const IValue& item : part.items()) self(self, item);
  };
  count(count, value);
  return out;
}

Value* Tracer::constant(const IValue& value) {
  Value* v = graph_->constant(value, graph_->block()->return_node());
  v->set_type(v->type().without_shapes());
  v->node()->range = range_;
  return v;
}

Node* Tracer::append(const Operator& op, const std::vector<Value*>& inputs,
                     const std::vector<Type>& results) {
  Node* n = graph_->create(op, inputs, static_cast<int>(results.size()));
  for (size_t i = 0; i < results.size(); ++i)
    n->output(static_cast<int>(i))->set_type(results[i].without_shapes());
  n->range = range_;
  return graph_->block()->append(n);
}

Value* Tracer::value_of(const Tensor& tensor) {
  auto it = tensors_.find(tensor.impl());
  if (it != tensors_.end()) return it->second;
  Value* v = constant(tensor);
  bind_tensor(v, tensor);
  Source& source = sources_[tensor.storage()];
  ++source.count;
  source.constant = true;
  return v;
}

Value* Tracer::value_of(const Any& any) {
  auto known = marked_.find(any.mark());
  if (known != marked_.end()) return known->second;
  if (any.value().is_tensor()) return value_of(any.value().as_tensor());
  if (!any.value().is_sequence()) return constant(any.value());
  std::vector<Value*> items;
  std::vector<Type> types;
  for (const Any& item : any.items()) {
    items.push_back(value_of(item));
    types.push_back(items.back()->type());
  }
  if (any.value().tag() == IValue::Tag::List) {
    return append(prim::list_construct(), items, {any.value().type()})->output();
  }
  return append(prim::tuple_construct(), items, {Type::tuple(std::move(types))})->output();
}

std::vector<Value*> Tracer::operands(const std::vector<Any>& args, Where at) {
  locate(at);
  std::vector<Value*> out;
  for (const Any& a : args) out.push_back(value_of(a));
  return out;
}

void Tracer::bind_tensor(Value* value, const Tensor& tensor) {
  tensors_[tensor.impl()] = value;
  kept_.push_back(tensor);
}

Any Tracer::bind(Value* value, const IValue& result) {
  if (result.is_tensor()) {
    bind_tensor(value, result.as_tensor());
    return result;
  }
  uint64_t mark = fresh_mark();
  marked_[mark] = value;
  return Any::with_mark(result, mark);
}

// A result that is the very handle of an operand would take the operand's place in the trace,
// though on other inputs it may be a copy (contiguous, to, reshape).
Tensor Tracer::own_handle(const Tensor& result) const {
  return tensors_.count(result.impl()) ? another_handle(result) : result;
}

void Tracer::note_writes(const Operator& op, const std::vector<Any>& args, Where at) {
  for (size_t i = 0; i < args.size() && i < op.schema.args.size(); ++i) {
    if (!op.schema.args[i].written) continue;
    unpacked_.erase(args[i].mark());
    if (!args[i].value().is_tensor()) continue;
    auto it = sources_.find(args[i].value().as_tensor().storage());
    if (it == sources_.end()) continue;
    const char* what = it->second.constant
                           ? "a tensor that is no input: the trace writes its constant in every run"
                       : it->second.count > 1
                           ? "memory that two inputs share: the trace does not know that they do"
                           : nullptr;
    if (what)
      warn(TraceWarning::Kind::AliasedInPlace, fmt::format("{} writes {}", op.schema.name, what),
           at);
  }
}

void Tracer::calls(const Operator& op, const std::vector<Value*>& operands,
                   const std::vector<Any>& args, std::vector<Any>& results, Where at) {
  locate(at);
  note_writes(op, args, at);
  std::vector<Type> types;
  for (size_t i = 0; i < results.size(); ++i) {
    bool stated = i < op.schema.results.size() && !has_variable(op.schema.results[i].type);
    types.push_back(stated ? op.schema.results[i].type : results[i].value().type());
  }
  Node* n = append(op, operands, types);
  for (size_t i = 0; i < results.size(); ++i) {
    IValue value = results[i].value();
    bool written = i < op.schema.results.size() && op.schema.results[i].written;
    if (value.is_tensor() && !written) value = own_handle(value.as_tensor());
    results[i] = bind(n->output(static_cast<int>(i)), value);
  }
}

void Tracer::calls_graph(const Graph& callee, const std::string& name,
                         const std::vector<Value*>& operands, const std::vector<Any>&, Any& result,
                         Where at) {
  locate(at);
  std::vector<Type> types;
  for (const Value* v : callee.outputs()) types.push_back(v->type().without_shapes());
  Node* n = append(prim::call_function(), operands, types);
  n->set_attr("name", IValue::str(name));
  n->set_attr("Subgraph", std::shared_ptr<Graph>(callee.clone()));
  IValue value = result.value();
  if (value.is_tensor()) value = own_handle(value.as_tensor());
  if (types.size() != 1) n = append(prim::tuple_construct(), n->outputs(), {Type::tuple(types)});
  result = bind(n->output(), value);
}

std::vector<Any> Tracer::unpack(const Any& packed) {
  auto done = unpacked_.find(packed.mark());
  if (done != unpacked_.end()) return done->second;
  Value* value = marked_.at(packed.mark());
  bool list = packed.value().tag() == IValue::Tag::List;
  const std::vector<IValue>& items = packed.value().items();
  std::vector<Type> types;
  for (size_t i = 0; i < items.size(); ++i) {
    types.push_back(list ? value->type().element() : value->type().elements()[i]);
  }
  Node* n = append(list ? prim::list_unpack() : prim::tuple_unpack(), {value}, types);
  std::vector<Any> out;
  for (size_t i = 0; i < items.size(); ++i) {
    IValue item = items[i].is_tensor() ? IValue(own_handle(items[i].as_tensor())) : items[i];
    out.push_back(bind(n->output(static_cast<int>(i)), item));
  }
  unpacked_[packed.mark()] = out;
  return out;
}

void Tracer::warn(TraceWarning::Kind kind, std::string message, Where at) {
  for (const TraceWarning& w : warnings_) {
    if (w.kind == kind && w.line == at.line() && w.file == at.file_name()) return;
  }
  warnings_.push_back({kind, std::move(message), at.file_name(), at.line()});
}

Traced Tracer::finish(const Any& result) {
  graph_->add_output(value_of(result));
  verify(*graph_);
  return {graph_, std::move(warnings_), training_};
}

Traced record(const TraceFunction& fn, const std::vector<IValue>& inputs, const std::string& name,
              bool training) {
  std::vector<IValue> own;
  for (const IValue& v : inputs) own.push_back(own_handles(v));
  Tracer tracer(name, training);
  eager::TrainingScope mode(training);
  std::vector<Any> args;
  for (const IValue& v : own) args.push_back(tracer.add_input(v));
  return tracer.finish(fn(args));
}

}  // namespace fusillade

// Statements of serialised functions; see import_function.h.
#include "engine/run/archive/import_function.h"

#include <algorithm>
#include <set>

#include "engine/base/error.h"
#include "engine/front/parser.h"
#include "engine/ops/annotation_text.h"
#include "engine/run/archive/inline_values.h"

namespace fusillade::archive {

using front::ExprKind;
using front::StmtKind;

namespace {

// Names that the statements assign, at any depth, in the text's order.
void collect_assigned(const front::StmtList& list, std::vector<std::string>& out,
                      std::set<std::string>& seen) {
  auto target = [&](const front::Expr& e) {
    if (e.is(ExprKind::Name) && seen.insert(e.text).second) out.push_back(e.text);
  };
  for (const front::StmtPtr& s : list) {
    for (const front::ExprPtr& t : s->targets) {
      target(*t);
      if (t->is(ExprKind::Tuple))
        for (const front::ExprPtr& kid : t->kids) target(*kid);
    }
    collect_assigned(s->body, out, seen);
    collect_assigned(s->orelse, out, seen);
  }
}

void name_value(Value* value, const std::string& name) {
  value->set_name(name);
  if (base_name(value).empty()) value->set_name("");
}

// PyTorch writes what a fork runs in front of it, as `def __forked_function():`. Our parser takes
// no nested functions, so it reads `with __forked_function :`, which keeps lines and columns.
front::SourcePtr without_inner_functions(const front::SourcePtr& source) {
  constexpr std::string_view kDef = "def ", kWith = "with ", kNone = "():";
  const std::string& text = source->text;
  std::string out;
  bool outermost = true;
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line = text.substr(begin, end - begin);
    size_t indent = line.find_first_not_of(' ');
    bool def = indent != std::string::npos && line.compare(indent, kDef.size(), kDef) == 0;
    size_t none = line.find(kNone);
    if (def && !outermost && none != std::string::npos)
      line = line.substr(0, indent) + std::string(kWith) +
             line.substr(indent + kDef.size(), none - indent - kDef.size()) + " :" +
             line.substr(none + kNone.size());
    outermost &= !def;
    out += line;
  }
  return out == text ? source
                     : std::make_shared<const Source>(
                           Source{source->file, std::move(out), source->lines_before});
}

}  // namespace

ImportedFunction import_function(ImportUnit& unit, const DefinitionText& definition) {
  front::SourcePtr source = without_inner_functions(definition.source);
  front::Module module = front::parse_module(source);
  if (module.functions.size() != 1)
    fail("{}: '{}' is not one function", definition.source->file, definition.name);
  const front::Function& function = module.functions[0];
  if (!function.errors.empty()) throw Error(function.errors[0]);
  return FunctionImporter(unit, source, function).run();
}

void FunctionImporter::wrong(const Expr& at, std::string_view message) const {
  front::fail_at(source_, at.begin, at.end, message);
}

void FunctionImporter::wrong(const Stmt& at, std::string_view message) const {
  front::fail_at(source_, at.begin, at.end, message);
}

Type FunctionImporter::type_of(const Expr& annotation) {
  try {
    return type_of_text(source_->text.substr(annotation.begin, annotation.end - annotation.begin),
                        unit_);
  } catch (const Error& e) {
    wrong(annotation, e.what());
  }
}

ImportedFunction FunctionImporter::run() {
  out_.function.graph = std::make_shared<Graph>();
  graph_ = out_.function.graph.get();
  graph_->name = function_.name;
  block_ = graph_->block();
  scopes_.emplace_back();
  signature();
  if (!statements(function_.body, true)) end_function();
  if (!returned_)
    front::fail_at(source_, function_.begin, function_.end,
                   "the function does not end with a return");
  drop_idle_conditions();
  verify(*graph_);
  return std::move(out_);
}

// A literal, or a list or tuple of such.
std::optional<IValue> FunctionImporter::default_value(const Expr& e, const Type& type) const {
  const Type& wanted = type.is(TypeKind::Optional) ? type.element() : type;
  bool list = e.is(ExprKind::List) && wanted.is(TypeKind::List);
  bool tuple = e.is(ExprKind::Tuple) && wanted.is(TypeKind::Tuple) &&
               wanted.elements().size() == e.kids.size();
  if (e.is(ExprKind::Attribute)) return member(dotted_path(e));
  if (wanted.is(TypeKind::Device) && e.is(ExprKind::Call)) return named_device(e);
  if (!list && !tuple) return literal(e);
  std::vector<IValue> items;
  for (size_t i = 0; i < e.kids.size(); ++i) {
    std::optional<IValue> item =
        default_value(*e.kids[i], list ? wanted.element() : wanted.elements()[i]);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return list ? IValue::list(std::move(items), wanted.element()) : IValue::tuple(std::move(items));
}

void FunctionImporter::signature() {
  Schema& schema = out_.function.schema;
  schema.name = function_.name;
  for (const front::Parameter& p : function_.parameters) {
    SchemaArg a;
    a.name = p.name;
    a.type = p.annotation ? type_of(*p.annotation) : Type(TypeKind::Tensor);
    a.keyword_only = p.keyword_only;
    if (p.default_value) {
      std::optional<IValue> value = default_value(*p.default_value, a.type);
      if (!value) wrong(*p.default_value, "a default is a literal");
      a.has_default = true;
      a.default_value = *value;
    }
    Value* v = graph_->add_input(a.type);
    name_value(v, p.name);
    set(p.name, {v, a.type, ""});
    schema.args.push_back(std::move(a));
  }
  schema.results.emplace_back().type =
      function_.result ? type_of(*function_.result) : Type(TypeKind::Tensor);
}

bool FunctionImporter::statements(const front::StmtList& list, bool top) {
  for (size_t i = 0; i < list.size(); ++i) {
    bool last = top && i + 1 == list.size();
    if (list[i]->kind == StmtKind::Return && !last)
      wrong(*list[i], "a return stands at the end of the function only");
    if (!emit_or_raise([&] { return statement(*list[i]); })) return false;
  }
  return true;
}

// What `emits` says; false, behind a raise, where an operator is missing.
bool FunctionImporter::emit_or_raise(const std::function<bool()>& emits) {
  Block* block = block_;
  const size_t depth = scopes_.size();
  try {
    return emits();
  } catch (const Missing& missing) {
    block_ = block;
    scopes_.resize(depth);
    Value* none = constant(IValue(), *missing.at);
    node(prim::raise(), {constant(IValue::str(missing.message), *missing.at), none}, *missing.at,
         0);
    return false;
  }
}

// Behind a raise a value of any type does.
Value* FunctionImporter::uninitialized_value(const Type& type, const Expr& at) {
  return typed_node(operator_named("prim::Uninitialized"), {}, type, at)->output();
}

void FunctionImporter::end_function() {
  Expr at;
  at.begin = function_.begin;
  at.end = function_.end;
  graph_->add_output(uninitialized_value(out_.function.schema.results[0].type, at));
  returned_ = true;
}

bool FunctionImporter::statement(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Assign:
      assign(s);
      return true;
    case StmtKind::Expression:
      several(*s.value, nullptr);
      return true;
    case StmtKind::If:
      return if_(s);
    case StmtKind::While:
    case StmtKind::For:
      loop(s);
      return true;
    case StmtKind::With:
      return with(s);
    case StmtKind::Return:
      result(s);
      return true;
    case StmtKind::Pass:
      return true;
    default:
      wrong(s, "serialised code has no statement of this kind");
  }
}

void FunctionImporter::set(const std::string& name, Binding binding) {
  Scope& scope = scopes_.back();
  if (scope.names.insert_or_assign(name, std::move(binding)).second) scope.order.push_back(name);
}

const FunctionImporter::Binding* FunctionImporter::find(const std::string& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto it = scopes_[i].names.find(name);
    if (it != scopes_[i].names.end()) return &it->second;
  }
  return nullptr;
}

void FunctionImporter::assign(const Stmt& s) {
  if (s.targets.size() != 1) wrong(s, "an assignment has one target");
  const Expr& target = *s.targets[0];
  if (assign_function(target, *s.value)) return;
  std::optional<Type> declared;
  if (s.annotation) declared = type_of(*s.annotation);
  bool fresh = !s.value->is(ExprKind::Name);
  if (!target.is(ExprKind::Tuple) || target.kids.empty())
    return bind(target, emit(*s.value, declared ? &*declared : nullptr), fresh, declared);
  std::vector<Value*> values;
  std::vector<bool> fresh_items(target.kids.size(), true);
  // PyTorch writes a comma after the last name where it unpacks a tuple.
  bool unpacks =
      source_->text[source_->text.find_first_not_of(' ', target.kids.back()->end)] == ',';
  if (!unpacks && s.value->is(ExprKind::Tuple) && s.value->kids.size() == target.kids.size()) {
    for (size_t i = 0; i < target.kids.size(); ++i) {
      values.push_back(emit(*s.value->kids[i]));
      fresh_items[i] = !s.value->kids[i]->is(ExprKind::Name);
    }
  } else {
    values = several(*s.value, nullptr);
    if (values.size() == 1) {
      const Type& type = values[0]->type();
      bool list = type.is(TypeKind::List);
      if (!list && (!type.is(TypeKind::Tuple) || type.elements().size() != target.kids.size()))
        wrong(target, fmt::format("a {} does not unpack into {} names", type, target.kids.size()));
      Node* n = node(list ? prim::list_unpack() : prim::tuple_unpack(), {values[0]}, *s.value,
                     static_cast<int>(target.kids.size()));
      if (list)
        for (Value* v : n->outputs()) v->set_type(type.element());
      values = n->outputs();
    }
  }
  if (values.size() != target.kids.size())
    wrong(target, fmt::format("{} values do not fit {} names", values.size(), target.kids.size()));
  for (size_t i = 0; i < values.size(); ++i)
    bind(*target.kids[i], values[i], fresh_items[i], std::nullopt);
}

// _0 = __torch__.f: a name for a function, which PyTorch writes in front of the calls.
bool FunctionImporter::assign_function(const Expr& target, const Expr& value) {
  std::string path =
      target.is(ExprKind::Name) && value.is(ExprKind::Attribute) ? dotted_path(value) : "";
  if (path.rfind("__torch__.", 0) != 0 || !unit_.has_function(path)) return false;
  Binding binding;
  binding.function = path;
  set(target.text, std::move(binding));
  return true;
}

void FunctionImporter::bind(const Expr& target, Value* value, bool fresh,
                            std::optional<Type> declared) {
  if (target.is(ExprKind::Attribute)) {
    Value* object = emit(*target.kids[0]);
    const Type& type = object->type();
    int slot = type.is(TypeKind::Class) ? type.class_type()->slot(target.text) : -1;
    if (slot < 0) wrong(target, fmt::format("a {} has no attribute '{}'", type, target.text));
    const Type& field = type.class_type()->fields[static_cast<size_t>(slot)].type;
    if (!value->type().without_shapes().subtype_of(field))
      wrong(target, fmt::format("'{}' is a {}, given {}", target.text, field, value->type()));
    node(prim::set_attr(), {object, value}, target, 0)->set_attr("name", IValue::str(target.text));
    return;
  }
  if (!target.is(ExprKind::Name)) wrong(target, "a target is a name or an attribute");
  if (declared && !value->type().without_shapes().subtype_of(*declared))
    wrong(target,
          fmt::format("'{}' is declared as {}, given {}", target.text, *declared, value->type()));
  if (fresh && value->name().empty()) name_value(value, target.text);
  set(target.text, {value, std::move(declared), ""});
}

void FunctionImporter::result(const Stmt& s) {
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  const Type& type = out_.function.schema.results[0].type;
  Value* v = s.value ? emit(*s.value, &type) : constant(IValue(), at);
  if (!v->type().without_shapes().subtype_of(type))
    wrong(s, fmt::format("the function returns {}, given {}", type, v->type()));
  graph_->add_output(v);
  returned_ = true;
}

bool FunctionImporter::if_(const Stmt& s) {
  Value* condition = emit(*s.value);
  if (!condition->type().is(TypeKind::Bool))
    wrong(*s.value, fmt::format("a condition is a bool, given {}", condition->type()));
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  Node* n = graph_->create(prim::if_(), {condition}, 0);
  place(n, at);
  Scope sides[2];
  bool ended[2];
  Block* outside = block_;
  for (int i = 0; i < 2; ++i) {
    block_ = n->add_block();
    scopes_.emplace_back();
    ended[i] = !statements(i == 0 ? s.body : s.orelse, false);
    sides[i] = std::move(scopes_.back());
    scopes_.pop_back();
  }
  block_ = outside;
  if (ended[0] && ended[1]) return false;
  merge(n, sides, ended, s);
  return true;
}

// Names that have a value behind both branches become results, in the order of the text. A branch
// that ended in a raise has a value for every name.
void FunctionImporter::merge(Node* n, Scope sides[2], const bool ended[2], const Stmt& s) {
  Block* outside = block_;
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  std::vector<std::string> names = sides[0].order;
  for (const std::string& name : sides[1].order)
    if (!sides[0].names.count(name)) names.push_back(name);
  for (const std::string& name : names) {
    Binding ends[2];
    for (int i = 0; i < 2; ++i) {
      auto it = sides[i].names.find(name);
      const Binding* outer = find(name);
      if (it != sides[i].names.end()) ends[i] = it->second;
      else if (outer) ends[i] = *outer;
    }
    for (int i = 0; i < 2; ++i) {
      if (!ended[i] || !ends[1 - i].value) continue;
      block_ = n->blocks()[i];
      ends[i] = {uninitialized_value(ends[1 - i].type(), at), ends[1 - i].declared, ""};
      block_ = outside;
    }
    if (!ends[0].value || !ends[1].value) continue;
    Type type = ends[0].declared   ? *ends[0].declared
                : ends[1].declared ? *ends[1].declared
                                   : unify(ends[0].type(), ends[1].type());
    bool any = ends[0].type().is(TypeKind::Any) || ends[1].type().is(TypeKind::Any);
    if (type.is(TypeKind::Any) && !any && !ends[0].declared && !ends[1].declared)
      wrong(s, fmt::format("'{}' is {} or {} behind this", name, ends[0].type(), ends[1].type()));
    for (int i = 0; i < 2; ++i) {
      if (!ends[i].value->type().without_shapes().subtype_of(type))
        wrong(s,
              fmt::format("'{}' is declared as {} and is {}", name, type, ends[i].value->type()));
      n->blocks()[i]->add_result(ends[i].value);
    }
    Value* out = n->add_output(type.without_shapes());
    name_value(out, name);
    set(name, {out, std::nullopt, ""});
  }
}

void FunctionImporter::loop(const Stmt& s) {
  bool is_for = s.kind == StmtKind::For;
  Expr at;
  at.begin = s.begin;
  at.end = s.end;
  std::vector<Value*> inputs;
  if (is_for) {
    bool range = s.value->is(ExprKind::Call) && s.value->kids[0]->is_name("range") &&
                 s.value->kids.size() == 2;
    if (!range || !s.targets[0]->is(ExprKind::Name))
      wrong(s, "a loop is 'for name in range(count)'");
    Value* trips = emit(*s.value->kids[1]);
    if (!trips->type().is(TypeKind::Int)) wrong(*s.value, "range() takes an int");
    inputs = {trips, constant(IValue(true), at)};
  } else {
    Value* condition = emit(*s.value);
    if (!condition->type().is(TypeKind::Bool)) wrong(*s.value, "a condition is a bool");
    inputs = {constant(IValue(INT64_MAX), at), condition};
  }
  std::vector<std::string> names, carried;
  std::set<std::string> seen;
  collect_assigned(s.body, names, seen);
  for (const std::string& name : names)
    if (find(name) && find(name)->value) carried.push_back(name);
  Node* n = graph_->create(prim::loop(), inputs, 0);
  place(n, at);
  start_loop(n, carried);
  if (is_for) {
    name_value(n->blocks()[0]->params()[0], s.targets[0]->text);
    set(s.targets[0]->text, {n->blocks()[0]->params()[0], std::nullopt, ""});
  }
  Value* again = nullptr;
  const bool goes_on = statements(s.body, false) && (is_for || emit_or_raise([&] {
                                                       again = emit(*s.value);
                                                       return true;
                                                     }));
  if (!goes_on || is_for) again = constant(IValue(goes_on), at);
  if (!again->type().is(TypeKind::Bool)) wrong(*s.value, "a condition is a bool");
  n->blocks()[0]->add_result(again);
  end_loop(n, carried, s);
}

// The body of a task, which runs where it is forked; its result is the one item of a tuple, as in
// the language.
bool FunctionImporter::task(const Stmt& s) {
  const front::StmtList& body = s.body;
  if (body.empty() || body.back()->kind != StmtKind::Return || !body.back()->value)
    wrong(s, "what is forked ends with its result");
  scopes_.emplace_back();
  for (size_t i = 0; i + 1 < body.size(); ++i) {
    if (body[i]->kind == StmtKind::Return)
      wrong(*body[i], "a return stands at the end of the function only");
    if (!statement(*body[i])) {
      scopes_.pop_back();
      return false;
    }
  }
  Value* value = emit(*body.back()->value);
  scopes_.pop_back();
  tasks_[s.value->text] = node(prim::tuple_construct(), {value}, *s.value, 1)->output();
  return true;
}

// with manager as name: __enter__ before the body and __exit__ behind it; what raises leaves the
// program.
bool FunctionImporter::with(const Stmt& s) {
  const Expr& at = *s.value;
  if (at.is(ExprKind::Name) && !find(at.text)) return task(s);
  Value* manager = emit(at);
  if (!manager->type().is(TypeKind::Class))
    wrong(at, fmt::format("a {} has no __enter__ and __exit__", manager->type()));
  const std::string& name = manager->type().class_type()->name;
  Value* entered = function_call(name + ".__enter__", {{manager, ""}}, at);
  if (!s.targets.empty()) bind(*s.targets[0], entered, true, std::nullopt);
  if (!statements(s.body, false)) return false;
  std::vector<front::Argument> args{{manager, ""}};
  for (int i = 0; i < 3; ++i) args.push_back({constant(IValue(), at), ""});
  function_call(name + ".__exit__", std::move(args), at);
  return true;
}

void FunctionImporter::start_loop(Node* n, const std::vector<std::string>& carried) {
  std::vector<std::pair<std::string, Binding>> before;
  for (const std::string& name : carried) before.emplace_back(name, *find(name));
  block_ = n->add_block();
  block_->add_param(TypeKind::Int);
  scopes_.emplace_back();
  for (auto& [name, binding] : before) {
    n->add_input(binding.value);
    Value* param = block_->add_param(binding.type());
    name_value(param, name);
    set(name, {param, binding.type(), ""});
    name_value(n->add_output(binding.type()), name);
  }
}

void FunctionImporter::end_loop(Node* n, const std::vector<std::string>& carried, const Stmt& s) {
  for (size_t i = 0; i < carried.size(); ++i) {
    Value* value = find(carried[i])->value;
    if (!value) wrong(s, fmt::format("'{}' becomes a function in the loop", carried[i]));
    if (!value->type().without_shapes().subtype_of(n->outputs()[i]->type()))
      wrong(s, fmt::format("'{}' is {} before the loop and becomes {}", carried[i],
                           n->outputs()[i]->type(), value->type()));
    block_->add_result(value);
  }
  scopes_.pop_back();
  block_ = n->block();
  for (size_t i = 0; i < carried.size(); ++i) {
    if (s.kind == StmtKind::While && s.value->is_name(carried[i]))
      idle_.emplace_back(n, static_cast<int>(i));
    set(carried[i], {n->outputs()[i], std::nullopt, ""});
  }
}

// `while _1:` carries _1 by its name; where nothing else reads it, the loop's own condition is
// enough.
void FunctionImporter::drop_idle_conditions() {
  for (size_t k = idle_.size(); k-- > 0;) {
    auto [n, i] = idle_[k];
    Block* body = n->blocks()[0];
    if (!n->output(i)->is_unused() || !body->params()[i + 1]->is_unused()) continue;
    n->remove_output(i);
    n->remove_input(i + 2);
    body->remove_result(i + 1);
    body->remove_param(i + 1);
  }
}

}  // namespace fusillade::archive

// Statements of serialised functions; see print_python.h.
#include "engine/run/archive/print_python.h"

#include <algorithm>
#include <cctype>

#include "engine/base/error.h"
#include "engine/front/lexer.h"
#include "engine/ir/composite.h"
#include "engine/run/archive/function_printer.h"
#include "engine/run/archive/inline_values.h"
#include "engine/run/archive/modified_loops.h"
#include "engine/run/archive/portable.h"
#include "engine/run/archive/type_text.h"
#include "engine/run/tasks.h"

namespace fusillade::archive {
namespace {

constexpr size_t kLongLine = 40;
constexpr size_t kLongestLine = 1 << 16;

// Names that mean something to the reader of serialised code.
constexpr std::string_view kReserved[] = {
    "torch",      "ops",      "CONSTANTS",  "__torch__",     "inf",
    "nan",        "infj",     "nanj",       "Tensor",        "int",
    "float",      "bool",     "str",        "complex",       "number",
    "NoneType",   "Any",      "List",       "Dict",          "Tuple",
    "Optional",   "Union",    "Final",      "Device",        "len",
    "range",      "print",    "sorted",     "getattr",       "setattr",
    "isinstance", "fork",     "annotate",   "uninitialized", "unchecked_cast",
    "rpc_async",  "rpc_sync", "rpc_remote", "Future",        "Module"};

bool is_long(const std::string& text, int level) {
  return text.size() + static_cast<size_t>(level) * 2 > kLongLine;
}

// Must the text state the type of `to`? None has many types, whatever type its constant has.
bool needs_annotation(const Value* to, const Value* from) {
  bool none = from->node()->is(prim::constant()) && from->node()->constant().is_none();
  return none ? !to->type().is(TypeKind::None)
              : !(from->type().without_shapes() == to->type().without_shapes());
}

bool calls_method(const Node* n, std::string_view method, size_t inputs) {
  if (!n->is(prim::call_function()) || n->inputs().size() != inputs ||
      !n->input()->type().is(TypeKind::Class))
    return false;
  return std::get<IValue>(*n->attr("name")).as_str() ==
         n->input()->type().class_type()->name + "." + std::string(method);
}

// As `with` calls it: with None for what was raised, which has type Any. PyTorch takes no other
// __exit__.
bool leaves_quietly(const Node* n) {
  if (!calls_method(n, "__exit__", 4) || !n->output()->is_unused()) return false;
  const Graph& callee = *std::get<std::shared_ptr<Graph>>(*n->attr("Subgraph"));
  for (int i = 1; i < 4; ++i) {
    const Node* given = n->input(i)->node();
    bool none = given->is(prim::constant()) && given->constant().is_none();
    if (!none || !callee.inputs()[static_cast<size_t>(i)]->type().is(TypeKind::Any)) return false;
  }
  return true;
}

std::string comma_list(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : ", ") + p;
  return out;
}

}  // namespace

bool is_identifier(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || front::is_keyword(name))
    return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); });
}

std::string qualified_name(const std::string& name) {
  return name.rfind("__torch__.", 0) == 0 ? name : "__torch__." + name;
}

std::string function_path(const std::string& name, const ClassTable* classes) {
  std::string path = qualified_name(name);
  size_t dot = path.rfind('.');
  bool of_script = path != name && name.find('.') != std::string::npos;
  bool method = of_script || (classes && classes->find(std::string_view(path).substr(0, dot)));
  return method ? path.replace(dot, 1, "__") : path;
}

FunctionPrinter::FunctionPrinter(const Graph& graph, int level, ConstantTable& constants,
                                 References& references)
    : graph_(graph),
      level_(level),
      constants_(constants),
      references_(references),
      inlined_(inline_nodes(graph)),
      taken_(std::begin(kReserved), std::end(kReserved)) {}

std::string FunctionPrinter::print(const std::string& name, const Schema& schema) {
  out_ = head(name, schema);
  ++level_;
  std::unordered_set<const Node*> seen;
  long_constants(graph_.block(), seen);
  body(graph_.block());
  const Node* end = graph_.block()->return_node();
  split_long(end);
  if (end->inputs().size() != 1)
    decline("'{}' gives {} values; TorchScript's functions give one", name, end->inputs().size());
  line("return " + use(end->input()));
  return std::move(out_);
}

std::string FunctionPrinter::head(const std::string& name, const Schema& schema) {
  std::string indent(static_cast<size_t>(level_) * 2, ' ');
  std::string out = indent + "def " + name + "(";
  for (size_t i = 0; i < graph_.inputs().size(); ++i) {
    const Value* v = graph_.inputs()[i];
    const SchemaArg* formal = i < schema.args.size() ? &schema.args[i] : nullptr;
    std::string wanted = formal && is_identifier(formal->name) ? formal->name : base_name(v);
    text_[v] = fresh_name(wanted.empty() ? fmt::format("argument_{}", i) : wanted);
    Type type = formal ? formal->type : v->type().without_shapes();
    out += (i ? ",\n    " : "") + text_[v] + ": " + type_text(type);
    if (formal && formal->has_default)
      out += "=" + literal_text(formal->default_value, formal->type);
  }
  bool declared = schema.results.size() == 1;
  Type result = declared                       ? schema.results[0].type
                : graph_.outputs().size() == 1 ? graph_.outputs()[0]->type()
                                               : Type(TypeKind::None);
  return out + ") -> " + type_text(result) + ":\n";
}

void FunctionPrinter::line(const std::string& text) {
  if (text.size() > kLongestLine) fail("'{}': an expression is too long to save", graph_.name);
  out_.append(static_cast<size_t>(level_) * 2, ' ');
  out_ += text + "\n";
}

std::string FunctionPrinter::fresh_name(const std::string& wanted) {
  std::string name = wanted.empty() ? "_" : wanted;
  std::string candidate = name;
  while (candidate == "_" || taken_.count(candidate) || !is_identifier(candidate))
    candidate = name + std::to_string(next_[name]++);
  taken_.insert(candidate);
  return candidate;
}

const std::string& FunctionPrinter::name_of(const Value* v) {
  auto it = text_.find(v);
  if (it == text_.end()) it = text_.emplace(v, fresh_name(base_name(v))).first;
  return it->second;
}

void FunctionPrinter::name_as(const Value* v, const Value* like) { text_[v] = name_of(like); }

std::string FunctionPrinter::results(const Node* n) {
  std::vector<std::string> names;
  for (const Value* v : n->outputs()) names.push_back(name_of(v));
  return comma_list(names);
}

// Literals that would make lines long have a line of their own, before anything else.
void FunctionPrinter::long_constants(const Block* block, std::unordered_set<const Node*>& seen) {
  auto visit = [&](const Node* user) {
    for (const Value* v : user->inputs()) {
      const Node* n = v->node();
      if (!n->is(prim::constant()) || !seen.insert(n).second) continue;
      std::string text = constant(n);
      if (!is_long(text, level_)) {
        text_[v] = text;
        continue;
      }
      inlined_.erase(n);
      line(name_of(v) + " = " + text);
    }
  };
  for (const Node* n : block->nodes()) {
    visit(n);
    for (const Block* b : n->blocks()) long_constants(b, seen);
  }
  visit(block->return_node());
}

// Which calls are the ends of a `with`: those of one object in one block, one pair within another
// or behind it.
void FunctionPrinter::pair_managers(const Block* block) {
  std::vector<const Node*> enters;
  for (const Node* n : block->nodes()) {
    if (calls_method(n, "__enter__", 1)) enters.push_back(n);
    if (!leaves_quietly(n)) continue;
    auto at = std::find_if(enters.rbegin(), enters.rend(),
                           [&](const Node* e) { return e->input() == n->input(); });
    if (at == enters.rend()) continue;
    entered_.insert(*at);
    left_.insert(n);
    enters.erase(std::prev(at.base()), enters.end());
  }
}

void FunctionPrinter::enter(const Node* n) {
  inlined_.erase(n);
  flush(pending_.size());
  std::string name = n->output()->is_unused() ? "" : " as " + name_of(n->output());
  line("with " + use(n->input()) + name + ":");
  consume(n);
  ++level_;
  bodies_.push_back(out_.size());
}

void FunctionPrinter::leave(const Node* n) {
  consume(n);
  if (out_.size() == bodies_.back()) line("pass");
  bodies_.pop_back();
  --level_;
}

void FunctionPrinter::body(const Block* block) {
  pair_managers(block);
  bool empty = true;
  for (const Node* n : block->nodes()) {
    node(n);
    empty &= n->is(prim::constant()) || inlined_.count(n);
  }
  bool ends_with_results = !block->results().empty() || !block->owner();
  if (empty && !ends_with_results) line("pass");
}

// An input that became long is written as a statement after all, and with it whatever must run
// before it.
void FunctionPrinter::split_long(const Node* n) {
  size_t split = 0;
  for (const Value* v : n->inputs()) {
    auto at = std::find(pending_.begin(), pending_.end(), v);
    if (at != pending_.end() && is_long(use(v), level_))
      split = static_cast<size_t>(at - pending_.begin()) + 1;
  }
  flush(split);
}

// The first `count` pending expressions become statements.
void FunctionPrinter::flush(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Value* v = pending_[i];
    std::string text = use(v);
    text_.erase(v);
    inlined_.erase(v->node());
    line(name_of(v) + " = " + text);
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(count));
}

// The inputs' expressions are part of the text of `n` from now on.
void FunctionPrinter::consume(const Node* n) {
  for (const Value* v : n->inputs()) std::erase(pending_, v);
}

void FunctionPrinter::node(const Node* n) {
  if (n->is(prim::constant())) return;
  split_long(n);
  if (n->is(prim::if_())) return if_(n);
  if (n->is(prim::loop())) return loop(n);
  try {
    if (n->is(prim::tuple_unpack()) || n->is(prim::list_unpack())) return unpack(n);
    if (n->is(prim::set_attr())) return set_attribute(n);
    if (entered_.count(n)) return enter(n);
    if (left_.count(n)) return leave(n);
    plain(n);
  } catch (const Error& e) {
    throw Error(n->range.highlight(e.what()));
  } catch (const Unsupported& e) {
    throw Unsupported(n->range.highlight(e.what()));
  }
}

void FunctionPrinter::plain(const Node* n) {
  std::string text = expression(n);
  consume(n);
  for (const Value* v : n->outputs()) references_.types.push_back(v->type());
  if (inlined_.count(n)) {
    text_[n->output()] = text;
    pending_.push_back(n->output());
  } else {
    FUS_CHECK(pending_.empty(), "{} is written before what runs before it", n->op().name);
    line(n->outputs().empty() ? text : results(n) + " = " + text);
  }
}

void FunctionPrinter::unpack(const Node* n) {
  std::string names = results(n);
  if (!names.empty()) line(names + ", = " + use(n->input()));
  consume(n);
}

void FunctionPrinter::set_attribute(const Node* n) {
  const std::string& field = std::get<IValue>(*n->attr("name")).as_str();
  if (!is_identifier(field))
    fail("'{}': the attribute '{}' is set; its name is no identifier, so that cannot be saved",
         graph_.name, field);
  line(receiver(n->input(0)) + "." + field + " = " + use(n->input(1)));
  consume(n);
}

// `one_per_line`: one line each, in order, since a line of several has no annotations.
void FunctionPrinter::assign(const std::vector<Assignment>& list, bool one_per_line) {
  if (list.empty()) return;
  if (one_per_line) {
    for (const Assignment& a : list) {
      bool typed_here = needs_annotation(a.to, a.from);
      line(name_of(a.to) + (typed_here ? " : " + type_text(a.to->type()) : "") + " = " +
           use(a.from));
    }
    return;
  }
  std::vector<std::string> left, right;
  for (const Assignment& a : list) {
    left.push_back(name_of(a.to));
    right.push_back(use(a.from));
  }
  line(comma_list(left) + " = " + comma_list(right));
}

void FunctionPrinter::branch(const Node* n, const Block* block, bool one_per_line) {
  ++level_;
  body(block);
  split_long(block->return_node());
  std::vector<Assignment> list;
  for (size_t i = 0; i < n->outputs().size(); ++i)
    list.push_back({n->outputs()[i], block->results()[i]});
  assign(list, one_per_line);
  consume(block->return_node());
  --level_;
}

void FunctionPrinter::if_(const Node* n) {
  bool one_per_line = false;
  for (const Value* v : n->outputs()) name_of(v);
  for (const Block* b : n->blocks())
    for (size_t i = 0; i < n->outputs().size(); ++i)
      one_per_line |= needs_annotation(n->outputs()[i], b->results()[i]);
  line("if " + use(n->input()) + ":");
  consume(n);
  branch(n, n->blocks()[0], one_per_line);
  line("else:");
  branch(n, n->blocks()[1], one_per_line);
}

void FunctionPrinter::loop(const Node* n) {
  const Block* block = n->blocks()[0];
  LoopKind kind = loop_kind(n);
  FUS_CHECK(kind != LoopKind::Both, "a loop with a trip count and a condition was not rewritten");
  std::vector<Assignment> before, after;
  bool one_per_line = false;
  for (size_t i = 0; i < n->outputs().size(); ++i) {
    const Value* carried = n->outputs()[i];
    name_as(block->params()[i + 1], carried);
    before.push_back({carried, n->inputs()[i + 2]});
    after.push_back({block->params()[i + 1], block->results()[i + 1]});
    one_per_line |= needs_annotation(carried, n->inputs()[i + 2]);
  }
  assign(before, one_per_line);
  // Of a `while` the counter is not read; its name is that of the condition.
  if (kind == LoopKind::While) text_[block->params()[0]] = fresh_name("");
  const std::string& counter = name_of(block->params()[0]);
  if (kind == LoopKind::For) {
    line("for " + counter + " in range(" + use(n->input(0)) + "):");
  } else {
    line(counter + " = " + use(n->input(1)));
    line("while " + counter + ":");
    after.insert(after.begin(), {block->params()[0], block->results()[0]});
  }
  consume(n);
  ++level_;
  body(block);
  split_long(block->return_node());
  assign(after, false);
  consume(block->return_node());
  if (after.empty() && block->results().size() == 1) {
    bool written = false;
    for (const Node* inner : block->nodes()) written |= !inner->is(prim::constant());
    if (!written) line("pass");
  }
  --level_;
}

std::string print_function(const std::string& name, const Schema& schema, const Graph& graph,
                           int level, ConstantTable& constants, References& references) {
  const std::unique_ptr<Graph> called = has_tasks(graph.block()) ? graph.clone() : nullptr;
  if (called) call_tasks(called->block());
  const Graph& given = called ? *called : graph;
  std::unique_ptr<Graph> portable = in_portable_terms(given, references.notes);
  const Graph& said = portable ? *portable : given;
  std::unique_ptr<Graph> plain = without_modified_loops(said);
  return FunctionPrinter(plain ? *plain : said, level, constants, references).print(name, schema);
}

}  // namespace fusillade::archive

// One file: signatures first, then functions on demand, callees before callers; errors are
// collected.
#include "engine/front/script.h"

#include <set>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/front/class.h"
#include "engine/front/emit_stmt.h"
#include "engine/front/module.h"
#include "engine/front/parser.h"
#include "engine/front/spelling.h"
#include "engine/ir/interpret.h"
#include "engine/ops/annotation_text.h"
#include "engine/ops/device.h"

namespace fusillade {
namespace front {
namespace {

constexpr size_t kMaxWide = 200;  // variables that loops widen, in one function

}  // namespace

std::shared_ptr<ParsedText> parse_text(const std::string& text, const std::string& file) {
  auto source = std::make_shared<const Source>(Source{file, text});
  return std::make_shared<ParsedText>(ParsedText{source, parse_module(source)});
}

Unit::Unit(Program& program, std::shared_ptr<const ParsedText> text)
    : program_(program), text_(std::move(text)) {
  for (size_t i = 0; i < module().functions.size(); ++i) {
    const Function& f = module().functions[i];
    compiled_.push_back(std::make_unique<Compiled>());
    if (!f.name.empty()) index_.emplace(f.name, i);
  }
  const std::map<std::string, size_t> functions = index_;
  for (const auto& [alias, value] : module().constants) {
    auto it = value->is(ExprKind::Name) ? functions.find(value->text) : functions.end();
    if (it != functions.end()) index_.emplace(alias, it->second);
  }
}

std::vector<std::string> Unit::function_names() const {
  std::vector<std::string> out;
  for (auto& [name, i] : index_) out.push_back(name);
  return out;
}

const Function* Unit::function(const std::string& name) const {
  auto it = index_.find(name);
  return it == index_.end() ? nullptr : &module().functions[it->second];
}

SchemaArg Unit::argument(const Parameter& p, const SourcePtr& source) {
  if (p.name[0] == '*')
    fail_at(
        source, p.begin, p.begin + 1,
        "*args and **kwargs are not supported: name the parameters, but for those of constructors");
  SchemaArg a;
  a.name = p.name;
  a.type = p.annotation ? annotated_type(*this, *p.annotation, source) : Type(TypeKind::Tensor);
  a.keyword_only = p.keyword_only;
  a.fixed_size = p.annotation ? broadcast_size(*p.annotation) : 0;
  if (!p.default_value) return a;
  const Expr& e = *p.default_value;
  IValue value = constant_value(*this, e);
  if (!p.annotation && !value.is_none()) a.type = value.type();  // n=3 is an int
  if (a.fixed_size && value.type().subtype_of(a.type.element())) {
    Type element = value.type();
    value = IValue::list(std::vector<IValue>(static_cast<size_t>(a.fixed_size), value), element);
  }
  bool floats = a.type == Type(TypeKind::Float) || a.type == Type::optional(TypeKind::Float);
  if (floats && value.is_int()) value = IValue(value.as_double());
  try {
    value = as_wanted_device(value, a.type);
  } catch (const Error& problem) {
    fail_at(source, e.begin, e.end, problem.what());
  }
  bool legal = value.type().subtype_of(a.type) && !(a.type.is(TypeKind::Number) && value.is_bool());
  if (!legal) {
    fail_at(source, e.begin, e.end,
            fmt::format("the default of '{}' is {}, its type {}", p.name, value.type(), a.type));
  }
  a.has_default = true;
  a.default_value = value;
  return a;
}

// A parameter with an error is of type Var: unknown in the body, and nothing calls the function.
void Unit::signature(Compiled& c, const Function& f, const Type* self) {
  c.schema.name = f.name;
  for (const Parameter& p : f.parameters) {
    SchemaArg a;
    a.name = p.name.substr(p.name.find_first_not_of('*'));
    a.type = Type::var("unknown");
    try {
      if (self && &p == &f.parameters[0]) a.type = *self;
      else a = argument(p, f.source);
    } catch (const Error& e) {
      for (Problem& problem : problems_of(e)) add_problem(c.errors, std::move(problem));
    }
    c.schema.args.push_back(std::move(a));
  }
}

const Schema& Unit::schema_of(const Function& f) {
  auto [it, fresh] = signatures_.try_emplace(&f);
  if (!fresh) return it->second.schema;
  signature(it->second, f, nullptr);
  if (f.result)
    it->second.schema.results.emplace_back().type = annotated_type(*this, *f.result, f.source);
  return it->second.schema;
}

void Unit::compile(Compiled& c, const Function& f, const Type* self) {
  c.state = Compiled::State::Busy;
  program_.stack.push_back(&f);
  try {
    bool unread = !f.errors.empty() && !(f.end && is_ignored(f));
    for (size_t i = 0; unread && i < f.errors.size(); ++i) add_problem(c.errors, {f.errors[i], ""});
    if (unread && f.body.empty()) throw Failed({});
    if (self && f.parameters.empty())
      fail_at(source(), f.begin, f.end, "a method needs a parameter 'self'");
    signature(c, f, self);
    std::optional<Type> assumed;
    WideNames wide;
    for (int attempt = 0; !c.graph;) {
      try {
        if (attempt == 4)
          fail_at(source(), f.begin, f.end, "the result's type is unclear: annotate it");
        if (wide.size() > kMaxWide)
          fail_at(source(), f.begin, f.end,
                  "too many variables are narrowed before loops that widen them");
        c.graph = StatementEmitter(*this, f, c.schema, assumed, wide).run(c);
      } catch (const ResultType& r) {
        assumed = r.type;
        ++attempt;
      } catch (const WiderLoop& w) {
        wide.insert_or_assign(w.name, w.type);
      }
    }
    c.schema.results.emplace_back().type = c.result;
    c.state = Compiled::State::Done;
  } catch (const Error& e) {
    c.state = Compiled::State::Failed;
    for (Problem& p : problems_of(e)) add_problem(c.errors, std::move(p));
  }
  program_.stack.pop_back();
}

const Compiled& Unit::ready(Compiled& c, const Function& f, const Type* self, const SourcePtr& from,
                            const Expr& at) {
  const auto& stack = program_.stack;
  const auto most = static_cast<size_t>(max_call_depth());
  if (c.state == Compiled::State::Busy) {
    fail_at(from, at.begin, at.end,
            fmt::format("recursion is not supported: '{}' is being compiled", program_.title(f)));
  }
  if (c.state == Compiled::State::Fresh && stack.size() >= most)
    fail_at(from, at.begin, at.end, too_deep_text());
  if (c.state == Compiled::State::Fresh) compile(c, f, self);
  if (c.state == Compiled::State::Done && static_cast<size_t>(c.height) >= most)
    fail_at(from, at.begin, at.end, too_deep_text());
  if (c.state != Compiled::State::Failed) return c;
  if (stack.empty()) throw Failed(c.errors);
  SourceRange range{from, at.begin, at.end};
  Problems errors = c.errors;
  std::string link =
      range.highlight(fmt::format("{}: '{}' is being compiled since it was called from '{}'",
                                  range.where(), program_.title(f), program_.title(*stack.back())));
  static const std::string kMore = "\n  ... and their callers";
  for (Problem& p : errors) {
    if (p.chain.size() < kLongestChain) p.chain += "\n" + link;
    else if (!p.chain.ends_with(kMore)) p.chain += kMore;
  }
  throw Failed(std::move(errors));
}

const Compiled& Unit::callee(const std::string& name, const SourcePtr& from, const Expr& at) {
  size_t i = index_.at(name);
  return ready(*compiled_[i], module().functions[i], nullptr, from, at);
}

void Unit::compile_all() {
  for (size_t i = 0; i < compiled_.size(); ++i)
    if (compiled_[i]->state == Compiled::State::Fresh)
      compile(*compiled_[i], module().functions[i], nullptr);
}

std::string Unit::path(const Expr& e) const {
  if (e.is(ExprKind::Attribute)) {
    std::string base = path(*e.kids[0]);
    return base.empty() ? base : base + "." + e.text;
  }
  if (!e.is(ExprKind::Name)) return "";
  auto it = module().imports.find(e.text);
  if (it != module().imports.end()) return it->second;
  auto alias = module().constants.find(e.text);  // relu = F.relu
  if (alias != module().constants.end() && alias->second->is(ExprKind::Attribute)) {
    const Expr* root = alias->second.get();
    while (root->is(ExprKind::Attribute)) root = root->kids[0].get();
    return module().constants.count(root->text) ? "" : path(*alias->second);
  }
  static const std::map<std::string, std::string> kKnown{
      {"torch", "torch"}, {"math", "math"}, {"F", "torch.nn.functional"}};
  auto known = kKnown.find(e.text);
  return known == kKnown.end() ? "" : known->second;
}

}  // namespace front

const Graph* Script::find(const std::string& name) const {
  for (const std::shared_ptr<Graph>& g : functions) {
    if (g->name == name) return g.get();
  }
  for (const Failure& f : failed)
    if (f.function == name) throw Error(errors(name));
  return nullptr;
}

// An error that a function has from another one of these is reported with that one.
std::string Script::errors(const std::string& first) const {
  front::Problems all;
  std::set<std::string> own;
  for (const Failure& f : failed)
    for (const front::Problem& p : f.errors)
      if (p.chain.empty()) own.insert(p.text);
  auto add = [&](const Failure& f, bool from_others) {
    for (const front::Problem& p : f.errors)
      if (from_others || p.chain.empty() || !own.count(p.text)) front::add_problem(all, p);
  };
  for (const Failure& f : failed)
    if (f.function == first) add(f, true);
  for (bool from_others : {false, true})
    for (const Failure& f : failed) add(f, from_others);
  return front::summary_of(all);
}

Script compile_script(const std::string& text, const std::string& file) {
  Script script;
  script.program = std::make_shared<front::Program>(text, file);
  front::Program& program = *script.program;
  program.main().compile_all();
  const auto& compiled = program.main().compiled_functions();
  const std::vector<std::string>& outside = program.main().module().errors;
  if (!outside.empty()) script.failed.emplace_back();
  for (const std::string& e : outside) front::add_problem(script.failed[0].errors, {e, ""});
  for (size_t i = 0; i < compiled.size(); ++i) {
    if (compiled[i]->graph) script.functions.push_back(compiled[i]->graph);
    if (!compiled[i]->errors.empty())
      script.failed.push_back({program.main().module().functions[i].name, compiled[i]->errors});
  }
  bool nothing = script.functions.empty() && !script.failed.empty() && module_names(script).empty();
  if (nothing || !outside.empty()) throw Error(script.errors());
  program.publish();
  script.unit = program.unit();
  for (std::shared_ptr<Graph>& graph : script.functions)
    graph = script.unit->functions.at(graph->name).graph;
  return script;
}

Script compile_script_file(const std::string& path) {
  return compile_script(read_text_file(path), path);
}

}  // namespace fusillade

// One file: signatures first, then functions on demand, callees before callers; errors are
// collected.
#include "engine/front/script.h"

#include <fstream>
#include <sstream>

#include "engine/base/text.h"
#include "engine/front/emit.h"
#include "engine/front/parser.h"

namespace fusillade {
namespace front {
namespace {

// A literal, or float("inf") and its like.
std::optional<IValue> default_value(const Expr& e) {
  bool negative = e.is(ExprKind::Unary) && e.text == "-";
  const Expr& call = negative ? *e.kids[0] : e;
  bool spelled = call.is(ExprKind::Call) && call.kids.size() == 2 && call.kids[0]->is_name("float");
  double real = 0;
  if (!spelled || !call.kids[1]->is(ExprKind::Str)) return literal_value(e);
  if (!parse_double(call.kids[1]->text, &real)) return std::nullopt;
  return IValue(negative ? -real : real);
}

constexpr int kMaxErrors = 20;  // reported in one message
constexpr size_t kMaxCalls = 64;   // nested

}  // namespace

Unit::Unit(const std::string& text, const std::string& file)
    : source_(std::make_shared<const Source>(Source{file, text})),
      module_(Parser(source_, lex(source_)).module()),
      compiled_(module_.functions.size()),
      errors_(module_.functions.size()) {
  for (size_t i = 0; i < module_.functions.size(); ++i) {
    const Function& f = module_.functions[i];
    if (f.name.empty() || index_.emplace(f.name, i).second) continue;
    fail_at(source_, f.begin, f.end, fmt::format("a second function '{}'", f.name));
  }
}

std::vector<std::string> Unit::function_names() const {
  std::vector<std::string> out;
  for (auto& [name, i] : index_) out.push_back(name);
  return out;
}

void Unit::signature(size_t i) {
  const Function& f = module_.functions[i];
  Schema& s = compiled_[i].schema;
  s.name = f.name;
  for (const Parameter& p : f.parameters) {
    SchemaArg a;
    a.name = p.name;
    a.type = p.annotation ? annotated_type(*this, *p.annotation, f.source) : Type(TypeKind::Tensor);
    a.keyword_only = p.keyword_only;
    if (p.default_value) {
      const Expr& e = *p.default_value;
      std::optional<IValue> value = default_value(e);
      if (!value)
        fail_at(source_, e.begin, e.end,
                "a default is a literal: a number, a string, True, False, None");
      bool legal =
          value->type().subtype_of(a.type) && !(a.type.is(TypeKind::Number) && value->is_bool());
      if (!legal) {
        fail_at(source_, e.begin, e.end,
                fmt::format("the default of '{}' is {}, its type {}", p.name, value->type().text(),
                            a.type.text()));
      }
      a.has_default = true;
      a.default_value = *value;
    }
    s.args.push_back(std::move(a));
  }
}

void Unit::compile(size_t i) {
  Compiled& c = compiled_[i];
  const Function& f = module_.functions[i];
  c.state = Compiled::State::Busy;
  stack_.push_back(i);
  try {
    if (!f.error.empty()) throw Error(f.error);
    signature(i);
    std::optional<Type> assumed;
    for (int attempt = 0; !c.graph; ++attempt) {
      try {
        if (attempt == 4)
          fail_at(source_, f.begin, f.end, "the result's type is unclear: annotate it");
        c.graph = Emitter(*this, f, c.schema, assumed).run(c);
      } catch (const ResultType& r) {
        assumed = r.type;
      }
    }
    c.schema.results.emplace_back().type = c.result;
    c.state = Compiled::State::Done;
  } catch (const Error& e) {
    c.state = Compiled::State::Failed;
    errors_[i] = e.what();
    ++failed_;
  }
  stack_.pop_back();
}

const Compiled& Unit::callee(const std::string& name, const Expr& at) {
  size_t i = index_.at(name);
  Compiled& c = compiled_[i];
  if (c.state == Compiled::State::Busy) {
    fail_at(source_, at.begin, at.end,
            fmt::format("recursion is not supported: '{}' is being compiled", name));
  }
  if (c.state == Compiled::State::Fresh && stack_.size() >= kMaxCalls) {
    fail_at(source_, at.begin, at.end, fmt::format("calls nest more than {} deep", kMaxCalls));
  }
  if (c.state == Compiled::State::Fresh) compile(i);
  if (c.state == Compiled::State::Done && static_cast<size_t>(c.height) >= kMaxCalls) {
    fail_at(source_, at.begin, at.end, fmt::format("calls nest more than {} deep", kMaxCalls));
  }
  if (c.state == Compiled::State::Failed) {
    SourceRange range{source_, at.begin, at.end};
    fail("{}\n{}", errors_[i],
         range.highlight(fmt::format("{}: '{}' is being compiled since it was called from '{}'", range.where(), name,
                                     stack_.empty() ? "" : module_.functions[stack_.back()].name)));
  }
  return c;
}

Script Unit::run() {
  for (size_t i = 0; i < compiled_.size() && failed_ < kMaxErrors; ++i) {
    if (compiled_[i].state == Compiled::State::Fresh) compile(i);
  }
  Script script;
  for (size_t i = 0; i < compiled_.size(); ++i) {
    if (compiled_[i].state == Compiled::State::Done) script.functions.push_back(std::move(compiled_[i].graph));
    if (!errors_[i].empty()) script.failed.emplace_back(module_.functions[i].name, errors_[i]);
  }
  if (script.functions.empty() && !script.failed.empty()) throw Error(script.errors());
  return script;
}

Emitter::Emitter(Unit& unit, const Function& function, const Schema& schema,
                 std::optional<Type> assumed)
    : unit_(unit), function_(function), schema_(schema), assumed_(std::move(assumed)) {}

std::unique_ptr<Graph> Emitter::run(Compiled& compiled) {
  graph_ = std::make_unique<Graph>();
  graph_->name = function_.name;
  block_ = graph_->block();
  if (function_.result) declared_ = annotated_type(unit_, *function_.result, function_.source);
  scopes_.push();
  for (const SchemaArg& a : schema_.args) {
    Value* v = graph_->add_input(a.type);
    v->set_name(a.name);
    scopes_.set(a.name, {v, {}, ""});
  }
  List body;
  for (const StmtPtr& s : function_.body) body.push_back(s.get());
  Expr at;
  at.begin = function_.begin;
  at.end = function_.end;
  Flow flow = statements(body);
  if (flow == Flow::Falls || flow == Flow::Might) {
    Value* value = fall_through(flow);
    graph_->add_output(value);
  } else {
    Value* value = scopes_.value("$return");
    graph_->add_output(value ? value : unseen(declared_ ? *declared_ : Type(TypeKind::None)));
  }
  compiled.result = declared_ ? declared_->unshaped() : graph_->outputs()[0]->type().unshaped();
  compiled.weight = weight_;
  compiled.height = height_;
  sweep(graph_->block());
  verify(*graph_);
  return std::move(graph_);
}

// The result of a function whose end can be reached: None there.
Value* Emitter::fall_through(Flow flow) {
  bool returns_none =
      !declared_ || declared_->is(TypeKind::None) || declared_->is(TypeKind::Optional);
  if (!returns_none) {
    fail_at(function_.source, function_.begin, function_.end,
            fmt::format("'{}' returns {}, but its end can be reached without a return",
                        function_.name, declared_->text()));
  }
  Stmt end;
  end.begin = function_.begin;
  end.end = function_.end;
  Value* skip = scopes_.value("$skip0");
  Expr at;
  at.begin = end.begin;
  at.end = end.end;
  if (flow == Flow::Might && skip) {
    note_result(TypeKind::None, end);
    branch(
        skip, at, [] { return Flow::Leaves; },
        [&] {
          scopes_.set("$return", {constant(IValue(), at), {}, ""});
          return Flow::Leaves;
        });
    return scopes_.value("$return");
  }
  return constant(IValue(), at);
}

}  // namespace front

const Graph* Script::find(const std::string& name) const {
  for (const std::unique_ptr<Graph>& g : functions) {
    if (g->name == name) return g.get();
  }
  for (const auto& [function, error] : failed)
    if (function == name) throw Error(error);
  return nullptr;
}

std::string Script::errors() const {
  std::string all;
  std::vector<std::string> seen;
  for (const auto& [function, error] : failed) {
    // A caller's error begins with its callee's.
    if (all.find(error) != std::string::npos) continue;
    std::string_view rest = error;
    for (const std::string& e : seen)
      if (rest.substr(0, e.size()) == e) rest.remove_prefix(std::min(e.size() + 1, rest.size()));
    all += (all.empty() ? "" : "\n") + std::string(rest);
    seen.push_back(error);
  }
  return all;
}

Script compile_script(const std::string& text, const std::string& file) {
  return front::Unit(text, file).run();
}

Script compile_script_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("{}: cannot be read", path);
  std::ostringstream text;
  text << in.rdbuf();
  return compile_script(text.str(), path);
}

}  // namespace fusillade

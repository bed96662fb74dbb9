// See operator_alone.h. In one child, the program is walked and each call of an operator is
// recorded with a copy of its arguments before it. Each record becomes a case of one node, which is
// judged. A call that kills the child ends the search without an answer.
#include "fuzz/bisect/operator_alone.h"

#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/front/sign.h"
#include "engine/front/spelling.h"
#include "engine/run/plan.h"
#include "fuzz/judge/judge.h"
#include "fuzz/oracle/oracle.h"
#include "fuzz/run/walk.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostCalls = 400;         // of operators, noted in one program
constexpr size_t kMostOfOneOperator = 20;  // a loop calls one operator often

struct Noted {
  const Operator* op;
  std::vector<IValue> args;
  size_t results = 0;
};

class Notes : public Walk {
 public:
  std::vector<Noted> calls;

 protected:
  void run_op(const Operator& op, std::span<const IValue> args,
              std::vector<IValue>& results) override {
    if (calls.size() < kMostCalls && of_operator_[&op]++ < kMostOfOneOperator)
      calls.push_back({&op, copy_call(Call{{args.begin(), args.end()}}).inputs});
    Noted* mine = calls.empty() || calls.back().op != &op ? nullptr : &calls.back();
    const size_t at = calls.size();
    const size_t before = results.size();
    Walk::run_op(op, args, results);
    if (mine && at == calls.size()) calls.back().results = results.size() - before;
  }

 private:
  std::map<const Operator*, size_t> of_operator_;
};

bool holds_tensor(const IValue& v) {
  if (v.is_tensor()) return true;
  if (!v.is_sequence()) return false;
  for (const IValue& item : v.items())
    if (holds_tensor(item)) return true;
  return false;
}

Case case_of(const Noted& noted, const std::string& oracle) {
  Case c;
  c.oracle = oracle;
  c.plans = {reference_plan()};
  c.program = std::make_unique<Graph>();
  c.calls.resize(1);
  std::vector<Value*> inputs;
  for (const IValue& v : noted.args) {
    if (holds_tensor(v)) {
      inputs.push_back(c.program->add_input(v.type()));
      c.calls[0].inputs.push_back(v);
    } else {
      inputs.push_back(c.program->constant(v));
    }
  }
  Node* node = c.program->append(*noted.op, inputs);
  for (Value* v : node->outputs()) c.program->add_output(v);
  verify(*c.program);
  return c;
}

void spell_operators(const std::string& base, std::vector<std::string>& out) {
  for (const char* text : {"+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<",
                           "<=", ">", ">=", "==", "!="})
    if (base == op_of(front::sign_of(text))) out.push_back(fmt::format("a {} b", text));
  static const std::pair<const char*, const char*> kForms[] = {
      {front::op::kNeg, "-a"},
      {front::op::kNot, "not a"},
      {front::op::kBool, "bool(a)"},
      {front::op::kInt, "int(a)"},
      {front::op::kFloat, "float(a)"},
      {front::op::kGetItem, "a[b]"},
      {front::op::kSlice, "a[b:c:d]"},
      {front::op::kContains, "b in a"},
      {front::op::kSetItem, "a[b] = c\n"},
      {front::op::kDelete, "del a[b]\n"},
      {front::op::kRangeLength, "len([i for i in range(a, b, c)])"}};
  for (const auto& [name, text] : kForms)
    if (base == name) out.emplace_back(text);
}

// "a, b" without those at the end that the operator has by default.
std::string argument_list(const Operator& op, std::span<const IValue> args, size_t from) {
  size_t count = std::min<size_t>(args.size(), 4);
  for (; count > from; --count) {
    const SchemaArg& formal = op.schema.args[count - 1];
    if (!formal.has_default || !args[count - 1].identical(formal.default_value)) break;
  }
  std::string out;
  for (size_t i = from; i < count; ++i)
    out += (i > from ? ", " : "") + std::string(1, static_cast<char>('a' + i));
  return out;
}

// A type of the language's annotations; "" where a value has none here.
std::string annotation(const IValue& v) {
  if (v.is_int()) return "int";
  if (v.is_float()) return "float";
  if (v.is_bool()) return "bool";
  if (v.tag() == IValue::Tag::Str) return "str";
  if (v.tag() != IValue::Tag::List || v.items().empty()) return "";
  const std::string item = annotation(v.items()[0]);
  return item.empty() ? "" : "List[" + item + "]";
}

// "" when the operator has no expression, or an argument no annotation. An argument that is None is
// left out of a slice.
std::string script_of(const Noted& noted, std::string expression, std::vector<IValue>& given) {
  std::string parameters;
  for (size_t i = 0; i < noted.args.size() && i < 4; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    const IValue& v = noted.args[i];
    const size_t at = expression.find(name + ":") != std::string::npos ||
                              expression.find(":" + name) != std::string::npos
                          ? expression.find_last_of(name[0])
                          : std::string::npos;
    if (v.is_none() && at != std::string::npos) {
      expression.erase(at, 1);
      continue;
    }
    const std::string type = annotation(v);
    if (type.empty()) return "";
    parameters += (parameters.empty() ? "" : ", ") + name + ": " + type;
    given.push_back(v);
  }
  const bool statement = expression.back() == '\n';
  return "from typing import List\ndef f(" + parameters + "):\n    " +
         (statement ? expression + "    return a\n" : "return " + expression + "\n");
}

std::vector<Case> scripts_of(const Noted& noted, const std::string& oracle) {
  std::vector<Case> out;
  for (const std::string& spelling : python_of(*noted.op, noted.args)) {
    Case c;
    c.oracle = oracle;
    c.plans = {reference_plan()};
    std::vector<IValue> given;
    const std::string text = script_of(noted, spelling, given);
    if (text.empty()) continue;
    set_script(c, text, "<operator alone>");
    if (!c.refused.empty()) continue;
    c.calls.push_back({given});
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<Case> cases_of(const Noted& noted, const Case& of) {
  try {
    if (oracle(of.oracle).blaming.alone == Alone::Script) return scripts_of(noted, of.oracle);
    std::vector<Case> out;
    out.push_back(case_of(noted, of.oracle));
    return out;
  } catch (const Exception&) {  // arguments that no case can say
    return {};
  }
}

// The calls of operators in all of a program's runs.
std::vector<Noted> noted_in(const Case& c) {
  std::vector<Noted> out;
  for (const Call& call : c.calls) {
    Notes notes;
    try {
      notes.run(*c.program, copy_call(call).inputs);
    } catch (const Exception&) {  // what ran until then is noted
    }
    std::move(notes.calls.begin(), notes.calls.end(), std::back_inserter(out));
  }
  return out;
}

// What a child reports to its parent.
std::string report_of(const Noted& noted, const Case& alone) {
  return nlohmann::json({noted.op->schema.name, print(alone)})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string search(const Case& c, const Verdict& failure) {
  for (const Noted& noted : noted_in(c)) {
    for (const Case& alone : cases_of(noted, c)) {
      Verdict v = judge_here(alone);
      // A wrong value in the midst of a program may be an error in its end.
      const bool alike = v.reason == failure.reason || v.reason == "value";
      if (is_finding(v.kind) && v.kind == failure.kind && alike) return report_of(noted, alone);
    }
  }
  return "";
}

void fill_floats(const IValue& v, double value) {
  if (v.is_tensor() && is_float(v.as_tensor().dtype())) {
    const Tensor& t = v.as_tensor();
    for (int64_t i = 0; i < t.numel(); ++i) set_element(t, i, value);
  }
  if (!v.is_sequence()) return;
  for (const IValue& item : v.items()) fill_floats(item, value);
}

std::string search_extremes(const Case& c) {
  using Limit = std::numeric_limits<double>;
  for (const Noted& noted : noted_in(c)) {
    for (double value : {-Limit::infinity(), Limit::infinity(), Limit::lowest(), Limit::max()}) {
      Noted filled{noted.op, copy_call(Call{noted.args}).inputs, noted.results};
      for (const IValue& v : filled.args) fill_floats(v, value);
      Case of = c.clone();
      of.oracle = "differential";
      for (const Case& alone : cases_of(filled, of))
        if (judge_here(alone).kind == VerdictKind::Mismatch) return report_of(noted, alone);
    }
  }
  return "";
}

// What a search in a child found, seen once more.
std::optional<OperatorAlone> found_by(const std::function<std::string()>& search, const Case& c,
                                      const Limits& limits) {
  ChildResult r = run_judging(c, search, limits);
  if (r.kind != ChildResult::Kind::Done || r.output.empty()) return std::nullopt;
  try {
    auto found = nlohmann::json::parse(r.output);
    OperatorAlone out{found[0], parse_case(found[1].get<std::string>(), "<operator alone>")};
    out.program.origin = c.origin;
    if (is_finding(judge_isolated(out.program, limits).kind)) return out;
  } catch (const Error&) {  // no text says such a case
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> python_of(const Operator& op, std::span<const IValue> args) {
  std::vector<std::string> out;
  const Schema& schema = op.schema;
  spell_operators(schema.name, out);
  for (const std::string& name : front::builtin_names()) {
    const std::vector<std::string> ops = front::builtin_ops(name, false);
    if (std::ranges::count(ops, schema.name))
      out.push_back(name + "(" + argument_list(op, args, 0) + ")");
  }
  if (args.empty()) return out;
  // A list that is appended to is what the operator gives, and Python's method gives None.
  const bool statement = schema.writes() && (schema.results.empty() ||
                                             schema.results[0].alias == schema.args[0].alias);
  for (const std::string& name : front::methods_of(args[0].type().kind()))
    if (schema.name == front::method_op(name))
      out.push_back("a." + name + "(" + argument_list(op, args, 1) + ")" + (statement ? "\n" : ""));
  return out;
}

std::optional<OperatorAlone> operator_alone(const Case& c, const Verdict& failure,
                                            const Limits& limits) {
  return found_by([&] { return search(c, failure); }, c, limits);
}

std::optional<OperatorAlone> operator_at_extremes(const Case& c, const Limits& limits) {
  return found_by([&] { return search_extremes(c); }, c, limits);
}

}  // namespace fusillade::fuzz

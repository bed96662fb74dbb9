// See cause.h.
#include "fuzz/triage/cause.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "engine/front/parser.h"
#include "engine/ops/kind_name.h"
#include "engine/run/plan.h"
#include "engine/scalar/ring.h"
#include "fuzz/case/against.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kLongest = 160;  // of a normalised message
constexpr const char* kWrong = "wrong result";
constexpr const char* kMissing = "missing error";
constexpr const char* kGrew = "costs more than another build";
constexpr const char* kFrontEnd = "front end";  // Oracle::part
constexpr const char* kMixedUp = "an op got a value of another kind";

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_type(const std::string& word) {
  static const std::set<std::string> names = {
      "bool",    "uint8",    "int8",  "int16",  "int32",    "int64",     "float16", "bfloat16",
      "float32", "float64",  "u8",    "i8",     "i16",      "i32",       "i64",     "f16",
      "bf16",    "f32",      "f64",   "Byte",   "Char",     "Short",     "Int",     "Long",
      "Half",    "BFloat16", "Float", "Double", "Bool",     "c10::Half", "double",  "float",
      "int",     "long",     "half",  "number", "str",      "list",      "tuple",   "dict",
      "enum",    "List",     "Tuple", "Dict",   "Optional", "Tensor",    "NoneType"};
  return names.count(word) > 0;
}

// One past the end of what starts at `at` and belongs to one case; `at` itself where nothing does.
// `mark` gets its replacement.
size_t end_of_detail(const std::string& text, size_t at, std::string& mark) {
  const char c = text[at];
  const bool starts_word = at == 0 || !word_char(text[at - 1]);
  if (c == '\'' || c == '"' || c == '`') {
    const size_t close = text.find(c, at + 1);
    if (close == std::string::npos || (c == '\'' && !starts_word)) return at;
    mark = "'..'";
    return close + 1;
  }
  size_t end = at;
  if (c == '%') {
    for (end = at + 1; end < text.size() && (word_char(text[end]) || text[end] == '.');) ++end;
    mark = "%";
    return end;
  }
  if (std::isdigit(static_cast<unsigned char>(c)) && starts_word) {
    auto within = [&](size_t i) {
      const bool exponent = (text[i] == '-' || text[i] == '+') &&
                            (text[i - 1] == 'e' || text[i - 1] == 'p') && i + 1 < text.size() &&
                            std::isdigit(static_cast<unsigned char>(text[i + 1]));
      return word_char(text[i]) || exponent ||
             (text[i] == '.' && i + 1 < text.size() && word_char(text[i + 1]));
    };
    for (end = at + 1; end < text.size() && within(end);) ++end;
    mark = "#";
    return end;
  }
  if (!starts_word || !word_char(c)) return at;
  for (end = at; end < text.size() && word_char(text[end]);) ++end;
  const std::string word = text.substr(at, end - at);
  const bool numbered = word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[0])) &&
                        word.find_first_not_of("0123456789", 1) == std::string::npos;
  if (is_type(word)) mark = "DTYPE";
  else if (numbered) mark = "%";
  else if (word == "nan" || word == "inf") mark = "#";
  else return at;
  return end;
}

// "night/pending/7.case:3:12: no such name" without its location.
std::string without_place(const std::string& line) {
  const size_t colon = line.find(':');
  const size_t space = line.find(' ');
  if (colon == std::string::npos || space == std::string::npos || colon > space) return line;
  if (line.find_first_not_of("0123456789:", colon) != space || line[space - 1] != ':') return line;
  return line.substr(space + 1);
}

// Masks the names of our ops, and the text in brackets: types and sizes of one call.
std::string without_ops(std::string text) {
  for (size_t at = 0; (at = text.find("aten::", at)) != std::string::npos;) {
    size_t end = at + 6;
    while (end < text.size() && (word_char(text[end]) || text[end] == '.')) ++end;
    text.replace(at, end - at, "OP");
  }
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open != std::string::npos && close != std::string::npos && close > open)
    text.replace(open, close + 1 - open, "(#)");
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
}

template <class Word>
void add_words(const Block* block, std::set<std::string>& words, Word word) {
  for (const Node* n : block->nodes()) {
    const Operator& op = n->op();
    const bool glue = n->is(prim::constant()) || n->is(prim::list_construct()) ||
                      n->is(prim::tuple_construct()) || n->is(prim::tuple_unpack()) ||
                      n->is(prim::list_unpack());
    if (!glue) words.insert(word(op));
    for (const Block* inner : n->blocks()) add_words(inner, words, word);
  }
}

// The name of a kind of expression; empty: its operator identifies it, if anything does.
const char* word_of(front::ExprKind kind) {
  using K = front::ExprKind;
  switch (kind) {
    case K::Name:
      return "name";
    case K::Int:
      return "int";
    case K::Float:
      return "float";
    case K::Str:
      return "str";
    case K::True:
      return "True";
    case K::False:
      return "False";
    case K::None:
      return "None";
    case K::Ellipsis:
      return "Ellipsis";
    case K::Attribute:
      return "attribute";
    case K::Call:
      return "call";
    case K::Subscript:
      return "subscript";
    case K::Slice:
      return "slice";
    case K::List:
      return "list";
    case K::Tuple:
      return "tuple";
    case K::Unary:
      return "unary";
    case K::Binary:
    case K::Boolean:
    case K::Compare:
      return "";
    case K::Ternary:
      return "ternary";
    case K::Dict:
      return "dict";
    case K::ListComp:
    case K::DictComp:
      return "comprehension";
    case K::Starred:
      return "starred";
    case K::Format:
      return "f-string";
    case K::Walrus:
      return "walrus";
  }
  return "";
}

// The same of a statement; empty: every program has such.
const char* word_of(front::StmtKind kind) {
  using K = front::StmtKind;
  switch (kind) {
    case K::Assign:
    case K::Return:
    case K::Pass:
    case K::Expression:
      return "";
    case K::AugAssign:
      return "augmented";
    case K::If:
      return "if";
    case K::While:
      return "while";
    case K::For:
      return "for";
    case K::Raise:
      return "raise";
    case K::Assert:
      return "assert";
    case K::Break:
      return "break";
    case K::Continue:
      return "continue";
    case K::Delete:
      return "delete";
    case K::With:
      return "with";
    case K::Broken:
      return "broken";
  }
  return "";
}
// Leaves, and what every program has, distinguish nothing.
bool telling(front::ExprKind kind) {
  using K = front::ExprKind;
  return kind >= K::Attribute && kind != K::List && kind != K::Tuple;
}

void add_constructs(const front::Expr* e, std::set<std::string>& out) {
  if (!e) return;
  using K = front::ExprKind;
  if (e->is(K::Call) && std::any_of(e->words.begin(), e->words.end(),
                                    [](const std::string& word) { return !word.empty(); }))
    out.insert("keyword");
  const auto binary = [](const auto& kid) { return kid && kid->is(K::Binary); };
  if (e->is(
          K::Binary))  // which of them is an operator's business; how they group is the front end's
    out.insert(std::any_of(e->kids.begin(), e->kids.end(), binary) ? "grouping" : "operator");
  else if (e->is(K::Boolean) || e->is(K::Unary)) out.insert(e->text);
  else if (e->is(K::Compare)) out.insert(e->words.size() > 1 ? "chain" : "compare");
  else if (telling(e->kind)) out.insert(word_of(e->kind));
  for (const auto& kid : e->kids) add_constructs(kid.get(), out);
}

void add_constructs(const front::StmtList& list, std::set<std::string>& out) {
  for (const front::StmtPtr& s : list) {
    const std::string word = word_of(s->kind);
    if (!word.empty()) out.insert(word);
    add_constructs(s->value.get(), out);
    for (const auto& target : s->targets) {
      if (target->is(front::ExprKind::Tuple) || target->is(front::ExprKind::List))
        out.insert("unpacking");
      add_constructs(target.get(), out);
    }
    if (!s->orelse.empty()) out.insert("else");
    add_constructs(s->body, out);
    add_constructs(s->orelse, out);
  }
}

std::set<std::string> constructs(const std::string& script) {
  std::set<std::string> out;
  try {
    front::Module module =
        front::parse_module(std::make_shared<const Source>(Source{"<case>", script}));
    for (const front::Function& f : module.functions) add_constructs(f.body, out);
    for (const front::Class& k : module.classes) {
      out.insert("class");
      for (const front::Function& f : k.methods) add_constructs(f.body, out);
    }
  } catch (const Exception&) {  // one that does not parse has none
  }
  if (script.find('\\') != std::string::npos) out.insert("escape");  // whatever is read of it
  return out;
}

// The constructs that distinguish a script: what binds names and arguments, where control goes, how
// operators group. Most others appear in what remains of any program, and count where nothing else
// does. In a refused script, so do the operators of truth values.
std::set<std::string> salient(const std::set<std::string>& constructs, bool refused) {
  static const std::set<std::string> common = {"attribute", "call",  "compare", "dict",
                                               "operator",  "raise", "slice",   "subscript"};
  static const std::set<std::string> truth = {"not", "and", "or", "chain"};
  static const std::set<std::string> control = {"if", "else", "ternary", "for", "while"};
  std::set<std::string> out;
  for (const std::string& word : constructs) {
    const bool symbol = !std::isalpha(static_cast<unsigned char>(word[0]));
    if (symbol || common.count(word) || (refused && truth.count(word))) continue;
    out.insert(control.count(word) ? "control" : word);
  }
  return out.empty() ? constructs : out;
}

// Of whole Python: keywords, and names that Python or PyTorch gave; those that the generator counts
// hold a digit.
std::set<std::string> words_of_python(const std::string& text) {
  static const std::set<std::string> common = {"def",    "return", "main", "log",  "append",
                                               "Tensor", "torch",  "int",  "bool", "import",
                                               "from",   "self",   "in",   "clamp"};
  std::set<std::string> out;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    const bool own = word.size() < 2 || word.find_first_of("0123456789") != std::string::npos;
    if (!own && common.count(word) == 0) out.insert(word);
    at = end;
  }
  return out;
}

const Operator* find_operator(const Block* block, const std::string& name) {
  for (const Node* n : block->nodes()) {
    if (n->op().schema.name == name) return &n->op();
    for (const Block* inner : n->blocks())
      if (const Operator* op = find_operator(inner, name)) return op;
  }
  return nullptr;
}

// The blame as a cause has it: operators of one kind share their code.
Culprit part_of(const Culprit& blame, const Case& c) {
  // Both halves of an archive are read and written alike.
  if (blame.is(CulpritKind::Part) && blame.name.starts_with("archive "))
    return {CulpritKind::Part, "archive", {}};
  if (!blame.is(CulpritKind::Operator) || !c.program) return blame;
  const Operator* op = find_operator(c.program->block(), blame.name);
  return op ? Culprit{CulpritKind::OperatorKind, name_of(op->kind), {}} : blame;
}

bool is_front_end(const Culprit& part) {
  return part.is(CulpritKind::Part) && part.name == kFrontEnd;
}

// An engine of ours that is not the reference.
bool is_executor(const Culprit& part) {
  const Engine* engine = Table<Engine>::instance().find(part.name);
  return part.is(CulpritKind::Engine) && engine && !engine->reference;
}

bool is_engine_outside(const std::string& name) {
  const Engine* engine = Table<Engine>::instance().find(name);
  return engine && engine->outside;
}

// An op got a value of another kind than its operand has; the file says which check met it.
bool says_mixed_up(const std::string& message) {
  return message.find("ivalue.cpp ") != std::string::npos;
}

bool narrow(const Culprit& part) {
  switch (part.kind) {
    case CulpritKind::Rule:
    case CulpritKind::Transform:
    case CulpritKind::Operator:
    case CulpritKind::OperatorKind:
    case CulpritKind::Effects:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string normalise(const std::string& message) {
  std::string line = message.substr(0, message.find('\n'));
  line.resize(std::min(line.find(", at: "), line.size()));  // a node of the program
  line.resize(std::min(line.find("; did you mean "), line.size()));
  line.resize(std::min(line.find(" (legal: "), line.size()));
  if (line.starts_with("pass ")) line = line.substr(std::min(line.find(": "), line.size()));
  const size_t place = line.find(".cpp:");  // "engine/fuse/nest.cpp:123: ..." keeps the file
  if (place != std::string::npos) {
    const size_t slash = line.rfind('/', place);
    const size_t space = line.find(' ', place);
    const size_t from = slash == std::string::npos ? 0 : slash + 1;
    line = line.substr(from, place + 4 - from) +
           (space == std::string::npos ? "" : line.substr(space));
  } else line = without_place(line);
  std::string out;
  for (size_t at = 0; at < line.size();) {
    std::string mark;
    const size_t end = end_of_detail(line, at, mark);
    if (end == at) out += line[at++];
    else out += mark, at = end;
  }
  replace_all(out, "-#", "#");
  replace_all(out, "#, #", "#");
  replace_all(out, "%, %", "%");
  for (const char* several : {"DTYPE, DTYPE", "DTYPE or DTYPE", "DTYPE[DTYPE]"})
    replace_all(out, several, "DTYPE");
  replace_all(out, "[]", "[#]");
  replace_all(out, "()", "(#)");
  replace_all(out, "  ", " ");
  const size_t first = out.find_first_not_of(" :");
  return first == std::string::npos ? "" : out.substr(first, kLongest);
}

std::string message_of(const Verdict& v) {
  // An external engine says of which op it speaks; ours say it of whatever ran.
  const bool ours = !is_engine_outside(v.plan.engine);
  auto simplify = [&](const std::string& text) {
    return ours ? without_ops(normalise(text)) : normalise(text);
  };
  if (v.kind == VerdictKind::Bug && !v.detail.empty()) return simplify(v.detail);
  // What costs more than in another build hangs on the passes that follow.
  if (v.kind == VerdictKind::Slow) return v.oracle == kAgainst ? kGrew : normalise(v.reason);
  if (v.kind != VerdictKind::Mismatch) return normalise(v.reason);
  // "trace: error: ..." is what running a wrong trace came to; which error says nothing of it.
  if (v.reason.starts_with(kMissing)) return kMissing;
  if (!v.reason.starts_with("error: ")) return kWrong;
  const std::string raised = simplify(v.detail.empty() ? v.reason.substr(7) : v.detail);
  return raised.empty() ? kWrong : "error: " + raised;
}

std::set<std::string> words_of(const Case& c, const Culprit& part) {
  if (c.python) return words_of_python(c.script);
  if (!c.script.empty() && is_front_end(part))
    return salient(constructs(c.script), !c.refused.empty());
  std::set<std::string> words;
  if (c.program)
    add_words(c.program->block(), words, [&](const Operator& op) { return word_of(op, part); });
  return words;
}

std::string word_of(const Operator& op, const Culprit& part) {
  if (part.is(CulpritKind::EngineOutside)) return op.schema.name;
  const bool control = &op == &prim::if_() || &op == &prim::loop();
  if (is_executor(part)) return control ? op.schema.name : "op";
  const bool computes =
      (part.is(CulpritKind::Fuser) && part.of == "fuse") || part.is(CulpritKind::Backend);
  if (computes) return name_of(op.kind);
  if (op.schema.writes()) return "write";
  if (op.kind == OpKind::View || op.kind == OpKind::Prim) return name_of(op.kind);
  return "compute";
}

std::set<std::string> operators_in(const Case& c) {
  std::set<std::string> out;
  if (c.program)
    add_words(c.program->block(), out, [](const Operator& op) { return op.schema.name; });
  return out;
}

Cause cause_of(const Verdict& v, const Culprit& blame, const Case& reduced) {
  Cause cause;
  cause.verdict = name_of(v.kind);
  cause.part = part_of(blame, reduced);
  cause.message = message_of(v);
  // What a rule, an engine of ours or the front end does wrong shows as wrong values here and as an
  // error there, and what an engine mixes up in whichever op gets it.
  const bool executor = is_executor(cause.part);
  const bool any_symptom = narrow(cause.part) || executor || is_front_end(cause.part);
  if (v.kind == VerdictKind::Mismatch && any_symptom) cause.message = kWrong;
  if (v.kind == VerdictKind::Bug && executor && says_mixed_up(cause.message))
    cause.message = kMixedUp;
  const bool says_nothing = cause.message == kWrong || cause.message == kMissing ||
                            cause.message == kMixedUp || is_death(v.kind) ||
                            !reduced.refused.empty();
  if (says_nothing && !narrow(cause.part)) cause.ops = words_of(reduced, cause.part);
  cause.operators = operators_in(reduced);
  cause.plan = reduced.plans.empty() ? "" : reduced.plans[0].text;
  return cause;
}

// Which sentence refuses a script depends on what follows the wrong name or argument.
bool one_op_is_enough(const Cause& cause) {
  return cause.verdict == name_of(VerdictKind::Bug) && is_front_end(cause.part) &&
         !cause.ops.empty();
}

bool same_cause(const Cause& a, const Cause& b) {
  if (a.verdict != b.verdict || a.part != b.part) return false;
  if (one_op_is_enough(a))
    return std::any_of(a.ops.begin(), a.ops.end(),
                       [&](const std::string& op) { return b.ops.count(op) > 0; });
  if (a.message != b.message) return false;
  return std::includes(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end()) ||
         std::includes(b.ops.begin(), b.ops.end(), a.ops.begin(), a.ops.end());
}

std::string hash12(const std::string& text) {
  uint64_t h = 0x5eed;
  for (char c : text) h = ring_hash(h, static_cast<unsigned char>(c));
  return fmt::format("{:012x}", h & 0xffffffffffffULL);
}

std::string bucket_name(const Cause& cause) {
  std::string slug;
  const std::string part = print(cause.part);
  for (char c : part) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!slug.empty() && slug.back() != '-') slug += '-';
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  std::string key = part + "|" + cause.message + "|";
  for (const std::string& op : cause.ops) key += op + " ";
  return fmt::format("{}-{}-{}", cause.verdict, slug.empty() ? "unknown" : slug, hash12(key));
}

std::string print(const Cause& cause) {
  nlohmann::json j = {{"verdict", cause.verdict}, {"part", print(cause.part)},
                      {"message", cause.message}, {"ops", cause.ops},
                      {"rows", cause.operators},  {"plan", cause.plan}};
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Cause parse_cause(const std::string& text) {
  Cause cause;
  const nlohmann::json j = nlohmann::json::parse(text, nullptr, false);
  if (!j.is_object()) return cause;
  cause.verdict = j.value("verdict", "");
  cause.part = read_culprit(j.value("part", ""));
  cause.message = j.value("message", "");
  cause.ops = j.value("ops", std::set<std::string>());
  cause.operators = j.value("rows", std::set<std::string>());
  cause.plan = j.value("plan", "");
  return cause;
}

}  // namespace fusillade::fuzz

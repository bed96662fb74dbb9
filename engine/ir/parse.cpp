// TorchScript's IR text to a graph. Overloads are not written in the text: they are resolved from
// argument types. Names, blocks, attributes, subgraphs ("with prim::TensorExprGroup_0 =
// graph(...)") and nodes without results all read back. Hostile text costs a bounded depth and an
// Error with line, column and caret.
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "engine/ir/agree.h"
#include "engine/ir/composite.h"
#include "engine/ir/verify.h"
#include "engine/ops/class_type.h"
#include "engine/ops/device.h"

namespace fusillade {
namespace {

constexpr int kMaxDepth = 64;

class Parser {
 public:
  Parser(const std::string& text, const std::string& file, const ClassTable* classes)
      : source_(std::make_shared<Source>(Source{file, text})),
        text_(source_->text),
        classes_(classes) {}

  std::unique_ptr<Graph> all() {
    std::unique_ptr<Graph> g = graph();
    while (word("with")) {
      size_t start = here();
      std::string label = qualified_name();
      expect("=");
      auto it = wanted_.find(label);
      if (it == wanted_.end()) wrong(start, "'" + label + "' belongs to no node");
      Node* node = it->second;
      wanted_.erase(it);
      std::shared_ptr<Graph> inner = graph();
      node->set_attr("Subgraph", inner);
    }
    skip();
    if (at_ != text_.size()) wrong(at_, "expected the end of the text");
    if (!wanted_.empty()) {
      wrong(at_, fmt::format("the graph '{}' is missing: write 'with {} = graph(...)'",
                             wanted_.begin()->first, wanted_.begin()->first));
    }
    agree(*g);
    return g;
  }

 private:
  // What is defined where the text is read; a block's own names leave with it. Names are pieces of
  // the text.
  using Scope = std::unordered_map<std::string_view, Value*>;
  using Names = std::vector<std::string_view>;

  [[noreturn]] void wrong(size_t at, const std::string& message) {
    size_t end = at;
    while (end < text_.size() && !std::isspace(static_cast<unsigned char>(text_[end]))) ++end;
    SourceRange r{source_, static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
    fail("{}", r.highlight(fmt::format("{}: {}", r.where(), message)));
  }

  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      } else if (text_[at_] == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else {
        return;
      }
    }
  }
  size_t here() {
    skip();
    return at_;
  }
  bool eat(std::string_view s) {
    skip();
    if (text_.compare(at_, s.size(), s) != 0) return false;
    at_ += s.size();
    return true;
  }
  bool word(std::string_view s) {
    skip();
    if (text_.compare(at_, s.size(), s) != 0) return false;
    char after = at_ + s.size() < text_.size() ? text_[at_ + s.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(after)) || after == '_') return false;
    at_ += s.size();
    return true;
  }
  void expect(std::string_view s) {
    if (!eat(s)) wrong(at_, fmt::format("expected '{}'", s));
  }
  static bool name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  }
  std::string_view identifier(const char* what) {
    skip();
    size_t start = at_;
    while (at_ < text_.size() && name_char(text_[at_])) ++at_;
    if (start == at_) wrong(at_, std::string("expected ") + what);
    return std::string_view(text_).substr(start, at_ - start);
  }
  std::string qualified_name() {
    std::string s(identifier("an operator such as aten::add"));
    expect("::");
    s += "::";
    return s += identifier("the operator's name");
  }
  static bool is_number(std::string_view name) {
    return name.find_first_not_of("0123456789") == std::string::npos;
  }

  // Structure and types, once callees are known.
  void agree(const Graph& graph) {
    for (auto& [node, start] : starts_) {
      if (holds_graph(node)) {
        if (node->has_attr("Subgraph")) valid(node->subgraph());
      }
    }
    valid(graph);
    for (auto& [node, start] : starts_) {
      std::string conflict = conflict_of(node);
      if (!conflict.empty()) wrong(start, conflict);
    }
  }

  void valid(const Graph& graph) {
    std::optional<Flaw> flaw = find_flaw(graph);
    if (!flaw) return;
    for (auto& [node, start] : starts_)
      if (node == flaw->at) wrong(start, flaw->what);
    fail("{}: {}", source_->file, flaw->what);
  }

  std::unique_ptr<Graph> graph() {
    if (text_.empty()) fail("{}:1:1: expected 'graph(', and the file is empty", source_->file);
    if (!word("graph")) wrong(at_, "expected 'graph('");
    auto g = std::make_unique<Graph>();
    graph_ = g.get();
    scope_.clear();
    Names names;
    parameters(g->block(), names);
    expect(":");
    nodes(g->block(), names, 0);
    if (!word("return")) wrong(at_, "expected a node or 'return (...)'");
    results(g->block());
    return g;
  }

  void parameters(Block* block, Names& names) {
    expect("(");
    if (eat(")")) return;
    do {
      Value* v = block->add_param();
      expect("%");
      size_t at = at_;
      std::string_view name = identifier("a value's name");
      if (eat(":")) v->set_type(type());
      declare(name, v, at, names);
    } while (eat(","));
    expect(")");
  }

  void declare(std::string_view name, Value* v, size_t at, Names& names) {
    if (!scope_.emplace(name, v).second) wrong(at, fmt::format("'%{}' is defined twice", name));
    names.push_back(name);
    if (!is_number(name)) v->set_name(std::string(name));
  }

  Value* use() {
    expect("%");
    size_t at = at_;
    std::string_view name = identifier("a value's name");
    auto it = scope_.find(name);
    if (it == scope_.end()) wrong(at, fmt::format("'%{}' is not defined here", name));
    return it->second;
  }

  void results(Block* block) {
    expect("(");
    if (eat(")")) return;
    do block->add_result(use());
    while (eat(","));
    expect(")");
  }

  // A type's text ends where brackets are balanced and one of , ) = or a new line follows.
  Type type() {
    size_t start = here();
    int depth = 0;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '(' || c == '[') ++depth;
      if (depth == 0 && (c == ',' || c == ')' || c == '=' || c == '\n' || c == ':')) break;
      if (c == ')' || c == ']') --depth;
      if (c == '\n') break;
      ++at_;
    }
    size_t end = at_;
    while (end > start && text_[end - 1] == ' ') --end;
    std::string_view text = std::string_view(text_).substr(start, end - start);
    auto known = types_.find(text);
    if (known != types_.end()) return known->second;
    try {
      return types_.emplace(text, parse_type(std::string(text), classes_)).first->second;
    } catch (const Error& e) {
      wrong(start, e.what());
    }
  }

  bool node_follows() {
    skip();
    if (at_ >= text_.size()) return false;
    if (text_[at_] == '%') return true;
    size_t i = at_;
    while (i < text_.size() && name_char(text_[i])) ++i;
    return i > at_ && text_.compare(i, 2, "::") == 0;
  }

  void nodes(Block* block, Names& names, int depth) {
    if (depth > kMaxDepth) wrong(at_, fmt::format("blocks nest deeper than {}", kMaxDepth));
    while (node_follows()) node(block, names, depth);
  }

  struct Output {
    size_t at;
    std::string_view name;
    Type type;
    bool typed = false;
  };

  std::vector<Output> outputs() {
    std::vector<Output> out;
    while (eat("%")) {
      Output o;
      o.at = at_;
      o.name = identifier("a value's name");
      if (eat(":")) {
        o.type = type();
        o.typed = true;
      }
      out.push_back(std::move(o));
      if (!eat(",")) break;
    }
    if (!out.empty()) expect("=");
    return out;
  }

  void node(Block* block, Names& names, int depth) {
    std::vector<Output> outs = outputs();
    size_t start = here();
    std::string name = qualified_name();
    std::vector<std::pair<std::string, IValue>> attrs = attributes(outs);
    std::vector<Value*> inputs;
    expect("(");
    if (!eat(")")) {
      do inputs.push_back(use());
      while (eat(","));
      expect(")");
    }
    SourceRange range = range_comment();
    Node* n = make(name, inputs, start, outs);
    for (auto& [key, value] : attrs) n->set_attr(key, std::move(value));
    block->append(n);
    if (outs.size() < n->op().schema.results.size() && !n->op().schema.varresults) {
      wrong(start, fmt::format("{} has {} results, {} are named", name,
                               n->op().schema.results.size(), outs.size()));
    }
    for (Output& o : outs) declare(o.name, n->add_output(), o.at, names);
    if (const std::string conflict = input_conflict(n); !conflict.empty()) wrong(start, conflict);
    if (n->op().infer) infer(n, start);
    for (size_t i = 0; i < outs.size(); ++i) {
      Value* v = n->output(static_cast<int>(i));
      // An empty list may be of any type; a cast has the type that the text gives it.
      bool type_from_text = n->is(prim::list_construct()) || n->op().name == "prim::unchecked_cast";
      bool settled = n->op().infer && !type_from_text;
      if (outs[i].typed && settled && !may_agree(v->type(), outs[i].type)) {
        wrong(outs[i].at,
              fmt::format("{} gives {}, not {}", name, v->type().text(), outs[i].type.text()));
      }
      if (outs[i].typed) v->set_type(outs[i].type);
    }
    if (n->is(prim::constant()) ||
        n->is(prim::list_construct())) {  // inference of later nodes reads their values
      std::string conflict = conflict_of(n);
      if (!conflict.empty()) wrong(start, conflict);
    }
    n->range = range;
    starts_.emplace_back(n, start);
    blocks(n, depth);
  }

  void infer(Node* n, size_t start) {
    try {
      infer_types(n);
    } catch (const Error& e) {
      wrong(start, e.what());
    }
  }

  // Overloads may differ in their result alone: pow of two ints is a float or an int. The text says
  // which.
  static const Operator* of_result(const std::vector<const Operator*>& operators,
                                   const std::vector<Type>& types,
                                   const std::vector<Output>& outs) {
    if (outs.size() != 1 || !outs[0].typed) return nullptr;
    for (const Operator* r : operators) {
      const Schema& s = r->schema;
      bool same = s.args.size() == types.size() && s.results.size() == 1 &&
                  s.results[0].type == outs[0].type;
      for (size_t i = 0; same && i < types.size(); ++i) same = s.args[i].type == types[i];
      if (same) return r;
    }
    return nullptr;
  }

  // A number where a list is expected, which source text allows: it becomes a list there.
  static bool is_single(const Type& given, const Type& formal) {
    if (formal.is(TypeKind::Optional)) return is_single(given, formal.element());
    return formal.is(TypeKind::List) && (given.is(TypeKind::Int) || given.is(TypeKind::Float));
  }

  Node* make(std::string name, const std::vector<Value*>& inputs, size_t start,
             const std::vector<Output>& outs) {
    size_t digits = name.find_last_not_of("0123456789");
    bool numbered = digits + 1 < name.size() && name[digits] == '_' && overloads(name).empty();
    std::string label = name;
    if (numbered) name.resize(digits);
    const std::vector<const Operator*>& operators = overloads(name);
    if (operators.empty()) {
      try {
        operator_named(name);
      } catch (const Error& e) {
        wrong(start, e.what());
      }
      wrong(start,
            fmt::format(
                "'{}' names an overload; write the name alone, its arguments tell the overload",
                name));
    }
    std::vector<Type> types;
    for (Value* v : inputs) types.push_back(v->type());
    const Operator* chosen = operators[0];
    if (operators.size() > 1 || !operators[0]->schema.varargs) {
      try {
        const Operator* exact = of_result(operators, types, outs);
        chosen = exact ? exact : &resolve(name, types);
      } catch (const Error& e) {
        wrong(start, e.what());
      }
    }
    for (size_t i = 0; i < types.size() && i < chosen->schema.args.size(); ++i) {
      const SchemaArg& formal = chosen->schema.args[i];
      if (is_single(types[i], formal.type))
        wrong(start, fmt::format("argument '{}' of {} is {}, given {}", formal.name, chosen->name,
                                 formal.type.text(), types[i].text()));
    }
    Node* n = graph_->create(*chosen, inputs, 0);
    if (numbered && !wanted_.emplace(label, n).second) {
      wrong(start, "a second node is called '" + label + "'");
    }
    return n;
  }

  void blocks(Node* n, int depth) {
    for (int i = 0;; ++i) {
      size_t before = here();
      bool follows =
          text_.compare(at_, 5, "block") == 0 && eat("block" + std::to_string(i)) && eat("(");
      if (!follows) {
        at_ = before;
        return;
      }
      at_ -= 1;
      Block* b = n->add_block();
      Names names;
      parameters(b, names);
      expect(":");
      nodes(b, names, depth + 1);
      expect("->");
      results(b);
      for (std::string_view name : names) scope_.erase(name);
    }
  }

  // "# file:line:column" behind a node on its line: where it came from. Invalid when there is none.
  SourceRange range_comment() {
    size_t at = at_;
    while (at < text_.size() && text_[at] == ' ') ++at;
    if (text_.compare(at, 2, "# ") != 0) return {};
    size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view words = std::string_view(text_).substr(at + 2, end - at - 2);
    size_t column = words.rfind(':');
    size_t line =
        column == std::string::npos || column == 0 ? column : words.rfind(':', column - 1);
    if (column == std::string::npos || line == std::string::npos) return {};
    long l = 0, c = 0;
    std::from_chars(words.data() + line + 1, words.data() + column, l);
    std::from_chars(words.data() + column + 1, words.data() + words.size(), c);
    if (l < 0 || c < 0) return {};
    std::string_view file = words.substr(0, line);
    if (!commented_ || commented_->file != file) {
      commented_ = std::make_shared<Source>(Source{std::string(file), ""});
    }
    return {commented_, static_cast<uint32_t>(l), static_cast<uint32_t>(c)};
  }

  // 0 and 1 as bools; a list of anything else stays what it is.
  static IValue bools_of(const IValue& list) {
    std::vector<IValue> items = list.items();
    for (IValue& item : items) {
      if (!item.is_int()) return list;
      item = IValue(item.as_int() != 0);
    }
    return IValue::list(std::move(items), TypeKind::Bool);
  }

  IValue device(const IValue& v, const Type& type, size_t start) {
    try {
      return as_wanted_device(v, type);
    } catch (const Error& e) {
      wrong(start, e.what());
    }
  }

  std::vector<std::pair<std::string, IValue>> attributes(const std::vector<Output>& outs) {
    std::vector<std::pair<std::string, IValue>> out;
    if (!eat("[")) return out;
    do {
      std::string key(identifier("an attribute's name"));
      expect("=");
      size_t start = here();
      bool is_bool = outs.size() == 1 && outs[0].typed && outs[0].type.is(TypeKind::Bool);
      IValue v = literal(0);
      if (is_bool && v.is_int()) v = IValue(v.as_int() != 0);
      bool real = outs.size() == 1 && outs[0].typed && outs[0].type.is(TypeKind::Float);
      if (real && v.is_int()) v = IValue(v.as_double());
      bool bools = outs.size() == 1 && outs[0].typed && outs[0].type == Type::list(TypeKind::Bool);
      if (bools && v.tag() == IValue::Tag::List) v = bools_of(v);
      if (key == "value" && outs.size() == 1 && outs[0].typed) v = device(v, outs[0].type, start);
      out.emplace_back(std::move(key), std::move(v));
    } while (eat(","));
    expect("]");
    return out;
  }

  IValue literal(int depth) {
    if (depth > kMaxDepth) wrong(at_, "lists nest too deep");
    skip();
    if (eat("[")) {
      std::vector<IValue> items;
      if (!eat("]")) {
        do items.push_back(literal(depth + 1));
        while (eat(","));
        expect("]");
      }
      Type element = items.empty() ? Type(TypeKind::Int) : items[0].type().without_shapes();
      return IValue::list(std::move(items), element);
    }
    if (at_ < text_.size() && text_[at_] == '"') return IValue::str(string_literal());
    if (at_ < text_.size() && text_[at_] == '{') return IValue(tensor_literal());
    if (word("None")) return {};
    if (word("True")) return IValue(true);
    if (word("False")) return IValue(false);
    bool named = at_ < text_.size() &&
                 (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_');
    return named && !starts_number() ? enum_member() : number();
  }

  bool starts_number() {
    size_t before = at_;
    bool starts = word("inf") || word("nan");
    at_ = before;
    return starts;
  }

  // __torch__.Color.RED
  IValue enum_member() {
    size_t start = here();
    std::string text(identifier("a literal"));
    size_t dot = text.rfind('.');
    ClassPtr cls =
        classes_ && dot != std::string::npos ? classes_->find(text.substr(0, dot)) : nullptr;
    for (size_t i = 0; cls && i < cls->members.size(); ++i) {
      if (cls->members[i].name == text.substr(dot + 1)) return IValue::enum_member(cls, i);
    }
    wrong(start, fmt::format("'{}' is no literal: expected a number, a string, a list, inf, nan, "
                             "None or an enum's member",
                             text));
  }

  IValue number() {
    size_t start = here();
    bool negative = eat("-");
    if (word("inf")) return IValue(negative ? -INFINITY : INFINITY);
    if (word("nan")) return IValue(static_cast<double>(NAN));
    bool real = false;
    bool hex = text_.compare(at_, 2, "0x") == 0;
    size_t digits = at_;
    while (at_ < text_.size()) {
      char c = text_[at_];
      bool exponent = hex ? c == 'p' : (c == 'e' || c == 'E');
      bool sign = (c == '+' || c == '-') && at_ > digits &&
                  std::string("eEp").find(text_[at_ - 1]) != std::string::npos;
      bool digit = std::isdigit(static_cast<unsigned char>(c)) ||
                   (hex && std::isxdigit(static_cast<unsigned char>(c))) || c == 'x';
      if (!digit && !exponent && !sign && c != '.') break;
      real = real || exponent || c == '.';
      ++at_;
    }
    if (digits == at_) wrong(start, "expected a number, a string, a list, inf, nan or None");
    std::string text = text_.substr(start, at_ - start);
    char* end = nullptr;
    errno = 0;
    if (real || hex) {
      double v = std::strtod(text.c_str(), &end);
      if (*end) wrong(start, "'" + text + "' is not a number");
      return IValue(v);
    }
    int64_t v = std::strtoll(text.c_str(), &end, 10);
    if (*end) wrong(start, "'" + text + "' is not a number");
    if (errno == ERANGE) wrong(start, "'" + text + "' is outside int64");
    return IValue(v);
  }

  std::string string_literal() {
    size_t start = at_++;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\n') wrong(start, "the string does not end on its line");
      if (c != '\\' || at_ >= text_.size()) {
        out += c;
        continue;
      }
      out += escape_sequence();
    }
    if (at_ >= text_.size()) wrong(start, "the string does not end");
    ++at_;
    return out;
  }

  // The rest of an escape sequence: C's letters, one to three octal digits, x and two hex digits.
  char escape_sequence() {
    size_t start = at_;
    char e = text_[at_++];
    static constexpr std::string_view kLetters = "abfnrtv\\'\"?",
                                      kMeanings = "\a\b\f\n\r\t\v\\'\"?";
    if (size_t k = kLetters.find(e); k != std::string_view::npos) return kMeanings[k];
    bool hex = e == 'x';
    size_t digits = hex ? at_ : start;
    at_ = digits;
    auto is_digit = [&](char c) {
      return hex ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : c >= '0' && c <= '7';
    };
    while (at_ < text_.size() && at_ < digits + (hex ? 2 : 3) && is_digit(text_[at_])) ++at_;
    int64_t code = std::strtol(text_.substr(digits, at_ - digits).c_str(), nullptr, hex ? 16 : 8);
    if (at_ == digits || code > 255)
      wrong(start, "no escape of a string: \\n, \\t, \\\", \\\\, \\ooo and \\xhh are");
    return static_cast<char>(code);
  }

  // {f32[2]: 0x1p+0 nan}
  Tensor tensor_literal() {
    size_t start = at_;
    expect("{");
    Dims sizes;
    DType dtype = DType::F32;
    try {
      dtype = dtype_from_name(std::string(identifier("a dtype")));
    } catch (const Error& e) {
      wrong(start, e.what());
    }
    expect("[");
    if (!eat("]")) {
      do {
        IValue v = number();
        if (!v.is_int() || v.as_int() < 0) wrong(start, "a size is not negative");
        if (sizes.rank() == kMaxRank) wrong(start, "too many dimensions");
        sizes.push_back(v.as_int());
      } while (eat(","));
      expect("]");
    }
    expect(":");
    int64_t n = 1;
    for (int64_t s : sizes) {
      if (s > static_cast<int64_t>(text_.size())) n = s;
      else n *= s;
      if (n > static_cast<int64_t>(text_.size()))
        wrong(start, "the shape has more elements than the text");
    }
    Tensor t = Tensor::empty(sizes, dtype);
    for (int64_t i = 0; i < n; ++i) {
      IValue v = number();
      if (is_float(dtype)) {
        set_element(t, i, v.as_double());
      } else {
        set_element_int(t, i, v.as_int());
      }
    }
    expect("}");
    return t;
  }

  std::shared_ptr<Source> source_;
  const std::string& text_;
  const ClassTable* classes_;
  size_t at_ = 0;
  Graph* graph_ = nullptr;
  std::vector<std::pair<const Node*, size_t>> starts_;  // where each node is written
  std::map<std::string, Node*> wanted_;  // nodes waiting for their subgraph, by label
  Scope scope_;
  std::unordered_map<std::string_view, Type> types_;  // read already
  std::shared_ptr<const Source> commented_;           // of the last comment
};

}  // namespace

std::unique_ptr<Graph> parse_graph(const std::string& text, const std::string& file,
                                   const ClassTable* classes) {
  return Parser(text, file, classes).all();
}

}  // namespace fusillade

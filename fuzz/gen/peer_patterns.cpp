// See peer_patterns.h.
#include "fuzz/gen/peer_patterns.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "engine/base/text.h"
#include "engine/ops/operator.h"
#include "engine/tensor/dtype.h"

namespace fusillade::fuzz {
namespace {

using Kind = Pattern::Kind;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

Pattern literal(IValue value) {
  Pattern out;
  out.kind = Kind::Literal;
  out.literal = std::move(value);
  return out;
}

std::optional<IValue> word_value(const std::string& word) {
  if (word.size() > 1 && word.front() == '\'') return IValue::str(word.substr(1, word.size() - 2));
  if (word == "inf" || word == "-inf") return IValue(word == "inf" ? INFINITY : -INFINITY);
  for (int i = 0; i < kNumDTypes; ++i) {
    const DTypeRow& row = row_of(static_cast<DType>(i));
    if (word == row.name) return IValue(int64_t{row.aten_code});
  }
  return {};
}

using Parts = std::map<std::string, Pattern>;

Pattern parse_peer(std::string_view text, const Parts& parts);

Pattern op_of(std::string name, std::string_view args, const Parts& parts) {
  Pattern out;
  out.kind = Kind::Op;
  out.name = std::move(name);
  if (!trim(args).empty())
    for (const std::string& arg : split_outside_brackets(args, ','))
      out.args.push_back(parse_peer(arg, parts));
  return out;
}

Pattern parse_peer(std::string_view text, const Parts& parts) {
  const std::string word(trim(text));
  FUS_CHECK(!word.empty(), "an empty word in a pattern");
  if (word.front() == '[') return op_of(kList, word.substr(1, word.size() - 2), parts);
  const size_t open = word.find('(');
  if (open != std::string::npos) {
    FUS_CHECK(word.back() == ')', "pattern '{}' does not end in ')'", text);
    const std::string name = word.substr(0, open);
    return op_of(name == kPiece ? name : "aten::" + name,
                 word.substr(open + 1, word.size() - open - 2), parts);
  }
  if (const auto part = parts.find(word); part != parts.end()) return part->second;
  if (std::optional<IValue> value = word_value(word)) return literal(std::move(*value));
  return parse_pattern(word);
}

Pattern parse_whole(const std::string& text) {
  Parts parts;
  std::string_view rest = text;
  for (size_t end = rest.find(';'); end != std::string_view::npos; end = rest.find(';')) {
    const std::string_view part = rest.substr(0, end);
    const size_t is = part.find('=');
    FUS_CHECK(is != std::string_view::npos, "pattern '{}': a part without a name", text);
    parts[std::string(trim(part.substr(0, is)))] = parse_peer(part.substr(is + 1), parts);
    rest.remove_prefix(end + 1);
  }
  return parse_peer(rest, parts);
}

bool is_size_name(const std::string& name) {
  return std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

std::vector<PeerOperand> operands_of(const Pattern& whole, const std::string& text) {
  std::map<std::string, PeerOperand> said;
  for (const std::string& word : words_of(text)) {
    PeerOperand operand;
    const size_t kind = word.find('/'), sizes = word.find(':');
    operand.name = word.substr(0, std::min(kind, sizes));
    if (sizes < kind)
      operand.sizes = word.substr(sizes + 1, kind == std::string::npos ? kind : kind - sizes - 1);
    if (kind != std::string::npos) operand.kind = word.substr(kind + 1);
    said[operand.name] = operand;
  }
  std::vector<PeerOperand> out;
  for (const std::string& name : variables_of(whole)) {
    if (is_size_name(name)) continue;
    const auto known = said.find(name);
    out.push_back(known == said.end() ? PeerOperand{name, "*", ""} : known->second);
    if (known != said.end()) said.erase(known);
  }
  FUS_CHECK(said.empty(), "pattern '{}' names the operand '{}', which it has not", text,
            said.begin()->first);
  return out;
}

void collect_ops(const Pattern& p, std::vector<std::string>& out) {
  const bool op = p.kind == Kind::Op && p.name.starts_with("aten::");
  if (op && std::ranges::find(out, p.name) == out.end()) out.push_back(p.name);
  for (const Pattern& arg : p.args) collect_ops(arg, out);
}

// Has it an op whose body checks its arguments, so that inference does not?
bool checks_late(const Pattern& p) {
  if (std::ranges::any_of(p.args, checks_late)) return true;
  if (p.kind != Kind::Op || !p.name.starts_with("aten::")) return false;
  return std::ranges::any_of(overloads(p.name), [&](const Operator* op) {
    const std::vector<SchemaArg>& args = op->schema.args;
    const auto least =
        std::ranges::count_if(args, [](const SchemaArg& a) { return !a.has_default; });
    const bool fits = static_cast<size_t>(least) <= p.args.size() && p.args.size() <= args.size();
    return fits && op->kind == OpKind::Composite && !op->generate;
  });
}

PeerTree tree_of(const PeerPattern& row) {
  PeerTree out;
  out.row = &row;
  out.whole = parse_whole(row.text);
  out.operands = operands_of(out.whole, row.operands);
  collect_ops(out.whole, out.ops);
  out.checks_late = checks_late(out.whole);
  std::map<Broken, std::vector<Pattern>> misses;
  for (NearMiss& miss : near_misses_of(out.whole)) {
    // Another size seldom fits, and dims as floats never do.
    if (miss.broken.starts_with("another ") && is_size_name(miss.broken.substr(8))) continue;
    misses[static_cast<Broken>(static_cast<int>(miss.kind) + 1)].push_back(std::move(miss.written));
  }
  for (auto& [kind, all] : misses) out.misses.emplace_back(kind, std::move(all));
  return out;
}

}  // namespace

const char* name_of(Broken broken) {
  static constexpr const char* kNames[kBrokens] = {"none",  "constant",  "argument", "value", "op",
                                                   "dtype", "broadcast", "write",    "reuse"};
  return kNames[static_cast<int>(broken)];
}

bool add_peer_patterns(const char* compiler, std::initializer_list<PeerRow> rows) {
  for (const PeerRow& row : rows) {
    PeerPattern pattern{
        fmt::format("{}/{}", compiler, row.name), {compiler}, row.text, row.operands};
    for (std::string& also : words_of(row.also)) pattern.compilers.push_back(std::move(also));
    Table<PeerPattern>::instance().add(std::move(pattern));
  }
  return true;
}

const std::vector<const PeerPattern*>& peer_patterns() {
  static const std::vector<const PeerPattern*> all = Table<PeerPattern>::instance().by_name();
  return all;
}

const std::vector<PeerTree>& peer_trees() {
  static const std::vector<PeerTree> all = [] {
    std::vector<PeerTree> out;
    for (const PeerPattern* row : peer_patterns()) out.push_back(tree_of(*row));
    return out;
  }();
  return all;
}

const std::vector<const PeerTree*>& peer_trees_of(const std::string& compiler) {
  static const std::map<std::string, std::vector<const PeerTree*>> all = [] {
    std::map<std::string, std::vector<const PeerTree*>> out;
    for (const PeerTree& tree : peer_trees())
      for (const auto& name : tree.row->compilers) out[name].push_back(&tree);
    return out;
  }();
  static const std::vector<const PeerTree*> none;
  const auto found = all.find(compiler);
  return found == all.end() ? none : found->second;
}

const PeerTree& peer_tree(const std::string& name) {
  for (const PeerTree& tree : peer_trees())
    if (tree.row->name == name) return tree;
  fail("there is no pattern '{}'", name);
}

}  // namespace fusillade::fuzz

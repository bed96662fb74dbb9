// Shrinks of scripts: statements away, all that mention a name away, blocks for their headers,
// expressions for a part of themselves or a plain literal, parameters of the last function, items
// and magnitudes of the values it is called with. Edits are of the text; an edit that makes no
// legal script is a different failure, so it is not kept.
#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "engine/front/parser.h"
#include "fuzz/reduce/reduce.h"

namespace fusillade::fuzz {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += l + "\n";
  return out;
}

size_t indentation(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// One past the last line of the block that the line opens; the next line when it opens none.
size_t end_of_block(const std::vector<std::string>& lines, size_t at) {
  size_t end = at + 1;
  while (end < lines.size() && indentation(lines[end]) > indentation(lines[at])) ++end;
  return end;
}

void take(Case& c, const std::string& text) { set_script(c, text, "<reduced>"); }

// A block that has lost every statement gets a `pass`.
std::vector<std::string> with_passes(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    out.push_back(lines[i]);
    bool opens = !lines[i].empty() && lines[i].back() == ':';
    if (opens && end_of_block(lines, i) == i + 1)
      out.push_back(std::string(indentation(lines[i]) + 4, ' ') + "pass");
  }
  return out;
}

size_t count_lines(const Case& c) { return lines_of(c.script).size(); }

// Lines [first, last), with the blocks that they open.
bool drop_lines(Case& c, size_t first, size_t last) {
  std::vector<std::string> lines = lines_of(c.script);
  for (size_t i = first; i < last; ++i) last = std::max(last, end_of_block(lines, i));
  lines.erase(lines.begin() + static_cast<long>(first), lines.begin() + static_cast<long>(last));
  take(c, text_of(with_passes(lines)));
  return true;
}

std::set<std::string> assigned_names(const std::string& text) {
  std::set<std::string> out;
  try {
    front::Module module =
        front::parse_module(std::make_shared<const Source>(Source{"<reduced>", text}));
    for (const front::Function& f : module.functions)
      for (const front::StmtPtr& s : f.body) out.insert(s->names.begin(), s->names.end());
    for (const front::Class& k : module.classes)
      for (const front::Function& f : k.methods)
        for (const front::StmtPtr& s : f.body) out.insert(s->names.begin(), s->names.end());
  } catch (const Exception&) {  // one that does not parse has none
  }
  return out;
}

bool mentions(const std::string& line, const std::string& name) {
  auto in_word = [&](size_t at) {
    return at < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[at])) || line[at] == '_');
  };
  for (size_t at = 0; (at = line.find(name, at)) != std::string::npos; ++at)
    if (!in_word(at - 1) && !in_word(at + name.size())) return true;
  return false;
}

size_t count_names(const Case& c) { return assigned_names(c.script).size(); }

// All lines that a name is in, with the blocks that they open.
bool drop_name(Case& c, size_t first, size_t last) {
  const std::set<std::string> names = assigned_names(c.script);
  if (last - first != 1 || first >= names.size()) return false;
  const std::string name = *std::next(names.begin(), static_cast<long>(first));
  const std::vector<std::string> lines = lines_of(c.script);
  std::vector<std::string> kept;
  for (size_t i = 0; i < lines.size();) {
    const bool goes = mentions(lines[i], name);
    if (goes && indentation(lines[i]) == 0) return false;  // a function's head
    if (!goes) kept.push_back(lines[i]);
    i = goes ? end_of_block(lines, i) : i + 1;
  }
  take(c, text_of(with_passes(kept)));
  return true;
}

// The statements of a block instead of the statement that they belong to.
bool unwrap_block(Case& c, size_t first, size_t last) {
  std::vector<std::string> lines = lines_of(c.script);
  size_t end = end_of_block(lines, first);
  if (last - first != 1 || end == first + 1 || indentation(lines[first]) == 0) return false;
  for (size_t i = first + 1; i < end; ++i) lines[i].erase(0, 4);
  lines.erase(lines.begin() + static_cast<long>(first));
  take(c, text_of(lines));
  return true;
}

// Replacements of text: offset, length, new text.
struct Edit {
  size_t at, length;
  std::string text;
};

void edits_of(const std::string& text, const front::Expr& e, std::vector<Edit>& out) {
  size_t length = e.end - e.begin;
  for (const char* plain : {"0", "1", "False", "True", "0.0", "1.0", "\"\"", "None", "[0]"}) {
    if (length >= std::char_traits<char>::length(plain)) out.push_back({e.begin, length, plain});
  }
  for (const auto& kid : e.kids) {
    if (!kid) continue;
    out.push_back({e.begin, length, "(" + text.substr(kid->begin, kid->end - kid->begin) + ")"});
  }
  for (const auto& kid : e.kids) {
    if (kid) edits_of(text, *kid, out);
  }
}

void edits_of(const std::string& text, const front::StmtList& list, std::vector<Edit>& out) {
  for (const front::StmtPtr& s : list) {
    if (s->value) edits_of(text, *s->value, out);
    if (s->annotation && !s->targets.empty()) {
      out.push_back({s->targets[0]->end, s->annotation->end - s->targets[0]->end, ""});
    }
    edits_of(text, s->body, out);
    edits_of(text, s->orelse, out);
  }
}

// Brackets that an edit left needless, and the edits of every expression.
std::vector<Edit> expression_edits(const std::string& text) {
  std::vector<Edit> out;
  try {
    auto source = std::make_shared<const Source>(Source{"<reduced>", text});
    front::Module module = front::parse_module(source);
    for (const front::Function& f : module.functions) edits_of(text, f.body, out);
    for (const front::Class& k : module.classes) {
      for (const front::Function& f : k.methods) edits_of(text, f.body, out);
    }
  } catch (const Exception&) {
    return {};
  }
  for (size_t open = 0; open < text.size(); ++open) {
    if (text[open] != '(') continue;
    size_t close = open;
    for (int depth = 0; close < text.size(); ++close) {
      depth += (text[close] == '(') - (text[close] == ')');
      if (depth == 0) break;
    }
    out.push_back({open, close + 1 - open, text.substr(open + 1, close - open - 1)});
  }
  std::reverse(out.begin(), out.end());  // units are tried from the end: whole expressions first
  return out;
}

size_t count_edits(const Case& c) { return expression_edits(c.script).size(); }

bool edit_expression(Case& c, size_t first, size_t last) {
  if (last - first != 1) return false;
  Edit edit = expression_edits(c.script)[first];
  std::string text = c.script;
  text.replace(edit.at, edit.length, edit.text);
  // Of two texts of one length the lesser: digits before names.
  if (text.size() > c.script.size() || (text.size() == c.script.size() && text >= c.script))
    return false;
  take(c, text);
  return true;
}

// A parameter of the last function, with its value in every call.
size_t count_parameters(const Case& c) { return c.program->inputs().size(); }

bool drop_parameter(Case& c, size_t first, size_t last) {
  size_t def = c.script.rfind(c.self.is_none() ? "\ndef " : " def forward(");
  if (last - first != 1 || (first == 0 && !c.self.is_none())) return false;
  if (def == std::string::npos) def = 0;
  size_t at = c.script.find('(', def) + 1;
  int depth = 0;
  size_t index = 0, from = at, to = at;
  for (size_t i = at; i < c.script.size(); ++i) {
    char ch = c.script[i];
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (depth >= 0 && !(ch == ',' && depth == 0)) continue;
    if (index == first) {
      to = i + (ch == ',');
      break;
    }
    ++index;
    from = i + 1;
  }
  if (to == at) return false;
  std::string text = c.script;
  text.erase(from, to - from);
  if (text[from] == ' ') text.erase(from, 1);
  take(c, text);
  for (Call& call : c.calls) call.inputs.erase(call.inputs.begin() + static_cast<long>(first));
  return c.refused.empty();
}

// Smaller values: a number to 0 or 1 or half, a string or list to its first half.
IValue smaller(const IValue& v, size_t how) {
  if (v.is_int()) return how == 0 ? IValue(0) : how == 1 ? IValue(1) : IValue(v.as_int() / 2);
  if (v.is_float())
    return how == 0 ? IValue(0.0) : how == 1 ? IValue(1.0) : IValue(v.as_double() / 2);
  if (v.is_bool()) return IValue(false);
  if (v.tag() == IValue::Tag::Str)
    return IValue::str(v.as_str().substr(0, how == 0 ? 0 : v.as_str().size() / 2));
  if (!v.is_sequence()) return v;
  std::vector<IValue> items = v.items();
  bool list = v.tag() == IValue::Tag::List;
  if (list && how < 2) items.resize(how == 0 ? 0 : items.size() / 2);
  else
    for (IValue& item : items) item = smaller(item, how);
  return list ? IValue::list(items, v.seq()->element) : IValue::tuple(items);
}

constexpr size_t kWays = 3;
size_t count_values(const Case& c) { return kWays * c.program->inputs().size() * c.calls.size(); }

bool shrink_value(Case& c, size_t first, size_t last) {
  if (last - first != 1) return false;
  size_t input = first / kWays;
  std::vector<IValue>& inputs = c.calls[input / c.program->inputs().size()].inputs;
  IValue& v = inputs[input % c.program->inputs().size()];
  IValue after = smaller(v, first % kWays);
  bool grows =
      v.is_number() && after.is_number() && std::abs(after.as_double()) > std::abs(v.as_double());
  if (grows) return false;
  v = after;
  return true;
}

const Shrink& lines =
    Table<Shrink>::instance().add({"lines", 20, &count_lines, &drop_lines, Form::Script});
const Shrink& names =
    Table<Shrink>::instance().add({"names", 25, &count_names, &drop_name, Form::Script, true});
const Shrink& blocks =
    Table<Shrink>::instance().add({"blocks", 30, &count_lines, &unwrap_block, Form::Script, true});
const Shrink& expressions = Table<Shrink>::instance().add(
    {"expressions", 40, &count_edits, &edit_expression, Form::Script, true, true});
const Shrink& parameters = Table<Shrink>::instance().add(
    {"parameters", 50, &count_parameters, &drop_parameter, Form::Script, true});
const Shrink& values =
    Table<Shrink>::instance().add({"values", 60, &count_values, &shrink_value, Form::Script, true});

}  // namespace
}  // namespace fusillade::fuzz

// See entry.h.
#include "engine/ops/entry.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/ops/composite.h"

namespace fusillade {
namespace {

constexpr std::string_view kIndent = "    ";
constexpr std::string_view kDeeper = "        ";

struct KindName {
  std::string_view word;
  LineKind kind;
};
constexpr KindName kKinds[] = {
    {"payload", LineKind::Payload}, {"inplace", LineKind::InPlace},
    {"values", LineKind::Values},   {"random", LineKind::Random},
    {"since", LineKind::Since},     {"gradient", LineKind::Gradient},
    {"draw", LineKind::Draw},       {"traits", LineKind::Traits},
    {"out", LineKind::Out},         {"sibling", LineKind::Sibling},
    {"slopes", LineKind::Slopes},   {"others", LineKind::Others},
    {"peers", LineKind::Peers},
};

// Is it a statement that begins with a variable called so?
bool is_statement(std::string_view behind) {
  if (behind.empty() || behind[0] == '\n') return false;
  return behind.size() < 2 || behind[0] != ' ' ||
         (!std::isalnum(static_cast<unsigned char>(behind[1])) && behind[1] != '_');
}

// Of the line that a text begins with; nullptr: it is one of a body.
const KindName* kind_of(std::string_view text) {
  if (!text.starts_with(kIndent)) return nullptr;
  text.remove_prefix(kIndent.size());
  for (const KindName& k : kKinds)
    if (text.starts_with(k.word) && !is_statement(text.substr(k.word.size()))) return &k;
  return nullptr;
}

int open_brackets(std::string_view line) {
  return static_cast<int>(std::ranges::count(line, '(') - std::ranges::count(line, ')'));
}

class EntryParser {
 public:
  EntryParser(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  std::vector<Entry> all() {
    std::vector<Entry> out;
    while (!text_.empty()) {
      if (text_[0] == '#' || text_[0] == '\n') {
        next_line();
        continue;
      }
      FUS_CHECK(text_[0] != ' ', "{}:{}: an indented line under no operator", file_, number_ + 1);
      out.push_back(entry());
    }
    return out;
  }

 private:
  std::string_view next_line() {
    const size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    return line;
  }

  Entry entry() {
    const char* begin = text_.data();
    Entry e{.file = file_, .number = number_ + 1};
    std::string_view line = next_line();
    int open = open_brackets(line);
    while ((open > 0 || line.ends_with(',')) && !text_.empty()) {
      line = next_line();
      open += open_brackets(line);
    }
    std::string_view head(begin, static_cast<size_t>(line.data() + line.size() - begin));
    const bool defines = head.find('(') != head.npos;
    if (defines) {
      e.schema = collapse(head);
      e.names.push_back(head.substr(0, head.find('(')));
    } else {
      for (size_t at = 0; at < head.size();) {
        const size_t end = std::min(head.find(',', at), head.size());
        e.names.push_back(trim(head.substr(at, end - at)));
        at = end + 1;
      }
    }
    while (text_.starts_with(' ')) read_body_lines(e);
    FUS_CHECK(defines == !e.body.empty(), "{}: {}", e.place(e.number),
              defines ? "an operator without a body" : "a line of no kind that an entry has");
    return e;
  }

  // The lines of a body up to one of a kind, or such a line.
  void read_body_lines(Entry& e) {
    const char* begin = text_.data();
    const KindName* kind = nullptr;
    while (text_.starts_with(' ') && !(kind = kind_of(text_))) next_line();
    e.body.append(begin, static_cast<size_t>(text_.data() - begin));
    if (!kind) return;
    const int number = number_ + 1;
    std::string_view line = next_line();
    begin = line.data() + kIndent.size() + kind->word.size();
    while (text_.starts_with(kDeeper)) line = next_line();
    std::string_view all(begin, static_cast<size_t>(line.data() + line.size() - begin));
    e.lines.push_back({kind->kind, trim(all), number});
  }

  // A schema on one line.
  static std::string collapse(std::string_view head) {
    if (head.find('\n') == head.npos) return std::string(head);
    std::string out;
    for (char c : head) {
      if (c == '\n') c = ' ';
      if (c != ' ' || out.back() != ' ') out += c;
    }
    return out;
  }

  std::string_view file_;
  std::string_view text_;
  int number_ = 0;  // of the last line read
};

std::vector<Entry> all_entries() {
  std::vector<Entry> out;
  for (const EntryText& t : entry_texts()) {
    std::vector<Entry> some = parse_entries(t.file, t.text);
    std::ranges::move(some, std::back_inserter(out));
  }
  return out;
}

std::vector<Entry>& entry_table() {
  static std::vector<Entry> all = all_entries();
  return all;
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Entry& e : entry_table())
    if (!e.schema.empty() && !e.line(LineKind::Payload)) add_scripted(e, {});
  return true;
}();

using Index = std::unordered_map<std::string, std::vector<const Entry*>>;

Index index_of(std::span<const Entry> entries) {
  Index out;
  for (const Entry& e : entries) {
    for (std::string_view name : e.names) out[std::string(name)].push_back(&e);
    if (e.line(LineKind::InPlace)) out[in_place_name(e.schema)].push_back(&e);
  }
  return out;
}

}  // namespace

const EntryLine* Entry::line(LineKind kind) const {
  auto it = std::ranges::find(lines, kind, &EntryLine::kind);
  return it == lines.end() ? nullptr : &*it;
}

std::string_view Entry::family() const {
  const std::string_view folder = file.substr(0, file.rfind('/'));
  return folder.substr(folder.rfind('/') + 1);
}

std::string Entry::place(int line_number) const { return fmt::format("{}:{}", file, line_number); }

std::vector<Entry> parse_entries(std::string_view file, std::string_view text) {
  return EntryParser(file, text).all();
}

const std::vector<Entry>& entries() { return entry_table(); }

std::span<const Entry* const> entries_of(std::string_view name) {
  static const Index index = index_of(entry_table());
  auto it = index.find(std::string(name));
  if (it == index.end()) return {};
  return it->second;
}

const EntryLine* line_of(std::string_view name, LineKind kind) {
  for (const Entry* e : entries_of(name))
    if (const EntryLine* line = e->line(kind)) return line;
  return nullptr;
}

const EntryLine* line_of(const Operator& op, LineKind kind) {
  const EntryLine* own = line_of(op.name, kind);
  return own || !op.functional ? own : line_of(op.functional->name, kind);
}

void check_entries(std::span<const Entry> entries) {
  for (const auto& [name, of_it] : index_of(entries)) {
    FUS_CHECK(find_operator(name), "{}: '{}' is no operator", of_it[0]->place(of_it[0]->number),
              name);
    for (const KindName& k : kKinds) {
      int saying = 0;
      for (const Entry* e : of_it) {
        const auto lines = std::ranges::count(e->lines, k.kind, &EntryLine::kind);
        FUS_CHECK(lines < 2 || k.kind == LineKind::Gradient, "{}: {} lines '{}'",
                  e->place(e->number), lines, k.word);
        if (lines > 0) ++saying;
        FUS_CHECK(saying < 2, "{}: '{}' has '{}' in another entry too", e->place(e->number), name,
                  k.word);
      }
    }
  }
}

}  // namespace fusillade

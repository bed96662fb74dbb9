// Source ranges: where a node came from, and the highlighted message.
#include <algorithm>

#include "engine/ir/graph.h"

namespace fusillade {
namespace {

constexpr int kContext = 3;  // lines shown

struct Position {
  size_t line;        // 0-based
  size_t column;      // 0-based
  size_t line_start;  // byte offset
};

Position position_of(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  size_t line = static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n'));
  size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  size_t start = newline == std::string::npos ? 0 : newline + 1;
  return {line, offset - start, start};
}

}  // namespace

std::string SourceRange::where() const {
  if (source->text.empty()) return fmt::format("{}:{}:{}", source->file, begin, end);
  Position p = position_of(source->text, begin);
  return fmt::format("{}:{}:{}", source->file, p.line + 1, p.column);
}

std::string SourceRange::highlight(std::string_view message) const {
  std::string out(message);
  if (!source) return out;
  if (source->text.empty()) return out + "\n  at " + where();
  const std::string& text = source->text;
  Position p = position_of(text, begin);
  out += fmt::format("\n  File \"{}\", line {}\n", source->file, p.line + 1);
  size_t first = p.line_start;
  for (int i = 1; i < kContext && first > 0; ++i) {
    size_t newline = first >= 2 ? text.rfind('\n', first - 2) : std::string::npos;
    first = newline == std::string::npos ? 0 : newline + 1;
  }
  size_t stop = text.find('\n', p.line_start);
  if (stop == std::string::npos) stop = text.size();
  for (size_t at = first; at <= stop && at < text.size();) {
    size_t newline = std::min(text.find('\n', at), text.size());
    out += "    " + text.substr(at, newline - at) + "\n";
    at = newline + 1;
  }
  size_t length = std::max<size_t>(1, std::min<size_t>(end, stop) - std::min<size_t>(begin, stop));
  out += "    " + std::string(p.column, ' ') + std::string(length, '~') + " <--- HERE";
  return out;
}

}  // namespace fusillade

// Source ranges: where a node came from, and the highlighted message.
#include <algorithm>

#include "engine/ir/graph.h"

namespace fusillade {
namespace {

constexpr int kContext = 3;        // lines shown
constexpr size_t kMaxWidth = 200;  // columns shown of a line, those around the range

struct Position {
  size_t line;        // 0-based
  size_t column;      // 0-based
  size_t line_start;  // byte offset
};

Position position_of(const std::string& text, size_t offset) {
  offset = std::min(offset, text.size());
  size_t line =
      static_cast<size_t>(std::count(text.begin(), text.begin() + static_cast<long>(offset), '\n'));
  size_t newline = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  size_t start = newline == std::string::npos ? 0 : newline + 1;
  return {line, offset - start, start};
}

// Columns [from, from + kMaxWidth) of a line, with marks where something is left out.
std::string window(const std::string& line, size_t from) {
  if (line.size() <= kMaxWidth) return line;
  std::string out = from > 0 ? "..." : "";
  if (from < line.size()) out += line.substr(from, kMaxWidth);
  return out + (from + kMaxWidth < line.size() ? "..." : "");
}

}  // namespace

std::string SourceRange::where() const {
  if (source->text.empty()) return fmt::format("{}:{}:{}", source->file, begin, end);
  Position p = position_of(source->text, begin);
  return fmt::format("{}:{}:{}", source->file, source->lines_before + p.line + 1, p.column);
}

std::string SourceRange::highlight(std::string_view message) const {
  std::string out(message);
  if (!source) return out;
  if (source->text.empty()) return out + "\n  at " + where();
  const std::string& text = source->text;
  Position p = position_of(text, begin);
  out += fmt::format("\n  File \"{}\", line {}\n", source->file, source->lines_before + p.line + 1);
  size_t first = p.line_start;
  for (int i = 1; i < kContext && first > 0; ++i) {
    size_t newline = first >= 2 ? text.rfind('\n', first - 2) : std::string::npos;
    first = newline == std::string::npos ? 0 : newline + 1;
  }
  size_t stop = text.find('\n', p.line_start);
  if (stop == std::string::npos) stop = text.size();
  bool wide = stop - p.line_start > kMaxWidth;
  size_t from = wide && p.column > kMaxWidth / 2 ? p.column - kMaxWidth / 2 : 0;
  for (size_t at = first; at <= stop && at < text.size();) {
    size_t newline = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, newline - at);
    out += "    " + window(line, at == p.line_start ? from : 0) + "\n";
    at = newline + 1;
  }
  size_t length = std::max<size_t>(1, std::min<size_t>(end, stop) - std::min<size_t>(begin, stop));
  size_t column = p.column - from + (from > 0 ? 3 : 0);
  if (wide) length = std::min(length, kMaxWidth - (p.column - from));
  out += "    " + std::string(column, ' ') + std::string(length, '~') + " <--- HERE";
  return out;
}

}  // namespace fusillade

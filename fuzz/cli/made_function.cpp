// See made_function.h.
#include "fuzz/cli/made_function.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::cli {
namespace {

constexpr std::string_view kLambda = "lambda";

bool is_name(std::string_view text) {
  const auto part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, part);
}

bool is_lambda(std::string_view value) {
  return value.starts_with(kLambda) && value.size() > kLambda.size() &&
         std::string_view(" :*").find(value[kLambda.size()]) != std::string_view::npos;
}

// What stands before its colon.
std::string parameters_of_lambda(std::string_view value) {
  return std::string(
      trim(split_outside_brackets(std::string(value.substr(kLambda.size())), ':')[0]));
}

// The lines of a definition that begins at `at`.
std::string body_at(const std::string& text, size_t at) {
  size_t end = text.find('\n', at);
  while (end != text.npos && end + 1 < text.size() &&
         std::string_view(" \t\n)#").find(text[end + 1]) != std::string_view::npos)
    end = text.find('\n', end + 1);
  return text.substr(at, end == text.npos ? end : end - at);
}

// Of the function within `body` that its last `return` gives.
std::optional<std::string> returned_parameters(const std::string& body, const std::string& file) {
  constexpr std::string_view kReturn = "return ";
  const size_t at = body.rfind("\n    " + std::string(kReturn));
  if (at == body.npos) return {};
  const size_t from = body.find(kReturn, at) + kReturn.size();
  const std::string_view value =
      trim(std::string_view(body).substr(from, body.find('\n', from) - from));
  if (is_lambda(value)) return parameters_of_lambda(value);
  const size_t inner = is_name(value) ? body.find(fmt::format(" def {}(", value)) : body.npos;
  if (inner == body.npos) return {};
  return parameters_at(body, inner, file);
}

}  // namespace

size_t find_definition(const std::string& text, const std::string& head) {
  if (text.starts_with(head)) return 0;
  const size_t at = text.find("\n" + head);
  return at == std::string::npos ? at : at + 1;
}

std::string parameters_at(const std::string& text, size_t at, const std::string& file) {
  std::string out;
  int depth = 0;
  for (size_t i = text.find('(', at); i < text.size(); ++i) {
    if (text[i] == '#') i = std::min(text.find('\n', i), text.size() - 1);
    depth += text[i] == '(' || text[i] == '[';
    depth -= text[i] == ')' || text[i] == ']';
    if (depth == 0) return out.substr(1);
    out += text[i] == '\n' ? ' ' : text[i];
  }
  fail("{}: the parameters have no closing bracket", file);
}

std::optional<MadeFunction> made_function(const std::string& text, const std::string& line,
                                          const std::string& file) {
  const size_t sign = line.find('=');
  if (sign == line.npos || line.substr(sign, 2) == "==") return {};
  const std::string_view head = std::string_view(line).substr(0, sign);
  const std::string_view name = trim(head.substr(0, head.find(':')));
  const std::string_view value = trim(std::string_view(line).substr(sign + 1));
  if (!is_name(name) || std::isspace(static_cast<unsigned char>(line[0]))) return {};
  if (is_lambda(value)) return MadeFunction{std::string(name), parameters_of_lambda(value)};
  const std::string maker(value.substr(0, value.find('(')));
  if (maker.size() == value.size() || !is_name(maker)) return {};
  const size_t at = find_definition(text, "def " + maker + "(");
  if (at == text.npos) return {};
  // What a decorator makes of it may return anything.
  const size_t before = at < 2 ? text.npos : text.rfind('\n', at - 2);
  if (at > 0 && text[before == text.npos ? 0 : before + 1] == '@') return {};
  std::optional<std::string> parameters = returned_parameters(body_at(text, at), file);
  if (!parameters) return {};
  return MadeFunction{std::string(name), std::move(*parameters)};
}

std::optional<MadeFunction> find_made_function(const std::string& text, const std::string& name,
                                               const std::string& file) {
  std::optional<MadeFunction> out;
  for (size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with(name)) continue;
    std::optional<MadeFunction> made = made_function(text, line, file);
    if (made && made->name == name) out = std::move(made);
  }
  return out;
}

}  // namespace fusillade::cli

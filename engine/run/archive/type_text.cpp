// See type_text.h.
#include "engine/run/archive/type_text.h"

#include <cctype>

#include "engine/run/archive/interfaces.h"

namespace fusillade::archive {
namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

}  // namespace

Type type_of_text(const std::string& text, ClassResolver& classes) {
  if (text.size() > 10000) fail("a type of {} characters is too long", text.size());
  ClassTable named;
  auto name_class = [&](const std::string& name) {
    if (!named.find(name)) named.add(classes.resolve_class(name));
  };
  std::string plain;
  size_t done = 0;
  for (size_t at = text.find("__torch__."); at != std::string::npos;
       at = text.find("__torch__.", at + 1)) {
    if (at && in_name(text[at - 1])) continue;
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    std::string name = text.substr(at, end - at);
    std::vector<std::string> behind = classes.behind(name);
    if (behind.empty()) name_class(name);
    for (const std::string& one : behind) name_class(one);
    plain += text.substr(done, at - done) + (behind.empty() ? name : union_text(behind));
    done = end;
  }
  plain += text.substr(done);
  // A task of a fork is a tuple of its result.
  constexpr std::string_view kFuture = "Future[";
  for (size_t at = plain.find(kFuture); at != std::string::npos; at = plain.find(kFuture, at + 1))
    if (at == 0 || !in_name(plain[at - 1])) plain.replace(at, kFuture.size(), "Tuple[");
  for (size_t at; (at = plain.find("Tuple[()]")) != std::string::npos;)
    plain.replace(at, 9, "Tuple[]");
  return parse_type(plain, &named);
}

}  // namespace fusillade::archive

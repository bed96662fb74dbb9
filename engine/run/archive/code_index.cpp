// See code_index.h.
#include "engine/run/archive/code_index.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace fusillade::archive {
namespace {

constexpr std::string_view kDef = "def ";
constexpr std::string_view kClass = "class ";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

size_t indent_of(std::string_view line) {
  size_t n = line.find_first_not_of(' ');
  return n == std::string_view::npos ? line.size() : n;
}

bool blank(std::string_view line) { return trim(line).empty(); }

// The words between quotes.
std::vector<std::string> quoted_words(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    out.emplace_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return out;
}

class Splitter {
 public:
  Splitter(std::string_view text, std::string file)
      : lines_(lines_of(text)), file_(std::move(file)) {}

  template <class File>
  void run(File& out) {
    while (at_ < lines_.size()) {
      std::string_view line = lines_[at_];
      if (blank(line)) {
        ++at_;
      } else if (line.starts_with(kClass)) {
        std::string name = head_name(line, kClass.size());
        if (!out.classes.emplace(name, class_text()).second) wrong("a second class of this name");
      } else if (line.starts_with(kDef)) {
        DefinitionText def = definition(0);
        std::string name = def.name;
        if (!out.functions.emplace(name, std::move(def)).second)
          wrong("a second function of this name");
      } else {
        wrong("a class or a function is expected");
      }
    }
  }

 private:
  [[noreturn]] void wrong(std::string_view what) {
    size_t line = std::min(at_, lines_.size() - 1);
    fail("{}:{}: {}: '{}'", file_, line + 1, what, lines_[line].substr(0, 100));
  }

  std::string head_name(std::string_view line, size_t at) {
    size_t end = at;
    while (end < line.size() &&
           (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
      ++end;
    if (end == at) wrong("a name is expected");
    return std::string(line.substr(at, end - at));
  }

  // The `def` at the current line, indented by `indent`: to the next line that is not deeper.
  DefinitionText definition(size_t indent) {
    DefinitionText out;
    out.name = head_name(lines_[at_], indent + kDef.size());
    std::string text;
    const size_t first = at_;
    for (; at_ < lines_.size() &&
           (at_ == first || blank(lines_[at_]) || indent_of(lines_[at_]) > indent);
         ++at_) {
      text += lines_[at_].substr(std::min(indent, lines_[at_].size()));
      text += '\n';
    }
    out.source = std::make_shared<const Source>(Source{file_, std::move(text), first});
    return out;
  }

  ClassText class_text() {
    ClassText out;
    std::string_view head = lines_[at_];
    size_t open = head.find('(');
    if (open != std::string_view::npos) out.base = head_name(head, open + 1);
    ++at_;
    while (at_ < lines_.size() && (blank(lines_[at_]) || indent_of(lines_[at_]) > 0))
      class_line(out);
    return out;
  }

  void class_line(ClassText& out) {
    std::string_view line = lines_[at_];
    if (line.starts_with("  def ")) {
      out.methods.push_back(definition(2));
      return;
    }
    std::string_view body = trim(line);
    size_t equals = body.find('=');
    if (body.starts_with("__parameters__ = [")) {
      out.parameters = quoted_words(body);
    } else if (body.starts_with("__buffers__ = [")) {
      out.buffers = quoted_words(body);
    } else if (body.starts_with("__forward_pre_hooks__ = [") ||
               body.starts_with("__forward_hooks__ = [")) {
      out.hooked |= !quoted_words(body).empty();
    } else if (body.starts_with("__annotations__[\"") && equals != std::string_view::npos) {
      std::vector<std::string> name = quoted_words(body.substr(0, equals));
      if (name.size() != 1) wrong("one quoted name is expected");
      out.fields.emplace_back(name[0], trim(body.substr(equals + 1)));
    } else if (!body.empty() && body != "pass" && body != "__annotations__ = []") {
      field(body, out);
    }
    ++at_;
  }

  // "name : type", "name : Final[type] = literal" (a constant, which the code has in place), or
  // "NAME = literal".
  void field(std::string_view body, ClassText& out) {
    std::string name = head_name(body, 0);
    std::string_view rest = trim(body.substr(name.size()));
    if (rest.starts_with("= ") && out.base == "Enum") {
      out.values.emplace_back(name, trim(rest.substr(1)));
    } else if (rest.starts_with(": Final[")) {
      return;
    } else if (rest.starts_with(": ")) {
      out.fields.emplace_back(name, trim(rest.substr(1)));
    } else {
      wrong("no part of a class");
    }
  }

  std::vector<std::string_view> lines_;
  std::string file_;
  size_t at_ = 0;
};

}  // namespace

CodeIndex::File& CodeIndex::file_of(const std::string& qualified) {
  std::string path = qualified.substr(0, qualified.rfind('.'));
  for (char& c : path)
    if (c == '.') c = '/';
  path = "code/" + path + ".py";
  auto known = files_.find(path);
  if (known != files_.end()) return known->second;
  File file;
  if (zip_.find(root_ + path)) {
    std::string text = zip_.read(root_ + path);
    Splitter(text, zip_.label() + ":" + path).run(file);
  }
  return files_.emplace(path, std::move(file)).first->second;
}

const ClassText* CodeIndex::find_class(const std::string& qualified) {
  const File& file = file_of(qualified);
  auto it = file.classes.find(qualified.substr(qualified.rfind('.') + 1));
  return it == file.classes.end() ? nullptr : &it->second;
}

std::vector<std::string> CodeIndex::class_names() {
  std::vector<std::string> out;
  const std::string folder = root_ + "code/";
  constexpr std::string_view kEnd = ".py";
  for (const ZipEntry& entry : zip_.entries()) {
    if (!entry.name.starts_with(folder) || !entry.name.ends_with(kEnd)) continue;
    std::string module =
        entry.name.substr(folder.size(), entry.name.size() - folder.size() - kEnd.size());
    std::replace(module.begin(), module.end(), '/', '.');
    for (const auto& [name, text] : file_of(module + ".x").classes)
      out.push_back(module + "." + name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

void CodeIndex::define(const std::string& qualified, std::string text) {
  DefinitionText entry;
  entry.name = qualified.substr(qualified.rfind('.') + 1);
  entry.source =
      std::make_shared<const Source>(Source{zip_.label() + ":" + qualified, std::move(text)});
  file_of(qualified).functions.emplace(entry.name, std::move(entry));
}

const DefinitionText* CodeIndex::find_function(const std::string& qualified) {
  const File& file = file_of(qualified);
  auto it = file.functions.find(qualified.substr(qualified.rfind('.') + 1));
  return it == file.functions.end() ? nullptr : &it->second;
}

}  // namespace fusillade::archive

// See library.h.
#include "engine/front/library.h"

#include <algorithm>

#include "engine/front/nn.h"

namespace fusillade::front {
namespace {

constexpr std::string_view kModules = "torch/nn/modules/", kFunctional = "torch/nn/functional",
                           kClass = "class ", kFunction = "def ";

// As PyTorch names it: archives name what they call by it. torch.nn.functional has several texts.
std::string library_file(std::string_view text) {
  constexpr std::string_view kPart = "functional_";
  if (text == "functional") return fmt::format("{}.py", kFunctional);
  if (text.starts_with(kPart))
    return fmt::format("{}/{}.py", kFunctional, text.substr(kPart.size()));
  if (text == "packed") return "torch/nn/utils/rnn.py";
  if (text == "package") return "torch/__init__.py";
  if (text == "grad_mode") return kGradModes;
  return fmt::format("{}{}.py", kModules, text);
}

// What the path of a function of this text begins with; empty: none is called by a path.
std::string prefix_of(std::string_view text, const std::string& file) {
  if (text == "init") return "torch.nn.init.";
  if (text == "builtins" || text == "math") return fmt::format("{}.", text);
  return file.starts_with(kModules) || file == kGradModes ? "" : package(file);
}

std::string name_at(std::string_view line, std::string_view keyword) {
  line.remove_prefix(keyword.size());
  return std::string(line.substr(0, line.find_first_of("(:")));
}

}  // namespace

std::string package(std::string file) {
  if (file.starts_with(kFunctional)) return "torch.nn.functional.";
  file.resize(file.rfind(file.ends_with("/__init__.py") ? '/' : '.'));
  std::replace(file.begin(), file.end(), '/', '.');
  return file + ".";
}

Library& Library::instance() {
  static Library library;
  return library;
}

Library::Library() {
  for (const LibraryText& t : library_texts()) {
    Part& part = parts_.emplace_back();
    part.file = library_file(t.name);
    part.text = t.text;
    by_file_[part.file] = &part;
    list(part, prefix_of(t.name, part.file));
  }
}

void Library::list(Part& part, const std::string& prefix) {
  for (std::string_view left = part.text; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    if (line.starts_with(kClass) && part.file != kGradModes)
      classes_[name_at(line, kClass)] = &part;
    if (line.starts_with(kFunction) && !prefix.empty())
      functions_[prefix + name_at(line, kFunction)] = &part;
  }
}

std::shared_ptr<const ParsedText> Library::text(const std::string& file) {
  Part& part = *by_file_.at(file);
  std::call_once(part.once, [&] { part.parsed = parse_text(std::string(part.text), part.file); });
  return part.parsed;
}

const std::string* Library::file_of_class(const std::string& name) const {
  auto it = classes_.find(name);
  return it == classes_.end() ? nullptr : &it->second->file;
}

const std::string* Library::file_of_function(const std::string& path) const {
  auto it = functions_.find(path);
  return it == functions_.end() ? nullptr : &it->second->file;
}

}  // namespace fusillade::front

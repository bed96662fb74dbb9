// See library.h.
#include "engine/front/library.h"

#include <algorithm>
#include <tuple>

#include "engine/front/nn.h"

namespace fusillade::front {
namespace {

constexpr std::string_view kModules = "torch/nn/modules/", kFunctional = "torch/nn/functional",
                           kClass = "class ", kFunction = "def ";

// A text whose functions are called by a path, and the file that PyTorch has them in: archives name
// what they call by it.
struct Shelf {
  std::string_view text;
  const char* file;
  const char* prefix;
};
constexpr Shelf kShelves[] = {{"functional", "torch/nn/functional.py", "torch.nn.functional."},
                              {"init", "torch/nn/modules/init.py", "torch.nn.init."},
                              {"packed", "torch/nn/utils/rnn.py", "torch.nn.utils.rnn."},
                              {"package", "torch/__init__.py", "torch."},
                              {"builtins", "torch/nn/modules/builtins.py", "builtins."},
                              {"math", "torch/nn/modules/math.py", "math."},
                              {"grad_mode", kGradModes, ""}};

// torch.nn.functional has several texts; a text of classes has no prefix.
std::pair<std::string, std::string> place_of(std::string_view text) {
  constexpr std::string_view kPart = "functional_";
  const auto shelf = std::ranges::find(kShelves, text, &Shelf::text);
  if (shelf != std::end(kShelves)) return {shelf->file, shelf->prefix};
  if (text.starts_with(kPart))
    return {fmt::format("{}/{}.py", kFunctional, text.substr(kPart.size())), kShelves[0].prefix};
  return {fmt::format("{}{}.py", kModules, text), ""};
}

std::string name_at(std::string_view line, std::string_view keyword) {
  line.remove_prefix(keyword.size());
  return std::string(line.substr(0, line.find_first_of("(:")));
}

}  // namespace

std::string package(std::string file) {
  if (file.starts_with(kFunctional)) return kShelves[0].prefix;
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
    std::string prefix;
    std::tie(part.file, prefix) = place_of(t.name);
    part.text = t.text;
    by_file_[part.file] = &part;
    list(part, prefix);
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

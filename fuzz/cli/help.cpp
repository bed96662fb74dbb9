// fusillade help, completion: what the command says about itself. main() turns `help VERB` into
// `VERB --help`; the verb here exists for --help and for shells.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "fuzz/cli/completion.h"
#include "fuzz/cli/verb.h"

namespace fusillade::cli {
namespace {

VERB(help, "print a verb's flags, as VERB --help does") {
  auto verb = std::make_shared<std::string>();
  app.add_option("verb", *verb, "a verb (default: all of them, in a line each)");
  return [verb]() -> int { fail("help: '{}' is no verb", *verb); };
}

VERB(completion, "print a shell's completion of this command: bash, zsh or fish") {
  static const std::pair<const char*, const char*> kFiles[] = {
      {"bash", "fusillade.bash"}, {"zsh", "_fusillade"}, {"fish", "fusillade.fish"}};
  auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "as in `source <(fusillade completion bash)`")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return [shell] {
    const auto file =
        std::ranges::find_if(kFiles, [&](const auto& f) { return *shell == f.first; });
    const auto text = std::ranges::find(completions(), file->second, &Completion::file);
    fmt::print("{}", text->text);
    return static_cast<int>(kOk);
  };
}

}  // namespace
}  // namespace fusillade::cli

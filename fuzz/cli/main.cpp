// The `fusillade` command: finds the verb, parses its flags, maps exceptions to exit codes.
// `help VERB` is `VERB --help`.
//
// Spelling is normalised in one pass before parsing: libFuzzer's -max_total_time=60 becomes
// --max-total-time=60, and a negative number after a flag is tied to it (--arg -3 becomes
// --arg=-3). An unknown flag or verb is an error that names the nearest legal ones, never a
// warning.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <set>
#include <stdexcept>

#include "engine/aten/text/print.h"
#include "engine/base/lack.h"
#include "engine/base/options.h"
#include "engine/base/text.h"
#include "engine/base/visible.h"
#include "fuzz/cli/campaign_defaults.h"
#include "fuzz/cli/people.h"
#include "fuzz/cli/verb.h"
#include "fuzz/cli/version.h"
#include "fuzz/process/spawn.h"
#include "fuzz/process/stop_signals.h"
#include "fuzz/process/strays.h"
#include "fuzz/process/unstartable.h"

namespace fusillade::cli {
namespace {

struct ExitRow {
  int code;
  const char* verbs;  // those that end with it; empty: any may
  const char* text;
};
constexpr ExitRow kExitRows[] = {
    {0, "", "nothing new found, no case failed, nothing is slower; fuzz --shard: the shard ran"},
    {1, "", "a wrong flag or setting, or no process, memory or disk space left"},
    {2, "", "new findings; or a timing that --gate checks is slower, missing, failed or wrong"},
    {3, "", "inconclusive: too little data, or a yield below --min-yield"},
    {70, "run, opt, save, freeze, repro, reduce", "timeout"},
    {71, "run, opt, save, freeze, repro, reduce", "out of memory"},
    {72, "", "interrupted; all state is saved, and --resume continues"},
    {77, "repro, reduce", "the case fails"},
    {125, "bisect", "this case cannot be judged"}};

// The codes that a verb ends with; of no verb, all of them with the verbs.
std::string exit_table(const std::string& verb) {
  std::string out = "exit codes:";
  for (const ExitRow& row : kExitRows) {
    const std::string verbs = row.verbs;
    const bool named = (", " + verbs + ",").find(", " + verb + ",") != std::string::npos;
    if (!verbs.empty() && !verb.empty() && !named) continue;
    const bool tells = !verbs.empty() && verb.empty();
    out +=
        fmt::format("\n  {:<4} {}{}{}", row.code, tells ? verbs : "", tells ? ": " : "", row.text);
  }
  return out;
}

bool is_number(const std::string& text) {
  if (text.empty()) return false;
  size_t i = text[0] == '-' ? 1 : 0;
  return i < text.size() && (std::isdigit(static_cast<unsigned char>(text[i])) || text[i] == '.');
}

// "-max_total_time=60" or "--max_total_time=60" to "--max-total-time=60", "-j4" to "--jobs=4";
// other words unchanged.
std::string normalise_flag(const std::string& word) {
  if (word.rfind("-j", 0) == 0 && is_number(word.substr(2))) return "--jobs=" + word.substr(2);
  size_t dashes = word.rfind("--", 0) == 0 ? 2 : 1;
  if (word.size() < dashes + 2 || word[0] != '-' ||
      !std::isalpha(static_cast<unsigned char>(word[dashes])))
    return word;
  size_t equals = word.find('=');
  std::string flag = word.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
  for (char& c : flag) c = c == '_' ? '-' : c;
  return "--" + flag + (equals == std::string::npos ? "" : word.substr(equals));
}

std::vector<std::string> normalise(int argc, char** argv) {
  std::vector<std::string> out;
  bool literal = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    literal = literal || word == "--";
    bool after_flag = !out.empty() && out.back().rfind("--", 0) == 0 && out.back().size() > 2 &&
                      out.back().find('=') == std::string::npos;
    if (!literal && !word.empty() && word[0] == '-' && is_number(word) && after_flag)
      out.back() += "=" + word;
    else out.push_back(literal ? word : normalise_flag(word));
  }
  return out;
}

std::string env_name(const std::string& flag) {
  std::string out = "FUSILLADE_";
  for (char c : flag)
    out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// The engine reads its own options from the environment; a flag that sets one is no second reader.
bool is_engine_option(const std::string& env) {
  for (const OptionRow* row : Table<OptionRow>::instance().by_name())
    if (row->env() == env) return true;
  return false;
}

// Names that are read elsewhere: by reports, a copy that `planted` built, and tests.
constexpr const char* kReadElsewhere[] = {
    "FUSILLADE_PYTHON",      "FUSILLADE_REPORTS", "FUSILLADE_PLANTED", "FUSILLADE_PLANTED_REACHED",
    "FUSILLADE_COLD_CACHES", "FUSILLADE_BINARY",  "FUSILLADE_BUILD",   "FUSILLADE_ENGINE_WRITES"};

// A misspelt variable would be a setting that silently does nothing. `legal`: those of flags.
void warn_of_unknown_variables(std::vector<std::string> legal) {
  legal.insert(legal.end(), std::begin(kReadElsewhere), std::end(kReadElsewhere));
  std::set<std::string> known;  // former names, which nobody is advised to use
  for (const OptionRow* row : Table<OptionRow>::instance().by_name()) {
    legal.push_back(row->env());
    for (const std::string& former : row->former_envs()) known.insert(former);
  }
  for (char** word = environ; *word; ++word) {
    const std::string_view text = *word;
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with("FUSILLADE_") || std::ranges::count(legal, name) || known.contains(name))
      continue;
    std::fprintf(stderr, "fusillade: warning: the environment has %s, which nothing reads%s\n",
                 visible_line(name).c_str(), near_misses(name, legal).c_str());
  }
}

// "unknown flag '--plna' of fusillade run; did you mean --plan?"
std::string unknown_words(CLI::App& app) {
  CLI::App* at = &app;
  std::vector<std::string> legal;
  if (!app.get_subcommands().empty()) at = app.get_subcommands()[0];
  for (const CLI::Option* o : at->get_options())
    for (const std::string& name : o->get_lnames()) legal.push_back("--" + name);
  for (const Verb* v : Table<Verb>::instance().by_name())
    if (at == &app) legal.push_back(v->name);
  std::string out;
  bool after_flag = false;
  for (const std::string& word : app.remaining(true)) {
    const bool value = after_flag && !word.starts_with("-");  // of what is unknown already
    after_flag = word.starts_with("--") && word.find('=') == word.npos;
    if (value) continue;
    std::string flag = word.substr(0, word.find('='));
    out += fmt::format("{}'{}' is not known to {}{}", out.empty() ? "" : "; ", flag,
                       at == &app ? "fusillade" : "fusillade " + at->get_name(),
                       near_misses(flag, legal));
  }
  return out;
}

// A flag that takes no value, of a verb that was given.
bool is_switch(const CLI::App& app, const std::string& flag) {
  for (const CLI::App* verb : app.get_subcommands())
    if (const CLI::Option* option = verb->get_option_no_throw(flag))
      return option->get_items_expected_max() == 0;
  return false;
}

// A flag that nobody wrote has its value from a variable.
std::string name_variable(const std::string& what) {
  const size_t end = what.find(':');
  if (!what.starts_with("--") || end == what.npos || is_on_command_line(what.substr(0, end)))
    return what;
  return env_name(what.substr(2, end - 2)) + what.substr(end);
}

// "--runs: Value x not in range 0 to 9" and "Could not convert: --runs = x", as the library has it,
// of what is no number.
std::string in_words(const CLI::App& app, const std::string& what) {
  constexpr std::string_view kConvert = "Could not convert: ", kIs = " = ";
  const size_t is = what.find(kIs);
  if (what.starts_with(kConvert) && is != what.npos) {
    const std::string flag = what.substr(kConvert.size(), is - kConvert.size());
    const char* legal =
        is_switch(app, flag) ? "none of 1, true, on, yes, 0, false, off and no" : "not a number";
    return fmt::format("{}: '{}' is {}", flag, what.substr(is + kIs.size()), legal);
  }
  constexpr std::string_view kValue = ": Value ", kRange = " not in range ";
  const size_t value = what.find(kValue), range = what.rfind(kRange);
  if (value == what.npos || range == what.npos || range < value) return what;
  const size_t from = value + kValue.size();
  return fmt::format("{}: '{}' is not a number from {}", what.substr(0, value),
                     what.substr(from, range - from), what.substr(range + kRange.size()));
}

// Where to read on: the page of the verb, or of all of them.
// "what is required", and what can stand there.
std::string with_legal(const CLI::App& app, const std::string& what) {
  constexpr std::string_view kRequired = " is required";
  const auto verbs = app.get_subcommands();
  if (verbs.empty() || !what.ends_with(kRequired)) return what;
  const std::string name = what.substr(0, what.size() - kRequired.size());
  const CLI::Option* option = verbs[0]->get_option_no_throw(name);
  return option && option->get_positional() ? what + ": " + option->get_description() : what;
}

std::string see_help(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return "(see fusillade " + (verbs.empty() ? "" : verbs[0]->get_name() + " ") + "--help)";
}

// Words that ask for help by the verb, as the flag that does.
std::vector<std::string> help_as_flag(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "help" || words.size() > 2) return words;
  if (words.size() == 1) return {"--help"};
  return words[1].starts_with("-") ? words : std::vector<std::string>{words[1], "--help"};
}

// --help shows the default value, where the option's text does not.
void show_default(CLI::Option& option) {
  const bool one_value = option.get_items_expected_max() == 1;
  if (one_value && option.get_description().find("default") == std::string::npos)
    option.capture_default_str();
  if (option.get_default_str() == "[]") option.default_str("");
}

// The word that `fuzz` takes for the seed of the day is one of each verb's --seed: a variable may
// hold it.
void take_the_days_seed(CLI::Option& option) {
  option.transform(CLI::Validator(
      [](std::string& text) {
        if (text == kSeedOfDay) text = seed_of_today();
        return std::string();
      },
      ""));
}

std::vector<std::string> g_command_line;  // normalised

int run_verb(const std::vector<std::string>& given) {
  g_command_line = given;
  std::vector<std::string> words = help_as_flag(given);
  const Verb* former = words.empty() ? nullptr : Table<Verb>::instance().find(words[0]);
  if (former) words[0] = former->name;
  CLI::App app("Differential fuzzing and benchmarks for tensor JIT compilers.", "fusillade");
  app.set_version_flag("--version", kVersionText);
  app.footer(exit_table(""));
  app.require_subcommand(1);
  Action action;
  std::vector<std::string> variables;
  for (const Verb* verb : Table<Verb>::instance().by_name()) {
    CLI::App* sub = app.add_subcommand(verb->name, verb->summary);
    sub->footer(exit_table(verb->name));
    Action declared = verb->declare(*sub);
    for (CLI::Option* option : sub->get_options()) {
      std::string flag = option->get_lnames().empty() ? "help" : option->get_lnames()[0];
      variables.push_back(env_name(flag));
      if (flag != "help" && !is_engine_option(env_name(flag))) option->envname(env_name(flag));
      if (flag != "help") show_default(*option);
      // Who gives two values says the flag twice: the next word may be a file.
      if (!option->get_positional()) option->allow_extra_args(false);
      if (flag == "seed" && option->get_type_name() == "UINT") take_the_days_seed(*option);
    }
    sub->callback([&action, declared] { action = declared; });
  }
  check_options();
  warn_of_unknown_variables(variables);
  if (!words.empty() && words[0][0] != '-' && !Table<Verb>::instance().find(words[0])) {
    std::vector<std::string> verbs;
    for (const Verb* v : Table<Verb>::instance().by_name()) verbs.push_back(v->name);
    fail("there is no verb '{}'{} (see fusillade --help)", words[0], near_misses(words[0], verbs));
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ExtrasError&) {
    fail("{}", unknown_words(app));
  } catch (const CLI::RequiredError& e) {
    if (!app.remaining(true).empty()) fail("{}", unknown_words(app));
    fail("{} {}", with_legal(app, e.what()), see_help(app));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    fail("{} {}", name_variable(in_words(app, e.what())), see_help(app));
  }
  set_program_output(nullptr);  // what is printed is ours; but of `run`
  return action();
}

}  // namespace

bool is_on_command_line(const std::string& flag) {
  return std::ranges::any_of(g_command_line, [&](const std::string& word) {
    return word == flag || word.starts_with(flag + "=");
  });
}

}  // namespace fusillade::cli

namespace {

// stderr may be what failed, so that this throws nothing.
int report_error(const std::string& what) {
  std::fprintf(stderr, "fusillade: error: %s\n", what.c_str());
  return fusillade::cli::kUsage;
}

pid_t main_process = 0;
std::terminate_handler usual_end = nullptr;

// Lack of memory where no exception may pass, as in noexcept functions of libraries: no crash. A
// child reports it to its parent as spawn.h says.
[[noreturn]] void end_of_exceptions() {
  const std::string& lack = fusillade::noted_lack();
  const bool is_child = getpid() != main_process;
  if (!lack.empty()) {
    const int code = report_error(lack);
    _exit(is_child ? fusillade::kLackStatus : code);
  }
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    if (is_child) _exit(fusillade::fuzz::kOutOfMemory);
    _exit(report_error("out of memory"));
  } catch (...) {
  }
  usual_end();  // a crash, which says what was thrown
  std::abort();
}

// Before any table is filled, for which there may be no memory.
__attribute__((constructor(101))) void report_what_no_one_catches() {
  main_process = getpid();
  usual_end = std::set_terminate(&end_of_exceptions);
}

struct EndsStrays {
  ~EndsStrays() { fusillade::fuzz::end_strays(); }
};

}  // namespace

int main(int argc, char** argv) {
  fusillade::fuzz::hold_standard_streams();
  fusillade::fuzz::adopt_strays();
  const EndsStrays at_the_end;
  try {
    fusillade::cli::write_for_people();
    fusillade::fuzz::report_limits();
    const int code = fusillade::cli::run_verb(fusillade::cli::normalise(argc, argv));
    if (fusillade::lacked_memory()) return report_error(fusillade::noted_lack());
    if (std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.flush()) return code;
    return report_error("cannot write the output: " + fusillade::error_text(errno));
  } catch (const std::length_error&) {
    return report_error("out of memory: more elements in a row than any machine holds");
  } catch (const std::bad_alloc&) {
    return report_error("out of memory: the program or its inputs need more than there is");
  } catch (const fusillade::fuzz::Unstartable& e) {
    return report_error(fusillade::visible_lines(e.why));
  } catch (const std::filesystem::filesystem_error& e) {
    return report_error(
        fusillade::visible_lines(fmt::format("{}: {}", e.path1().string(), e.code().message())));
  } catch (const std::exception& e) {
    return report_error(fusillade::visible_lines(fusillade::with_lack(e.what())));
  }
}

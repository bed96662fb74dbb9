// See finding.h.
#include "fuzz/triage/finding.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/options.h"
#include "engine/base/visible.h"
#include "fuzz/run/foreign/family.h"
#include "fuzz/run/foreign/versions.h"
#include "fuzz/run/other_build.h"

namespace fusillade::fuzz {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

std::string text_of(const json& j, const char* name) { return j.at(name).get<std::string>(); }

json command(const std::string& verb, const std::string& more) {
  return options_in_force() + "fusillade " + verb + " reduced.case" + more;
}

}  // namespace

json finding_of(const Triaged& t, const std::string& origin) {
  const std::string flags = family_flags(t.reduced) + OtherBuild::flags();
  json engines = json::array();
  for (const auto& [family, version] : engine_versions(t.reduced.plans))
    engines.push_back({{"name", family}, {"version", version}});
  const bool script = !t.reduced.script.empty();
  return {
      {"schema", kSchema},
      {"bucket", t.bucket},
      {"verdict", name_of(t.verdict.kind)},
      {"oracle", t.verdict.oracle},
      {"message", t.cause.message},
      {"detail", t.verdict.detail},
      {"blame",
       {{"kind", name_of(t.blame.kind)},
        {"name", t.blame.name},
        {"of", t.blame.of},
        {"words", print(t.blame)},
        {"note", t.note}}},
      {"plan", t.reduced.plans.empty() ? json() : json(t.reduced.plans[0].text)},
      {"cases", 1},
      {"reproduced", t.reproduced},
      {"tried", t.tried},
      {"nodes", t.nodes},
      {"engines", engines},
      {"origin", origin},
      {"operators", t.cause.operators},
      {"program",
       {{"language", script ? "script" : "graph"},
        {"text", script ? t.reduced.script : print(*t.reduced.program)}}},
      {"commands",
       {{"repro", command("repro", flags)},
        {"bisect", command("bisect", flags)},
        {"show", "fusillade show reduced.case"}}},
      {"no_script", json()},
  };
}

std::string readme_of(const json& f, bool has_repro_script) {
  const json& blame = f.at("blame");
  const json& commands = f.at("commands");
  const std::string note = text_of(blame, "note"), detail = text_of(f, "detail");
  std::string text = fmt::format(
      "# {}\n\n- verdict: {} ({}), found by the oracle {}\n- blame: {}\n- plan: {}\n"
      "- cases: {}\n- reproduced: {} of {} fresh processes\n- reduced program: {} operator "
      "node(s)\n",
      markdown_text(text_of(f, "bucket")), markdown_text(text_of(f, "verdict")),
      markdown_text(text_of(f, "message")), markdown_code(text_of(f, "oracle")),
      markdown_text(text_of(blame, "words") + (note.empty() ? "" : " (" + note + ")")),
      markdown_code(f.at("plan").is_null() ? "-" : text_of(f, "plan")),
      f.at("cases").get<int64_t>(), f.at("reproduced").get<int64_t>(), f.at("tried").get<int64_t>(),
      f.at("nodes").get<int64_t>());
  if (f.contains("builds")) {
    const json& last = f.at("builds").back();
    text += fmt::format("- state: {}; {} {} on {}\n", markdown_text(text_of(f, "state")),
                        markdown_text(text_of(last, "build")),
                        last.at("shows").get<bool>() ? "shows it" : "does not show it",
                        markdown_text(text_of(last, "at")));
  }
  for (const json& engine : f.at("engines"))
    text += fmt::format("- engine: {}: {}\n", markdown_text(text_of(engine, "name")),
                        markdown_text(text_of(engine, "version")));
  if (!detail.empty()) text += "\n" + markdown_block(detail);
  text += "\n## Reduced program\n\n" + markdown_block(text_of(f.at("program"), "text"));
  text +=
      "\n## Commands\n\nRun here; `fusillade` is the binary of the build that found it.\n\n```\n";
  if (has_repro_script)
    text +=
        "sh repro.sh                                  # exits 77, 70 or 71 while the bug lives\n";
  text +=
      text_of(commands, "repro") + "\n" + text_of(commands, "bisect") + "\n" +
      text_of(commands, "show") +
      "\n```\n"
      "\nTo keep it as a regression test, keep `reduced.case` and run its `repro` in your CI.\n";
  if (const json& none = f.at("no_script"); !none.is_null()) {
    text += "\nThere is no script.py: " + markdown_text(text_of(none, "reason")) + ".";
    const std::string how = text_of(none, "command");
    text += how.empty() ? "\n" : " This makes it:\n\n```\n" + how + "\n```\n";
  }
  return text;
}

void write_finding_files(const std::string& folder, const json& finding) {
  write_atomically(folder + "/finding.json",
                   finding.dump(2, ' ', true, json::error_handler_t::replace) + "\n");
  const bool has_repro_script = access((folder + "/repro.sh").c_str(), F_OK) == 0;
  write_atomically(folder + "/README.md", readme_of(finding, has_repro_script));
}

bool is_finding_folder(const std::string& folder) {
  return std::filesystem::is_directory(folder) && !folder.ends_with(".part");
}

std::optional<json> read_finding(const std::string& folder) {
  const std::string path = folder + "/finding.json";
  struct stat s;
  if (lstat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return std::nullopt;
  json finding = json::parse(read_text_file(path), nullptr, false);
  try {
    readme_of(finding, false);
  } catch (const json::exception&) {
    return std::nullopt;
  }
  return finding;
}

std::string how_it_was_judged(const std::string& case_file) {
  const std::filesystem::path folder = std::filesystem::absolute(case_file).parent_path();
  const std::optional<json> finding = read_finding(folder);
  if (!finding) return "";
  return "\nWhoever found it ran: " + text_of(finding->at("commands"), "repro");
}

}  // namespace fusillade::fuzz

// See triage_progress.h.
#include "fuzz/triage/triage_progress.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"

namespace fusillade::fuzz {

using nlohmann::json;

std::optional<Triaged> TriageProgress::read() const {
  if (path_.empty() || access(path_.c_str(), R_OK) != 0) return std::nullopt;
  try {
    const json j = json::parse(read_text_file(path_));
    Triaged t;
    t.reproduced = j.at("reproduced");
    t.tried = j.at("tried");
    t.blame = read_culprit(j.at("blame"));
    t.note = j.at("note");
    t.reduced = parse_case(j.at("case").get<std::string>(), path_);
    return t;
  } catch (const json::exception&) {
  } catch (const Exception&) {
  }
  return std::nullopt;
}

void TriageProgress::keep(const Triaged& t) const {
  if (path_.empty()) return;
  const json j = {{"reproduced", t.reproduced},
                  {"tried", t.tried},
                  {"blame", print(t.blame)},
                  {"note", t.note},
                  {"case", print(t.reduced)}};
  write_atomically(path_, j.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace fusillade::fuzz

// A Python file as people run it, for external engines that take such a text (the form `source`):
// whether our front end reads it or not, `check` judges it by the oracle `plain_python`.
#pragma once

#include <string>
#include <vector>

#include "fuzz/campaign/judgement.h"
#include "fuzz/cli/inputs.h"
#include "fuzz/given/given.h"
#include "fuzz/run/foreign/family.h"

namespace CLI {
class App;
}

namespace fusillade::cli {

// Of the plans the first engine's family that takes it; null: none does, or its oracle is not among
// those asked for.
const fuzz::Family* taker_of_plain_python(const fuzz::CampaignOptions& campaign);

// Throws Error, with the place and the words of this interpreter, where that does not compile the
// file; nothing of it is run.
void require_python(const std::string& text, const std::string& file, const std::string& python);

// The text with one more function behind it, which calls the one that is meant: `function`, or
// `forward` of a module made by `asked.call`; where both are empty, the only function that no other
// of the file names, or the only module. Throws Error where there is no such, or its parameters
// cannot be read.
std::string plain_text(const std::string& text, const std::string& file,
                       const std::string& function, const ModuleChoice& asked);

// The program of a file, with inputs as the flags say; where our front end read it (`read`), with
// inputs that eager mode accepted.
fuzz::Given given_plain(const CLI::App& app, const InputFlags& flags, const std::string& file,
                        const std::string& text, const fuzz::Given* read);

}  // namespace fusillade::cli

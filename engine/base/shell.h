// Words of a shell's command.
#pragma once

#include <string>

namespace fusillade {

// A word that a shell reads as this text: itself where nothing in it means anything to a shell,
// else in quotes.
std::string shell_word(const std::string& text);

}  // namespace fusillade

// Small things about text that every folder needs: near misses for messages, splitting, joining,
// numbers read and written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fusillade {

// Number of single-character insertions, deletions and substitutions between two words.
size_t edit_distance(std::string_view a, std::string_view b);
// "; did you mean X or Y?" naming the legal words closest to `word`, or "" when none is close.
std::string near_misses(std::string_view word, const std::vector<std::string>& legal);
std::string join(const std::vector<std::string>& words, std::string_view separator);
std::string_view trim(std::string_view text);
// Splits at `separator` outside of (), [] and {}; pieces keep their spaces. "" gives one empty
// piece. `offsets`, when given, receives where each piece starts.
std::vector<std::string> split_outside_brackets(std::string_view text, char separator,
                                                std::vector<size_t>* offsets = nullptr);
// Whole text as a number; false when it is not one (or out of range).
bool parse_int(std::string_view text, int64_t* value);
bool parse_double(std::string_view text, double* value);
// A float in one of four forms, each of which reads back to the same bits; "nan", which has no
// sign, "inf" and "-inf" in all of them.
std::string python_float_text(double v);       // repr(v), of fewest digits: "1.0", "0.1", "1e-05"
std::string torchscript_float_text(double v);  // the same in IR: "1.", "0.1", "1e-05"
std::string archive_float_text(double v);      // of 17 digits: "1.", "0.10000000000000001"
std::string hexadecimal_float_text(double v);  // "0x1.8p+1"

}  // namespace fusillade

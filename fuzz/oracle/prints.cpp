// See prints.h.
#include "fuzz/oracle/prints.h"

#include "fuzz/oracle/judging.h"

namespace fusillade::fuzz {
namespace {

// Digits behind a point are as exact as the tensors that they come from.
std::string without_fractions(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '.' || i == 0 || !std::isdigit(static_cast<unsigned char>(text[i - 1])))
      continue;
    while (i + 1 < text.size() && (std::isalnum(static_cast<unsigned char>(text[i + 1])))) ++i;
  }
  return out;
}

}  // namespace

std::optional<Verdict> compare_prints(const SourceOutcome& eager, const SourceOutcome& observed,
                                      bool fractions) {
  const bool same = fractions
                        ? eager.printed == observed.printed
                        : without_fractions(eager.printed) == without_fractions(observed.printed);
  if (same) return std::nullopt;
  return mismatch("prints",
                  fmt::format("printed\n{}\nCPython prints\n{}", observed.printed, eager.printed));
}

}  // namespace fusillade::fuzz

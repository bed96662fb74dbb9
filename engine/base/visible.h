// Text that may come from strangers, as people may be shown it: what would act on a terminal or in
// a log is spelled out instead. ESC becomes \x1b, U+202E \u202e as in a string of Python or JSON; a
// byte that is no UTF-8 becomes \xff, with its own value. Newlines and tabs stay.
//
// Files keep exact text; this is for the edge: streams that people read (`VisibleText`), a message
// within a line of ours (`visible_line`), and Markdown, where more signs act: `markdown_*`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fusillade {

// A stream of text in pieces, which may end within a character. Besides, a line that GitHub's and
// Azure's logs take for a command to them ("::error::", "##[error]") no longer looks like one.
class VisibleText {
 public:
  std::string next(std::string_view piece);
  std::string rest();  // what is left of a character that did not end

 private:
  void character(std::string_view bytes, uint32_t code, std::string& out);

  std::string incomplete_;     // of a character that goes on in the next piece
  bool only_blanks_ = true;    // in this line so far
  bool one_colon_ = false;     // and these are followed by one
  std::string_view hashes_{};  // "#" or "##" just before
};

std::string visible(std::string_view text);
// Newlines spelled out, too, so that it cannot look like a line of ours.
std::string visible_line(std::string_view text);
// Lines after the first are indented: the first alone is at the place of ours.
std::string visible_lines(std::string_view text);

// In a line or a cell of a table of GitHub's Markdown: as it is where no sign of it acts, and else
// as a code span.
std::string markdown_text(std::string_view text);
std::string markdown_code(std::string_view text);
// A block of code that its text cannot end.
std::string markdown_block(std::string_view text);

// The line of progress on a terminal, to be written anew; past what spells text out.
void clear_progress_line();

}  // namespace fusillade

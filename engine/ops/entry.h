// Entries: what is said of operators in text. The files aten/FAMILY/*ops.py hold them and are part
// of the binary.
//
//   aten::ravel(Tensor(a) self) -> Tensor(a)
//       return self.reshape([-1])
//       draw self=a[N,M]
//   aten::exp, aten::expm1
//       gradient self: grad * (result + 1)
//
// An entry begins at the start of a line, which goes on while a bracket is open or a comma ends it.
// It begins with the schema of an operator whose body, a script, is indented under it (compiled on
// first use: scripted_body.cpp in the front end), or with the names of operators that are defined
// elsewhere. Lines under it that begin with one of these words are no part of the body:
//
//   payload           C++ adds it, with what that says of it (composite.h)
//   inplace           an operator "ravel_" writes the result into the first argument
//   values            values of the arguments decide the sizes of the result
//   random [if ...]   it draws random numbers, always or when that holds (draws.h)
//   since 2           PyTorch 1.13.1 does not have it
//   gradient ...      what flows back to arguments (gradient.h)
//   draw ...          how generators draw the arguments (fuzz/gen/recipe.h)
//   traits ...        what passes, fusers and generators ask of it (traits.h)
//   out ...           how a call with out= is different (engine/front/out_form.h)
//   sibling NAME      an operator of its schema that computes something else
//                     (fuzz/oracle/siblings.h)
//   slopes ...        cases whose gradient slopes cannot check (fuzz/run/tangents.h)
//   others ...        what external engines may do beyond our bound (fuzz/run/deviation.h)
//   peers ...         what is known to be wrong of a peer (fuzz/oracle/known_wrong.h)
//
// Deeper lines under such a line belong to it. A new kind of line is a row of `kKinds` (entry.cpp)
// and whoever asks `line_of` for it. '#' at the start of a line begins a comment.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fusillade {

struct Operator;

enum class LineKind : uint8_t {
  Payload,
  InPlace,
  Values,
  Random,
  Since,
  Gradient,
  Draw,
  Traits,
  Out,
  Sibling,
  Slopes,
  Others,
  Peers
};

struct EntryLine {
  LineKind kind;
  std::string_view text;  // behind the word, with the deeper lines
  int number;             // in its file
};

struct Entry {
  std::string_view file;  // "engine/aten/view/ops.py"
  int number = 0;         // of its first line
  std::vector<std::string_view> names{};
  std::string schema{};  // empty: of operators that are defined elsewhere
  std::string body{};
  std::vector<EntryLine> lines{};

  const EntryLine* line(LineKind kind) const;  // the first one; nullptr: there is none
  std::string_view family() const;             // "view", the folder of its file
  std::string place(int line_number) const;    // "engine/aten/view/ops.py:12"
};

// Parses the text of a file, which must outlive the entries. A Bug if the text is malformed.
std::vector<Entry> parse_entries(std::string_view file, std::string_view text);

// All of them. Those with bodies became operators before main.
const std::vector<Entry>& entries();
// Those that name the operator, or the one it is the form of, exactly.
std::span<const Entry* const> entries_of(std::string_view name);
// The one line of a kind that is said of it; nullptr: there is none.
const EntryLine* line_of(std::string_view name, LineKind kind);
// The same of an operator; of one in place that C++ derived (operator.h), what is said of the
// other.
const EntryLine* line_of(const Operator& op, LineKind kind);

// A Bug unless every entry names operators, and says each kind of line once: entries of one
// operator that both have gradients, say, contradict each other.
void check_entries(std::span<const Entry> entries);

// The embedded files (cmake/embed.cmake).
struct EntryText {
  const char* file;
  const char* text;
};
const std::vector<EntryText>& entry_texts();

}  // namespace fusillade

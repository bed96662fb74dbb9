// A function that a line of a script names and no `def` does: a lambda, or a closure that another
// function of the script makes and returns.
//
//   def make(count):
//       def inner(x):
//           return x * count
//       return inner
//
//   f = make(3)
#pragma once

#include <optional>
#include <string>

namespace fusillade::cli {

struct MadeFunction {
  std::string name;        // "f"
  std::string parameters;  // "x", as the text writes them
};

// What a line gives a name to; none where it does not begin with that name, or is no such line.
// Throws Error, naming `file`, where parameters have no end.
std::optional<MadeFunction> made_function(const std::string& text, const std::string& line,
                                          const std::string& file);

// Of all lines the last that names it.
std::optional<MadeFunction> find_made_function(const std::string& text, const std::string& name,
                                               const std::string& file);

// Where the definition begins a line; npos: nowhere.
size_t find_definition(const std::string& text, const std::string& head);

// What stands in the brackets behind `at`, in one line and without comments.
std::string parameters_at(const std::string& text, size_t at, const std::string& file);

}  // namespace fusillade::cli

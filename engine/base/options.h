// Options of the engine: rows of name, type, default and meaning, each read once from the
// environment (option "verify" is FUSILLADE_VERIFY).
//
//   static const Option<bool> kVerify("verify", false, "verify the graph after every pass");
//   if (kVerify.get()) ...
//
// A row registers where it is defined. A bad value throws Error at first use, or from
// check_options(), which every program calls at its start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/table.h"

namespace fusillade {

struct OptionRow {
  std::string name;      // "max_call_depth"; former names in the table are read, too
  const char* type;      // "bool", "int", "float", "text"
  std::string fallback;  // as text
  std::string summary;
  std::string legal;        // of ints: "8|16|32", "1..", "0..64" (both ends); empty: all
  std::string env() const;  // "FUSILLADE_MAX_CALL_DEPTH"
  std::vector<std::string> former_envs() const;
  std::string value() const;  // from the environment, else the default; text form
  std::string takes() const;  // what is legal, for people: "8|16|32", "0 and above"
};

// T: bool, int64_t, double, std::string.
template <class T>
class Option {
 public:
  Option(const char* name, T fallback, const char* summary, const char* legal = "");
  // Throws Error naming the variable, the value and what is legal.
  T get() const;

 private:
  const OptionRow& row_;
};

// Those that the environment sets to another value than their default, as words of a shell with a
// blank behind each: "FUSILLADE_VERIFY=true ". What a command needs before it to run as this one.
std::string options_in_force();

// Throws Error for the first option whose environment value does not parse or is not legal.
void check_options();

}  // namespace fusillade

// Option values come from the environment of the process and never change while it runs, so every
// read may consult it again; hot paths keep the value in a static.
#include "engine/base/options.h"

#include <cctype>
#include <cstdlib>
#include <limits>

#include "engine/base/shell.h"
#include "engine/base/text.h"

namespace fusillade {
namespace {

bool parse(const std::string& text, bool* value) {
  *value = text == "1" || text == "true" || text == "on";
  return *value || text == "0" || text == "false" || text == "off";
}
bool parse(const std::string& text, int64_t* value) { return parse_int(text, value); }
bool parse(const std::string& text, double* value) { return parse_double(text, value); }
bool parse(const std::string& text, std::string* value) {
  *value = text;
  return true;
}

const char* type_name(bool) { return "bool"; }
const char* type_name(int64_t) { return "int"; }
const char* type_name(double) { return "float"; }
const char* type_name(const std::string&) { return "text"; }

std::string text_of(bool v) { return v ? "true" : "false"; }
std::string text_of(int64_t v) { return fmt::format("{}", v); }
std::string text_of(double v) { return fmt::format("{}", v); }
std::string text_of(const std::string& v) { return v; }

template <class T>
bool is_among(const T&, const std::string&) {
  return true;
}

bool is_among(int64_t value, const std::string& legal) {
  if (legal.empty()) return true;
  for (const std::string& item : split_outside_brackets(legal, '|')) {
    const size_t dots = item.find("..");
    int64_t least = 0, most = std::numeric_limits<int64_t>::max();
    bool read = parse_int(item.substr(0, dots), &least);
    if (dots == std::string::npos) most = least;
    else if (dots + 2 < item.size()) read = read && parse_int(item.substr(dots + 2), &most);
    FUS_CHECK(read, "an option says that '{}' is legal", legal);
    if (least <= value && value <= most) return true;
  }
  return false;
}

template <class T>
T read(const OptionRow& row) {
  T value{};
  std::string text = row.value();
  if (!parse(text, &value))
    fail("{}='{}': not a legal {} ({})", row.env(), text, row.type, row.summary);
  if (!is_among(value, row.legal))
    fail("{}='{}': legal: {} ({})", row.env(), text, row.takes(), row.summary);
  return value;
}

std::string env_of(const std::string& name) {
  std::string out = "FUSILLADE_";
  for (char c : name) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string OptionRow::env() const { return env_of(name); }

std::vector<std::string> OptionRow::former_envs() const {
  std::vector<std::string> out;
  for (const std::string& former : Table<OptionRow>::instance().former_names(name))
    out.push_back(env_of(former));
  return out;
}

std::string OptionRow::value() const {
  if (const char* set = std::getenv(env().c_str())) return set;
  for (const std::string& former : former_envs())
    if (const char* set = std::getenv(former.c_str())) return set;
  return fallback;
}

std::string OptionRow::takes() const {
  if (std::string(type) == "bool") return "true|false";
  if (legal.empty()) return "any";
  const size_t dots = legal.find("..");
  if (dots == std::string::npos) return legal;
  const std::string least = legal.substr(0, dots), most = legal.substr(dots + 2);
  return most.empty() ? least + " and above" : least + " to " + most;
}

template <class T>
Option<T>::Option(const char* name, T fallback, const char* summary, const char* legal)
    : row_(Table<OptionRow>::instance().add(
          {name, type_name(fallback), text_of(fallback), summary, legal})) {}

template <class T>
T Option<T>::get() const {
  return read<T>(row_);
}

template class Option<bool>;
template class Option<int64_t>;
template class Option<double>;
template class Option<std::string>;

std::string options_in_force() {
  std::string out;
  for (const OptionRow* row : Table<OptionRow>::instance().by_name())
    if (row->value() != row->fallback) out += row->env() + "=" + shell_word(row->value()) + " ";
  return out;
}

void check_options() {
  for (const OptionRow* row : Table<OptionRow>::instance().by_name()) {
    std::string type = row->type;
    if (type == "bool") read<bool>(*row);
    if (type == "int") read<int64_t>(*row);
    if (type == "float") read<double>(*row);
  }
}

}  // namespace fusillade

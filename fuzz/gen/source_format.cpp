// Values as text in generated scripts: f-strings, str.format and %, with what may follow the colon.
#include <algorithm>

#include "fuzz/gen/source.h"

namespace fusillade::fuzz::source {
namespace {

constexpr const char* kWidths[] = {"", "", "", "1", "4", "9", "12"};

// "{" and "}" around a name end an f-string's field, quotes and backslashes have no place in it.
bool fits_into_braces(const std::string& expression) {
  return expression.find_first_of("\"'{}\\:!=") == std::string::npos;
}

// Not what Python shows with a class's name or place.
bool has_plain_text(const Type& type) {
  const std::vector<Type> options = options_of(type);
  return std::all_of(options.begin(), options.end(), [](const Type& t) {
    bool nested = t.is(TypeKind::List) || t.is(TypeKind::Tuple) || t.is(TypeKind::Dict);
    bool shown = !t.class_type() && !t.is_tensor();
    return shown &&
           (!nested || std::all_of(t.elements().begin(), t.elements().end(), has_plain_text));
  });
}

// "*>+8.2f": what Python's format takes for a value of that type.
std::string specification(Writer& w, const Type& type) {
  static constexpr const char* kAligns[] = {"", "", "", "<", ">", "^", "*<", "0>", "-^"};
  static constexpr const char* kSigns[] = {"", "", "", "+", " ", "-"};
  static constexpr const char* kInts[] = {"",   "",    "d",  "x",  "X", "b",   "o", "#x",
                                          "#o", "08d", ",d", "_d", "e", ".1f", "%"};
  static constexpr const char* kReals[] = {"", "", "f", "e", "g", "%", "E", "G"};
  static constexpr const char* kPrecisions[] = {"", "", ".0", ".1", ".3", ".12"};
  auto one_of = [&](const auto& words) {
    return std::string(words[w.choices.below(std::size(words))]);
  };
  std::string align = one_of(kAligns);
  if (type.is(TypeKind::Str)) return align + one_of(kWidths) + one_of(kPrecisions);
  std::string sign = one_of(kSigns);
  if (type.is(TypeKind::Float))
    return align + sign + one_of(kWidths) + one_of(kPrecisions) + one_of(kReals);
  std::string kind = one_of(kInts);
  if (kind[0] == '#') return align + sign + "#" + one_of(kWidths) + kind.substr(1);
  return align + sign + (kind[0] == '0' ? "" : one_of(kWidths)) + kind;
}

// "%-5d": what % takes for a value of that type.
std::string percent(Writer& w, const Type& type) {
  static constexpr const char* kFlags[] = {"", "", "", "-", "+", "0", " "};
  static constexpr const char* kInts[] = {"d", "d", "x", "X", "o", "i", "s", ".1f"};
  static constexpr const char* kReals[] = {"f", ".3f", ".2e", "g", ".0f", "s", "r", ".10g"};
  static constexpr const char* kWords[] = {"s", "s", "r", ".2s"};
  std::string out = std::string("%") + kFlags[w.choices.below(std::size(kFlags))] +
                    kWidths[w.choices.below(std::size(kWidths))];
  if (type.is(TypeKind::Int)) return out + kInts[w.choices.below(std::size(kInts))];
  if (type.is(TypeKind::Float)) return out + kReals[w.choices.below(std::size(kReals))];
  return "%" + out.substr(1) + kWords[w.choices.below(std::size(kWords))];
}

// A number or a word with a name, and what it may be formatted by.
struct Formatted {
  Type type;
  std::string name;
  std::string spec;  // ":3d", or nothing
};

Formatted draw_formatted(Writer& w) {
  Formatted f;
  f.type = w.choices.chance(0.4)   ? Type(TypeKind::Int)
           : w.choices.chance(0.5) ? Type(TypeKind::Str)
                                   : Type(TypeKind::Float);
  f.name = leaf(w, f.type).s;
  f.spec = w.choices.chance(0.4) ? "" : ":" + specification(w, f.type);
  return f;
}

Text by_method(Writer& w, int) {
  const Formatted f = draw_formatted(w);
  std::string other = leaf(w, TypeKind::Int).s;
  if (w.choices.chance(0.5))
    return {"\"{0" + f.spec + "}-{1}\".format(" + f.name + ", " + other + ")"};
  return {"\"{" + f.spec + "}-{:" + specification(w, TypeKind::Int) + "}\".format(" + f.name +
          ", " + other + ")"};
}

Text by_percent(Writer& w, int) {
  const Formatted f = draw_formatted(w);
  return {"\"<" + percent(w, f.type) + ">\" % (" + f.name + ",)", kProduct};
}

Text in_field(Writer& w, int depth) {
  const Formatted f = draw_formatted(w);
  if (!fits_into_braces(f.name)) return {"str(" + expression(w, f.type, depth + 1).s + ")"};
  const bool shown = f.spec.empty() && w.choices.chance(0.1);
  return {"f\"<{" + f.name + (shown ? "!r" : f.spec) + "}>\""};
}

// Of a variable of several types.
Text of_wide(Writer& w, int) {
  std::vector<const Var*> wide = wide_vars(w);
  if (wide.empty()) return leaf(w, TypeKind::Str);
  const Var v = *w.choices.pick(wide);
  if (!has_plain_text(v.type)) return leaf(w, TypeKind::Str);
  return {w.choices.chance(0.5) ? "str(" + v.name + ")" : "f\"{" + v.name + "}\""};
}

std::string width(Writer& w) { return std::to_string(w.choices.between(-1, 9)); }

std::string word(Writer& w, int depth) { return operand(w, TypeKind::Str, depth, kAtom).s; }

Text align(Writer& w, int depth) {
  static constexpr const char* kMethods[] = {".zfill({})", ".center({}, \"*\")",
                                             ".ljust({}, \"*\")", ".rjust({})"};
  std::string s = word(w, depth);
  return {s + fmt::format(fmt::runtime(kMethods[w.choices.below(4)]), width(w))};
}

Text partition(Writer& w, int depth) {
  std::string s = word(w, depth);
  s += w.choices.chance(0.5) ? ".partition(\",\")[" : ".rpartition(\"l\")[";
  return {s + std::to_string(w.choices.between(0, 2)) + "]"};
}

Text in_base(Writer& w, int depth) {
  static constexpr const char* kBases[] = {"hex(", "oct(", "bin("};
  std::string f = kBases[w.choices.below(3)];
  return {f + expression(w, TypeKind::Int, depth + 1).s + ")"};
}

[[maybe_unused]] const bool kRegistered = add_productions(
    Grammar::Str, 12,
    {{"str.field", "f\"<{a:3d}>\"", 1, in_field},
     {"str.format", "\"{:3d}\".format(a)", 1, by_method},
     {"str.percent", "\"%d\" % a", 1, by_percent},
     {"str.wide", "str(a) of several types", 1, of_wide},
     {"str.align", "a.zfill(3), a.center(5)", 1, align},
     {"str.partition", "a.partition(b)[0]", 1, partition},
     {"str.chr", "chr(a)", 1,
      [](Writer& w, int depth) {
        return Text{"chr(" + operand(w, TypeKind::Int, depth, kProduct).s + " % 90 + 33)"};
      }},
     {"str.base", "hex(a)", 1, in_base}});

}  // namespace

}  // namespace fusillade::fuzz::source

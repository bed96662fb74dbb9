// Values as text in generated scripts: f-strings, str.format and %, with what may stand behind the
// colon.
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
  static constexpr const char* kPlaces[] = {"", "", ".0", ".1", ".3", ".12"};
  auto one_of = [&](const auto& words) {
    return std::string(words[w.choices.below(std::size(words))]);
  };
  std::string align = one_of(kAligns);
  if (type.is(TypeKind::Str)) return align + one_of(kWidths) + one_of(kPlaces);
  std::string sign = one_of(kSigns);
  if (type.is(TypeKind::Float))
    return align + sign + one_of(kWidths) + one_of(kPlaces) + one_of(kReals);
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

// "{}".format(x), "%d" % x, f"{x:3d}"
Text formatted(Writer& w, int depth) {
  std::vector<const Var*> wide = wide_vars(w);
  if (!wide.empty() && w.choices.chance(0.15)) {
    const Var v = *w.choices.pick(wide);
    if (has_plain_text(v.type))
      return {w.choices.chance(0.5) ? "str(" + v.name + ")" : "f\"{" + v.name + "}\""};
  }
  const Type type = w.choices.chance(0.4)   ? Type(TypeKind::Int)
                    : w.choices.chance(0.5) ? Type(TypeKind::Str)
                                            : Type(TypeKind::Float);
  std::string name = leaf(w, type).s;
  std::string spec = w.choices.chance(0.4) ? "" : ":" + specification(w, type);
  switch (w.choices.below(4)) {
    case 0: {
      std::string other = leaf(w, TypeKind::Int).s;
      if (w.choices.chance(0.5))
        return {"\"{0" + spec + "}-{1}\".format(" + name + ", " + other + ")"};
      return {"\"{" + spec + "}-{:" + specification(w, TypeKind::Int) + "}\".format(" + name +
              ", " + other + ")"};
    }
    case 1:
      return {"\"<" + percent(w, type) + ">\" % (" + name + ",)", kProduct};
    default:
      if (!fits_into_braces(name)) return {"str(" + expression(w, type, depth + 1).s + ")"};
      return {"f\"<{" + name + (w.choices.chance(0.1) && spec.empty() ? "!r" : spec) + "}>\""};
  }
}

Text padded(Writer& w, int depth) {
  Text s = operand(w, TypeKind::Str, depth, kAtom);
  std::string width = std::to_string(w.choices.between(-1, 9));
  switch (w.choices.below(6)) {
    case 0:
      return {s.s + ".zfill(" + width + ")"};
    case 1:
      return {s.s + (w.choices.chance(0.5) ? ".center(" : ".ljust(") + width + ", \"*\")"};
    case 2:
      return {s.s + ".rjust(" + width + ")"};
    case 3:
      return {s.s + (w.choices.chance(0.5) ? ".partition(\",\")[" : ".rpartition(\"l\")[") +
              std::to_string(w.choices.between(0, 2)) + "]"};
    case 4:
      return {"chr(" + operand(w, TypeKind::Int, depth, kProduct).s + " % 90 + 33)"};
    default: {
      static constexpr const char* kBases[] = {"hex(", "oct(", "bin("};
      return {kBases[w.choices.below(3)] + expression(w, TypeKind::Int, depth + 1).s + ")"};
    }
  }
}

[[maybe_unused]] const bool kRegistered =
    add_productions(Grammar::Str, 12,
                    {{"str.format", "f-strings, str.format, %", 1, formatted},
                     {"str.pad", "a.zfill(3), a.partition(b)[0], hex(a)", 1, padded}});

}  // namespace

}  // namespace fusillade::fuzz::source

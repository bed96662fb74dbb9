// See python.h: expressions, places within texts, and scripts.
#include "fuzz/gen/python.h"

#include <cctype>
#include <tuple>

#include "engine/base/text.h"

namespace fusillade::fuzz {
namespace python {
namespace {

constexpr const char* kTensorExpressions[] = {
    "$T + $T",
    "$T * $L",
    "$T - $N",
    "$T * $T",
    "-$T",
    "$T.abs()",
    "$T.flip(0)",
    "torch.relu($T)",
    "$T.clone()",
    "torch.where($T > $T, $T, $T)",
    "$T.roll($N, 0)",
    "$T - $T.sum(1, keepdim=True)",
    "torch.stack([$T, $T]).sum(0)",
    "torch.cat([$T, $T])[: $T.shape[0]]",
    "$T.cumsum(0)",
    "torch.maximum($T, $T)",
    "$T[:, :1] + $T",
    "($T > $L).to($T.dtype)",
    "$T.amax(0) + $T",
    "$T.reshape(-1).reshape($T.shape)",
    "$T.t().contiguous().t()",
    "$T.neg().add($N)",
    "torch.zeros_like($T) + $N",
    "torch.full($T.shape, $L, dtype=$T.dtype) - $T",
    "$T.unsqueeze(0).repeat($L + 1, 1, 1).sum(0)",
};
constexpr const char* kIntExpressions[] = {
    "$n",
    "$L",
    "$T.shape[0]",
    "$n",
    "$T.size(1)",
    "$T.dim()",
    "(($n + $L) % 7)",
    "($n * 2 % 7)",
    "max($n, $L)",
    "min($n, $L)",
    "(len(log) % 5)",
    "abs($L - $n)",
    "(int($T.sum().item()) % 7)",
    "($n if $C else $L)",
    "(sum(range($n)) % 7)",
    "divmod($n, 3)[1]",
};
constexpr const char* kStrings[] = {
    "f\"{$N}\"",
    "str($N)",
    "f\"{$N:>3}|{$N!r}\"",
    "\"ab\" * $L",
    "\"-\".join(str(i) for i in range($N))",
    "\"%d of %d\" % ($N, $N)",
    "\"{} {}\".format($N, $L)",
    "f\"{tuple($T.shape)}\"",
    "\"Ab\".lower() + \"x\"",
};
constexpr const char* kConditions[] = {
    "$N > $L",
    "$f",
    "not $f",
    "$N % 2 == 0",
    "$T.shape[0] > 3",
    "$N in (1, 2, 5)",
    "$L < $N <= 6",
    "$T.sum() > $L",
    "len(log) > $L",
    "$T.size(0) == $T.size(1) or $f",
    "isinstance($N, int) and $N >= $L",
    "bool(($T > 0).any())",
};

template <size_t N>
const char* one_of(Writer& w, const char* const (&texts)[N]) {
  return texts[w.choices.below(N)];
}

// Fills in the places of a text.
class Expansion {
 public:
  explicit Expansion(Writer& w) : w_(w) {}

  std::string expand(const std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool name = text[i] == '@' && i + 1 < text.size() && is_word(text[i + 1]);
      if (text.compare(i, 2, "@!") == 0) {
        out += '@';
        ++i;
      } else if (name) {
        size_t end = i + 1;
        while (end < text.size() && is_word(text[end])) ++end;
        out += name_of(text.substr(i + 1, end - i - 1));
        i = end - 1;
      } else if (text[i] == '$' && text.compare(i, 2, "$(") == 0) {
        const size_t end = text.find(")$", i);
        out += expand(alternative(text.substr(i + 2, end - i - 2)));
        i = end + 1;
      } else if (text[i] == '$') {
        out += place(text[++i]);
      } else {
        out += text[i];
      }
    }
    return out;
  }

  // What main knows from now on.
  void declare() {
    for (const auto& [given, name] : names_) {
      if (given[0] == 't') w_.tensors.push_back(name);
      if (given[0] == 'n') w_.ints.push_back(name);
      if (given[0] == 's') w_.strings.push_back(name);
    }
  }

 private:
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string name_of(const std::string& given) {
    std::string& name = names_[given];
    if (name.empty()) {
      const bool is_class = std::isupper(static_cast<unsigned char>(given[0]));
      name = fmt::format("{}{}{}", given, is_class ? "" : "_", w_.names++);
    }
    return name;
  }

  std::string alternative(const std::string& texts) {
    std::vector<std::string> all;
    all.emplace_back();
    for (size_t i = 0; i < texts.size(); ++i) {
      if (texts.compare(i, 2, "\\|") == 0) all.back() += texts[++i];
      else if (texts[i] == '|') all.emplace_back();
      else all.back() += texts[i];
    }
    return w_.choices.pick(all);
  }

  std::string place(char kind) {
    switch (kind) {
      case 'T':
        return w_.choices.pick(w_.tensors);
      case 'n':
        return w_.ints.empty() ? "3" : w_.choices.pick(w_.ints);
      case 'f':
        return w_.flags.empty() ? "True" : w_.choices.pick(w_.flags);
      case 'L':
        return std::to_string(w_.choices.below(5));
      case 'E':
        return tensor_expression(w_);
      case 'Q':
        return cut_expression(w_);
      case 'N':
        return int_expression(w_);
      case 'S':
        return string_expression(w_);
      case 'C':
        return condition(w_);
      default:
        FUS_BUG("a text of Python has the place ${}", kind);
    }
  }

  Writer& w_;
  std::map<std::string, std::string> names_;
};

std::string expression(Writer& w, const char* text) { return Expansion(w).expand(text); }

// The lines of a text, without the newline behind its first quote; a line that ends with a
// backslash goes on in the next.
std::vector<std::string> lines_of(const char* text) {
  std::vector<std::string> out;
  const std::string all = *text == '\n' ? text + 1 : text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    const bool goes_on = !out.empty() && out.back().ends_with('\\');
    if (goes_on) out.back().pop_back();
    else out.emplace_back();
    out.back() += all.substr(at, end - at);
    at = end + 1;
  }
  return out;
}

const Production& draw_production(Writer& w, int depth) {
  return draw_by_weight(w.choices, w.policy.shares(Grammar::Python).weighted, depth);
}

}  // namespace

std::string tensor_expression(Writer& w) { return expression(w, one_of(w, kTensorExpressions)); }

std::string cut_expression(Writer& w) {
  const std::string e = tensor_expression(w);
  switch (w.choices.below(4)) {
    case 0:
      return "(" + e + ").clamp(-9, 9)";
    case 1:
      return "torch.clamp(" + e + ", min=-9, max=9)";
    case 2:
      return "torch.remainder(" + e + ", 7)";
    default:
      return "(" + e + ") % 5";
  }
}

std::string int_expression(Writer& w) { return expression(w, one_of(w, kIntExpressions)); }
std::string string_expression(Writer& w) {
  const bool known = !w.strings.empty() && w.choices.chance(0.3);
  return known ? w.choices.pick(w.strings) : expression(w, one_of(w, kStrings));
}
std::string condition(Writer& w) { return expression(w, one_of(w, kConditions)); }

bool add_rows(int first, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    const bool nests = std::string_view(row.body).find("$B") != std::string_view::npos;
    add_productions(Grammar::Python, first++,
                    {{.name = std::string("python.") + row.name,
                      .summary = row.summary,
                      .weight = row.weight,
                      .make = {row.top, row.body},
                      .deepest = nests ? 1 : kAnyDepth}});
  }
  return true;
}

namespace {

void write(Writer& w, const char* top, const char* body, int depth) {
  Expansion places(w);
  if (*top) w.top += "\n\n" + places.expand(join(lines_of(top), "\n")) + "\n";
  for (const std::string& line : lines_of(body)) {
    const size_t inner = std::min(line.find_first_not_of(' '), line.size());
    if (line.compare(inner, std::string::npos, "$B") == 0) {
      const int before = w.indent;
      w.indent += static_cast<int>(inner) / 4;
      block(w, static_cast<int>(w.choices.between(1, 2)), depth + 1);
      w.indent = before;
    } else {
      w.main.append(static_cast<size_t>(w.indent) * 4, ' ');
      w.main += places.expand(line) + "\n";
    }
  }
  places.declare();
}

}  // namespace

void block(Writer& w, int statements, int depth) {
  const auto before = std::make_tuple(w.tensors, w.ints, w.strings);
  for (int i = 0; i < statements; ++i) {
    const Production& p = draw_production(w, depth);
    w.choices.count(p.number);
    write(w, p.make.top, p.make.body, depth);
  }
  if (depth > 0) std::tie(w.tensors, w.ints, w.strings) = before;
}

}  // namespace python

namespace {

constexpr DType kDTypes[] = {DType::F32, DType::I64, DType::F64, DType::I32};

IValue draw_input(Choices& choices, const Type& type) {
  if (type.is(TypeKind::Int)) return choices.between(0, 6);
  if (type.is(TypeKind::Bool)) return choices.chance(0.5);
  const TensorInfo& info = type.info();
  const Tensor t = Tensor::zeros(info.sizes, info.dtype);
  for (int64_t i = 0; i < t.numel(); ++i) {
    const int64_t v = choices.between(-4, 4);
    if (is_float(info.dtype)) set_element(t, i, static_cast<double>(v));
    else set_element_int(t, i, v);
  }
  return t;
}

}  // namespace

void generate_python(Choices& choices, const GenerateOptions& options, const Policy& policy,
                     Case& c) {
  python::Writer w{choices, policy};
  const DType dtype = kDTypes[choices.below(std::size(kDTypes))];
  const Type tensor = Type::tensor(dtype, {choices.between(2, 5), choices.between(2, 5)});
  std::vector<Type> inputs;
  std::string parameters;
  const auto parameter = [&](const char* prefix, const char* type, const Type& of,
                             std::vector<std::string>& known) {
    known.push_back(fmt::format("{}{}", prefix, inputs.size()));
    parameters += (inputs.empty() ? "" : ", ") + known.back() + ": " + type;
    inputs.push_back(of);
  };
  for (int64_t n = choices.between(1, 2); n > 0; --n) parameter("x", "Tensor", tensor, w.tensors);
  for (int64_t n = choices.between(1, 2); n > 0; --n) parameter("k", "int", TypeKind::Int, w.ints);
  if (choices.chance(0.5)) parameter("b", "bool", TypeKind::Bool, w.flags);
  python::block(w, static_cast<int>(choices.between(3, 7)), 0);
  std::string results = join(w.tensors, ", ") + ", ";
  for (const auto* known : {&w.ints, &w.strings})
    for (const std::string& name : *known) results += name + ", ";
  c.python = true;
  set_script(c,
             "import collections\nimport functools\nimport itertools\n"
             "from contextlib import contextmanager\nfrom dataclasses import dataclass\n"
             "from enum import Enum\nfrom typing import NamedTuple\n\n"
             "import torch\nfrom torch import Tensor\n" +
                 w.top + "\n\ndef main(" + parameters + "):\n    log = []\n" + w.main +
                 "    return (" + results + "log)\n",
             "<python>");
  // Each call is made twice, and may be compiled anew.
  for (int i = 0; i < std::min(options.calls, 2) && c.refused.empty(); ++i) {
    c.calls.emplace_back();
    for (const Type& type : inputs) c.calls.back().inputs.push_back(draw_input(choices, type));
  }
}

}  // namespace fusillade::fuzz

// See smt.h. (law: rules name ops)
#include "fuzz/rules/smt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <unordered_map>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "fuzz/process/spawn.h"

namespace fusillade::fuzz {
namespace {

struct Term {
  std::string text;
  DType dtype;  // Bool: SMT's Bool, else bits
};

unsigned bits_of(DType d) { return 8 * static_cast<unsigned>(size_of(d)); }
bool is_signed(DType d) { return d != DType::U8; }

// Of ints and bools, tensors or not; nothing: a float, or not known.
std::optional<DType> whole_dtype(const Type& type) {
  if (type.is(TypeKind::Int)) return DType::I64;
  if (type.is(TypeKind::Bool)) return DType::Bool;
  if (!type.is_tensor() || !type.info().has_dtype || is_float(type.info().dtype)) return {};
  return type.info().dtype;
}

std::string number(int64_t value, DType dtype) {
  if (dtype == DType::Bool) return value ? "true" : "false";
  const unsigned bits = bits_of(dtype);
  uint64_t low = static_cast<uint64_t>(value);
  if (bits < 64) low &= (uint64_t{1} << bits) - 1;
  return fmt::format("(_ bv{} {})", low, bits);
}

Term converted(const Term& t, DType to) {
  if (t.dtype == to) return t;
  if (t.dtype == DType::Bool)
    return {fmt::format("(ite {} {} {})", t.text, number(1, to), number(0, to)), to};
  if (to == DType::Bool) return {fmt::format("(not (= {} {}))", t.text, number(0, t.dtype)), to};
  const unsigned from = bits_of(t.dtype), width = bits_of(to);
  if (width < from) return {fmt::format("((_ extract {} 0) {})", width - 1, t.text), to};
  if (width == from) return {t.text, to};
  const char* extend = is_signed(t.dtype) ? "sign_extend" : "zero_extend";
  return {fmt::format("((_ {} {}) {})", extend, width - from, t.text), to};
}

using Terms = std::vector<Term>;
using Said = std::optional<std::string>;

// f(a, b) in the result's dtype.
Said binary(const Terms& in, DType out, const char* bits, const char* truths) {
  const char* word = out == DType::Bool ? truths : bits;
  if (in.size() < 2 || !*word) return {};
  return fmt::format("({} {} {})", word, converted(in[0], out).text, converted(in[1], out).text);
}

Said unary(const Terms& in, DType out, const char* bits, const char* truths) {
  const char* word = out == DType::Bool ? truths : bits;
  if (in.size() != 1 || !*word) return {};
  return fmt::format("({} {})", word, converted(in[0], out).text);
}

// The less or the greater of two.
Said extreme(const Terms& in, DType out, bool least) {
  if (in.size() != 2) return {};
  if (out == DType::Bool) return binary(in, out, "", least ? "and" : "or");
  const std::string a = converted(in[0], out).text, b = converted(in[1], out).text;
  return fmt::format("(ite ({} {} {}) {} {})", is_signed(out) ? "bvslt" : "bvult", a, b,
                     least ? a : b, least ? b : a);
}

// Negative values become `then` of them.
Said of_sign(const Terms& in, DType out,
             const std::function<std::string(const std::string&)>& then) {
  if (in.size() != 1 || out == DType::Bool) return {};
  const std::string a = converted(in[0], out).text;
  if (!is_signed(out)) return a;
  return fmt::format("(ite (bvslt {} {}) {} {})", a, number(0, out), then(a), a);
}

Said floored(const Terms& in, DType out) {
  if (in.size() != 2 || out == DType::Bool) return {};
  const std::string a = converted(in[0], out).text, b = converted(in[1], out).text;
  if (!is_signed(out)) return fmt::format("(bvudiv {} {})", a, b);
  const std::string zero = number(0, out);
  return fmt::format(
      "(let ((q (bvsdiv {0} {1}))) (ite (and (not (= (bvmul q {1}) {0})) (xor (bvslt {0} {2}) "
      "(bvslt {1} {2}))) (bvsub q {3}) q))",
      a, b, zero, number(1, out));
}

Said compared(const Terms& in, bool equal) {
  if (in.size() != 2) return {};
  std::string text = fmt::format("(= {} {})", converted(in[0], DType::I64).text,
                                 converted(in[1], DType::I64).text);
  return equal ? text : "(not " + text + ")";
}

Said chosen(const Terms& in, DType out) {
  if (in.size() != 3) return {};
  return fmt::format("(ite {} {} {})", converted(in[0], DType::Bool).text,
                     converted(in[1], out).text, converted(in[2], out).text);
}

Terms as_bools(const Terms& in) {
  Terms out;
  for (const Term& t : in) out.push_back(converted(t, DType::Bool));
  return out;
}

using Meaning = std::function<Said(const Terms&, DType)>;

const std::map<std::string, Meaning>& meanings() {
  static const auto* all = new std::map<std::string, Meaning>{
      {"aten::add", [](const Terms& in, DType d) { return binary(in, d, "bvadd", ""); }},
      {"aten::sub", [](const Terms& in, DType d) { return binary(in, d, "bvsub", ""); }},
      {"aten::mul", [](const Terms& in, DType d) { return binary(in, d, "bvmul", "and"); }},
      {"aten::neg", [](const Terms& in, DType d) { return unary(in, d, "bvneg", ""); }},
      {"aten::abs",
       [](const Terms& in, DType d) {
         return of_sign(in, d, [](const std::string& a) { return "(bvneg " + a + ")"; });
       }},
      {"aten::relu",
       [](const Terms& in, DType d) {
         return of_sign(in, d, [d](const std::string&) { return number(0, d); });
       }},
      {"aten::min", [](const Terms& in, DType d) { return extreme(in, d, true); }},
      {"aten::max", [](const Terms& in, DType d) { return extreme(in, d, false); }},
      {"aten::minimum", [](const Terms& in, DType d) { return extreme(in, d, true); }},
      {"aten::maximum", [](const Terms& in, DType d) { return extreme(in, d, false); }},
      {"aten::bitwise_and", [](const Terms& in, DType d) { return binary(in, d, "bvand", "and"); }},
      {"aten::bitwise_or", [](const Terms& in, DType d) { return binary(in, d, "bvor", "or"); }},
      {"aten::bitwise_not", [](const Terms& in, DType d) { return unary(in, d, "bvnot", "not"); }},
      {"aten::logical_and",
       [](const Terms& in, DType d) { return binary(as_bools(in), d, "", "and"); }},
      {"aten::logical_or",
       [](const Terms& in, DType d) { return binary(as_bools(in), d, "", "or"); }},
      {"aten::logical_not",
       [](const Terms& in, DType d) { return unary(as_bools(in), d, "", "not"); }},
      {"aten::__and__", [](const Terms& in, DType d) { return binary(in, d, "bvand", "and"); }},
      {"aten::__or__", [](const Terms& in, DType d) { return binary(in, d, "bvor", "or"); }},
      {"aten::__not__", [](const Terms& in, DType d) { return unary(as_bools(in), d, "", "not"); }},
      {"aten::floor_divide", [](const Terms& in, DType d) { return floored(in, d); }},
      {"aten::floordiv", [](const Terms& in, DType d) { return floored(in, d); }},
      {"aten::where", [](const Terms& in, DType d) { return chosen(in, d); }},
      {"aten::eq", [](const Terms& in, DType) { return compared(in, true); }},
      {"aten::ne", [](const Terms& in, DType) { return compared(in, false); }},
      {"aten::Int", [](const Terms& in, DType d) { return Said(converted(in.at(0), d).text); }},
      {"aten::Bool", [](const Terms& in, DType d) { return Said(converted(in.at(0), d).text); }},
      {"prim::NumToTensor",
       [](const Terms& in, DType d) { return Said(converted(in.at(0), d).text); }},
  };
  return *all;
}

// Of add and sub the third argument scales the second: here it is 1, or nothing is said.
bool plain_scale(const Node* n) {
  const std::string& name = n->row().schema.name;
  if ((name != "aten::add" && name != "aten::sub") || n->inputs().size() < 3) return true;
  const Node* by = n->input(2)->node();
  return by->is(prim::constant()) && by->constant().is_int() && by->constant().as_int() == 1;
}

std::optional<Term> term_of(const Node* n, const std::unordered_map<const Value*, Term>& known) {
  std::optional<DType> dtype = whole_dtype(n->output()->type());
  if (!dtype) return {};
  if (n->is(prim::constant())) {
    const IValue& v = n->constant();
    if (!v.is_int() && !v.is_bool()) return {};
    return Term{number(v.is_bool() ? v.as_bool() : v.as_int(), *dtype), *dtype};
  }
  auto meaning = meanings().find(n->row().schema.name);
  if (meaning == meanings().end() || !plain_scale(n)) return {};
  Terms in;
  for (const Value* v : n->inputs()) {
    if (in.size() == 2 && n->inputs().size() == 3 && !(n->row().schema.name == "aten::where"))
      break;
    auto found = known.find(v);
    if (found == known.end()) return {};
    in.push_back(found->second);
  }
  Said text = meaning->second(in, *dtype);
  if (!text) return {};
  return Term{*text, *dtype};
}

class TemporaryFile {
 public:
  TemporaryFile() {
    fd_ = mkstemp(path_);
    if (fd_ < 0) fail("cannot make {}", path_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    close(fd_);
    unlink(path_);
  }
  int fd() const { return fd_; }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/fusillade-smt-XXXXXX";
  int fd_ = -1;
};

}  // namespace

std::optional<std::string> smt_of(const RuleInstance& instance) {
  std::unordered_map<const Value*, Term> known;
  std::string text;
  for (const Value* input : instance.graph->inputs()) {
    std::optional<DType> dtype = whole_dtype(input->type());
    if (!dtype) return {};
    const std::string sort =
        *dtype == DType::Bool ? "Bool" : fmt::format("(_ BitVec {})", bits_of(*dtype));
    text += fmt::format("(declare-const {} {})\n", input->name(), sort);
    known[input] = {input->name(), *dtype};
  }
  for (const Node* n : instance.graph->block()->nodes()) {
    if (n->outputs().size() != 1) return {};
    if (auto term = term_of(n, known)) known[n->output()] = *term;
  }
  auto left = known.find(instance.graph->outputs()[0]);
  auto right = known.find(instance.graph->outputs()[1]);
  if (left == known.end() || right == known.end()) return {};
  return text + fmt::format("(assert (not (= {} {})))\n", left->second.text, right->second.text);
}

std::optional<std::vector<Proof>> ask_z3(const std::vector<std::string>& questions) {
  std::string text;
  for (const std::string& q : questions) text += "(push)\n" + q + "(check-sat)\n(pop)\n";
  TemporaryFile asked, answered;
  write_atomically(asked.path(), text);
  SpawnOptions options;
  options.name = "z3";
  options.output = answered.fd();
  options.keep_log = true;
  Child child = spawn([&] { become({"z3", "-smt2", "-T:60", asked.path()}); }, options);
  const Ending end = child.wait();
  if (end.status == kCannotExec) return {};
  std::vector<Proof> out;
  for (const std::string& line : split_outside_brackets(read_file(answered.path()), '\n')) {
    if (line == "unsat") out.push_back(Proof::Proved);
    else if (line == "sat") out.push_back(Proof::Refuted);
    else if (line == "unknown" || line == "timeout") out.push_back(Proof::Unknown);
    else if (!line.empty()) fail("z3: {}", line);
  }
  out.resize(questions.size(), Proof::Unknown);
  return out;
}

}  // namespace fusillade::fuzz

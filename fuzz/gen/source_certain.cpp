// What generated scripts are certain of: which type a value of Any has, what a number of a tensor
// is, where a list of tensors holds one of these elements.
//
// Every engine of ours asks the same operators, so that they agree on a wrong answer; hence the
// script itself says what the answer is, by an assertion that the oracle `frontends` sees fail
// (certain.h). Only what Python and TorchScript answer alike is asked: no bool is taken for an int.
// What is asked says its own type, so that it stays certain in a smaller script.
#include <iterator>

#include "engine/front/spelling.h"
#include "fuzz/gen/source.h"
#include "fuzz/verdict/certain.h"

namespace fusillade::fuzz::source {
namespace {

enum Kind : uint16_t {
  kTensor = 1,
  kNone = 2,
  kInt = 4,
  kFloat = 8,
  kStr = 16,
  kInts = 32,
  kTensors = 64,
  kPair = 128,
  kWords = 256
};

struct Question {
  const char* text;
  uint16_t holds;  // kinds of values
};
constexpr Question kPlain[] = {
    {"isinstance(v, int)", kInt},    {"isinstance(v, (int, float))", kInt | kFloat},
    {"isinstance(v, str)", kStr},    {"isinstance(v, float)", kFloat},
    {"isinstance(v, tuple)", kPair}, {"isinstance(v, (str, tuple))", kStr | kPair}};
constexpr Question kOfTorch[] = {
    {"isinstance(v, Tensor)", kTensor},
    {"isinstance(v, list)", kInts | kTensors},
    {"torch.jit.isinstance(v, Tensor)", kTensor},
    {"torch.jit.isinstance(v, Optional[Tensor])", kTensor | kNone},
    {"torch.jit.isinstance(v, Optional[int])", kInt | kNone},
    {"torch.jit.isinstance(v, (Tensor, int))", kTensor | kInt},
    {"torch.jit.isinstance(v, List[Tensor])", kTensors},
    {"torch.jit.isinstance(v, List[int])", kInts},
    {"torch.jit.isinstance(v, Union[int, List[int]])", kInt | kInts},
    {"torch.jit.isinstance(v, Optional[List[Tensor]])", kTensors | kNone},
    {"torch.jit.isinstance(v, Tuple[int, str])", kPair},
    {"torch.jit.isinstance(v, Dict[str, int])", kWords}};

const Question& question(size_t i) {
  return i < std::size(kPlain) ? kPlain[i] : kOfTorch[i - std::size(kPlain)];
}

void certain(Writer& w, int number, const std::string& text) {
  line(w, fmt::format("assert {}, \"{} {}\"", text, kCertain, number));
}

void certain_of_any(Writer& w) {
  static constexpr Kind kKinds[] = {kNone, kInt,   kFloat,  kStr,    kInts,
                                    kPair, kWords, kTensor, kTensors};
  const Kind kind = kKinds[w.choices.below(tensor_vars(w).empty() ? 7 : 9)];
  const auto argument = [&]() -> std::string {
    switch (kind) {
      case kNone:
        return "None";
      case kInt:
        return literal(w, TypeKind::Int).s;
      case kFloat:
        return literal(w, TypeKind::Float).s;
      case kStr:
        return literal(w, TypeKind::Str).s;
      case kInts:
        return literal(w, Type::list(TypeKind::Int)).s;
      case kPair:
        return literal(w, Type::tuple({TypeKind::Int, TypeKind::Str})).s;
      case kWords:
        return "{\"a\": 1}";
      default: {
        const std::string tensor = w.choices.pick(tensor_vars(w))->name + ".clone()";
        return kind == kTensor ? tensor : "[" + tensor + "]";
      }
    }
  };
  int64_t first = -1;
  for (size_t i = w.questions.size(); i-- > 0;)
    if (question(w.questions[i]).holds & kind) first = static_cast<int64_t>(i);
  certain(w, w.names++, fmt::format("{}({}) == {}", kQuestionFunction, argument(), first));
}

// One element of a tensor with some, as "x0[1, -1].to(torch.int8)".
std::string element_of(Writer& w, const Var& v) {
  const Dims& sizes = v.type.info().sizes;
  std::string at;
  for (int64_t size : sizes)
    at += (at.empty() ? "" : ", ") + std::to_string(w.choices.between(-size, size - 1));
  return v.name + (at.empty() ? "" : "[" + at + "]") + ".to(" +
         front::dtype_constant(v.type.info().dtype) + ")";
}

void certain_of_number(Writer& w, const Var& v) {
  struct Asked {
    const char* types;
    bool of_ints, of_floats;
  };
  static constexpr Asked kAsked[] = {{"int", true, false},
                                     {"float", false, true},
                                     {"bool", false, false},
                                     {"(int, float)", true, true},
                                     {"(float, bool)", false, true}};
  const Asked& asked = kAsked[w.choices.below(std::size(kAsked))];
  const bool holds = is_float(v.type.info().dtype) ? asked.of_floats : asked.of_ints;
  certain(w, w.names++,
          fmt::format("{}isinstance({}.item(), {})", holds ? "" : "not ", element_of(w, v),
                      asked.types));
}

// Lists of integers, for NaN is equal to nothing: values are compared, also those of other tensors.
void certain_of_list(Writer& w, const Var& v) {
  const int number = w.names++;
  const std::string e = element_of(w, v), list = fmt::format("{}_{}", kCertain, number);
  line(w, fmt::format("{0} = [{1}, {1} + 1, {1}]", list, e));
  static constexpr const char* kAsked[] = {
      "{0}.index({1} + 1) == 1", "{0}.index({1}.clone()) == 0",
      "{0}.count({1} + 0) == 2", "{0} == [{1} + 0, {1} + 1, {1}]",
      "{0} != [{1}, {1}, {1}]",  "not ({0} == [{1}])",
      "{1} + 1 in {0}",          "{1} + 2 not in {0}"};
  certain(w, number,
          fmt::format(fmt::runtime(kAsked[w.choices.below(std::size(kAsked))]), list, e));
  if (w.choices.chance(0.5)) return;
  line(w, fmt::format("{}.remove({} + 1)", list, e));
  certain(w, number, fmt::format("len({0}) == 2 and {0}.count({1}) == 2", list, e));
}

// False: there is nothing to be certain of.
bool certainty(Writer& w) {
  std::vector<const Var*> numbers, whole;
  for (const Var* v : tensor_vars(w)) {
    const TensorInfo& info = v->type.info();
    if (!info.complete() || numel_of(info.sizes) == 0 || info.dtype == DType::Bool) continue;
    numbers.push_back(v);
    if (!is_float(info.dtype)) whole.push_back(v);
  }
  if (!w.questions.empty() && w.choices.chance(numbers.empty() ? 1.0 : 0.4)) certain_of_any(w);
  else if (!whole.empty() && w.choices.chance(0.6)) certain_of_list(w, *w.choices.pick(whole));
  else if (!numbers.empty()) certain_of_number(w, *w.choices.pick(numbers));
  else return false;
  return true;
}

[[maybe_unused]] const bool kRegistered =
    add_productions(Grammar::Statement, 0,
                    {{"script.certain", "an assertion that holds", 0.03, where_it_fits<certainty>,
                      kAnyDepth, kAskedFirst}});

}  // namespace

// Writes `def kind_of(v: Any) -> int`: the number of the first of some questions that holds, or -1.
void question_function(Writer& w) {
  const size_t known = std::size(kPlain) + (w.tensors ? std::size(kOfTorch) : 0);
  line(w, fmt::format("def {}(v: Any) -> int:", kQuestionFunction));
  ++w.indent;
  for (int64_t n = w.choices.between(2, 4); n > 0; --n) {
    w.questions.push_back(static_cast<uint8_t>(w.choices.below(known)));
    line(w, fmt::format("if {}:", question(w.questions.back()).text));
    line(w, fmt::format("    return {}", w.questions.size() - 1));
  }
  line(w, "return -1");
  --w.indent;
}

}  // namespace fusillade::fuzz::source

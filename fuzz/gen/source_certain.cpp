// What generated scripts are certain of: which type a value of Any has, what a number of a tensor
// is, where a list of tensors holds one of these elements.
//
// Every engine of ours asks the same rows, so that they agree on a wrong answer; hence the script
// itself says what the answer is, by an assertion that the oracle `frontends` sees fail
// (certain.h). Only what Python and TorchScript answer alike is asked: no bool is taken for an int.
// What is asked says its own type, so that it stays certain in a smaller script.
#include <iterator>

#include "engine/front/spelling.h"
#include "fuzz/gen/source.h"
#include "fuzz/verdict/certain.h"

namespace fusillade::fuzz {
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

}  // namespace

// def told(v: Any) -> int: which of some questions is the first that holds.
void Source::question_function() {
  const size_t known = std::size(kPlain) + (tensors_ ? std::size(kOfTorch) : 0);
  line(fmt::format("def {}(v: Any) -> int:", kTold));
  ++indent_;
  for (int64_t n = choices_.between(2, 4); n > 0; --n) {
    questions_.push_back(static_cast<uint8_t>(choices_.below(known)));
    line(fmt::format("if {}:", question(questions_.back()).text));
    line(fmt::format("    return {}", questions_.size() - 1));
  }
  line("return -1");
  --indent_;
}

void Source::certain(int number, const std::string& text) {
  line(fmt::format("assert {}, \"{} {}\"", text, kCertain, number));
}

void Source::certain_of_any() {
  static constexpr Kind kKinds[] = {kNone, kInt,   kFloat,  kStr,    kInts,
                                    kPair, kWords, kTensor, kTensors};
  const Kind kind = kKinds[choices_.below(tensor_vars().empty() ? 7 : 9)];
  const auto given = [&]() -> std::string {
    switch (kind) {
      case kNone:
        return "None";
      case kInt:
        return literal(TypeKind::Int).s;
      case kFloat:
        return literal(TypeKind::Float).s;
      case kStr:
        return literal(TypeKind::Str).s;
      case kInts:
        return literal(Type::list(TypeKind::Int)).s;
      case kPair:
        return literal(Type::tuple({TypeKind::Int, TypeKind::Str})).s;
      case kWords:
        return "{\"a\": 1}";
      default: {
        const std::string tensor = choices_.pick(tensor_vars())->name + ".clone()";
        return kind == kTensor ? tensor : "[" + tensor + "]";
      }
    }
  };
  int64_t first = -1;
  for (size_t i = questions_.size(); i-- > 0;)
    if (question(questions_[i]).holds & kind) first = static_cast<int64_t>(i);
  certain(names_++, fmt::format("{}({}) == {}", kTold, given(), first));
}

// One element of a tensor with some, as "x0[1, -1].to(torch.int8)".
std::string Source::element_of(const Var& v) {
  const Dims& sizes = v.type.info().sizes;
  std::string at;
  for (int64_t size : sizes)
    at += (at.empty() ? "" : ", ") + std::to_string(choices_.between(-size, size - 1));
  return v.name + (at.empty() ? "" : "[" + at + "]") + ".to(" +
         front::dtype_constant(v.type.info().dtype) + ")";
}

void Source::certain_of_number(const Var& v) {
  struct Asked {
    const char* types;
    bool of_ints, of_floats;
  };
  static constexpr Asked kAsked[] = {{"int", true, false},
                                     {"float", false, true},
                                     {"bool", false, false},
                                     {"(int, float)", true, true},
                                     {"(float, bool)", false, true}};
  const Asked& asked = kAsked[choices_.below(std::size(kAsked))];
  const bool holds = is_float(v.type.info().dtype) ? asked.of_floats : asked.of_ints;
  certain(names_++, fmt::format("{}isinstance({}.item(), {})", holds ? "" : "not ", element_of(v),
                                asked.types));
}

// Lists of integers, for NaN is equal to nothing: values are compared, also those of other tensors.
void Source::certain_of_list(const Var& v) {
  const int number = names_++;
  const std::string e = element_of(v), list = fmt::format("{}_{}", kCertain, number);
  line(fmt::format("{0} = [{1}, {1} + 1, {1}]", list, e));
  static constexpr const char* kAsked[] = {
      "{0}.index({1} + 1) == 1", "{0}.index({1}.clone()) == 0",
      "{0}.count({1} + 0) == 2", "{0} == [{1} + 0, {1} + 1, {1}]",
      "{0} != [{1}, {1}, {1}]",  "not ({0} == [{1}])",
      "{1} + 1 in {0}",          "{1} + 2 not in {0}"};
  certain(number, fmt::format(fmt::runtime(kAsked[choices_.below(std::size(kAsked))]), list, e));
  if (choices_.chance(0.5)) return;
  line(fmt::format("{}.remove({} + 1)", list, e));
  certain(number, fmt::format("len({0}) == 2 and {0}.count({1}) == 2", list, e));
}

// False: there is nothing to be certain of.
bool Source::certainty() {
  std::vector<const Var*> numbers, whole;
  for (const Var* v : tensor_vars()) {
    const TensorInfo& info = v->type.info();
    if (!info.complete() || numel_of(info.sizes) == 0 || info.dtype == DType::Bool) continue;
    numbers.push_back(v);
    if (!is_float(info.dtype)) whole.push_back(v);
  }
  if (!questions_.empty() && choices_.chance(numbers.empty() ? 1.0 : 0.4)) certain_of_any();
  else if (!whole.empty() && choices_.chance(0.6)) certain_of_list(*choices_.pick(whole));
  else if (!numbers.empty()) certain_of_number(*choices_.pick(numbers));
  else return false;
  return true;
}

}  // namespace fusillade::fuzz

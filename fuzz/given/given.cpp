// See given.h. Sizes of one draw come in four kinds: one shape for all; every size one of two
// numbers, whatever the rank (matrix products, convolutions); relatives of one shape, which
// broadcast; and no relation at all. Sizes of fixed tensors (a module's weights) are likely ones.
#include "fuzz/given/given.h"

#include <algorithm>
#include <map>

#include "engine/scalar/ring.h"
#include "fuzz/case/input_range.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/pattern.h"
#include "fuzz/gen/source_types.h"
#include "fuzz/given/memory.h"
#include "fuzz/given/try.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kSizes[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16, 17, 32, 33};
constexpr int kMostElements = 4096;

// Draws types of one call's inputs that belong together.
class TypeDrawer {
 public:
  TypeDrawer(Choices& choices, const Given& given, uint64_t number) : choices_(choices) {
    std::vector<DType> dtypes;
    for (const GivenInput& in : given.inputs) {
      if (!in.fixed || !in.fixed->is_tensor()) continue;
      for (int64_t size : in.fixed->as_tensor().sizes()) seen_.push_back(size);
      dtypes.push_back(in.fixed->as_tensor().dtype());
    }
    kind_ = choices_.below(4);
    rank_ = draw_rank();
    for (int d = 0; d < kMostRank; ++d) sizes_.push_back(draw_size());
    // Each dtype in turn; where a module has weights, their dtypes every other time.
    const bool like_weights = !dtypes.empty() && number % 2 == 0;
    const uint64_t round = dtypes.empty() ? number : number / 2;
    dtype_ = like_weights ? choices_.pick(dtypes) : static_cast<DType>(round % kNumDTypes);
    mixed_ = choices_.chance(0.2);
    strided_ = choices_.chance(0.25);
  }

  // `type` with every tensor in it complete and every Number an int or a float.
  Type complete(const Type& type) {
    switch (type.kind()) {
      case TypeKind::Tensor:
        return tensor(type.info());
      case TypeKind::Number:
        return choices_.chance(0.5) ? TypeKind::Int : TypeKind::Float;
      case TypeKind::List:
        return Type::list(complete(type.element()));
      case TypeKind::Dict:
        return Type::dict(type.key(), complete(type.value_type()));
      case TypeKind::Optional:
        return choices_.chance(0.3) ? Type(TypeKind::None) : complete(type.element());
      case TypeKind::Union:
        return complete(choices_.pick(type.elements()));
      case TypeKind::Tuple: {
        std::vector<Type> parts;
        for (const Type& t : type.elements()) parts.push_back(complete(t));
        return Type::tuple(std::move(parts));
      }
      default:
        return type;
    }
  }

 private:
  static constexpr int kMostRank = 5;

  int64_t draw_size() {
    if (!seen_.empty() && choices_.chance(0.6)) return choices_.pick(seen_);
    if (choices_.chance(0.03)) return 0;
    return kSizes[choices_.below(std::size(kSizes))];
  }
  int64_t size_of_symbol(int64_t symbol) {
    const auto known = symbols_.find(symbol);
    return known != symbols_.end() ? known->second
                                   : symbols_.emplace(symbol, draw_size()).first->second;
  }
  int draw_rank() {
    static constexpr int kRanks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5};
    return kRanks[choices_.below(std::size(kRanks))];
  }
  DType draw_dtype() { return static_cast<DType>(choices_.below(uint64_t{kNumDTypes})); }

  Dims draw_sizes() {
    Dims out;
    int rank = kind_ == 0 || kind_ == 2 ? rank_ : draw_rank();
    for (int d = 0; d < rank; ++d) {
      size_t at = static_cast<size_t>(d);
      if (kind_ == 1) at = choices_.chance(0.7) ? 0 : 1;
      out.push_back(kind_ == 3 ? draw_size() : sizes_[at]);
      if (kind_ == 2 && choices_.chance(0.2)) out[d] = 1;
    }
    while (kind_ == 2 && out.rank() > 0 && choices_.chance(0.2)) out.erase(0);
    return out;
  }

  Type tensor(const TensorInfo& known) {
    TensorInfo info = known;
    if (!info.has_dtype) info.dtype = mixed_ ? draw_dtype() : dtype_;
    if (!info.rank_known) info.sizes = draw_sizes();
    for (int64_t& size : info.sizes)
      if (size < 0) size = size < -1 ? size_of_symbol(size) : draw_size();
    while (numel_of(info.sizes) > kMostElements && !info.rank_known) info.sizes.erase(0);
    if (!known.complete()) {
      bool strided = strided_ && choices_.chance(0.5);
      info.strides = draw_strides(choices_, info.sizes, !strided);
    }
    info.has_dtype = info.rank_known = info.strides_known = true;
    info.device = Device();
    info.requires_grad = false;
    return Type::tensor(info);
  }

  Choices& choices_;
  std::vector<int64_t> seen_, sizes_;
  std::map<int64_t, int64_t> symbols_;  // one size wherever it stands
  uint64_t kind_ = 0;
  int rank_ = 0;
  DType dtype_ = DType::F32;
  bool mixed_ = false;
  bool strided_ = false;
};

// Draws of types are a stream of their own, separate from a campaign's.
constexpr uint64_t kTypesStream = 0x67697665'6e747970;
constexpr double kLarge = 0.1;  // of the types drawn, where there are any
constexpr double kFound = 0.5;  // of those, that a search found, where there are others
constexpr double kRefused = 0.05;

// The dtype, in such types, of the first tensor whose dtype is not given.
int dtype_drawn(const Given& given, const InputTypes& types) {
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const GivenInput& in = given.inputs[i];
    if (!in.fixed && in.type.is_tensor() && !in.type.info().has_dtype &&
        types[i].second.is_tensor())
      return static_cast<int>(types[i].second.info().dtype);
  }
  return -1;
}

// The draws that eager mode accepted, by the dtype that each drew.
std::map<int, std::vector<uint64_t>> accepted_by_dtype(const Given& given) {
  std::map<int, std::vector<uint64_t>> out;
  for (uint64_t number : given.accepted)
    out[dtype_drawn(given, input_types(given, number))].push_back(number);
  return out;
}

// One of those accepted; each round, of the next one of the dtypes that these have.
InputTypes draw_accepted(Choices& choices, const Given& given, uint64_t round) {
  const std::map<int, std::vector<uint64_t>> by_dtype = accepted_by_dtype(given);
  auto due = by_dtype.begin();
  std::advance(due, static_cast<long>(round % by_dtype.size()));
  return input_types(given, choices.pick(due->second));
}

// Patterns of the calls that a dtype gets in a round, for as many rounds as there are rows.
constexpr std::optional<Pattern> kDue[][3] = {
    {Pattern::Negative, {}, Pattern::Extremes},
    {Pattern::Positive, Pattern::Equal, Pattern::Negative},
    {Pattern::Extremes, {}, Pattern::Zero},
    {Pattern::Ascending, {}, Pattern::Negative}};

template <class F>
void each_tensor(const IValue& v, const F& visit) {
  if (v.is_tensor()) return visit(v.as_tensor());
  if (v.tag() == IValue::Tag::Dict)
    for (const auto& [key, mapped] : v.as_dict().items()) each_tensor(mapped, visit);
  if (v.tag() != IValue::Tag::List && v.tag() != IValue::Tag::Tuple) return;
  for (const IValue& item : v.items()) each_tensor(item, visit);
}

// Unsigned numbers of all magnitudes, in half of the tensors.
void draw_bits(Choices& choices, const Tensor& t) {
  if (choices.chance(0.5)) return;
  const uint64_t width = 8 * size_of(t.dtype());
  for (int64_t i = 0; i < t.numel(); ++i) {
    const uint64_t number = choices.bits() >> (64 - width + choices.below(width));
    set_element_int(t, i, static_cast<int64_t>(number << (64 - width)) >> (64 - width));
  }
}

}  // namespace

bool has_free_range(const GivenInput& in) {
  if (in.fixed || in.view_of >= 0 || !in.type.is_tensor() || !in.type.info().complete())
    return false;
  return category_of(in.type.info().dtype) == Category::Int;
}

bool drawable(const Type& type) {
  switch (type.kind()) {
    case TypeKind::None:
    case TypeKind::Tensor:
    case TypeKind::Int:
    case TypeKind::Float:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::Str:
      return true;
    case TypeKind::Dict:
      return (type.key().is(TypeKind::Str) || type.key().is(TypeKind::Int)) &&
             drawable(type.value_type());
    case TypeKind::Tuple:
      if (type.class_type()) return false;
      [[fallthrough]];
    case TypeKind::List:
    case TypeKind::Optional:
      return std::all_of(type.elements().begin(), type.elements().end(), &drawable);
    case TypeKind::Union:
      return std::any_of(type.elements().begin(), type.elements().end(), &drawable);
    default:
      return false;
  }
}

InputTypes input_types(const Given& given, uint64_t number) {
  Choices choices(kTypesStream, number);
  TypeDrawer drawer(choices, given, number);
  InputTypes out;
  for (const GivenInput& in : given.inputs)
    out.emplace_back(in.name, in.fixed ? in.type : drawer.complete(in.type));
  return out;
}

InputTypes draw_input_types(Choices& choices, const Given& given, uint64_t round, bool refused) {
  if (!given.takes_any() || (refused && choices.chance(kRefused)))
    return input_types(given, choices.below(kTries));
  if (!given.large.empty() && choices.chance(kLarge)) return choices.pick(given.large);
  if (given.accepted.empty() || (!given.found.empty() && choices.chance(kFound)))
    return choices.pick(given.found);
  return draw_accepted(choices, given, round);
}

std::optional<Pattern> pattern_due(const Given& given, uint64_t round, uint64_t call) {
  if (call >= std::size(kDue[0])) return {};
  const size_t dtypes = std::max<size_t>(accepted_by_dtype(given).size(), 1);
  return kDue[round / dtypes % std::size(kDue)][call];
}

Call draw_call(Choices& choices, const Given& given, const InputTypes& types,
               std::optional<Pattern> pattern) {
  InputTypes drawn = types;
  for (size_t i = 0; i < given.inputs.size(); ++i)
    if (given.inputs[i].fixed) drawn[i].second = TypeKind::None;
  Call call = generate_call(choices, drawn);
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const GivenInput& in = given.inputs[i];
    if (in.fixed) call.inputs[i] = *in.fixed;
    else if (in.default_value && choices.chance(0.5)) call.inputs[i] = *in.default_value;
    else if (!is_range_name(drawn[i].first))
      each_tensor(call.inputs[i], [&](const Tensor& t) {
        if (in.any_bits && !pattern) draw_bits(choices, t);
        else if (pattern) apply_pattern(choices, *pattern, t);
        else draw_pattern(choices, t);
      });
  }
  lay_out_as_given(given, types, call);
  draw_layout(choices, given, types, call);
  return call;
}

std::string identity_of(const Givens& programs) {
  uint64_t h = 0;
  auto add = [&h](const std::string& text) {
    for (char c : text) h = ring_hash(h, static_cast<unsigned char>(c));
    h = ring_hash(h, text.size());
  };
  for (const std::shared_ptr<const Given>& given : programs) {
    const Given& g = *given;
    Case all = g.program.clone();
    all.calls.clear();
    add(print(all));
    // What is fixed is printed as a call.
    Call fixed;
    for (const GivenInput& in : g.inputs) {
      add(in.name + ":" + in.type.text() + (in.fixed ? "!" : ""));
      fixed.inputs.push_back(in.fixed ? *in.fixed : IValue());
    }
    all.calls.push_back(std::move(fixed));
    for (const Call& c : g.program.calls) all.calls.push_back(copy_call(c));
    add(print(all));
  }
  return fmt::format("{:016x}", h);
}

}  // namespace fusillade::fuzz

// See given.h. Sizes of one draw come in four kinds: one shape for all; every size one of two
// numbers, whatever the rank (matrix products, convolutions); relatives of one shape, which
// broadcast; and no relation at all. Sizes of fixed tensors (a module's weights) are likely ones.
#include "fuzz/given/given.h"

#include <algorithm>

#include "engine/scalar/ring.h"
#include "fuzz/gen/layout.h"
#include "fuzz/gen/source_types.h"
#include "fuzz/process/isolate.h"
#include "fuzz/run/outcome.h"

namespace fusillade::fuzz {
namespace {

constexpr int64_t kSizes[] = {1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12, 16, 17, 32, 33};
constexpr DType kFloats[] = {DType::F32, DType::F32, DType::F32, DType::F32,
                             DType::F64, DType::F64, DType::F16, DType::BF16};
constexpr int kMostElements = 4096;

// Draws types of one call's inputs that belong together.
class TypeDrawer {
 public:
  TypeDrawer(Choices& choices, const Given& given) : choices_(choices) {
    for (const GivenInput& in : given.inputs) {
      if (!in.fixed || !in.fixed->is_tensor()) continue;
      for (int64_t size : in.fixed->as_tensor().sizes()) seen_.push_back(size);
    }
    kind_ = choices_.below(4);
    rank_ = draw_rank();
    for (int d = 0; d < kMostRank; ++d) sizes_.push_back(draw_size());
    dtype_ = draw_dtype();
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
        return Type::dict(type.key(), complete(type.mapped()));
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
  int draw_rank() {
    static constexpr int kRanks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5};
    return kRanks[choices_.below(std::size(kRanks))];
  }
  DType draw_dtype() {
    if (choices_.chance(0.15))
      return choices_.chance(0.6) ? DType::I64
                                  : static_cast<DType>(choices_.below(uint64_t{kNumDTypes}));
    return kFloats[choices_.below(std::size(kFloats))];
  }

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
      if (size < 0) size = draw_size();
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
  uint64_t kind_ = 0;
  int rank_ = 0;
  DType dtype_ = DType::F32;
  bool mixed_ = false;
  bool strided_ = false;
};

// Draws of types and values are streams of their own, apart from a campaign's.
constexpr uint64_t kTypesStream = 0x67697665'6e747970;
constexpr uint64_t kTryStream = 0x67697665'6e747279;

constexpr uint64_t kTries = 320;
constexpr uint64_t kBatch = 32;  // tried in one child
constexpr size_t kEnough = 24;   // draws that were accepted
constexpr int kMostLostBatches = 2;

// One letter for each try of the batch: 'y' accepted, 'n' not; then the last error.
std::string try_batch(const Given& given, uint64_t first) {
  std::string out, why;
  Prepared eager(given.program, reference_plan());
  for (uint64_t k = first; k < first + kBatch; ++k) {
    Choices choices(kTryStream, k);
    Outcome o = eager.run(draw_call(choices, given, input_types(given, k)));
    out += o.kind == Outcome::Kind::Values ? 'y' : 'n';
    if (o.kind != Outcome::Kind::Values) why = o.message;
  }
  return out + why;
}

}  // namespace

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
             drawable(type.mapped());
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
  TypeDrawer drawer(choices, given);
  InputTypes out;
  for (const GivenInput& in : given.inputs)
    out.emplace_back(in.name, in.fixed ? in.type : drawer.complete(in.type));
  return out;
}

InputTypes draw_input_types(Choices& choices, const Given& given) {
  bool any = given.accepted.empty() || choices.chance(0.05);
  return input_types(given, any ? choices.below(kTries) : choices.pick(given.accepted));
}

Call draw_call(Choices& choices, const Given& given, const InputTypes& types) {
  InputTypes drawn = types;
  for (size_t i = 0; i < given.inputs.size(); ++i)
    if (given.inputs[i].fixed) drawn[i].second = TypeKind::None;
  Call call = generate_call(choices, drawn);
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const GivenInput& in = given.inputs[i];
    if (in.fixed) call.inputs[i] = *in.fixed;
    else if (in.default_value && choices.chance(0.5)) call.inputs[i] = *in.default_value;
  }
  return call;
}

std::string find_inputs(Given& given, const Limits& limits) {
  given.accepted.clear();
  std::string why;
  int lost = 0;
  for (uint64_t first = 0; first < kTries && given.accepted.size() < kEnough; first += kBatch) {
    ChildResult tried = run_isolated([&] { return try_batch(given, first); }, limits);
    if (tried.kind != ChildResult::Kind::Done || tried.output.size() < kBatch) {
      why = tried.kind == ChildResult::Kind::Hang     ? "eager mode does not end in time"
            : tried.kind == ChildResult::Kind::Memory ? "eager mode takes too much memory"
                                                      : "eager mode dies";
      if (++lost == kMostLostBatches) break;
      continue;
    }
    for (uint64_t k = 0; k < kBatch; ++k)
      if (tried.output[k] == 'y') given.accepted.push_back(first + k);
    if (tried.output.size() > kBatch) why = tried.output.substr(kBatch);
  }
  if (!given.accepted.empty()) return "";
  return why;
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

// See large.h.
#include "fuzz/given/large.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace fusillade::fuzz {
namespace {

constexpr uint64_t kLargeStream = 0x67697665'6e6c6172;
constexpr int64_t kMostElements = int64_t{1} << 18;  // of all inputs
constexpr uint64_t kSteps = 4;                       // with one large size: two sizes, two values
constexpr int64_t kMostSmall = 8;

constexpr int64_t kPast15[] = {32769, 33000, 40001};
constexpr int64_t kPast16[] = {65537, 66000, 70001, 131073};

int64_t one_past(Choices& choices, bool past_16) {
  return past_16 ? kPast16[choices.below(std::size(kPast16))]
                 : kPast15[choices.below(std::size(kPast15))];
}

// Is this size unknown?
bool is_dynamic(const GivenInput& in, int d) {
  if (in.fixed || in.laid_out || in.example || !in.type.is_tensor()) return false;
  const TensorInfo& known = in.type.info();
  return !known.rank_known || (d < known.sizes.rank() && known.sizes[d] < 0);
}

bool is_drawn(const Given& given, const InputTypes& types, size_t i) {
  return !given.inputs[i].fixed && types[i].second.is_tensor();
}

bool dtype_unknown(const Given& given, const InputTypes& types, size_t i) {
  const GivenInput& in = given.inputs[i];
  return is_drawn(given, types, i) && !in.example && in.type.is_tensor() &&
         !in.type.info().has_dtype;
}

// The dimensions of unknown size, by the sizes drawn for them.
std::map<int64_t, std::vector<std::pair<size_t, int>>> unknown_dims(const Given& given,
                                                                    const InputTypes& types) {
  std::map<int64_t, std::vector<std::pair<size_t, int>>> out;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    if (!is_drawn(given, types, i)) continue;
    const Dims& sizes = types[i].second.info().sizes;
    for (int d = 0; d < sizes.rank(); ++d)
      if (is_dynamic(given.inputs[i], d)) out[sizes[d]].emplace_back(i, d);
  }
  return out;
}

// One tensor has the size twice: its elements would be too many.
bool has_twice(const std::vector<std::pair<size_t, int>>& dims) {
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i].first == dims[i - 1].first) return true;
  return false;
}

// Known sizes: another size that equals one of them may have to.
std::set<int64_t> known_sizes(const Given& given, const InputTypes& types) {
  std::set<int64_t> out;
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const GivenInput& in = given.inputs[i];
    if (in.fixed && in.fixed->is_tensor())
      for (int64_t size : in.fixed->as_tensor().sizes()) out.insert(size);
    if (!is_drawn(given, types, i)) continue;
    const Dims& sizes = types[i].second.info().sizes;
    for (int d = 0; d < sizes.rank(); ++d)
      if (!is_dynamic(in, d)) out.insert(sizes[d]);
  }
  return out;
}

int64_t elements_of(const Given& given, const InputTypes& types) {
  int64_t out = 0;
  for (size_t i = 0; i < given.inputs.size(); ++i)
    if (is_drawn(given, types, i)) out += numel_of(types[i].second.info().sizes);
  return out;
}

void set_size(InputTypes& types, const std::vector<std::pair<size_t, int>>& dims, int64_t size) {
  for (const auto& [i, d] : dims) {
    TensorInfo info = types[i].second.info();
    info.sizes[d] = size;
    info.strides = contiguous_strides(info.sizes);
    types[i].second = Type::tensor(info);
  }
}

void set_dtype(const Given& given, InputTypes& types, DType dtype) {
  std::set<DType> all;
  for (size_t i = 0; i < types.size(); ++i)
    if (dtype_unknown(given, types, i)) all.insert(types[i].second.info().dtype);
  if (all.size() != 1) return;  // they differ, and may have to
  for (size_t i = 0; i < types.size(); ++i) {
    if (!dtype_unknown(given, types, i)) continue;
    TensorInfo info = types[i].second.info();
    info.dtype = dtype;
    types[i].second = Type::tensor(info);
  }
}

// How far the ranks are from those of matrices.
int from_matrices(const Given& given, const InputTypes& types) {
  int out = 0;
  for (size_t i = 0; i < types.size(); ++i)
    if (is_drawn(given, types, i)) out += std::abs(types[i].second.info().sizes.rank() - 2);
  return out;
}

}  // namespace

LargeDraws::LargeDraws(const Given& given, uint64_t seed) : given_(given), seed_(seed) {
  std::vector<InputTypes> draws;
  for (uint64_t number : given.accepted) draws.push_back(input_types(given, number));
  draws.insert(draws.end(), given.found.begin(), given.found.end());
  using Key = std::pair<std::vector<int>, std::vector<std::pair<size_t, int>>>;
  std::map<Key, Place> closest, any;
  std::set<DType> dtypes;
  int nearest = INT32_MAX;
  for (const InputTypes& types : draws) {
    for (size_t i = 0; i < types.size(); ++i)
      if (dtype_unknown(given, types, i)) dtypes.insert(types[i].second.info().dtype);
    if (elements_of(given, types) == 0) continue;
    const auto unknown = unknown_dims(given, types);
    const int distance = from_matrices(given, types);
    std::vector<int> ranks;
    for (size_t i = 0; i < types.size(); ++i)
      ranks.push_back(is_drawn(given, types, i) ? types[i].second.info().sizes.rank() : -1);
    for (const auto& [size, dims] : unknown) {
      if (size < 1 || (size == 1 && unknown.size() > 1) || has_twice(dims)) continue;
      InputTypes least = types;
      for (const auto& [other, where] : unknown)
        if (other > 1) set_size(least, where, 2);
      set_size(least, dims, kPast15[0]);
      if (elements_of(given, least) > kMostElements) continue;
      Place& place = any[{ranks, dims}];
      place.dims = dims;
      place.draws.push_back(types);
      // With sizes of 1, which fit any other, a place may be a part of the one it belongs to.
      if (unknown.count(1)) continue;
      if (distance < nearest) closest.clear();
      nearest = std::min(nearest, distance);
      if (distance > nearest) continue;
      Place& alike = closest[{ranks, dims}];
      alike.dims = dims;
      alike.draws.push_back(types);
    }
  }
  for (auto& [key, place] : any) any_.push_back(std::move(place));
  for (auto& [key, place] : closest) {
    const bool two = std::ranges::any_of(closest, [&, &of = key](const auto& other) {
      return other.first.first == of.first && other.first.second.size() < of.second.size() &&
             std::ranges::includes(of.second, other.first.second);
    });
    if (!two) closest_.push_back(place);  // else two sizes that are equal by chance
  }
  for (DType first : {DType::F32, DType::F64, DType::BF16, DType::F16})
    if (dtypes.erase(first)) dtypes_.push_back(first);
  dtypes_.insert(dtypes_.end(), dtypes.begin(), dtypes.end());
}

InputTypes LargeDraws::enlarge(Choices& choices, const Place& place, int64_t large, uint64_t step,
                               bool own) const {
  InputTypes out = choices.pick(place.draws);
  const std::set<int64_t> known = known_sizes(given_, out);
  uint64_t which = 0;
  std::map<std::vector<std::pair<size_t, int>>, int64_t> others;  // in the inputs' order
  for (const auto& [size, dims] : unknown_dims(given_, out)) others[dims] = size;
  for (const auto& [dims, size] : others) {
    if (own || size == 1 || dims == place.dims || known.count(size)) continue;
    int64_t small = 0;
    if (step >= 2 * kSteps) small = choices.between(1, kMostSmall);
    else if (which < 2)  // the first by twos: dtypes alternate by step, and each must meet both
      small = 3 - static_cast<int64_t>(((step + seed_) >> (1 - which)) & 1);
    else small = choices.between(2, 3);
    ++which;
    set_size(out, dims, small);
  }
  set_size(out, place.dims, large);
  return elements_of(given_, out) > kMostElements ? InputTypes() : out;
}

InputTypes LargeDraws::at(uint64_t k, bool own) const {
  constexpr int kPicks = 32;  // most have too many elements
  Choices choices(kLargeStream + seed_, k);
  if (closest_.empty() || k % 3 == 2) {
    for (int i = 0; i < kPicks && any(); ++i) {
      const int64_t large = one_past(choices, k / 3 % 2 == 1);
      const Place& place = any_[choices.below(any_.size())];
      InputTypes out = enlarge(choices, place, large, 0, true);
      if (!out.empty()) return out;
    }
    return {};
  }
  const uint64_t round = k / 3 * 2 + k % 3;
  const uint64_t step = round / closest_.size();
  const bool past_16 = step / kSteps % 2 == 1;
  const int64_t large = one_past(choices, past_16);
  for (int i = 0; i < kPicks; ++i) {
    const Place& place = closest_[(round + seed_) % closest_.size()];
    InputTypes out = enlarge(choices, place, large, step, own);
    if (out.empty()) continue;
    if (!own && !dtypes_.empty()) set_dtype(given_, out, dtypes_[step % dtypes_.size()]);
    return out;
  }
  return {};
}

}  // namespace fusillade::fuzz

// See tried.h.
#include "fuzz/gen/tried.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "engine/base/error.h"
#include "engine/tensor/largest_storage.h"

namespace fusillade::fuzz {
namespace {

constexpr size_t kMostElements = 6000;
constexpr size_t kLargest = size_t{64} << 20;  // bytes of any one storage on the way

bool is_small(const IValue& v) {
  if (v.is_tensor()) return static_cast<size_t>(v.as_tensor().numel()) <= kMostElements;
  if (v.tag() == IValue::Tag::Str) return v.as_str().size() <= kMostElements;
  if (!v.is_sequence()) return true;
  return v.items().size() <= kMostElements &&
         std::all_of(v.items().begin(), v.items().end(), &is_small);
}

}  // namespace

bool runs(const std::function<std::vector<IValue>()>& f) {
  const LargestStorage limit(kLargest);
  try {
    std::vector<IValue> results = f();
    return std::all_of(results.begin(), results.end(), &is_small);
  } catch (const Error&) {
    return false;
  } catch (const Unsupported&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::length_error&) {
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace fusillade::fuzz

// See random_tensor.h.
#include "fuzz/cli/random_tensor.h"

#include <new>
#include <optional>

#include "engine/base/text.h"
#include "engine/tensor/random.h"

namespace fusillade::cli {
namespace {

constexpr const char* kForms =
    "write int, float, bool, or dtype[size,...], as in f32[4,5], behind it strides=[...] and "
    "offset=N where they "
    "matter; or, as elements of an earlier input, view of NAME offset=N f32[2] strides=[3]";

struct Written {
  std::string base;  // of a view
  DType dtype = DType::F32;
  Dims sizes;
  std::optional<Dims> strides;
  int64_t offset = 0;
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& where)
      : where_(where), words_(split_outside_brackets(trim(text), ' ')) {
    std::erase_if(words_, [](const std::string& word) { return trim(word).empty(); });
  }

  Written read() {
    Written out;
    size_t at = 0;
    if (words_.size() >= 3 && words_[0] == "view" && words_[1] == "of") {
      out.base = words_[2];
      at = 3;
    }
    bool typed = false;
    for (; at < words_.size(); ++at) {
      const std::string& word = words_[at];
      if (word.starts_with("offset=")) out.offset = whole(word.substr(7), "offset");
      else if (word.starts_with("strides=")) out.strides = dims(word.substr(8), "stride");
      else if (typed) fail("{}: '{}' is not expected here; {}", where_, word, kForms);
      else typed = type(word, out);
    }
    if (!typed) fail("{}: {}", where_, kForms);
    if (out.strides && out.strides->rank() != out.sizes.rank())
      fail("{}: {} strides for {} sizes; one for each size is legal", where_, out.strides->rank(),
           out.sizes.rank());
    return out;
  }

 private:
  bool type(const std::string& word, Written& out) const {
    const size_t bracket = word.find('[');
    if (bracket == std::string::npos || word.back() != ']') fail("{}: {}", where_, kForms);
    out.dtype = dtype_from_name(word.substr(0, bracket));
    out.sizes = dims(word.substr(bracket), "size");
    return true;
  }

  // "[4,5]"; "[]" and "[()]" of no dimensions.
  Dims dims(const std::string& text, const char* what) const {
    if (text.size() < 2 || text[0] != '[' || text.back() != ']')
      fail("{}: '{}': {}s are written [4,5]", where_, text, what);
    std::string inside(trim(text.substr(1, text.size() - 2)));
    if (inside == "()") inside.clear();
    Dims out;
    for (const std::string& word : split_outside_brackets(inside, ',')) {
      if (inside.empty()) break;
      if (out.rank() == kMaxRank) fail("{}: more than {} dimensions", where_, kMaxRank);
      out.push_back(whole(word, what));
    }
    return out;
  }

  int64_t whole(const std::string& text, const char* what) const {
    int64_t value = 0;
    if (!parse_int(trim(text), &value) || value < 0)
      fail("{}: {} '{}' is not a whole number >= 0", where_, what, text);
    return value;
  }

  const std::string& where_;
  std::vector<std::string> words_;
};

// Elements of memory up to the last one that the tensor has.
int64_t memory_of(const Written& w, const Dims& strides, const std::string& where) {
  int64_t end = 0;
  for (int d = 0; d < w.sizes.rank(); ++d) {
    if (w.sizes[d] == 0) return w.offset;
    int64_t step = 0;
    if (__builtin_mul_overflow(w.sizes[d] - 1, strides[d], &step) ||
        __builtin_add_overflow(end, step, &end))
      fail("{}: more memory than there is", where);
  }
  if (__builtin_add_overflow(end, w.offset, &end) || end == INT64_MAX)
    fail("{}: more memory than there is", where);
  return end + 1;
}

Tensor view_of_named(const Written& w, const Dims& strides, const std::string& where,
                     const NamedTensor& named) {
  const Tensor base = named(w.base);
  if (base.dtype() != w.dtype)
    fail("{}: '{}' holds {}, so does each view of it", where, w.base, name_of(base.dtype()));
  const auto has = static_cast<int64_t>(base.storage()->bytes() / size_of(w.dtype));
  if (const int64_t wanted = memory_of(w, strides, where); wanted > has)
    fail("{}: it ends behind element {}, the buffer of '{}' has {}", where, wanted, w.base, has);
  return Tensor::view_of(base, w.offset, w.sizes, strides);
}

struct StandInRow {
  const char *word, *dtype, *sent;
  bool pairs;
};
constexpr StandInRow kStandIns[] = {{"c64", "complex64", "f32", true},
                                    {"c128", "complex128", "f64", true},
                                    {"u16", "uint16", "i16", false},
                                    {"u32", "uint32", "i32", false},
                                    {"u64", "uint64", "i64", false}};

}  // namespace

std::optional<StandIn> find_stand_in(const std::string& text, const std::string& where) {
  for (const StandInRow& row : kStandIns) {
    const std::string head = std::string(row.word) + "[";
    size_t at = text.starts_with(head) ? 0 : text.find(" " + head);
    if (at == text.npos) continue;
    at += text[at] == ' ';
    std::string sent = text.substr(0, at) + row.sent + text.substr(at + head.size() - 1);
    if (!row.pairs) return StandIn{row.dtype, sent};
    if (at > 0 || text.find(' ') != text.npos || text.back() != ']')
      fail("{}: complex numbers lie contiguous, in a buffer of their own: write {}[4,5]", where,
           row.word);
    const bool no_sizes = sent.ends_with("[]") || sent.ends_with("[()]");
    sent =
        no_sizes ? sent.substr(0, sent.find('[')) + "[2]" : sent.substr(0, sent.size() - 1) + ",2]";
    return StandIn{row.dtype, sent};
  }
  return {};
}

std::optional<IValue> random_number(const std::string& text, uint64_t seed, uint64_t stream) {
  const std::pair<const char*, DType> kNumbers[] = {
      {"int", DType::I64}, {"float", DType::F64}, {"bool", DType::Bool}};
  for (const auto& [word, dtype] : kNumbers) {
    if (text != word) continue;
    const Tensor t = Tensor::empty({}, dtype);
    fill_normal(t, seed, stream << 40);
    if (dtype == DType::F64) return IValue(element_as_double(t, 0));
    const int64_t whole = element_as_int(t, 0);
    return dtype == DType::Bool ? IValue(whole != 0) : IValue(whole);
  }
  return {};
}

Tensor random_tensor(const std::string& text, const std::string& where, uint64_t seed,
                     uint64_t stream, const NamedTensor& named) {
  const Written w = Reader(text, where).read();
  try {
    const Dims plain = contiguous_strides(w.sizes);
    const Dims strides = w.strides.value_or(plain);
    if (!w.base.empty()) return view_of_named(w, strides, where, named);
    const bool simple = strides == plain && w.offset == 0;
    const Dims memory = simple ? w.sizes : Dims{memory_of(w, strides, where)};
    Tensor t = Tensor::empty(memory, w.dtype);
    fill_normal(t, seed, stream << 40);
    return simple ? t : Tensor::view_of(t, w.offset, w.sizes, strides);
  } catch (const std::bad_alloc&) {
    fail("{}: more memory than there is", where);
  } catch (const Error& e) {
    const std::string message = e.what();
    if (message.starts_with(where)) throw;
    fail("{}: {}", where, message);
  }
}

}  // namespace fusillade::cli

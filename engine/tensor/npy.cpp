// Reading and writing .npy; see npy.h.
#include "engine/tensor/npy.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "engine/base/file.h"
#include "engine/tensor/transfer.h"

namespace fusillade {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 1 << 16;

struct Closer {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<std::FILE, Closer>;

struct Descr {
  DType dtype;
  const char* text;
};
const Descr kDescrs[] = {
    {DType::Bool, "|b1"}, {DType::U8, "|u1"},  {DType::I8, "|i1"},  {DType::I16, "<i2"},
    {DType::I32, "<i4"},  {DType::I64, "<i8"}, {DType::F16, "<f2"}, {DType::BF16, "<V2"},
    {DType::F32, "<f4"},  {DType::F64, "<f8"},
};

const char* descr_of(DType dtype) {
  for (const Descr& d : kDescrs)
    if (d.dtype == dtype) return d.text;
  FUS_BUG("dtype {} has no .npy name", name_of(dtype));
}

// The dict literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } and nothing else.
class Header {
 public:
  Header(std::string_view text, const std::string& path) : text_(text), path_(path) { parse(); }

  DType dtype = DType::F32;
  bool fortran = false;
  Dims sizes;

 private:
  [[noreturn]] void wrong(const char* what) {
    fail("'{}': the .npy header is wrong at byte {}: {}", path_, at_, what);
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool eat(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word, const char* what) {
    if (!eat(word)) wrong(what);
  }
  std::string_view parse_quoted() {
    expect("'", "a quoted word is expected");
    size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) wrong("a quote is not closed");
    std::string_view word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return word;
  }

  void parse() {
    int seen = 0;
    expect("{", "'{' is expected");
    while (!eat("}")) {
      std::string_view key = parse_quoted();
      expect(":", "':' is expected");
      const int bit = field(key);
      if (seen & bit) wrong("a key is given twice");
      seen |= bit;
      if (!eat(",")) {
        expect("}", "',' or '}' is expected");
        break;
      }
    }
    skip();
    if (at_ != text_.size()) wrong("text after the dict");
    if (seen != 7) wrong("descr, fortran_order and shape must each be given");
  }

  int field(std::string_view key) {
    if (key == "descr") {
      parse_descr();
      return 1;
    }
    if (key == "fortran_order") {
      fortran = eat("True");
      if (!fortran) expect("False", "True or False is expected");
      return 2;
    }
    if (key != "shape") wrong("an unknown key; legal are descr, fortran_order, shape");
    parse_shape();
    return 4;
  }

  void parse_descr() {
    skip();
    if (at_ < text_.size() && text_[at_] == '[') wrong("structured dtypes are not supported");
    std::string_view word = parse_quoted();
    for (const Descr& d : kDescrs) {
      bool any_order = size_of(d.dtype) == 1 || d.dtype == DType::BF16;
      if (word != d.text && !(any_order && word.size() == 3 && word.substr(1) == d.text + 1))
        continue;
      dtype = d.dtype;
      return;
    }
    fail("'{}': dtype '{}' is not supported (legal: b1 u1 i1 i2 i4 i8 f2 f4 f8 V2, little-endian)",
         path_, word);
  }

  void parse_shape() {
    sizes = {};
    expect("(", "'(' is expected");
    while (!eat(")")) {
      skip();
      size_t begin = at_;
      int64_t size = 0;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, text_[at_] - '0', &size))
          wrong("a size does not fit int64");
        ++at_;
      }
      if (begin == at_) wrong("a size >= 0 is expected");
      if (sizes.rank() == kMaxRank) wrong("more than 8 dimensions");
      sizes.push_back(size);
      if (!eat(",")) {
        expect(")", "',' or ')' is expected");
        return;
      }
    }
  }

  std::string_view text_;
  const std::string& path_;
  size_t at_ = 0;
};

// Where bytes come from: a file, or memory.
class Bytes {
 public:
  explicit Bytes(std::string_view memory) : memory_(memory) {}
  explicit Bytes(std::FILE* file) : file_(file) {}

  // False when there are fewer.
  bool take(void* to, size_t n) {
    if (file_) return std::fread(to, 1, n, file_) == n;
    if (n > memory_.size()) return false;
    if (n) std::memcpy(to, memory_.data(), n);
    memory_.remove_prefix(n);
    return true;
  }
  // What is still to be taken.
  int64_t bytes_left() {
    if (!file_) return static_cast<int64_t>(memory_.size());
    long at = std::ftell(file_);
    std::fseek(file_, 0, SEEK_END);
    int64_t out = std::ftell(file_) - at;
    std::fseek(file_, at, SEEK_SET);
    return out;
  }

 private:
  std::FILE* file_ = nullptr;
  std::string_view memory_;
};

std::string read_exactly(Bytes& from, size_t bytes, const std::string& path) {
  std::string out(bytes, '\0');
  if (!from.take(out.data(), bytes)) fail("'{}': ends within the .npy header", path);
  return out;
}

std::string read_header(Bytes& from, const std::string& path) {
  std::string start = read_exactly(from, 8, path);
  if (start.compare(0, kMagic.size(), kMagic) != 0) fail("'{}': not an .npy file", path);
  int version = start[6];
  if (version < 1 || version > 3)
    fail("'{}': .npy version {} is not supported (legal: 1, 2, 3)", path, version);
  std::string length = read_exactly(from, version == 1 ? 2 : 4, path);
  size_t bytes = 0;
  for (size_t i = length.size(); i-- > 0;) bytes = bytes << 8 | static_cast<uint8_t>(length[i]);
  if (bytes > kMaxHeader)
    fail("'{}': the .npy header claims {} bytes, more than {}", path, bytes, kMaxHeader);
  return read_exactly(from, bytes, path);
}

// The element count times the element size, checked against what there is.
int64_t checked_bytes(const Header& header, int64_t have, const std::string& path) {
  int64_t want = static_cast<int64_t>(size_of(header.dtype));
  int64_t strides = want;  // a size of 0 leaves no elements, and strides all the same
  for (int64_t size : header.sizes)
    if (__builtin_mul_overflow(want, size, &want) ||
        __builtin_mul_overflow(strides, std::max<int64_t>(size, 1), &strides))
      fail("'{}': shape {} is too large", path, to_string(header.sizes));
  if (want != have)
    fail("'{}': shape {} of {} needs {} bytes of data, the file holds {}", path,
         to_string(header.sizes), name_of(header.dtype), want, have);
  return want;
}

void normalise_bools(const Tensor& t) {
  for (int64_t i = 0; i < t.numel(); ++i) t.raw()[i] = t.raw()[i] != 0;
}

Tensor from_fortran(const Tensor& data, const Dims& sizes) {
  Dims strides(sizes.rank());
  int64_t step = 1;
  for (int i = 0; i < sizes.rank(); ++i) {
    strides[i] = step;
    step *= sizes[i] > 0 ? sizes[i] : 1;
  }
  return contiguous(Tensor::view_of(data, 0, sizes, strides));
}

Tensor read_tensor(Bytes& from, const std::string& path) {
  std::string text = read_header(from, path);
  Header header(text, path);
  size_t bytes = static_cast<size_t>(checked_bytes(header, from.bytes_left(), path));
  Tensor t = Tensor::empty(header.sizes, header.dtype);
  if (bytes && !from.take(t.raw(), bytes)) fail("cannot read '{}': {}", path, std::strerror(errno));
  if (header.dtype == DType::Bool) normalise_bools(t);
  return header.fortran ? from_fortran(t, header.sizes) : t;
}

}  // namespace

Tensor load_npy(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) fail("cannot open '{}': {}", path, std::strerror(errno));
  struct stat there{};
  if (fstat(fileno(file.get()), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISFIFO(there.st_mode))
    fail("cannot read '{}': it is {}, not an .npy file", path,
         S_ISDIR(there.st_mode) ? "a folder" : "a device");
  Bytes bytes(file.get());
  return read_tensor(bytes, path);
}

Tensor parse_npy(std::string_view bytes, const std::string& name) {
  Bytes from(bytes);
  return read_tensor(from, name);
}

void save_npy(const std::string& path, const Tensor& t) {
  std::string shape;
  for (int64_t size : t.sizes()) shape += fmt::format("{}, ", size);
  if (t.rank() > 1) shape.resize(shape.size() - 2);
  if (t.rank() == 1) shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descr_of(t.dtype()), shape);
  size_t padded = (header.size() + 11 + 63) / 64 * 64 - 10;
  header.resize(padded - 1, ' ');
  header += '\n';
  Tensor data = contiguous(to_host(t));
  size_t bytes = static_cast<size_t>(t.numel()) * size_of(t.dtype());
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(padded & 0xff), static_cast<char>(padded >> 8)};
  out += header;
  if (bytes) out.append(reinterpret_cast<const char*>(data.raw()), bytes);
  write_atomically(path, out);
}

}  // namespace fusillade

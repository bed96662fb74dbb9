// See zip.h.
#include "engine/run/archive/zip.h"

#include <zlib.h>

#include <algorithm>

#include "engine/base/error.h"

namespace fusillade::archive {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kDirectorySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr size_t kLocalBytes = 30;
constexpr size_t kDirectoryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocator64Bytes = 20;
constexpr uint16_t kEncrypted = 1;
constexpr uint16_t kUtf8 = 0x0800;
constexpr uint16_t kZip64Field = 1;
constexpr uint64_t kSaturated = 0xffffffff;
constexpr uint64_t kMaxTail = 1 << 20;  // room for the last entry and the end record

uint64_t little(std::string_view bytes, size_t at, int count) {
  uint64_t value = 0;
  for (int i = count; i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)]);
  return value;
}
uint16_t u16(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(little(bytes, at, 2));
}
uint32_t u32(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(little(bytes, at, 4));
}
uint64_t u64(std::string_view bytes, size_t at) { return little(bytes, at, 8); }

// Why a name is refused, or null.
const char* name_problem(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > 1024) return "is longer than 1024 bytes";
  if (name.front() == '/') return "is absolute";
  for (char c : name)
    if (static_cast<unsigned char>(c) < 32 || c == '\\' || c == ':' || c == 127)
      return "holds an illegal character";
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = std::min(name.find('/', begin), name.size());
    std::string_view part = name.substr(begin, end - begin);
    bool folder = part.empty() && begin == name.size();
    if (part == "." || part == ".." || (part.empty() && !folder))
      return "has a part '.', '..' or nothing";
    begin = end + 1;
  }
  return nullptr;
}

// Reads the end record, the directory and the local headers.
class Directory {
 public:
  Directory(std::string_view bytes, const std::string& label) : bytes_(bytes), label_(label) {}

  std::vector<ZipEntry> entries() {
    find_end();
    std::vector<ZipEntry> out;
    size_t at = begin_;
    for (uint64_t i = 0; i < count_; ++i) at = entry(at, out);
    if (at != begin_ + size_) wrong(at, "the directory's size is not that of its entries");
    check_overlap();
    return out;
  }

 private:
  struct Span {
    uint64_t begin;
    uint64_t end;
  };

  [[noreturn]] void wrong(uint64_t at, std::string_view what) {
    fail("'{}': the zip archive is wrong at byte {}: {}", label_, at, what);
  }
  bool has(uint64_t at, uint64_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }

  // The end record is the last one whose comment ends with the file.
  void find_end() {
    if (bytes_.size() < kEndBytes)
      fail("'{}': too short for a zip archive ({} bytes)", label_, bytes_.size());
    size_t last = bytes_.size() - kEndBytes;
    size_t first = last > 0xffff ? last - 0xffff : 0;
    for (size_t at = last + 1; at-- > first;) {
      if (u32(bytes_, at) != kEndSignature ||
          at + kEndBytes + u16(bytes_, at + 20) != bytes_.size())
        continue;
      return read_end(at);
    }
    fail("'{}': not a zip archive, or one that is cut off: it has no end record", label_);
  }

  void read_end(size_t at) {
    count_ = u16(bytes_, at + 10);
    size_ = u32(bytes_, at + 12);
    begin_ = u32(bytes_, at + 16);
    uint64_t stop = at;
    bool alone =
        u16(bytes_, at + 4) == 0 && u16(bytes_, at + 6) == 0 && u16(bytes_, at + 8) == count_;
    if (at >= kLocator64Bytes && u32(bytes_, at - kLocator64Bytes) == kLocator64Signature)
      stop = read_end64(at - kLocator64Bytes);
    else if (!alone) wrong(at, "it spans several disks");
    if (!has(begin_, size_) || begin_ + size_ != stop)
      wrong(at, "the directory does not end where this record starts");
    if (count_ > size_ / kDirectoryBytes) wrong(at, "more entries than the directory has room for");
  }

  uint64_t read_end64(size_t locator) {
    uint64_t at = u64(bytes_, locator + 8);
    if (!has(at, kEnd64Bytes) || at + kEnd64Bytes != locator)
      wrong(locator, "its zip64 end record is not before it");
    if (u32(bytes_, at) != kEnd64Signature || u64(bytes_, at + 4) != kEnd64Bytes - 12)
      wrong(at, "not a zip64 end record");
    bool alone = u32(bytes_, at + 16) == 0 && u32(bytes_, at + 20) == 0 &&
                 u64(bytes_, at + 24) == u64(bytes_, at + 32);
    if (!alone) wrong(at, "it spans several disks");
    agree(count_, 0xffff, u64(bytes_, at + 32), at);
    agree(size_, kSaturated, u64(bytes_, at + 40), at);
    agree(begin_, kSaturated, u64(bytes_, at + 48), at);
    return at;
  }

  void agree(uint64_t& narrow, uint64_t saturated, uint64_t wide, uint64_t at) {
    if (narrow != saturated && narrow != wide) wrong(at, "its two end records disagree");
    narrow = wide;
  }

  size_t entry(size_t at, std::vector<ZipEntry>& out) {
    uint64_t stop = begin_ + size_;
    if (at + kDirectoryBytes > stop || u32(bytes_, at) != kDirectorySignature)
      wrong(at, "not an entry of a directory");
    size_t name_size = u16(bytes_, at + 28);
    size_t extra_size = u16(bytes_, at + 30);
    size_t next = at + kDirectoryBytes + name_size + extra_size + u16(bytes_, at + 32);
    if (next > stop) wrong(at, "an entry reaches beyond the directory");
    ZipEntry e;
    e.name = bytes_.substr(at + kDirectoryBytes, name_size);
    if (const char* problem = name_problem(e.name))
      wrong(at, fmt::format("an entry's name {}", problem));
    e.crc = u32(bytes_, at + 16);
    e.packed = u32(bytes_, at + 20);
    e.size = u32(bytes_, at + 24);
    uint64_t local = u32(bytes_, at + 42);
    if (u16(bytes_, at + 34) != 0) wrong(at, "it spans several disks");
    widen(bytes_.substr(at + kDirectoryBytes + name_size, extra_size), at,
          {&e.size, &e.packed, &local});
    check_method(e, at);
    local_header(e, local, u16(bytes_, at + 10));
    if (e.name.back() != '/') out.push_back(std::move(e));
    return next;
  }

  // Saturated fields have their value in the zip64 extra field, in this order.
  void widen(std::string_view extra, size_t at, std::initializer_list<uint64_t*> fields) {
    for (size_t i = 0; i + 4 <= extra.size();) {
      size_t size = u16(extra, i + 2);
      if (size > extra.size() - i - 4) wrong(at, "an extra field is longer than its entry");
      if (u16(extra, i) == kZip64Field) {
        size_t field = i + 4;
        for (uint64_t* value : fields) {
          if (*value != kSaturated) continue;
          if (field + 8 > i + 4 + size) wrong(at, "a zip64 field is too short");
          *value = u64(extra, field);
          field += 8;
        }
        return;
      }
      i += 4 + size;
    }
  }

  void check_method(ZipEntry& e, size_t at) {
    uint16_t method = u16(bytes_, at + 10);
    if (u16(bytes_, at + 8) & kEncrypted) wrong(at, fmt::format("'{}' is encrypted", e.name));
    if (method != 0 && method != 8)
      wrong(at,
            fmt::format("'{}' has compression {} (legal: 0 stored, 8 deflated)", e.name, method));
    e.deflated = method == 8;
    if (!e.deflated && e.packed != e.size)
      wrong(at, fmt::format("'{}' is stored in another size than its own", e.name));
    if (e.name.back() == '/' && e.size)
      wrong(at, fmt::format("'{}' is a folder with contents", e.name));
    if (!e.deflated) return;
    inflated_ += std::min(e.size, ZipReader::kMaxTotal);
    if (e.size > ZipReader::kMaxInflated || inflated_ > ZipReader::kMaxTotal)
      wrong(at, fmt::format("'{}' would inflate to {} bytes, more than the limit", e.name, e.size));
  }

  void local_header(ZipEntry& e, uint64_t at, uint16_t method) {
    if (!has(at, kLocalBytes) || u32(bytes_, at) != kLocalSignature)
      wrong(at, fmt::format("'{}' has no local header there", e.name));
    uint64_t name_size = u16(bytes_, at + 26);
    uint64_t head = kLocalBytes + name_size + u16(bytes_, at + 28);
    if (!has(at, head) || bytes_.substr(at + kLocalBytes, name_size) != e.name ||
        u16(bytes_, at + 8) != method)
      wrong(at, fmt::format("the local header of '{}' says otherwise than the directory", e.name));
    e.begin = at + head;
    if (e.begin > begin_ || e.packed > begin_ - e.begin)
      wrong(at, fmt::format("'{}' claims {} bytes, more than there are", e.name, e.packed));
    spans_.push_back({at, e.begin + e.packed});
  }

  void check_overlap() {
    std::sort(spans_.begin(), spans_.end(),
              [](const Span& a, const Span& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < spans_.size(); ++i)
      if (spans_[i].begin < spans_[i - 1].end) wrong(spans_[i].begin, "two entries overlap");
  }

  std::string_view bytes_;
  const std::string& label_;
  uint64_t count_ = 0;
  uint64_t begin_ = 0;
  uint64_t size_ = 0;
  uint64_t inflated_ = 0;
  std::vector<Span> spans_;
};

uint32_t crc_of(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The inflated bytes, or nothing when the data is damaged or gives another number of bytes than
// `size`.
bool inflate_to(std::string_view packed, std::string& out) {
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  z.avail_in = static_cast<uInt>(packed.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  int status = inflate(&z, Z_FINISH);
  bool whole = status == Z_STREAM_END && z.avail_out == 0 && z.avail_in == 0;
  inflateEnd(&z);
  return whole;
}

void put(std::string& out, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i));
}

}  // namespace

ZipReader::ZipReader(std::string bytes, std::string label)
    : bytes_(std::move(bytes)), label_(std::move(label)) {
  entries_ = Directory(bytes_, label_).entries();
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (!index_.emplace(entries_[i].name, i).second)
      fail("'{}': the zip archive has two entries '{}'", label_, entries_[i].name);
  }
}

const ZipEntry* ZipReader::find(const std::string& name) const {
  auto it = index_.find(name);
  return it == index_.end() ? nullptr : &entries_[it->second];
}

const ZipEntry& ZipReader::need(const std::string& name) const {
  if (const ZipEntry* e = find(name)) return *e;
  fail("'{}': the archive has no entry '{}'", label_, name);
}

void ZipReader::check_crc(const ZipEntry& entry, std::string_view bytes) const {
  if (crc_of(bytes) != entry.crc)
    fail("'{}': the entry '{}' is damaged: its checksum differs", label_, entry.name);
}

std::string ZipReader::read(const std::string& name) const {
  const ZipEntry& e = need(name);
  if (!e.deflated) return std::string(view(name));
  std::string_view packed = std::string_view(bytes_).substr(e.begin, e.packed);
  // Deflate cannot shrink data to less than a 1032nd.
  if (e.size / 1032 > e.packed)
    fail("'{}': the entry '{}' claims more than it can hold", label_, name);
  std::string out(e.size, '\0');
  if (!inflate_to(packed, out))
    fail("'{}': the entry '{}' does not inflate to the {} bytes it claims", label_, name, e.size);
  check_crc(e, out);
  return out;
}

std::string_view ZipReader::view(const std::string& name) const {
  const ZipEntry& e = need(name);
  if (e.deflated)
    fail("'{}': the entry '{}' is deflated; only stored entries can hold tensors", label_, name);
  std::string_view bytes = std::string_view(bytes_).substr(e.begin, e.packed);
  check_crc(e, bytes);
  return bytes;
}

void ZipWriter::add(const std::string& name, std::string_view data) {
  if (const char* problem = name_problem(name))
    fail("'{}' cannot name an entry of an archive: it {}", name, problem);
  if (!names_.insert(name).second) fail("an archive has two entries '{}'", name);
  uint64_t local = out_.size();
  uint64_t unpadded = local + kLocalBytes + name.size() + 4;
  uint64_t padding = kAlignment - unpadded % kAlignment;
  if (unpadded + padding + data.size() + directory_.size() >= kSaturated - kMaxTail)
    fail("an archive of 4 GiB or more is not written (at entry '{}')", name);
  std::string common;
  put(common, kUtf8, 2);
  put(common, 0, 2);  // stored
  put(common, 0, 4);  // no time
  put(common, crc_of(data), 4);
  put(common, data.size(), 4);
  put(common, data.size(), 4);
  put(common, name.size(), 2);
  put(out_, kLocalSignature, 4);
  put(out_, 0, 2);
  out_ += common;
  put(out_, 4 + padding, 2);
  out_ += name;
  out_ += "FB";
  put(out_, padding, 2);
  out_.append(padding, 'Z');
  out_ += data;
  put(directory_, kDirectorySignature, 4);
  put(directory_, 0, 4);
  directory_ += common;
  directory_.append(12, '\0');  // extra field, comment, disk, attributes
  put(directory_, local, 4);
  directory_ += name;
}

std::string ZipWriter::finish() {
  uint64_t begin = out_.size();
  out_ += directory_;
  if (names_.size() >= 0xffff)
    fail("an archive of {} entries is not written (at most 65534)", names_.size());
  put(out_, kEndSignature, 4);
  put(out_, 0, 4);
  put(out_, names_.size(), 2);
  put(out_, names_.size(), 2);
  put(out_, directory_.size(), 4);
  put(out_, begin, 4);
  put(out_, 0, 2);
  std::string whole = std::move(out_);
  *this = ZipWriter();
  return whole;
}

}  // namespace fusillade::archive

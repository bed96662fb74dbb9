// Zip containers as PyTorch's archives use them: entries read with every claim checked, written
// deterministically.
//
// Reading trusts nothing: sizes and offsets are compared with the file, entries must not overlap
// each other or the directory, names are relative, plain and distinct, checksums are verified when
// an entry is read. Entries are stored or deflated; what inflates is limited per entry and in sum.
// Zip64 fields are understood. Encryption, several disks and other compressions are refused. The
// file is kept in memory.
//
// Writing stores. Every entry's data starts at a multiple of 64 bytes, by padding in an extra field
// as PyTorch does; times are zero, so equal entries make equal bytes. Archives of 4 GiB and more
// are not written.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fusillade::archive {

struct ZipEntry {
  std::string name;
  uint64_t begin = 0;   // of its data in the file
  uint64_t packed = 0;  // bytes in the file
  uint64_t size = 0;    // bytes when read
  uint32_t crc = 0;
  bool deflated = false;
};

class ZipReader {
 public:
  static constexpr uint64_t kMaxInflated = 64u << 20;  // of one entry
  static constexpr uint64_t kMaxTotal = 256u << 20;    // of all deflated entries

  // Throws Error naming `label` and what is wrong with the container.
  ZipReader(std::string bytes, std::string label);

  const std::vector<ZipEntry>& entries() const { return entries_; }  // in the directory's order
  const ZipEntry* find(const std::string& name) const;               // null when absent
  // The entry's bytes. Throws Error when it is absent, damaged or inflates to another size than it
  // claims.
  std::string read(const std::string& name) const;
  // The same without a copy; of stored entries only.
  std::string_view view(const std::string& name) const;
  const std::string& label() const { return label_; }

 private:
  const ZipEntry& need(const std::string& name) const;
  void check_crc(const ZipEntry& entry, std::string_view bytes) const;
  std::string bytes_;
  std::string label_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, size_t> index_;
};

class ZipWriter {
 public:
  static constexpr uint64_t kAlignment = 64;
  // Throws Error when the name is taken or illegal, or the archive would reach 4 GiB.
  void add(const std::string& name, std::string_view data);
  // The whole file; the writer is empty afterwards.
  std::string finish();

 private:
  std::string out_;
  std::string directory_;
  std::set<std::string> names_;
};

}  // namespace fusillade::archive

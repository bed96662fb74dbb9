// See code.h.
#include "bench/harness/code.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "bench/harness/ready.h"
#include "engine/base/hash.h"
#include "engine/ir/graph.h"
#include "engine/kernel/requests.h"
#include "engine/run/jit.h"
#include "fuzz/run/foreign/family.h"

namespace fusillade::bench {
namespace {

constexpr int kCalls = 4;  // a profiling executor compiles in its second, for dynamic sizes later

std::string hex(uint64_t hash) { return fmt::format("{:016x}", hash); }

// The note NT_GNU_BUILD_ID among those of a segment; empty where there is none.
std::string_view build_id(const char* at, size_t size) {
  const char* end = at + size;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const char* name = at + sizeof note;
    const char* content = name + (note.n_namesz + 3) / 4 * 4;
    const bool ours =
        note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0;
    if (ours) return {content, note.n_descsz};
    at = content + (note.n_descsz + 3) / 4 * 4;
  }
  return {};
}

std::string identity(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* start = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
    const std::string_view id = build_id(start, segment.p_memsz);
    if (!id.empty()) return std::string(id);
  }
  const std::string path = *object.dlpi_name ? object.dlpi_name : "/proc/self/exe";
  std::error_code none;
  const std::string real = std::filesystem::canonical(path, none);
  return fmt::format("{} {}", real, none ? 0 : std::filesystem::file_size(real, none));
}

int add_object(dl_phdr_info* object, size_t /*size*/, void* into) {
  static_cast<std::vector<std::string>*>(into)->push_back(identity(*object));
  return 0;
}

}  // namespace

std::string program_code(const Program& program, const Plan& plan, uint64_t seed, bool typed) {
  if (fuzz::is_outside(plan.engine)) return "";
  std::string graph;
  const std::vector<uint64_t> kernels = kernel::kernels_asked_by([&] {
    Ready ready(program, plan, seed, typed);
    ready.compile();
    for (int i = 0; i < kCalls; ++i) ready.call();
    const auto* jit = dynamic_cast<const JitExecutable*>(&ready.executable());
    const Graph* ran = jit ? &jit->graph_for(ready.inputs().inputs) : ready.executable().graph();
    graph = print(ran ? *ran : *program.graph);
  });
  uint64_t hash = hash_bytes(plan.text, hash_bytes(graph));
  for (uint64_t k : kernels) hash = hash_bytes(hex(k), hash);
  return hex(hash);
}

std::string runtime_code() {
  std::vector<std::string> objects;
  dl_iterate_phdr(&add_object, &objects);
  std::sort(objects.begin(), objects.end());
  uint64_t hash = kHashStart;
  for (const std::string& o : objects) hash = hash_bytes(o, hash_bytes("\n", hash));
  return hex(hash);
}

}  // namespace fusillade::bench

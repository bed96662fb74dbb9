// See shared_memory.h.
#include "fuzz/process/shared_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/lack.h"

namespace fusillade::fuzz {

void* map_shared(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED) return at;
  const int error = errno;
  note_lack("cannot map shared memory", error);
  fail("cannot map {} bytes of shared memory: {}", bytes, std::strerror(error));
}

}  // namespace fusillade::fuzz

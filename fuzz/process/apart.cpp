// See apart.h.
#include "fuzz/process/apart.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace fusillade::fuzz {
namespace {

void write_to(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!write(fd, text.data(), text.size());
  close(fd);
}

// A ground as this namespace has it, with a copy of its mounts that is still in no place.
struct Copy {
  int ground;  // its descriptor
  int place;   // -1: something else is there now
  int tree;
};

// Copies are made before all becomes read-only: what was read-only before stays so in them.
std::vector<Copy> copy_grounds(const std::vector<const Grounds*>& all) {
  constexpr unsigned kHow = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_EMPTY_PATH;
  std::vector<Copy> out;
  for (const Grounds* grounds : all)
    for (const Grounds::Ground& ground : grounds->all()) {
      if (ground.is_device) continue;  // it stays writable, and nothing is above it
      const int place = open_again(ground);
      const long tree = place < 0 ? -1 : syscall(SYS_open_tree, place, "", kHow);
      out.push_back({ground.fd, place, static_cast<int>(tree)});
    }
  return out;
}

bool move_there(const Copy& copy) {
  constexpr unsigned kHow = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  return copy.tree >= 0 && syscall(SYS_move_mount, copy.tree, "", copy.place, "", kHow) == 0;
}

// The descriptor leads to the mounts that were left, where nothing is read-only: it becomes the
// copy's, or one that leads nowhere.
bool replace(const Copy& copy) {
  const int nowhere = open("/dev/null", O_PATH | O_CLOEXEC);
  const int by = copy.place < 0 ? nowhere : copy.tree;
  const bool good = by >= 0 && dup3(by, copy.ground, O_CLOEXEC) >= 0;
  for (const int fd : {nowhere, copy.place, copy.tree})
    if (fd >= 0) close(fd);
  return good;
}

// The working folder as this namespace has it now: what was moved to a ground is above it.
void enter_working_folder() {
  char* path = getcwd(nullptr, 0);
  const int before = open(".", O_PATH | O_CLOEXEC);
  const int now = path && before >= 0 ? open_again({before, path, true, false}) : -1;
  (void)!fchdir(now);
  for (const int fd : {before, now})
    if (fd >= 0) close(fd);
  std::free(path);
}

}  // namespace

bool leave(int namespaces) {
  if (unshare(namespaces) == 0) return true;
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | namespaces) != 0) return false;
  write_to("/proc/self/setgroups", "deny");
  write_to("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
  write_to("/proc/self/gid_map", std::to_string(group) + " " + std::to_string(group) + " 1");
  return true;
}

bool seal_mounts(const std::vector<const Grounds*>& grounds) {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const std::vector<Copy> copies = copy_grounds(grounds);
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  bool good =
      syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) == 0;
  for (const Copy& copy : copies) {
    good = good && (copy.place < 0 || move_there(copy));
    good = replace(copy) && good;
  }
  enter_working_folder();
  return good;
}

void drop_capabilities() {
  constexpr uint32_t kLeft = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  for (unsigned long c = 0; c < 64; ++c)
    if (c >= 32 || !(kLeft >> c & 1)) prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &head, data) != 0) return;
  data[0] = {data[0].permitted & kLeft, data[0].permitted & kLeft, 0};
  data[1] = {};
  syscall(SYS_capset, &head, data);
}

}  // namespace fusillade::fuzz

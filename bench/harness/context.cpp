// See context.h. From /proc and /sys, as Linux gives them.
#include "bench/harness/context.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "engine/kernel/llvm_text.h"
#include "engine/tensor/blas_kernels.h"

namespace fusillade::bench {
namespace {

using nlohmann::json;

// The value of the first line of /proc/cpuinfo that starts with `key`, or "".
std::string cpu_info(const std::string& key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) == 0) return line.substr(line.find(": ") + 2);
  }
  return "";
}

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// "0-3,8" holds five.
int count_cpus(const std::string& list) {
  int count = 0;
  for (size_t at = 0; at < list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    std::string part = list.substr(at, end - at);
    size_t dash = part.find('-');
    count += dash == std::string::npos
                 ? 1
                 : std::atoi(part.c_str() + dash + 1) - std::atoi(part.c_str()) + 1;
    at = end + 1;
  }
  return count;
}

json load_averages() {
  double loads[3];
  int known = getloadavg(loads, 3);
  return json(std::vector<double>(loads, loads + std::max(known, 0)));
}

// What compiled this program, and what it generates machine code with.
std::string toolchain() {
#ifdef __clang__
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  return fmt::format("{}, LLVM {}, glibc {}", compiler, kernel::llvm_version(),
                     gnu_get_libc_version());
}

}  // namespace

json caches() {
  json out = json::array();
  for (int i = 0;; ++i) {
    std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    std::string type = first_line(folder + "type");
    if (type.empty()) return out;
    out.push_back({{"type", type},
                   {"level", std::atoi(first_line(folder + "level").c_str())},
                   {"size", std::atoll(first_line(folder + "size").c_str()) * 1024},
                   {"num_sharing", count_cpus(first_line(folder + "shared_cpu_list"))}});
  }
}

json context() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  char date[64];
  std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00", std::gmtime(&now));
  std::string cpu = cpu_info("model name");
  bool aslr = first_line("/proc/sys/kernel/randomize_va_space") != "0";
  return {
      {"date", date},
      {"host_name", host},
      {"boot_id", first_line("/proc/sys/kernel/random/boot_id")},
      {"executable", "fusillade"},
      {"num_cpus", std::thread::hardware_concurrency()},
      {"mhz_per_cpu", static_cast<int64_t>(std::atof(cpu_info("cpu MHz").c_str()))},
      {"cpu_scaling_enabled",
       first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") != "" &&
           first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") != "performance"},
      {"aslr_enabled", aslr},
      {"caches", caches()},
      {"load_avg", load_averages()},
      {"library_version", FUSILLADE_VERSION},
      {"library_build_type", "release"},
      {"json_schema_version", 1},
      {"schema", 1},
      {"toolchain", toolchain()},
      {"machine", {{"cpu", cpu.empty() ? "unknown" : cpu}, {"blas_kernels", blas_kernels()}}}};
}

}  // namespace fusillade::bench

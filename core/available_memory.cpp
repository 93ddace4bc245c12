#include "core/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace railyard::core {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// proc(5): "MemAvailable:   16316396 kB", an estimate of what can be had without swapping.
std::optional<std::uint64_t> of_system(std::string_view wanted) {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  for (std::string rest; file >> key >> kibibytes; std::getline(file, rest)) {
    if (key == wanted) return kibibytes * 1024;
  }
  return {};
}

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return {};  // "max", or no such file
}

/// The kernel's admin-guide/cgroup-v2: limit and use of the group, as seen from inside it.
std::optional<std::uint64_t> of_group() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return {};
  return *limit > *used ? *limit - *used : 0;
}

}  // namespace

std::uint64_t available_memory() {
  return std::min(of_system("MemAvailable:").value_or(kUnknown), of_group().value_or(kUnknown));
}

std::uint64_t total_memory() {
  return std::min(of_system("MemTotal:").value_or(kUnknown),
                  number_in("/sys/fs/cgroup/memory.max").value_or(kUnknown));
}

}  // namespace railyard::core

#include "hw/world/world.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <unistd.h>

namespace railyard::hw {
namespace {

std::int64_t steady_ns() {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  return duration_cast<nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string place_text(const World& world, std::uint32_t process) {
  return fmt::format("host {}, rank {}", world.places().at(process).host, process);
}

ProcessPlace own_place() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name = {'?'};
  ProcessPlace place{.host = name.data(), .pid = getpid(), .machine = {}};
  std::ifstream("/proc/sys/kernel/random/boot_id") >> place.machine;
  if (place.machine.empty()) place.machine = place.host;
  return place;
}

SingleProcessWorld::SingleProcessWorld() : places_{own_place()}, epoch_ns_(steady_ns()) {}

Time SingleProcessWorld::now() const { return Time::nanoseconds(steady_ns() - epoch_ns_); }

}  // namespace railyard::hw

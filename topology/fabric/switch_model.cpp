#include "topology/fabric/switch_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace railyard::topology {
namespace {

/// The slowest mode with at least this speed; nullptr if there is none.
const PortMode* mode_for(const SwitchModel& model, Bandwidth speed) {
  const PortMode* found = nullptr;
  for (const PortMode& mode : model.ports)
    if (mode.speed >= speed) found = &mode;
  return found;
}

}  // namespace

int cages(const SwitchModel& model) { return model.ports.empty() ? 0 : model.ports.front().count; }

std::optional<int> ports_at(const SwitchModel& model, Bandwidth speed) {
  const PortMode* const mode = mode_for(model, speed);
  return mode == nullptr ? std::nullopt : std::optional(mode->count);
}

std::optional<int> cages_used(const SwitchModel& model, std::span<const UsedPorts> ports) {
  int used = 0;
  for (const PortMode& mode : model.ports) {
    int count = 0;
    for (const UsedPorts& group : ports)
      if (mode_for(model, group.speed) == &mode) count += group.count;
    const int per_cage = std::max(1, mode.count / cages(model));
    used += (count + per_cage - 1) / per_cage;
  }
  for (const UsedPorts& group : ports)
    if (group.count > 0 && mode_for(model, group.speed) == nullptr) return std::nullopt;
  return used;
}

bool is_port_speed(const SwitchModel& model, Bandwidth rate) {
  // IEEE 802.3 and InfiniBand (EDR, HDR, NDR, XDR).
  constexpr std::array kSpeeds{10, 25, 40, 50, 100, 200, 400, 800, 1600};
  if (mode_for(model, rate) == nullptr) return false;
  if (std::ranges::find(model.ports, rate, &PortMode::speed) != model.ports.end()) return true;
  return std::ranges::any_of(
      kSpeeds, [&](int speed) { return rate == Bandwidth::gigabits_per_second(speed); });
}

SwitchModel switch_of_radix(int radix, Bandwidth speed, SwitchProtocol protocol) {
  return {.name = fmt::format("{} ports of {}", radix, core::to_text(speed)),
          .source = "--radix",
          .protocol = protocol,
          .ports = {{speed, radix}, {speed / 2, 2 * radix}, {speed / 4, 4 * radix}}};
}

}  // namespace railyard::topology

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::topology {

/// The link layer of a switch. RoCE and TCP run on Ethernet.
enum class SwitchProtocol { ethernet, infiniband };

/// The number of ports of a switch when all of them run at one speed.
struct PortMode {
  Bandwidth speed{};
  int count = 0;
};

/// A number of ports in use at one speed.
struct UsedPorts {
  Bandwidth speed{};
  int count = 0;
};

/// A switch product (configs/switches/*.json). A cage holds one port at the fastest speed, or
/// breaks out into count(speed) / count(fastest) equal ports of a slower speed. Example: Tomahawk 5
/// has 64 cages of 800 Gb/s, each of which is two ports of 400 Gb/s or four ports of 200 Gb/s.
struct SwitchModel {
  std::string name{};
  std::string source{};
  SwitchProtocol protocol = SwitchProtocol::ethernet;
  std::vector<PortMode> ports{};  ///< fastest first
  bool modular = false;           ///< a chassis with line cards, not a fixed switch
};

/// The number of cages: ports at the fastest speed.
[[nodiscard]] int cages(const SwitchModel& model);
/// The number of ports if all run at the slowest speed of the model that is at least `speed`;
/// nothing if every port is slower. Ports can also run below their speed.
[[nodiscard]] std::optional<int> ports_at(const SwitchModel& model, Bandwidth speed);
/// The number of cages that the given ports occupy, where each cage is broken out for one speed;
/// nothing if a port is faster than the switch supports.
[[nodiscard]] std::optional<int> cages_used(const SwitchModel& model,
                                            std::span<const UsedPorts> ports);
/// Whether a port of the model can run at exactly this rate: one of its speeds, or a lower standard
/// speed of Ethernet or InfiniBand (10, 25, 40, 50, 100, 200, 400, 800 or 1600 Gb/s).
[[nodiscard]] bool is_port_speed(const SwitchModel& model, Bandwidth rate);

/// A generic switch with `radix` ports at one speed, twice as many at half that speed, and four
/// times as many at a quarter.
[[nodiscard]] SwitchModel switch_of_radix(int radix, Bandwidth speed, SwitchProtocol protocol);

}  // namespace railyard::topology

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::topology {

/// The link layer of a switch. RoCE and TCP run on Ethernet.
enum class SwitchProtocol { ethernet, infiniband };

/// How many ports a switch has if all of them run at one speed.
struct PortMode {
  Bandwidth speed{};
  int count = 0;
};

/// Equal ports in use.
struct UsedPorts {
  Bandwidth speed{};
  int count = 0;
};

/// A switch as it is bought (configs/switches/*.json). A cage is a port at the fastest speed; it
/// breaks out into count(speed) / count(fastest) ports of a slower speed, all of them equal.
/// Example: Tomahawk 5 has 64 cages of 800 Gb/s, each of which is two ports of 400 Gb/s or four of
/// 200 Gb/s.
struct SwitchModel {
  std::string name{};
  std::string source{};
  SwitchProtocol protocol = SwitchProtocol::ethernet;
  std::vector<PortMode> ports{};  ///< fastest first
  bool modular = false;           ///< a chassis with line cards
};

/// Ports at the fastest speed.
[[nodiscard]] int cages(const SwitchModel& model);
/// Ports of the slowest speed of the model that is at least `speed`, if all ports run at it;
/// nothing if every port is slower. A port also runs at the speeds below its own.
[[nodiscard]] std::optional<int> ports_at(const SwitchModel& model, Bandwidth speed);
/// Cages that the ports occupy, each cage broken out for one speed; nothing if a port is faster
/// than the switch.
[[nodiscard]] std::optional<int> cages_used(const SwitchModel& model,
                                            std::span<const UsedPorts> ports);
/// Whether a port of the model runs at exactly this rate: one of its speeds, or a lower speed of
/// Ethernet or InfiniBand (10, 25, 40, 50, 100, 200, 400, 800 or 1600 Gb/s).
[[nodiscard]] bool is_port_speed(const SwitchModel& model, Bandwidth rate);

/// A switch that is known only by its number of ports at one speed: twice as many at half of it,
/// four times as many at a quarter.
[[nodiscard]] SwitchModel switch_of_radix(int radix, Bandwidth speed, SwitchProtocol protocol);

}  // namespace railyard::topology

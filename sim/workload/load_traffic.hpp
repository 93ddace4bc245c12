#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/units.hpp"

namespace railyard::sim {

/// Moves the bytes of collectives and messages that run at the same time: what a workload's event
/// loop asks of an engine.
class LoadTraffic {
 public:
  virtual ~LoadTraffic() = default;

  /// Whether others can hold a load back. If not, it takes its time alone.
  [[nodiscard]] virtual bool shares_links(std::uint32_t load) const = 0;
  /// What passes from the moment when the ranks of a load are together until start().
  [[nodiscard]] virtual Time before_start(std::uint32_t load, float rate_share) const = 0;
  /// Starts a load at `now`, which is not before the last now().
  virtual void start(std::uint32_t meeting, std::uint32_t load, float rate_share, Time now) = 0;

  /// Whether nothing runs.
  [[nodiscard]] virtual bool is_idle() const = 0;
  /// Advances to the next ends, but not beyond `until`. Returns the meetings whose bytes have moved
  /// at now(); none where `until` came first. The span is valid until the next call.
  [[nodiscard]] virtual std::span<const std::uint32_t> advance(Time until) = 0;
  [[nodiscard]] virtual Time now() const = 0;

  /// How it was simulated, for provenance.
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace railyard::sim

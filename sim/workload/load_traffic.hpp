#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/units.hpp"

namespace railyard::sim {

/// The interface of a simulation engine for the event loop of a workload. Moves the bytes of
/// concurrent collectives and messages.
class LoadTraffic {
 public:
  virtual ~LoadTraffic() = default;

  /// Whether concurrent loads can slow down a load. If not, it takes its time alone.
  [[nodiscard]] virtual bool shares_links(std::uint32_t load) const = 0;
  /// The delay from the time when all ranks of a load have begun until start().
  [[nodiscard]] virtual Time before_start(std::uint32_t load, float rate_share) const = 0;
  /// Starts a load at `now`, which is at least now().
  virtual void start(std::uint32_t meeting, std::uint32_t load, float rate_share, Time now) = 0;

  /// Whether nothing runs.
  [[nodiscard]] virtual bool is_idle() const = 0;
  /// Advances to the next end of a load, but not beyond `until`. Returns the meetings that end at
  /// now(); empty if there is none by `until`. The span is valid until the next call.
  [[nodiscard]] virtual std::span<const std::uint32_t> advance(Time until) = 0;
  [[nodiscard]] virtual Time now() const = 0;

  /// A description of the simulation, for provenance.
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace railyard::sim

#pragma once

#include <optional>
#include <string>

#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// What a placement is chosen by. time: of a step; days, cost, energy: until the tokens are
/// trained.
enum class Objective { time, days, cost, energy };

/// What a cluster costs and draws; 0 where it is not known.
struct Rates {
  double price_per_gpu_hour = 0;  ///< in any currency
  double gpu_watts = 0;           ///< of a GPU that computes
  double idle_watts = 0;          ///< of a GPU that waits
  /// Of a GPU in a collective that nothing overlaps; not set: as one that waits.
  std::optional<double> communication_watts{};
  double host_watts = 0;  ///< of everything else of a node and of switches, per GPU
  double pue = 1;         ///< of the building over the machines (power usage effectiveness)
};

/// What training a job to its end takes, failures left out.
struct Outlook {
  double steps = 0;
  double days = 0;
  double gpu_hours = 0;
  std::optional<double> cost{};        ///< where a price is known
  std::optional<double> energy_MWh{};  ///< where the power of a GPU is known
  std::optional<double> power_MW{};    ///< mean over a step
};

/// Shares of a step in which the GPUs of a type's slowest stage compute or update, communicate with
/// nothing overlapped, and wait; their sum is 1.
struct PhaseShares {
  double compute = 0, communication = 0, idle = 1;
};
[[nodiscard]] PhaseShares phase_shares(const Scored& scored, std::size_t type = 0);

/// days = steps · step / 86,400 with steps = tokens / (batch · sequence); cost = GPUs · hours ·
/// price; power = GPUs · (idle + (gpu - idle) · u + (communication - idle) · c + host) · PUE, u and
/// c the phase_shares (docs/models/objective.md). Over several types cost and power are sums over
/// the GPUs of each type that take part: cost where all their prices are known, power likewise.
[[nodiscard]] Outlook outlook(const Job& job, const Scored& scored, double tokens,
                              const ByType<Rates>& rates);

/// Price of an hour of so many GPUs of each type; nothing where a price is not known.
[[nodiscard]] std::optional<double> price_of(std::span<const int> gpus, const ByType<Rates>& rates);
/// Watts that so many GPUs of each type draw at the least: those that wait all the time.
[[nodiscard]] double least_watts(std::span<const int> gpus, const ByType<Rates>& rates);

/// What an objective makes smallest. Throws InputError where the rates that it needs are not known.
[[nodiscard]] double value_of(Objective objective, const Scored& scored, const Outlook& outlook);

}  // namespace railyard::placement

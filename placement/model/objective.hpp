#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// What a placement minimises. time: seconds per step. days, cost, energy: totals until the job's
/// tokens are trained.
enum class Objective { time, days, cost, energy };

/// Price and power of a cluster per GPU; 0: unknown.
struct Rates {
  double price_per_gpu_hour = 0;  ///< in any currency
  double gpu_watts = 0;           ///< W, a GPU that computes
  double idle_watts = 0;          ///< W, a GPU that waits
  /// W, a GPU in a collective that does not overlap with computation; unset: idle_watts.
  std::optional<double> communication_watts{};
  double host_watts = 0;  ///< W per GPU of the rest of the node and of switches
  double pue = 1;  ///< power usage effectiveness: power of the building / power of the machines
};

/// The totals of a training run without failures: steps, time, cost and energy.
struct TrainingTotals {
  double steps = 0;
  double days = 0;
  double gpu_hours = 0;
  std::optional<double> cost{};        ///< set if the price is known
  std::optional<double> energy_MWh{};  ///< set if the GPU power is known
  std::optional<double> power_MW{};    ///< mean over a step
};

/// Fractions of a step in which the GPUs of one type, on that type's slowest stage, compute (the
/// optimizer included), communicate without overlap, or wait. Their sum is 1.
struct PhaseShares {
  double compute = 0, communication = 0, idle = 1;
};
[[nodiscard]] PhaseShares phase_shares(const Scored& scored, std::size_t type = 0);

/// Totals of training on `tokens` tokens (docs/models/objective.md):
///   steps = tokens / (batch · sequence),  days = steps · step time / 86,400
///   cost  = GPUs · hours · price
///   power = GPUs · (idle + (gpu - idle)·u + (communication - idle)·c + host) · PUE
/// with u and c the compute and communication phase_shares. With several GPU types cost and power
/// are sums over the types in use. They are set only if the price or power of all these types is
/// known.
[[nodiscard]] TrainingTotals training_totals(const Job& job, const Scored& scored, double tokens,
                                             const ByType<Rates>& rates);

/// Price per hour of gpus[t] GPUs of each type t; nothing if a price is unknown.
[[nodiscard]] std::optional<double> price_of(std::span<const int> gpus, const ByType<Rates>& rates);
/// Lowest power in W of gpus[t] GPUs of each type t: the smaller of the waiting and the computing
/// power.
[[nodiscard]] double least_watts(std::span<const int> gpus, const ByType<Rates>& rates);

/// The value that an objective minimises (s, days, price unit, MWh). Throws InputError if the price
/// or power that it requires is unknown.
[[nodiscard]] double value_of(Objective objective, const Scored& scored,
                              const TrainingTotals& totals);

}  // namespace railyard::placement

namespace railyard {

template <>
struct core::EnumNames<placement::Objective> {
  using O = placement::Objective;
  static constexpr std::array<std::pair<O, std::string_view>, 4> table{
      {{O::time, "time"}, {O::days, "days"}, {O::cost, "cost"}, {O::energy, "energy"}}};
};

}  // namespace railyard

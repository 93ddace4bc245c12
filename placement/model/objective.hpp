#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// What a placement is chosen by. time: of a step; days, cost, energy: until the tokens are
/// trained.
enum class Objective { time, days, cost, energy };

/// What a cluster costs and draws; 0 where it is not known.
struct Rates {
  double price_per_gpu_hour = 0;  ///< in any currency
  double gpu_watts = 0;           ///< of a computing GPU
  double idle_watts = 0;          ///< of a waiting GPU
  /// Of a GPU in a collective without overlap; not set: as a waiting GPU.
  std::optional<double> communication_watts{};
  double host_watts = 0;  ///< of the rest of the node and of switches, per GPU
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

/// Shares of a step in which the GPUs of a type's slowest stage compute or update, communicate with
/// nothing overlapped, and wait; their sum is 1.
struct PhaseShares {
  double compute = 0, communication = 0, idle = 1;
};
[[nodiscard]] PhaseShares phase_shares(const Scored& scored, std::size_t type = 0);

/// days = steps · step / 86,400 with steps = tokens / (batch · sequence); cost = GPUs · hours ·
/// price; power = GPUs · (idle + (gpu - idle) · u + (communication - idle) · c + host) · PUE, u and
/// c the phase_shares (docs/models/objective.md). With several types, cost and power are sums over
/// the participating GPUs of each type; cost is set if all their prices are known, power likewise.
[[nodiscard]] TrainingTotals training_totals(const Job& job, const Scored& scored, double tokens,
                                             const ByType<Rates>& rates);

/// The price per hour of these numbers of GPUs of each type; nothing if a price is unknown.
[[nodiscard]] std::optional<double> price_of(std::span<const int> gpus, const ByType<Rates>& rates);
/// The lowest power in W of these numbers of GPUs of each type: that of waiting GPUs.
[[nodiscard]] double least_watts(std::span<const int> gpus, const ByType<Rates>& rates);

/// The value that an objective minimises. Throws InputError if the rates that it requires are
/// unknown.
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

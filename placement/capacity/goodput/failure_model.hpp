#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/duration.hpp"

namespace railyard::placement {

/// What a rate is counted for.
enum class Component { gpu, nic, cable, network_switch, node, job };

/// Numbers of the components that a job uses. Of jobs there is one.
struct ComponentCounts {
  double gpus = 0, nics = 0, cables = 0, switches = 0, nodes = 0;
  [[nodiscard]] double of(Component component) const;
};

/// Time until a node is back. Log-normal with this median and mean; without a mean above the median
/// it is always the median.
struct RepairTime {
  Duration median{};
  std::optional<Duration> mean{};
};

/// One cause of interruptions.
struct FailureCause {
  std::string name{};
  Component per = Component::node;
  /// Interruptions of one component in its first year.
  double per_year = 0;
  /// Weibull shape of the age of the components: of N components N · per_year · (age in
  /// years)^shape interruptions are expected up to an age. 1: constant rate; below 1: infant
  /// mortality; above 1: wear. A repair does not make a component younger (Crow 1974, power-law
  /// process).
  double shape = 1;
  bool keeps_node = false;              ///< the node stays in use: software, switches, timeouts
  bool caused_by_job = false;           ///< by what the job runs, not by hardware
  std::optional<Duration> detection{};  ///< in place of that of the recovery
  std::optional<RepairTime> repair{};   ///< in place of that of the model
};

/// A few nodes that fail much more often than the others. Each node of a job is one of them with
/// the probability `share`.
struct LemonNodes {
  double share = 0;        ///< of the nodes
  double rate_factor = 1;  ///< of their interruptions over those of other nodes
  int replaced_after = 0;  ///< so many interruptions of one of them; 0: never
};

/// Infant mortality of repairs: a repaired node fails again with the probability `share`, after a
/// Weibull time from its return, because the fault was not found or a part was new.
struct RepeatedFailures {
  double share = 0;  ///< of the repairs, below 1
  Duration scale{};  ///< 63 % of the repeated failures come before it
  double shape = 1;  ///< below 1: most come soon
};

/// Rates of failures and repairs (configs/failures/*.json).
struct FailureModel {
  std::string name{};
  std::string source{};
  std::string covers{};  ///< which interruptions the rates contain, and which they do not
  std::vector<FailureCause> causes{};
  RepairTime repair{};
  LemonNodes lemons{};
  RepeatedFailures repeats{};  ///< the rates of causes contain them
  Duration age{};              ///< of the components when a run starts
};

/// Reads failure rates: a name in configs/failures, or a path. Throws InputError with every
/// problem.
[[nodiscard]] FailureModel read_failure_model(const std::string& reference);

/// Sets rates from texts such as "gpu=0.09" (interruptions per component and year), values of
/// `flag`. Throws InputError for another form, a negative rate, and an unknown cause.
void override_rates(FailureModel& model, std::span<const std::string> texts,
                    const std::string& flag);

/// Which interruptions a figure covers.
enum class Covered {
  all,      ///< of every cause, with the lemon nodes of the start of a run
  lasting,  ///< of every cause, once lemon nodes that get replaced are gone
  hardware  ///< as `lasting`, without those that the job causes
};

/// Interruptions per second at the model's age.
[[nodiscard]] double interruption_rate(const FailureModel& model, const ComponentCounts& counts,
                                       Covered covered = Covered::all);
/// Its inverse, in seconds: the mean time to failure of a job. Infinite without failures.
[[nodiscard]] double mean_time_to_failure(const FailureModel& model, const ComponentCounts& counts,
                                          Covered covered = Covered::all);

}  // namespace railyard::placement

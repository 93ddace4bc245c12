#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/duration.hpp"

namespace railyard::placement {

/// The component to which a failure rate refers.
enum class Component { gpu, nic, cable, network_switch, node, job };

/// Numbers of the components that a job uses. The number of jobs is 1.
struct ComponentCounts {
  double gpus = 0, nics = 0, cables = 0, switches = 0, nodes = 0;
  [[nodiscard]] double of(Component component) const;
};

/// Time in which a node is repaired: log-normal with this median and mean. Constant, the median,
/// unless the mean is given and larger.
struct RepairTime {
  Duration median{};
  std::optional<Duration> mean{};
};

/// One cause of interruptions.
struct FailureCause {
  std::string name{};
  Component per = Component::node;
  /// Expected interruptions per component in its first year.
  double per_year = 0;
  /// Weibull shape of the components' age: N components have N · per_year · (age in years)^shape
  /// expected interruptions up to an age. 1: constant rate; below 1: infant mortality; above 1:
  /// wear. A repair does not make a component younger (power-law process, Crow 1974).
  double shape = 1;
  bool keeps_node = false;              ///< the node stays in use: software, switches, timeouts
  bool caused_by_job = false;           ///< caused by the job's software, not by hardware
  std::optional<Duration> detection{};  ///< replaces the detection time of the recovery
  std::optional<RepairTime> repair{};   ///< replaces the repair time of the model
};

/// Lemon nodes: a few nodes that fail much more often than others. Each node of a job is one with
/// the probability `share`.
struct LemonNodes {
  double share = 0;        ///< fraction of the nodes
  double rate_factor = 1;  ///< rate of their interruptions / rate of other nodes
  int replaced_after = 0;  ///< replaced after this number of interruptions; 0: never
};

/// Failures soon after a repair, because the fault was not found or a new part failed: a repaired
/// node fails again with the probability `share`, after a Weibull time from its return.
struct RepeatedFailures {
  double share = 0;  ///< fraction of repairs, below 1
  Duration scale{};  ///< 63 % of the repeated failures occur before this time
  double shape = 1;  ///< Weibull shape; below 1: most occur soon
};

/// Rates of failures and repairs (configs/failures/*.json).
struct FailureModel {
  std::string name{};
  std::string source{};
  std::string covers{};  ///< the interruptions that the rates include, and those that they do not
  std::vector<FailureCause> causes{};
  RepairTime repair{};
  LemonNodes lemons{};
  RepeatedFailures repeats{};  ///< included in the rates of the causes
  Duration age{};              ///< of the components at the start of a run
};

/// Reads failure rates: a name in configs/failures, or a path. Throws InputError that lists every
/// problem.
[[nodiscard]] FailureModel read_failure_model(const std::string& reference);

/// Sets rates from texts such as "gpu=0.09" (interruptions per component and year), which the user
/// gave to `flag`. Throws InputError for a malformed text, a negative rate, and an unknown cause.
void override_rates(FailureModel& model, std::span<const std::string> texts,
                    const std::string& flag);

/// The interruptions that a rate includes.
enum class Covered {
  all,      ///< all causes, with the lemon nodes at the start of a run
  lasting,  ///< all causes, after lemon nodes have been replaced
  hardware  ///< as `lasting`, without those that the job causes
};

/// Interruptions per second at the model's age.
[[nodiscard]] double interruption_rate(const FailureModel& model, const ComponentCounts& counts,
                                       Covered covered = Covered::all);
/// The mean time to failure of a job in seconds: 1 / interruption_rate. Infinite without failures.
[[nodiscard]] double mean_time_to_failure(const FailureModel& model, const ComponentCounts& counts,
                                          Covered covered = Covered::all);

}  // namespace railyard::placement

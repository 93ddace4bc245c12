#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// One flat row: inputs and outcome of one collective (DESIGN section 7; GB is 1e9).
struct Measurement {
  std::string collective, algorithm, protocol;
  int channels = 0;
  std::string fidelity;  ///< or the live backend
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  Bytes bytes;
  Time time;
  double algbw_GBps = 0;
  double busbw_GBps = 0;
  std::string bound_by;
  std::uint64_t seed = 0;
  /// Only in bench.
  struct Live {
    Time min, p50, p99;
    std::int64_t wrong = 0;
    std::optional<Time> predicted;
    std::optional<double> error_pct;  ///< of `predicted` against p50
    /// The term of the prediction that is off, where it is off by more than was allowed:
    /// "latency", "bandwidth" or "protocol switch".
    std::string error_term;
    Time skew;             ///< median over iterations: from the first rank's arrival to the last's
    bool in_place = true;  ///< what ranks bring lies where the result goes
  };
  std::optional<Live> live;
};

/// The row of one run of a schedule; `executor` is Executor::name().
[[nodiscard]] Measurement measure(const Schedule& schedule, const TaskResult& result,
                                  std::string_view executor, std::uint64_t seed = 0);

}  // namespace railyard::collectives

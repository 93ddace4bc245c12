#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectives/schedule/executor.hpp"
#include "collectives/schedule/schedule.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// One result row: the inputs and the outcome of one collective. GB is 1e9 bytes.
struct Measurement {
  std::string collective, algorithm, protocol;
  int channels = 0;
  std::string fidelity;  ///< "analytic", "flow" or "packet", or the name of the live backend
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  Bytes bytes;
  Time time;
  double algbw_GBps = 0;
  double busbw_GBps = 0;
  std::string bound_by;
  std::uint64_t seed = 0;
  /// Additional results of a measurement by `bench`.
  struct Live {
    Time min, p50, p99;
    std::int64_t wrong = 0;
    std::optional<Time> predicted;
    std::optional<double> error_pct;  ///< relative error of `predicted` against p50
    /// The term of the prediction that causes the error, if it exceeds the allowed error:
    /// "latency", "bandwidth" or "protocol switch".
    std::string error_term;
    Time skew;  ///< time from the first to the last rank's arrival; median over iterations
    bool in_place = true;  ///< input and output are the same buffer
  };
  std::optional<Live> live;
};

/// The result row of one run of a schedule. `executor` is Executor::name().
[[nodiscard]] Measurement measure(const Schedule& schedule, const TaskResult& result,
                                  std::string_view executor, std::uint64_t seed = 0);

}  // namespace railyard::collectives

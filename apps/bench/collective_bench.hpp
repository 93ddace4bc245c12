#pragma once

#include <string>
#include <vector>

#include "apps/bench/bench_flags.hpp"
#include "apps/bench/bench_output.hpp"
#include "apps/bench/bench_request.hpp"
#include "apps/bench/bench_setting.hpp"
#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/measurement.hpp"
#include "collectives/schedule/schedule.hpp"
#include "hw/live_backend.hpp"
#include "hw/live_measure.hpp"
#include "hw/time_statistics.hpp"

namespace railyard::apps {

/// A collective at several sizes on one backend, beside its prediction. All processes make the same
/// calls.
class CollectiveBench {
 public:
  /// All must outlive it.
  CollectiveBench(const BenchFlags& flags, const BenchRequest& request, hw::LiveBackend& backend,
                  BenchSetting& setting, Context& context);

  /// Measures every size until ctrl-C. Returns whether it was stopped before the last one. Throws
  /// InputError, BackendError.
  bool measure();
  // At process 0, after measure():
  [[nodiscard]] const std::vector<collectives::Measurement>& rows() const { return rows_; }
  /// Sentences about results with wrong elements.
  [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }
  [[nodiscard]] const hw::WorstOutliers& outliers() const { return outliers_; }

  /// Measures every size until ctrl-C, and writes the rows. Returns the exit code at process 0: 1
  /// if a result is wrong, or if the best bus bandwidth is below `least`. Throws InputError,
  /// BackendError.
  [[nodiscard]] int run(const std::optional<Bandwidth>& least, const Provenance& provenance);

 private:
  [[nodiscard]] bool is_first() const { return backend_.world().process() == 0; }
  [[nodiscard]] bool is_native() const;
  [[nodiscard]] bool must_stop();
  [[nodiscard]] bool can_run_in_place(Bytes size) const;
  bool measure_sizes();
  void measure_size(Bytes size, bool in_place);
  void add_row(const hw::LiveTask& task, const collectives::Schedule& schedule,
               const hw::Measured& measured);
  [[nodiscard]] Time least_time(const collectives::Measurement& row);
  void set_native_choice(const hw::LiveTask& task, const collectives::Schedule& model,
                         collectives::Measurement& row);
  void write_trace(const collectives::Schedule& schedule);

  const BenchFlags& flags_;
  const BenchRequest& request_;
  hw::LiveBackend& backend_;
  BenchSetting& setting_;
  Context& context_;
  BenchOutput output_;
  std::vector<collectives::Measurement> rows_;  ///< at process 0
  std::vector<Time> latencies_;  ///< for each row the predicted time of the smallest message
  std::vector<std::string> wrong_;
  hw::WorstOutliers outliers_;
};

}  // namespace railyard::apps

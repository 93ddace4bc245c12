#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/bench/bench_flags.hpp"
#include "apps/bench/bench_request.hpp"
#include "apps/bench/bench_setting.hpp"
#include "apps/cli/context.hpp"
#include "apps/cli/progress.hpp"
#include "apps/output/rows.hpp"
#include "apps/output/table_stream.hpp"
#include "collectives/formats/nccl_tests_text.hpp"
#include "collectives/schedule/measurement.hpp"
#include "hw/live_backend.hpp"
#include "hw/time_statistics.hpp"

namespace railyard::apps {

/// A note on iterations that took far longer than the median.
[[nodiscard]] std::string outlier_note(const hw::IterationOutliers& worst);

/// Prints the rows of a live collective while it runs, and writes its result (kind "bench"). For
/// process 0.
class BenchOutput {
 public:
  /// All must outlive it.
  BenchOutput(const BenchFlags& flags, const BenchRequest& request, hw::LiveBackend& backend,
              const BenchSetting& setting, Context& context);

  /// Prints the rows of a size while the next one runs: in the format of nccl-tests always, as a
  /// table on a terminal. With a prediction the table needs all sizes (error_term).
  void stream(std::span<const collectives::Measurement> rows, Progress& progress);
  /// Writes the rows of all sizes, with a note on the `worst` outliers.
  void write(const std::vector<collectives::Measurement>& rows,
             const std::optional<hw::IterationOutliers>& worst, Provenance provenance);

 private:
  [[nodiscard]] bool prints_table() const;
  [[nodiscard]] collectives::NcclTestsHead nccl_tests_head();

  const BenchFlags& flags_;
  const BenchRequest& request_;
  hw::LiveBackend& backend_;
  const BenchSetting& setting_;
  Context& context_;
  TableStream table_;
  std::optional<collectives::NcclTestsText> nccl_tests_;
};

}  // namespace railyard::apps

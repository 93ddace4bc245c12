#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::hw {

/// The smallest time that at least `part` of the times do not exceed (nearest rank).
[[nodiscard]] Time quantile(std::vector<Time> times, double part);

/// Number of times above twice the median, when other work probably used the cores or the network.
[[nodiscard]] std::size_t outliers(const std::vector<Time>& times);

/// The outliers among the iterations of a collective.
struct IterationOutliers {
  Bytes size{};  ///< of the collective
  std::size_t count = 0, iterations = 0;
  Time median{}, most{};  ///< of all iterations

  [[nodiscard]] double share() const {
    return static_cast<double>(count) / static_cast<double>(iterations);
  }
};

/// Finds the size with the largest share of outliers. Sizes with fewer than 10 iterations do not
/// count, because one outlier of few is a large share.
class WorstOutliers {
 public:
  /// The times of all iterations at a size.
  void add(Bytes size, const std::vector<Time>& times);
  /// The first of equal sizes; nothing if there are no outliers.
  [[nodiscard]] const std::optional<IterationOutliers>& worst() const { return worst_; }

 private:
  std::optional<IterationOutliers> worst_;
};

/// The collective's size rounded down to whole elements for every rank, as nccl-tests rounds; at
/// least one element.
[[nodiscard]] Bytes whole_elements(const collectives::Collective& collective, std::uint32_t ranks);

}  // namespace railyard::hw

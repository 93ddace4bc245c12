#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {

/// The shipped 80 % ranges of fitted collective times on a cluster, and the evidence for its parts.
/// The weakest evidence determines the range.
class MachineRange {
 public:
  /// `timings`: those of the predictions. Throws InputError if the shipped ranges cannot be read.
  MachineRange(const topology::Cluster& cluster, const topology::Timings& timings,
               bool several_nodes);

  /// GPU, NVLink or PCIe host, and fabric, for each kind of node.
  [[nodiscard]] const std::vector<PartEvidence>& parts() const { return parts_; }
  [[nodiscard]] bool is_nominal() const { return query_.evidence == Evidence::nominal; }
  /// The range of a collective of this size, in per cent of its predicted time.
  [[nodiscard]] std::optional<double> range_pct(Bytes bytes) const;
  /// A sentence for each nominal part.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  PredictionRanges ranges_;
  std::vector<PartEvidence> parts_;
  RangeQuery query_;
};

}  // namespace railyard::collectives::nccl

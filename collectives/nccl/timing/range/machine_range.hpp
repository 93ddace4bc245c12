#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The 80 % ranges of fitted times on a cluster, and the evidence for its parts.
class RangeColumn {
 public:
  /// `file` is the cluster file or name. Throws InputError.
  RangeColumn(const topology::Cluster& cluster, const std::string& file, bool several_nodes);

  /// GPU, NVLink or PCIe host, fabric; of several kinds of nodes the parts of each.
  [[nodiscard]] const std::vector<collectives::nccl::PartEvidence>& parts() const { return parts_; }
  [[nodiscard]] bool is_nominal() const {
    return query_.evidence == collectives::nccl::Evidence::nominal;
  }
  [[nodiscard]] std::optional<double> range_pct(Bytes bytes) const;
  /// Adds range_pct to rows that have a column "bytes".
  void add_to(RowTable& rows) const;
  /// A sentence for each nominal part.
  [[nodiscard]] std::vector<std::string> notes() const;
  /// "gpu", "H100-SXM5-80GB: measured (6 tables)", ...: for a result's provenance.
  void add_facts(Provenance& provenance) const;

 private:
  collectives::nccl::PredictionRanges ranges_;
  std::vector<collectives::nccl::PartEvidence> parts_;
  collectives::nccl::RangeQuery query_;
};

}  // namespace railyard::apps

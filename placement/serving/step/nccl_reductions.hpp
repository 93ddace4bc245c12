#pragma once

#include <memory>

#include "placement/cost/communication.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::placement::serving {

/// All-reduces of tensor parallelism that crosses nodes, by NCCL's fitted time model
/// (docs/models/nccl_time.md): the kernels of engines reduce inside a node or an NVLink domain only
/// (vLLM's and TensorRT-LLM's custom all-reduce need peer access), so that NCCL's ring or tree is
/// used, whichever is faster. The group is the cluster's first GPUs. Other collectives: ClosedForm.
/// Times of powers of two bytes are kept; between them they are linear. Not thread-safe.
class NcclReductions final : public CommunicationModel {
 public:
  NcclReductions(std::shared_ptr<const topology::Cluster> cluster,
                 const topology::Timings& timings);
  ~NcclReductions() override;
  NcclReductions(const NcclReductions&) = delete;
  NcclReductions& operator=(const NcclReductions&) = delete;
  [[nodiscard]] Time time(const GroupCollective& collective) const override;

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

}  // namespace railyard::placement::serving

#pragma once

#include <memory>

#include "placement/cost/communication.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::placement::serving {

/// All-reduces of tensor parallelism that crosses nodes, by NCCL's fitted time model
/// (docs/models/nccl_time.md). NCCL's ring or tree is used, whichever is faster, since the engines'
/// own kernels only reduce inside a node or an NVLink domain (vLLM's and TensorRT-LLM's custom
/// all-reduce need peer access). The group consists of the cluster's first GPUs. Other collectives:
/// ClosedForm. Times of powers of two bytes are computed once; times between them are interpolated
/// linearly. Not thread-safe.
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

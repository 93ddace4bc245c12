#include "placement/capacity/goodput/checkpoint.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/model/parameters.hpp"

namespace railyard::placement {

double checkpoint_bytes(const Job& job) {
  // The same sizes as Moves of a running job (placement/jobs/elastic.hpp).
  const double state = job.optimizer_bytes();
  const auto all = static_cast<double>(count_parameters(job.model).total);
  const bool frozen_encoder = job.model.encoder && job.model.encoder->frozen;
  const auto frozen = static_cast<double>(tower_parameters(job.model).frozen +
                                          (frozen_encoder ? encoder_parameters(job.model) : 0));
  return all * job.element_bytes() + (all - frozen) * state;
}

CheckpointCost checkpoint_cost(const TypeContext& c, const Strategy& s, Bandwidth node_nics,
                               const CheckpointStore& store) {
  CheckpointCost cost{.bytes = checkpoint_bytes(c.job)};
  const int per_node = std::max(1, c.gpus_per_node);
  const auto nodes_of = [&](int gpus) { return (gpus + per_node - 1) / per_node; };
  const int writers = s.zero > 0 ? s.gpus() : s.tp * s.pp * s.cp;
  const double nics = std::max(1.0, node_nics.bytes_per_second());
  const double through_nics = cost.bytes / (nodes_of(writers) * nics);
  const double nodes = nodes_of(s.gpus());
  const double written = std::max(cost.bytes / (store.write * nodes), through_nics);
  cost.load = std::max(cost.bytes / (store.read * nodes), cost.bytes / (nodes * nics));
  if (store.kind == CheckpointKind::storage) {
    cost.stall = written;
    return cost;
  }
  const double host = c.gpu.compute().host_bandwidth.bytes_per_second();
  if (!(host > 0))
    throw InputError("", "--checkpoint",
                     c.gpu.gpu.name + " has no host_bandwidth, which asynchronous checkpoints need",
                     "--checkpoint storage, or host_bandwidth in the GPU's config");
  cost.stall = cost.bytes / writers / host;
  cost.write = store.kind == CheckpointKind::peers ? through_nics : written;
  if (store.kind == CheckpointKind::peers) cost.load = cost.bytes / (nodes * nics);
  return cost;
}

}  // namespace railyard::placement

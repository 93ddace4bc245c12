#include "placement/serving/step/cluster_exchanges.hpp"

#include <utility>

#include "placement/serving/step/fabric_collectives.hpp"
#include "placement/serving/step/nccl_reductions.hpp"

namespace railyard::placement::serving {

struct ClusterExchanges::Models {
  std::unique_ptr<FabricCollectives> exchanges{};
  std::unique_ptr<NcclReductions> reductions{};
};

ClusterExchanges::ClusterExchanges(std::shared_ptr<const topology::Cluster> cluster,
                                   std::string name, ClusterEngine engine)
    : cluster_(std::move(cluster)),
      name_(std::move(name)),
      engine_(std::move(engine)),
      models_(std::make_unique<Models>()) {}

ClusterExchanges::~ClusterExchanges() = default;

Time ClusterExchanges::time(const GroupCollective& collective) const {
  if (collective.kind == collectives::Kind::all_reduce) {
    if (!models_->reductions)
      models_->reductions =
          std::make_unique<NcclReductions>(cluster_, topology::read_timings(name_));
    return models_->reductions->time(collective);
  }
  if (!models_->exchanges)
    models_->exchanges = std::make_unique<FabricCollectives>(engine_(*cluster_));
  return models_->exchanges->time(collective);
}

}  // namespace railyard::placement::serving

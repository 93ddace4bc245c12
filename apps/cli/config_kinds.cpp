#include "apps/cli/config_kinds.hpp"

#include <array>

#include "collectives/baseline/suite_fields.hpp"
#include "collectives/nccl/timing/fit/system_map_fields.hpp"
#include "collectives/nccl/timing/range/prediction_ranges_fields.hpp"
#include "collectives/workload/workload_fields.hpp"
#include "core/sweep/sweep_file.hpp"
#include "placement/capacity/goodput/failure_model_fields.hpp"
#include "placement/capacity/price_list_fields.hpp"
#include "placement/jobs/occupancy_fields.hpp"
#include "placement/jobs/queue_fields.hpp"
#include "placement/measured/training_map_fields.hpp"
#include "placement/model/job_fields.hpp"
#include "placement/model/model_fields.hpp"
#include "placement/serving/measured/serving_map.hpp"
#include "placement/serving/step/calibrated_efficiency.hpp"
#include "placement/strategy/strategy_fields.hpp"
#include "sim/packet/parameter_fields.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/cluster/launch_mode_fields.hpp"
#include "topology/cluster/link_bandwidths.hpp"
#include "topology/fabric/switch_model_fields.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::apps {
namespace {

template <class T>
T checked_with() {
  return {};
}

/// The check of a node requires a bandwidth of its NVLinks, which is in the GPU file and unknown
/// here.
template <>
topology::NodeFile checked_with() {
  topology::NodeFile node;
  node.gpu.nvlink_bandwidth = topology::nvlink_bandwidth(0);
  return node;
}

template <class T>
constexpr ConfigKind kind(std::string_view name, std::string_view folder) {
  return {name, folder, [] { return core::json_schema<T>(); }, [] { return core::docs_table<T>(); },
          [](const core::ConfigNode& file) {
            T value = checked_with<T>();
            core::read_config(file, value);
          }};
}

}  // namespace

std::span<const ConfigKind> config_kinds() {
  static constexpr std::array kKinds{
      kind<topology::ClusterFile>("cluster", "clusters"),
      kind<topology::NodeFile>("node", "nodes"),
      kind<topology::GpuFile>("gpu", "gpus"),
      kind<topology::GpuTimingFile>("generation", "generations"),
      kind<topology::FabricTimingFile>("fabric", "fabrics"),
      kind<topology::LaunchMode>("launch_mode", "launch_modes"),
      kind<topology::SwitchModel>("switch", "switches"),
      kind<sim::packet::Parameters>("packet", "packet"),
      kind<collectives::Suite>("suite", "suites"),
      kind<collectives::nccl::SystemMap>("validation", ""),
      kind<collectives::nccl::PredictionRanges>("ranges", "ranges"),
      kind<placement::TrainingMap>("training", ""),
      kind<placement::serving::ServingMap>("serving", ""),
      kind<placement::serving::CalibratedEfficiency>("efficiency", ""),
      kind<placement::Model>("model", "models"),
      kind<placement::Job>("job", "jobs"),
      kind<placement::Strategy>("strategy", ""),
      kind<placement::Occupancy>("occupancy", ""),
      kind<placement::Queue>("queue", ""),
      kind<placement::FailureModel>("failures", "failures"),
      kind<placement::PriceList>("prices", "prices"),
      kind<core::sweep::SweepFile>("sweep", ""),
      kind<collectives::WorkloadFile>("workload", "")};
  return kKinds;
}

}  // namespace railyard::apps

#include "placement/cost/operation_price.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "placement/model/processor.hpp"

namespace railyard::placement {

std::function<Time(double operations, double bytes)> operation_price(
    const topology::Cluster& cluster) {
  const auto processor = std::make_shared<std::optional<Processor>>();
  return [processor, &cluster](double operations, double bytes) {
    if (!*processor) *processor = find_processor(cluster.spec().node_specs.front().gpu);
    const topology::ComputeSpec& compute = (*processor)->compute();
    const double rate = static_cast<double>(compute.fp16.per_second()) * compute.matrix_efficiency;
    return std::max(Time::from_seconds(operations / rate),
                    bytes > 0 ? stream_time(**processor, bytes) : Time());
  };
}

}  // namespace railyard::placement

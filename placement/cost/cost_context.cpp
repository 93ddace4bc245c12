#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

using collectives::Kind;

double TypeContext::crossing(const GroupShape& shape) const {
  const topology::ComputeSpec& c = gpu.compute();
  if (shape.nodes() == 1 || shape.per_node == 1 || shape.gpu_stride == 1) return 1;
  const bool halves =
      shape.per_node == 2 && 2 * shape.gpu_stride >= static_cast<std::uint32_t>(gpus_per_node);
  return c.rail_crossing * (halves ? c.socket_crossing : 1.0);
}

double TypeContext::share_in_step(const GroupCollective& collective) const {
  const GroupShape& shape = collective.shape;
  const topology::ComputeSpec& c = gpu.compute();
  const bool ring = collective.kind != Kind::all_to_all && collective.kind != Kind::send_recv;
  return shape.nodes() > 1 ? c.network_in_step * (ring ? crossing(shape) : 1.0) : c.nvlink_in_step;
}

Time TypeContext::collective(const GroupCollective& collective) const {
  if (collective.shape.size < 2 || !(collective.bytes > 0)) return Time();
  return Time::from_seconds(communication.time(collective).seconds() / share_in_step(collective));
}

}  // namespace railyard::placement

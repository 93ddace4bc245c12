#include "collectives/nccl/timing/fit/row_limit.hpp"

namespace railyard::collectives::nccl {

std::string_view limit_of(const PredictedRow& row) {
  const TimeTerms terms = collective_time(*row.machine, row.query);
  const double called = call_time(row.launch, *row.machine, row.query, terms.total());
  if (called > row.launch.overhead.microseconds() + terms.total()) return "host";
  if (terms.latency() > terms.bytes) return "latency";
  switch (terms.bound) {
    case Bound::network: return "network";
    case Bound::node_link: return "links to NICs";
    case Bound::channels: return "channels per peer";
    case Bound::round_trips: return "round trips";
    case Bound::gpu_links: break;
  }
  return "gpu links";
}

}  // namespace railyard::collectives::nccl

#pragma once

#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"

namespace railyard::collectives::nccl {

/// The time in us to transfer bytes at a rate in GB/s.
[[nodiscard]] inline double microseconds(double bytes, double gigabytes_per_second) {
  return bytes / gigabytes_per_second / 1e3;
}

/// The protocol of all_to_all and send_recv (NCCL 2.30 src/enqueue.cc: LL up to 16 KiB per channel
/// and peer inside a node, Simple between nodes).
[[nodiscard]] Protocol exchange_protocol(const Machine& machine, const TimeQuery& query);

/// The time of all_to_all and send_recv (docs/models/nccl_time.md, exchanges).
[[nodiscard]] TimeTerms exchange_time(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl

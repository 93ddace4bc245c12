#pragma once

#include "collectives/nccl/timing/exchange_time.hpp"
#include "collectives/nccl/timing/machine.hpp"
#include "collectives/nccl/timing/time_terms.hpp"
#include "core/units.hpp"

/// How long what NCCL chose takes on the machine: its tuning constants only rank algorithms, this
/// is the time that a measurement shows (docs/models/nccl_time.md has every term and its source).
namespace railyard::collectives::nccl {

/// The time of a collective that runs alone, without the benchmark around it.
[[nodiscard]] TimeTerms collective_time(const Machine& machine, const TimeQuery& query);

/// How long a single hop takes of an algorithm's step, inside a node and between nodes: what
/// engines that follow every transfer need.
struct HopTimes {
  Time inside, outside;
};
[[nodiscard]] HopTimes hop_times(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl

#pragma once

#include "collectives/nccl/time_model.hpp"

namespace railyard::collectives::nccl {

/// The time of all_to_all and send_recv (docs/models/nccl_time.md, exchanges).
[[nodiscard]] TimeTerms exchange_time(const Machine& machine, const TimeQuery& query);

}  // namespace railyard::collectives::nccl

#pragma once

#include <vector>

#include "apps/nccl/choice.hpp"

namespace railyard::apps {

/// What NCCL's tuning model says of every algorithm and protocol for a collective that it tunes, or
/// of the algorithm asked for by name, with its choice among them, whether or not a schedule of
/// ours can do it on the cluster.
[[nodiscard]] std::vector<Candidate> nccl_ways(Chooser& chooser, const ChoiceRequest& asked);

/// The schedule of such a way with the channels that NCCL launches. A channel of our NVLS and
/// CollNet schedules is a head, so they take a multiple of their own.
[[nodiscard]] collectives::Schedule nccl_schedule(const Chooser& chooser,
                                                  const ChoiceRequest& asked, const Candidate& way);

}  // namespace railyard::apps

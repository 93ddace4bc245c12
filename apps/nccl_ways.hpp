#pragma once

#include <vector>

#include "apps/choice.hpp"

namespace railyard::apps {

/// What NCCL's tuning model says of every algorithm and protocol for a collective that it tunes, or
/// of the algorithm asked for by name, with its choice among them. What our schedules cannot do on
/// the cluster is not allowed either.
[[nodiscard]] std::vector<Candidate> nccl_ways(Chooser& chooser, const ChoiceRequest& asked);

/// The channels of a schedule for a way of NCCL's. Rings and trees take as many as NCCL launches;
/// a channel of our NVLS and CollNet schedules is a head, so they take a multiple of their own.
[[nodiscard]] int schedule_channels(const Candidate& way, int own);

}  // namespace railyard::apps

#pragma once

#include <string>

#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Changes the interleave of a strategy if its chunks do not divide the layers, because frameworks
/// have equally many layers in each chunk (Megatron-LM's --num-layers-per-virtual-pipeline-stage).
/// If stages divide the layers: the nearest number of chunks that divides a stage; otherwise
/// embedding and head count as a layer each (--account-for-embedding-in-pipeline-split,
/// --account-for-loss-in-pipeline-split) if that divides; otherwise stages without chunks. Returns
/// the change and its reason; empty: no change.
std::string make_chunks_divide(const Job& job, Strategy& strategy);

}  // namespace railyard::placement

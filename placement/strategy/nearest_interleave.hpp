#pragma once

#include <string>

#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Makes the chunks of a strategy divide its layers, where they do not: a framework has as many
/// layers in each chunk (Megatron-LM's --num-layers-per-virtual-pipeline-stage). Where stages
/// divide the layers, the nearest number of chunks that divides a stage; else embedding and head
/// count as a layer each (--account-for-embedding-in-pipeline-split,
/// --account-for-loss-in-pipeline-split) if that divides; else stages without chunks. Returns what
/// was changed and why; empty: nothing.
std::string make_chunks_divide(const Job& job, Strategy& strategy);

}  // namespace railyard::placement

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "hw/diagnose/pair_run.hpp"

namespace railyard::hw {

/// Reads a table of pairwise tests, a line per run and size:
///
///     node_a,node_b,gpus_per_node,gpus_a,gpus_b,collective,bytes,time_us,busbw_GBps,
///     busbw_inplace_GBps,status
///
/// in any order. gpus_a and gpus_b (places of GPUs, joined by '+'), collective, busbw_GBps,
/// busbw_inplace_GBps and status are optional. status is ok, failed or missing; a run that is not
/// ok needs no figures. The time in place follows from the ratio of the two bandwidths. Lines with
/// equal nodes, GPUs and collective are one run; a size that is there again begins another one.
/// Throws InputError with lines and columns.
[[nodiscard]] std::vector<PairRun> parse_pair_runs(const std::string& name, std::string_view text);

/// The same for a file: a CSV table, or the text output of nccl-tests between two hosts. `kind` is
/// for outputs that do not state the collective. An output without figures is a failed run.
[[nodiscard]] std::vector<PairRun> read_pair_runs(
    const std::string& file, std::optional<collectives::Kind> kind = std::nullopt);

}  // namespace railyard::hw

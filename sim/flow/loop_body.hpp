#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {

/// One transfer of a loop's body, with its bytes over all iterations (and merged loops).
struct LoopTransfer {
  collectives::Transfer transfer;  ///< as in the first iteration of the first loop
  double bytes = 0;                ///< total payload; exact (integers below 2^53)
  double first_bytes = 0;          ///< payload of the first iteration
};

/// The transfers of a coupled stage, each once, in order of its steps.
struct LoopBody {
  std::vector<LoopTransfer> transfers;
  std::vector<std::size_t> step_end;  ///< index of each step's end in transfers
};

/// Enumerates the body of a coupled stage of a channel, with exact totals: iterations may carry
/// chunks of different sizes. O(transfers of the body) for rings (shift ±1) and where the chunks of
/// successive iterations lie end to end, O(transfers × iterations) otherwise.
[[nodiscard]] LoopBody loop_body(const collectives::Schedule& schedule, std::size_t channel,
                                 const Stage& stage);

}  // namespace railyard::sim

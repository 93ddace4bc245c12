#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// Proves symbolically that a schedule implements its collective. Each chunk of each participant
/// holds a multiset of contributing ranks. The transfers are replayed in order. At the end every
/// rank must hold exactly the right contributions, each once.
///
/// Returns the errors (at most 20 lines, each with rank, chunk, actual and expected contributions);
/// empty if the schedule is correct. The cost is the number of transfers times the size of a
/// multiset, which is practical up to a few hundred ranks.
[[nodiscard]] std::vector<std::string> verify(const Schedule& schedule);

}  // namespace railyard::collectives

#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// Symbolic proof that a schedule does its collective: each (participant, chunk) holds a multiset
/// of contributions (rank, block); transfers are replayed in order; at the end every rank must hold
/// exactly the right contributions, each once. Returns what is wrong (empty: proven), at most 20
/// lines naming rank, chunk, what is there and what should be. Cost: transfers × contributions; for
/// tests and `railyard sim --verify` up to a few hundred ranks.
[[nodiscard]] std::vector<std::string> verify(const Schedule& schedule);

}  // namespace railyard::collectives

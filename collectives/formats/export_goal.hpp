#pragma once

#include <string>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// The schedule as GOAL text (LogGOPSim, ATLAHS): a rank per group position, then one per reducer.
/// Every message is a send and a recv with a unique tag between the two ranks; a relayed transfer
/// is two messages. A send requires every earlier recv of its channel into its chunks (the replay
/// rule). Transfers of 0 bytes and reduction times are omitted. Channel c is cpu c mod 256. Throws
/// InputError beyond 20 million transfers.
[[nodiscard]] std::string export_goal(const Schedule& schedule);

}  // namespace railyard::collectives

#pragma once

#include <string>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Checks that the rates of a table are max-min fair: no link exceeds its capacity, and each stream
/// crosses a full link on which no stream is faster. Only the max-min fair rates satisfy this
/// (Bertsekas and Gallager, Data Networks, 6.5.2). Returns a description of the first violation, or
/// "". O(hops).
[[nodiscard]] std::string check_certificate(const FlowTable& table);

}  // namespace railyard::sim

#pragma once

#include <string>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Checks that the rates of a table are max-min fair: no link carries more than its capacity, and
/// each stream crosses a full link on which none is faster (Bertsekas and Gallager, Data Networks,
/// 6.5.2: such a vector is the max-min fair one, and only it).
/// Returns "" or what is wrong with the first stream or link that fails. O(hops).
[[nodiscard]] std::string check_certificate(const FlowTable& table);

}  // namespace railyard::sim

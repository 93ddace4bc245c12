#pragma once

#include <vector>

#include "sim/maxmin/flow_table.hpp"

namespace railyard::sim {

/// Links that need not be looked at, since another always fills first: by link its guard, or
/// kUnheld.
///
/// Link b guards link a if every stream on a crosses b too and takes at least as large a part of
/// it: w(s,a)/C(a) <= w(s,b)/C(b). Then load(a)/C(a) <= load(b)/C(b) <= 1 for any rates, so a
/// constraint on a follows from that on b and the max-min problem without a is the same problem.
/// Ties are broken (a smaller number guards), so that no two links guard each other; guarding is
/// transitive, hence every link without a look has a guard that is looked at.
///
/// Candidates are the links that come next or before in the first stream's hops, which finds the
/// hop from a switch that serves one host only, and a bus that is wider than the port behind it.
/// O(hops). Stays true while streams leave.
[[nodiscard]] std::vector<LinkIndex> never_full(const FlowTable& table);

/// Whether a stream's crossing of its hop number `hop` is one that link `guard` guards.
[[nodiscard]] bool guards(const FlowTable& table, LinkIndex guard, Slot slot, std::size_t hop);

}  // namespace railyard::sim

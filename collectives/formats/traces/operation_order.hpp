#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace railyard::collectives {

/// A topological order of `count` operations, as close to their numbers as possible. `edges`:
/// (earlier, later). If the dependencies are circular, returns nothing and sets `circle` to
/// operations of a cycle.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> issue_order(
    std::uint32_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
    std::vector<std::uint32_t>& circle);

}  // namespace railyard::collectives

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace railyard::collectives {

/// An order in which `count` operations may be issued: each behind those that it depends on, as
/// near to their numbers as that allows. `edges`: (earlier, later). Nothing, and `circle` some of
/// the operations that wait for each other, where there is none.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> issue_order(
    std::uint32_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
    std::vector<std::uint32_t>& circle);

}  // namespace railyard::collectives

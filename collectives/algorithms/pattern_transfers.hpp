#pragma once

#include "collectives/algorithms/pattern.hpp"

namespace railyard::collectives {

/// Number of transfers of each form of pattern, and the i-th one in iteration k: what size() and
/// at() choose from.
[[nodiscard]] std::uint64_t transfers_of(const RingPattern& ring);
[[nodiscard]] std::uint64_t transfers_of(const HopPattern& hop);
[[nodiscard]] std::uint64_t transfers_of(const EdgePattern& pattern);
[[nodiscard]] std::uint64_t transfers_of(const ListPattern& pattern);
[[nodiscard]] std::uint64_t transfers_of(const ExchangePattern& exchange);
[[nodiscard]] std::uint64_t transfers_of(const PairPattern& pairs);
[[nodiscard]] std::uint64_t transfers_of(const PatPattern& pat);
[[nodiscard]] std::uint64_t transfers_of(const GridPattern& grid);

[[nodiscard]] Transfer transfer_of(const RingPattern& ring, std::uint64_t i, std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const HopPattern& hop, std::uint64_t i, std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const EdgePattern& pattern, std::uint64_t i, std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const ListPattern& pattern, std::uint64_t i, std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const ExchangePattern& exchange, std::uint64_t i,
                                   std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const PairPattern& pairs, std::uint64_t i, std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const PatPattern& pat, std::uint64_t i, std::uint64_t k);
[[nodiscard]] Transfer transfer_of(const GridPattern& grid, std::uint64_t i, std::uint64_t k);

}  // namespace railyard::collectives

#pragma once

#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/tuning/registered_estimates.hpp"

namespace railyard::apps {

/// How NCCL performs the sends of an all_to_all or send_recv of each size. One row per kind of
/// peers, with channels, protocol, chunk and PXN relay (collectives/nccl/timing/p2p_plan.hpp). For
/// the group's first rank in an all_to_all; for all ranks in a send_recv.
[[nodiscard]] RowTable p2p_rows(collectives::nccl::Chooser& chooser,
                                const collectives::nccl::ChoiceRequest& asked,
                                std::span<const Bytes> sizes);

/// The rings and trees of the communicator as lists of ranks, and the order in which the first rank
/// sends to its peers in an all_to_all.
[[nodiscard]] RowTable order_rows(collectives::nccl::Chooser& chooser,
                                  const collectives::nccl::ChoiceRequest& asked);

/// A kernel for a collective on registered buffers, at one size.
struct SymmetricRow {
  Bytes size;
  collectives::nccl::SymmetricEstimate estimate{};
};
/// A row per kernel and size.
[[nodiscard]] RowTable symmetric_rows(std::span<const SymmetricRow> rows);

}  // namespace railyard::apps

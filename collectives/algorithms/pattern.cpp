#include "collectives/algorithms/pattern.hpp"

#include "collectives/algorithms/pattern_transfers.hpp"

namespace railyard::collectives {
namespace {

std::uint64_t shifted(std::uint64_t chunk, std::uint64_t k, std::int64_t stride) {
  return chunk + k * static_cast<std::uint64_t>(stride);
}

}  // namespace

std::uint64_t transfers_of(const HopPattern&) { return 1; }

Transfer transfer_of(const HopPattern& hop, std::uint64_t, std::uint64_t k) {
  const std::uint32_t next = hop.place + 1 == hop.order.size() ? 0 : hop.place + 1;
  const HopVia via = hop.via ? (*hop.via)[hop.place] : HopVia{};
  return {.source = hop.order[hop.place],
          .destination = hop.order[next],
          .first_chunk = shifted(hop.first, k, hop.stride),
          .chunk_count = hop.chunks,
          .action = hop.action,
          .relay = via.relay,
          .source_nic = via.source_nic,
          .destination_nic = via.destination_nic};
}

std::uint64_t transfers_of(const EdgePattern& pattern) { return pattern.edges->size(); }

Transfer transfer_of(const EdgePattern& pattern, std::uint64_t i, std::uint64_t k) {
  const Edge& edge = (*pattern.edges)[i];
  return {.source = edge.source,
          .destination = edge.destination,
          .first_chunk = shifted(pattern.first + edge.chunk, k, pattern.stride),
          .chunk_count = pattern.chunks,
          .action = pattern.action,
          .relay = edge.relay,
          .source_nic = edge.source_nic,
          .destination_nic = edge.destination_nic};
}

std::uint64_t transfers_of(const ListPattern& pattern) { return pattern.transfers->size(); }

Transfer transfer_of(const ListPattern& pattern, std::uint64_t i, std::uint64_t k) {
  Transfer transfer = (*pattern.transfers)[i];
  transfer.first_chunk = shifted(transfer.first_chunk, k, pattern.stride);
  return transfer;
}

std::uint64_t size(const Pattern& pattern) {
  return std::visit([](const auto& form) { return transfers_of(form); }, pattern);
}

Transfer at(const Pattern& pattern, std::uint64_t i, std::uint64_t k) {
  return std::visit([&](const auto& form) { return transfer_of(form, i, k); }, pattern);
}

}  // namespace railyard::collectives

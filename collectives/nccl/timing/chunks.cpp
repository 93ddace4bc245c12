#include "collectives/nccl/timing/chunks.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {

double tree_chunk(const Machine& machine, const TimeQuery& query) {
  constexpr double kMostLl128 = 131072;
  const auto slot = static_cast<double>(slot_payload(machine.buffers, query.protocol));
  const double most = query.protocol == Protocol::ll128 ? std::min(slot, kMostLl128) : slot;
  const double share = static_cast<double>(query.bytes) / machine.channels / 8;
  return std::min(most, std::max(4096.0, share));
}

double nvls_chunk(const Machine& machine, const TimeQuery& query) {
  const bool blackwell = machine.nvls_channels > 16;
  const double round = static_cast<double>(machine.nvls_channels) * machine.nvls_heads;
  const auto bytes = static_cast<double>(query.bytes);
  double chunk = machine.nodes >= 4 && !blackwell ? 65536 : 131072;
  if (chunk > 65536 && bytes < 64 * round * chunk) chunk = 65536;
  if (chunk > 32768 && bytes < 8 * round * chunk) chunk = 32768;
  if (chunk > 16384 && bytes < 2 * round * chunk) chunk = 16384;
  return chunk;
}

}  // namespace railyard::collectives::nccl

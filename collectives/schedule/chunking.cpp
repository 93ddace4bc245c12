#include "collectives/schedule/chunking.hpp"

#include <algorithm>

namespace railyard::collectives {

Bytes step_payload(Protocol protocol) {
  // Buffer size / NCCL_STEPS (8), minus flags: LL half of 64 KiB, LL128 15/16 of 614,400 B, Simple
  // 4 MiB / 8 (NCCL 2.30, init.cc: DEFAULT_BUFFSIZE, NCCL_STEPS).
  switch (protocol) {
    case Protocol::ll: return Bytes(32 << 10);
    case Protocol::ll128: return Bytes(576'000);
    case Protocol::simple: break;
  }
  return Bytes(512 << 10);
}

std::uint64_t pipeline_pieces(const Request& request, std::size_t channels, Bytes preferred) {
  const std::int64_t chunk =
      std::max<std::int64_t>(1, request.options.chunk.value_or(preferred).count());
  const Kind kind = request.collective.kind;
  const bool divides = kind == Kind::all_gather || kind == Kind::reduce_scatter;
  const std::int64_t block =
      request.collective.bytes.count() / (divides ? request.group->size() : 1);
  const std::int64_t part = block / static_cast<std::int64_t>(channels);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, (part + chunk - 1) / chunk));
}

std::size_t channel_count(const Request& request, std::size_t preferred) {
  return request.options.channels ? static_cast<std::size_t>(std::max(1, *request.options.channels))
                                  : std::max<std::size_t>(1, preferred);
}

Schedule::Parts parts_of(const Request& request, std::string_view algorithm) {
  return {.algorithm = std::string(algorithm),
          .protocol = request.options.protocol,
          .collective = request.collective,
          .group = request.group,
          .reducers = {},
          .channels = {}};
}

Schedule nothing_to_do(const Request& request, std::string_view algorithm) {
  Schedule::Parts parts = parts_of(request, algorithm);
  parts.channels.push_back({.chunks_per_block = 1, .loops = {}});
  return Schedule(std::move(parts));
}

}  // namespace railyard::collectives

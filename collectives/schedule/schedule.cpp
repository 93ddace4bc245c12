#include "collectives/schedule/schedule.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "collectives/schedule/holdings.hpp"

namespace railyard::collectives {
namespace {

/// The first element of part `index` of `parts`: floor(elements * index / parts), so that parts
/// differ by at most one element.
std::int64_t cut(std::int64_t elements, std::uint64_t parts, std::uint64_t index) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::int64_t>(static_cast<Wide>(elements) * index / parts);
}

/// Checks the first iteration of a step: all transfers of a short step, samples of a long one.
[[maybe_unused]] bool in_range(const Step& step, Participant participants, std::uint64_t chunks) {
  constexpr std::uint64_t kSamples = 1024;
  const std::uint64_t count = step.size();
  const std::uint64_t stride = std::max<std::uint64_t>(1, count / kSamples);
  for (std::uint64_t i = 0; i < count; i += stride) {
    const Transfer transfer = step.at(i, 0);
    if (transfer.source >= participants || transfer.destination >= participants) return false;
    if (transfer.source == transfer.destination || transfer.chunk_count == 0) return false;
    if (transfer.first_chunk + transfer.chunk_count > chunks) return false;
  }
  return true;
}

}  // namespace

Schedule::Schedule(Parts parts) : parts_(std::move(parts)) {
  assert(parts_.group != nullptr && !parts_.channels.empty());
  for ([[maybe_unused]] const Channel& channel : parts_.channels) {
    assert(channel.chunks_per_block > 0);
    for (const Loop& loop : channel.loops) {
      for ([[maybe_unused]] const Step& step : loop.steps) {
        assert(in_range(step, participants(), blocks() * channel.chunks_per_block));
      }
    }
  }
}

DeviceId Schedule::device(const topology::Cluster& cluster, Participant participant) const {
  if (is_reducer(participant)) return parts_.reducers[participant - parts_.group->size()];
  return cluster.gpu(parts_.group->rank(participant));
}

std::uint64_t Schedule::blocks() const {
  return block_count(parts_.collective.kind, parts_.group->size());
}

Bytes Schedule::block_bytes() const {
  const Collective& collective = parts_.collective;
  const std::int64_t element = size_of(collective.type).count();
  const std::int64_t block = collectives::block_bytes(collective, parts_.group->size()).count();
  return Bytes(block / element * element);
}

namespace {

/// The elements of a block that belong to one channel: the first one, and their number.
struct ChannelPart {
  std::int64_t first = 0;
  std::int64_t elements = 0;
};

ChannelPart channel_part(std::int64_t elements, std::size_t channels, std::size_t channel) {
  const std::int64_t first = cut(elements, channels, channel);
  return {.first = first, .elements = cut(elements, channels, channel + 1) - first};
}

}  // namespace

Schedule::Place Schedule::place(std::size_t channel, std::uint64_t chunk) const {
  const std::uint64_t pieces = parts_.channels[channel].chunks_per_block;
  const std::int64_t element = size_of(parts_.collective.type).count();
  const ChannelPart part =
      channel_part(block_bytes().count() / element, parts_.channels.size(), channel);
  const std::uint64_t piece = chunk % pieces;
  const std::int64_t begin = cut(part.elements, pieces, piece);
  const std::int64_t end = cut(part.elements, pieces, piece + 1);
  return {.block = chunk / pieces,
          .offset = Bytes((part.first + begin) * element),
          .length = Bytes((end - begin) * element)};
}

Bytes Schedule::bytes(std::size_t channel, const Transfer& transfer) const {
  const std::uint64_t pieces = parts_.channels[channel].chunks_per_block;
  const std::int64_t element = size_of(parts_.collective.type).count();
  const ChannelPart part =
      channel_part(block_bytes().count() / element, parts_.channels.size(), channel);
  const auto elements_before = [&](std::uint64_t chunk) {
    return static_cast<std::int64_t>(chunk / pieces) * part.elements +
           cut(part.elements, pieces, chunk % pieces);
  };
  return Bytes((elements_before(transfer.first_chunk + transfer.chunk_count) -
                elements_before(transfer.first_chunk)) *
               element);
}

std::uint64_t Schedule::transfer_count() const {
  std::uint64_t count = 0;
  for (const Channel& channel : parts_.channels) {
    for (const Loop& loop : channel.loops) {
      for (const Step& step : loop.steps) count += loop.repeat * step.size();
    }
  }
  return count;
}

}  // namespace railyard::collectives

#include "collectives/schedule/holdings.hpp"

#include <cassert>
#include <numeric>

namespace railyard::collectives {
namespace {

using Blocks = std::vector<std::uint64_t>;

Blocks every(std::uint32_t ranks) {
  Blocks blocks(ranks);
  std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
  return blocks;
}

}  // namespace

Blocks blocks_before(const Collective& collective, std::uint32_t ranks, std::uint32_t position) {
  switch (collective.kind) {
    case Kind::all_reduce:
    case Kind::reduce: return {0};
    case Kind::broadcast: return position == collective.root ? Blocks{0} : Blocks{};
    case Kind::all_gather:
    case Kind::send_recv: return {position};
    case Kind::reduce_scatter: return every(ranks);
    case Kind::all_to_all: {
      Blocks blocks = every(ranks);
      for (std::uint64_t& block : blocks) block += std::uint64_t{position} * ranks;
      return blocks;
    }
  }
  assert(false);
  return {};
}

Blocks blocks_after(const Collective& collective, std::uint32_t ranks, std::uint32_t position) {
  switch (collective.kind) {
    case Kind::all_reduce:
    case Kind::broadcast: return {0};
    case Kind::reduce: return position == collective.root ? Blocks{0} : Blocks{};
    case Kind::all_gather: return every(ranks);
    case Kind::reduce_scatter: return {position};
    case Kind::send_recv: return {(position + ranks - 1) % ranks};
    case Kind::all_to_all: {
      Blocks blocks = every(ranks);
      for (std::uint64_t& block : blocks) block = block * ranks + position;
      return blocks;
    }
  }
  assert(false);
  return {};
}

std::uint64_t block_count(Kind kind, std::uint32_t ranks) {
  switch (kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::broadcast: return 1;
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::send_recv: return ranks;
    case Kind::all_to_all: return std::uint64_t{ranks} * ranks;
  }
  assert(false);
  return 0;
}

Bytes block_bytes(const Collective& collective, std::uint32_t ranks) {
  switch (collective.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::broadcast:
    case Kind::send_recv: return collective.bytes;
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::all_to_all: return Bytes(collective.bytes.count() / ranks);
  }
  assert(false);
  return {};
}

std::optional<std::uint32_t> contributor(const Collective& collective, std::uint32_t ranks,
                                         std::uint64_t block) {
  switch (collective.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::reduce_scatter: return std::nullopt;
    case Kind::broadcast: return collective.root;
    case Kind::all_gather:
    case Kind::send_recv: return static_cast<std::uint32_t>(block);
    case Kind::all_to_all: return static_cast<std::uint32_t>(block / ranks);
  }
  assert(false);
  return std::nullopt;
}

}  // namespace railyard::collectives

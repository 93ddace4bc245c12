#pragma once

#include <cstdint>

#include "collectives/schedule/collective.hpp"

/// The buffers of NCCL's connections: a ring of slots, each of which holds one step of data. A
/// sender can be ahead of its receiver by at most the free slots.
namespace railyard::collectives::nccl {

/// NCCL_STEPS (NCCL 2.30 src/include/device.h): slots of a connection.
inline constexpr int kSlots = 8;
/// NCCL_SHARED_STEPS (src/transport/net.cc): slots that all sends of a GPU on one channel share
/// between nodes.
inline constexpr int kSharedSlots = 16;

/// Bytes of a connection's buffer by protocol, with the values of the environment (NCCL 2.30
/// src/init.cc, computeBuffSizes).
struct BufferSizes {
  std::int64_t simple = 4 << 20;                      ///< NCCL_BUFFSIZE
  std::int64_t ll = 512 << 10;                        ///< NCCL_LL_BUFFSIZE
  std::int64_t ll128 = std::int64_t{640} * 120 * 64;  ///< NCCL_LL128_BUFFSIZE: 4,915,200

  friend bool operator==(const BufferSizes&, const BufferSizes&) = default;
};

/// Bytes of data per slot: half of LL's bytes are flags, and one of LL128's sixteen words is.
[[nodiscard]] constexpr std::int64_t slot_payload(const BufferSizes& buffers, Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return buffers.ll / kSlots / 2;
    case Protocol::ll128: return buffers.ll128 / kSlots / 16 * 15;
    case Protocol::simple: break;
  }
  return buffers.simple / kSlots;
}

}  // namespace railyard::collectives::nccl

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/packet/links/links.hpp"
#include "sim/packet/links/ring.hpp"
#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// Limits the receive rate of NICs. A NIC processes the data packets of all its ports one after
/// another. A packet of b bytes on the wire takes s(b) = max(b / ingress_rate, ingress_gap). A
/// packet that arrived at time a is processed at
///
///     d = max(a, d of the previous packet) + s(b)
///
/// and occupies the buffer until then. A packet of a lossy class that does not fit into the buffer
/// is lost. With lossless classes a part of the buffer is headroom. When the buffer contains
/// `pause_at` bytes (its size minus the headroom of each port and lossless class), the NIC pauses
/// the class of the port over which a packet arrived. It resumes all of them when the buffer
/// contains `pause_at` minus one packet, as mlx5 does (Linux,
/// drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c). With credits the buffer is the one to
/// which the credits refer.
///
/// Example: packets of 4178 bytes arrive every 83.56 ns (400 Gb/s), and ingress_rate is 200 Gb/s.
/// The first one is processed 167.12 ns after its arrival. The buffer grows by one packet every
/// 167.12 ns.
class Ingress {
 public:
  /// The buffer of one NIC.
  struct Nic {
    Ring<Packet> held{};  ///< Packet::time is when it is processed
    std::int64_t free_at = 0;
    std::int64_t bytes = 0;
    std::int64_t pause_at = 0;            ///< bytes
    std::vector<std::uint32_t> paused{};  ///< paused queues of the ports that lead to the NIC
                                          ///< (Links)
  };

  /// Without a limit no packet is buffered. Throws InputError if the buffer is too small for one
  /// packet of `packet` wire bytes and the headroom.
  Ingress(const Links& links, std::size_t devices, const Parameters& parameters, Bytes packet,
          Bytes pause_frame);

  [[nodiscard]] bool is_limited() const { return !nics_.empty(); }
  [[nodiscard]] Nic& at(std::uint32_t device) { return nics_[device]; }
  [[nodiscard]] const std::vector<Nic>& nics() const { return nics_; }
  /// Buffers a packet that arrives at its time. Returns false if it is lost.
  [[nodiscard]] bool admit(Nic& nic, Packet packet);
  /// Whether the queue over which a packet arrived must be paused (if it is not paused yet).
  [[nodiscard]] bool must_pause(const Nic& nic, std::uint32_t lane) const {
    return may_pause_[lane] && nic.bytes >= nic.pause_at;
  }
  [[nodiscard]] bool may_resume(const Nic& nic) const {
    return !nic.paused.empty() && nic.bytes <= nic.pause_at - packet_;
  }
  /// s(b) in ps.
  [[nodiscard]] std::int64_t time_of(std::uint32_t bytes) const;

 private:
  std::vector<Nic> nics_;  ///< by device
  std::vector<bool> may_pause_;
  std::int64_t buffer_ = 0, packet_ = 0;
  std::uint64_t rate_ = 0;  ///< bit/s; 0: no limit
  std::int64_t gap_ = 0;    ///< ps
};

}  // namespace railyard::sim::packet

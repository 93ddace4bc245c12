#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/packet/links/links.hpp"
#include "sim/packet/links/ring.hpp"
#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// What NICs receive at most. A NIC takes the data packets of its ports one after the other, in
/// s(b) = max(b / ingress_rate, ingress_gap) for b bytes on the wire. A packet that arrived at a is
/// taken at
///
///     d = max(a, d of the packet before) + s(b)
///
/// and is in the buffer until then. A packet of a lossy class that does not fit into the buffer is
/// lost. Where classes are lossless, a part of the buffer is their headroom: at `pause_at` bytes,
/// which are the buffer less the headroom of each port and lossless class, the NIC pauses the class
/// of the port by which a packet came. It resumes all of them at `pause_at` less a packet, as mlx5
/// does (Linux, drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c). With credits the buffer
/// is that of the credits.
///
/// Example: packets of 4178 bytes arrive each 83.56 ns (400 Gb/s) and ingress_rate is 200 Gb/s. The
/// first one is taken 167.12 ns after its arrival, and the buffer grows by a packet each 167.12 ns.
class Ingress {
 public:
  /// What a NIC holds.
  struct Nic {
    Ring<Packet> held{};  ///< Packet::time: when it is taken
    std::int64_t free_at = 0;
    std::int64_t bytes = 0;
    std::int64_t pause_at = 0;            ///< bytes
    std::vector<std::uint32_t> paused{};  ///< queues of ports that lead to it (Links)
  };

  /// Without a limit nothing is kept. Throws InputError where the buffer is too small for a packet
  /// of `packet` wire bytes and the headroom.
  Ingress(const Links& links, std::size_t devices, const Parameters& parameters, Bytes packet,
          Bytes pause_frame);

  [[nodiscard]] bool is_limited() const { return !nics_.empty(); }
  [[nodiscard]] Nic& at(std::uint32_t device) { return nics_[device]; }
  [[nodiscard]] const std::vector<Nic>& nics() const { return nics_; }
  /// Puts a packet that arrives now, at its time, into the buffer. False: it is lost.
  [[nodiscard]] bool admit(Nic& nic, Packet packet);
  /// Whether the queue by which a packet came is to be paused, where it is not.
  [[nodiscard]] bool must_pause(const Nic& nic, std::uint32_t lane) const {
    return may_pause_[lane] && nic.bytes >= nic.pause_at;
  }
  [[nodiscard]] bool may_resume(const Nic& nic) const {
    return !nic.paused.empty() && nic.bytes <= nic.pause_at - packet_;
  }
  /// s(b), ps.
  [[nodiscard]] std::int64_t time_of(std::uint32_t bytes) const;

 private:
  std::vector<Nic> nics_;  ///< by device
  std::vector<bool> may_pause_;
  std::int64_t buffer_ = 0, packet_ = 0;
  std::uint64_t rate_ = 0;  ///< bit/s; 0: no limit
  std::int64_t gap_ = 0;    ///< ps
};

}  // namespace railyard::sim::packet

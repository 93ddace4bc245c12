#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/disjoint_sets.hpp"
#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {

/// Devices that are simulated apart from the others for one window of time.
///
/// What a device does reaches another one by a link, so not before the latency of that link. In a
/// window of the least latency between domains (`lookahead`), the domains do not see each other:
/// each handles its events in their order, one domain after the other (conservative simulation with
/// a window of time: Nicol, "The cost of conservative synchronization in parallel discrete event
/// simulations", JACM 40(2), 1993). The result is that of one queue of events.
///
/// Devices of a node, which packets occupy in passing, are one domain, and so are devices whose
/// links are so short that they would make the windows small.
class Domains {
 public:
  explicit Domains(std::size_t devices) : sets_(devices), devices_(devices) {}

  /// These act on each other without delay.
  void join(std::uint32_t a, std::uint32_t b) { sets_.join(a, b); }
  /// All devices in one domain: one queue of events.
  void join_all();
  /// Numbers the domains. `used`: the links that packets take, and those back.
  void freeze(std::span<const LinkSpec> links, std::span<const std::uint32_t> used);

  [[nodiscard]] std::uint32_t of(std::uint32_t device) const { return domain_[device]; }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// ps; kAlone where no link joins two domains.
  [[nodiscard]] std::int64_t lookahead() const { return lookahead_; }

  static constexpr std::int64_t kAlone = std::int64_t{1} << 62;

 private:
  core::DisjointSets sets_;
  std::size_t devices_, count_ = 0;
  std::vector<std::uint32_t> domain_;
  std::int64_t lookahead_ = kAlone;
};

}  // namespace railyard::sim::packet

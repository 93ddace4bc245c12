#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/disjoint_sets.hpp"
#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {

/// Divides the devices into domains, each of which is simulated by itself for one window of time.
///
/// A device affects another device over a link, and thus not before the latency of that link has
/// passed. In a window as long as the smallest latency between domains (`lookahead`), domains
/// cannot affect each other. Each domain processes its events of the window in order, one domain
/// after the other (conservative simulation with a time window: Nicol, "The cost of conservative
/// synchronization in parallel discrete event simulations", JACM 40(2), 1993). The result is the
/// same as with a single queue of events.
///
/// Devices of a node are one domain, because packets occupy several of its links at the same time.
/// Devices whose links are so short that windows would become small are also joined.
class Domains {
 public:
  explicit Domains(std::size_t devices) : sets_(devices), devices_(devices) {}

  /// Puts two devices that affect each other without delay into one domain.
  void join(std::uint32_t a, std::uint32_t b) { sets_.join(a, b); }
  /// All devices in one domain: one queue of events.
  void join_all();
  /// Numbers the domains and computes the lookahead. `used`: the links that packets use, in both
  /// directions.
  void freeze(std::span<const LinkSpec> links, std::span<const std::uint32_t> used);

  [[nodiscard]] std::uint32_t of(std::uint32_t device) const { return domain_[device]; }
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Length of a window in ps; kAlone if no link connects two domains.
  [[nodiscard]] std::int64_t lookahead() const { return lookahead_; }

  static constexpr std::int64_t kAlone = std::int64_t{1} << 62;

 private:
  core::DisjointSets sets_;
  std::size_t devices_, count_ = 0;
  std::vector<std::uint32_t> domain_;
  std::int64_t lookahead_ = kAlone;
};

}  // namespace railyard::sim::packet

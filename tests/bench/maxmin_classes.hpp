#pragma once

#include <cstdint>
#include <vector>

#include "sim/maxmin/fluid.hpp"
#include "tests/bench/maxmin_workloads.hpp"

namespace railyard::bench {

/// The all-to-all of FatTree(hosts, 2) told of as two sets of streams, within leaves and across:
/// which links its messages cross is summed by pairs of leaves, not message by message.
class AllToAllSets {
 public:
  AllToAllSets(std::uint32_t hosts, double bytes)
      : leaves_(hosts / kPorts), up_(hosts), down_(hosts), leaf_up_(hosts), leaf_down_(hosts) {
    for (std::uint32_t from = 0; from < leaves_; ++from) {
      for (std::uint32_t to = 0; to < leaves_; ++to) {
        if (from != to) add_pair(from, to);
      }
    }
    // The same links as FatTree's: hosts' up, hosts' down, leaves' up, leaves' down.
    within_.add_leg(0, std::vector<std::uint32_t>(hosts, kPorts - 1));
    within_.add_leg(hosts, std::vector<std::uint32_t>(hosts, kPorts - 1));
    if (leaves_ > 1) {
      across_.add_leg(0, up_);
      across_.add_leg(2 * hosts, leaf_up_);
      across_.add_leg(3 * hosts, leaf_down_);
      across_.add_leg(hosts, down_);
    }
    sets_.push_back(within_.told(std::uint64_t{hosts} * (kPorts - 1), bytes));
    if (leaves_ > 1) sets_.push_back(across_.told(std::uint64_t{hosts} * (hosts - kPorts), bytes));
  }
  AllToAllSets(const AllToAllSets&) = delete;
  AllToAllSets& operator=(const AllToAllSets&) = delete;

  [[nodiscard]] const std::vector<sim::SymmetricStreams>& sets() const { return sets_; }

 private:
  static constexpr std::uint32_t kPorts = 16;  // hosts of a leaf, up-links of a leaf

  struct Legs {
    std::vector<sim::Crossing> crossings;
    std::vector<std::uint32_t> ends;
    void add_leg(std::uint32_t first_link, const std::vector<std::uint32_t>& streams) {
      for (std::uint32_t i = 0; i < streams.size(); ++i)
        crossings.push_back({LinkId(first_link + i), streams[i], 1.0});
      ends.push_back(static_cast<std::uint32_t>(crossings.size()));
    }
    [[nodiscard]] sim::SymmetricStreams told(std::uint64_t streams, double bytes) const {
      return {streams, bytes, crossings, ends};
    }
  };

  /// Every host of one leaf to every host of another: D-mod-k spreads the 16 destinations over the
  /// 16 up-links.
  void add_pair(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = 0; i < kPorts; ++i) {
      up_[from * kPorts + i] += kPorts;
      leaf_up_[from * kPorts + i] += kPorts;
      leaf_down_[to * kPorts + i] += kPorts;
      down_[to * kPorts + i] += kPorts;
    }
  }

  std::uint32_t leaves_;
  std::vector<std::uint32_t> up_, down_, leaf_up_, leaf_down_;
  Legs within_, across_;
  std::vector<sim::SymmetricStreams> sets_;
};

}  // namespace railyard::bench

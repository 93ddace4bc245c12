#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "topology/routing/hop.hpp"

namespace railyard::bench {

/// One message of a workload: hosts and bytes.
struct Message {
  std::uint32_t source = 0, destination = 0;
  double bytes = 0;
};

/// The fat trees of the comparison with SimGrid, as links of 50e9 B/s: hosts in groups of 16 on a
/// leaf; two tiers "2;16,N/16;1,16;1,1" or three tiers "3;16,16,16;1,16,16;1,1,1", D-mod-k routing
/// (the up-link is the destination's number modulo the number of up-links), both directions apart.
class FatTree {
 public:
  FatTree(std::uint32_t hosts, int tiers)
      : hosts_(hosts), leaves_(hosts / 16), pods_(leaves_ / 16), tiers_(tiers) {}

  [[nodiscard]] std::vector<double> capacities() const {
    const std::size_t links = 2 * hosts_ + 2 * std::size_t{leaves_} * 16 +
                              (tiers_ == 3 ? 2 * std::size_t{pods_} * 256 : 0);
    return std::vector<double>(links, 50e9);
  }
  [[nodiscard]] std::size_t longest_route() const { return tiers_ == 3 ? 6 : 4; }
  void route(std::uint32_t from, std::uint32_t to, std::vector<topology::Hop>& hops) const {
    const auto push = [&](std::uint32_t link) { hops.push_back({LinkId(link), 1.0}); };
    const std::uint32_t leaf_up = 2 * hosts_;
    const std::uint32_t leaf_down = leaf_up + leaves_ * 16;
    const std::uint32_t pod_up = leaf_down + leaves_ * 16;
    const std::uint32_t pod_down = pod_up + pods_ * 256;
    push(from);
    if (from / 16 != to / 16) {
      const std::uint32_t spine = to % 16;
      push(leaf_up + from / 16 * 16 + spine);
      if (tiers_ == 3 && from / 256 != to / 256) {
        const std::uint32_t core = to / 16 % 16;
        push(pod_up + from / 256 * 256 + spine * 16 + core);
        push(pod_down + to / 256 * 256 + spine * 16 + core);
      }
      push(leaf_down + to / 16 * 16 + spine);
    }
    push(hosts_ + to);
  }

 private:
  std::uint32_t hosts_, leaves_, pods_;
  int tiers_;
};

/// Random sizes are floor(bytes·U(.5, 1.5)) in flow order, from mt19937_64(1).
inline std::vector<Message> all_to_all(std::uint32_t hosts, double bytes, bool random_sizes) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  std::vector<Message> messages;
  for (std::uint32_t s = 0; s < hosts; ++s) {
    for (std::uint32_t d = 1; d < hosts; ++d) {
      messages.push_back(
          {s, (s + d) % hosts, random_sizes ? std::floor(bytes * factor(random)) : bytes});
    }
  }
  return messages;
}

/// `repeats` random permutations without fixed points: iota, shuffle, then each fixed point swapped
/// with a random other until there is none.
inline std::vector<Message> permutations(std::uint32_t hosts, int repeats, double bytes) {
  std::mt19937_64 random(1);
  std::vector<Message> messages;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<unsigned> to(hosts);
    std::iota(to.begin(), to.end(), 0U);
    const auto has_fixed_point = [&] {
      for (unsigned i = 0; i < hosts; ++i) {
        if (to[i] == i) return true;
      }
      return false;
    };
    do {
      std::shuffle(to.begin(), to.end(), random);
      for (unsigned i = 0; i < hosts; ++i) {
        if (to[i] == i) std::swap(to[i], to[random() % hosts]);
      }
    } while (has_fixed_point());
    for (unsigned s = 0; s < hosts; ++s) messages.push_back({s, to[s], bytes});
  }
  return messages;
}

}  // namespace railyard::bench

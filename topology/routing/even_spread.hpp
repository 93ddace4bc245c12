#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "topology/routing/fabric_paths.hpp"

namespace railyard::topology {

/// Traffic that is spread evenly over all shortest paths to a switch: the traffic that arrives at a
/// switch leaves it in equal parts over all cables that begin a shortest path. This is
/// RoutingPolicy::spray. It is also the mean load with hashing, because a hash chooses each of
/// these cables with the same probability.
///
/// Example: two leaves below the same 4 spines. 8 units of traffic from one leaf to the other put 2
/// units on each of the 4 cables up and on each of the 4 cables down.
/// down.
class EvenSpread {
 public:
  struct Source {
    SwitchId at;
    double amount = 0;
  };

  /// `paths` must outlive this object.
  explicit EvenSpread(FabricPaths& paths)
      : paths_(paths), arriving_(paths.index().size(), 0.0), ahead_(1) {}

  /// Calls take(LinkId, amount) once for each cable that carries traffic. Every source must have a
  /// path to `to` (FabricPaths::distance) or be `to` itself.
  template <class Take>
  void operator()(std::span<const Source> sources, SwitchId to, Take&& take) {
    for (const Source& source : sources) {
      if (source.at != to)
        arrive(source.at, source.amount, static_cast<std::size_t>(paths_.distance(source.at, to)));
    }
    for (std::size_t links = ahead_.size() - 1; links > 0; --links) {
      for (std::size_t i = 0; i < ahead_[links].size(); ++i) {
        const SwitchId at = ahead_[links][i];
        const Cables cables = paths_.next(at, to).viable;
        const double part = arriving_[at.index()] / static_cast<double>(cables.size());
        arriving_[at.index()] = 0;
        for (const FabricCable& cable : cables) {
          take(cable.link, part);
          if (cable.peer != to) arrive(cable.peer, part, links - 1);
        }
      }
      ahead_[links].clear();
    }
  }

 private:
  void arrive(SwitchId at, double amount, std::size_t links) {
    if (links >= ahead_.size()) ahead_.resize(links + 1);
    double& there = arriving_[at.index()];
    if (there == 0) ahead_[links].push_back(at);
    there += amount;
  }

  FabricPaths& paths_;
  std::vector<double> arriving_;              ///< by switch
  std::vector<std::vector<SwitchId>> ahead_;  ///< switches with traffic, by remaining links
};

}  // namespace railyard::topology

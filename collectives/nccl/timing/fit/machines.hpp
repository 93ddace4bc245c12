#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/timing/time_model.hpp"

namespace railyard::collectives::nccl {

/// A communicator on a cluster: the first GPUs of so many nodes.
struct Shape {
  std::string cluster{};  ///< file, or name in configs/clusters
  int ranks = 0, nodes = 0;
  bool operator<(const Shape& other) const {
    return std::tie(cluster, ranks, nodes) < std::tie(other.cluster, other.ranks, other.nodes);
  }
};

/// Machines and communicators by shape; each is searched once.
class Machines {
 public:
  struct Entry {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Communicator> communicator;
    std::string generation, fabric, host;  ///< names of the parameter sets
  };
  /// Throws InputError where the cluster cannot hold the ranks.
  const Entry& at(const Shape& shape);
  /// Why the cluster cannot hold the ranks; "" where it can.
  [[nodiscard]] std::string why_not(const Shape& shape) const;

 private:
  std::map<Shape, Entry> entries_{};
};

}  // namespace railyard::collectives::nccl

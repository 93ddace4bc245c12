#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/timing/time_model.hpp"

namespace railyard::collectives::nccl {

/// A communicator on a cluster: `ranks` GPUs on the first `nodes` nodes.
struct Shape {
  std::string cluster{};  ///< file, or name in configs/clusters
  int ranks = 0, nodes = 0;
  bool operator<(const Shape& other) const {
    return std::tie(cluster, ranks, nodes) < std::tie(other.cluster, other.ranks, other.nodes);
  }
};

/// Machines and communicators by shape. Each is computed once.
class Machines {
 public:
  struct Entry {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Communicator> communicator;
    std::string generation, fabric, host;  ///< names of the parameter sets
  };
  /// Throws InputError if the ranks do not fit on the nodes, or the nodes would have different
  /// numbers of ranks.
  const Entry& at(const Shape& shape);
  /// The reason why the ranks do not fit; "" if they do.
  [[nodiscard]] std::string why_not(const Shape& shape) const;

 private:
  std::map<Shape, Entry> entries_{};
};

}  // namespace railyard::collectives::nccl

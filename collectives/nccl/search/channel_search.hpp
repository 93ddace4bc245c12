#pragma once

#include <cstdint>
#include <vector>

#include "collectives/nccl/graph/link_budget.hpp"
#include "collectives/nccl/search/candidate.hpp"
#include "collectives/nccl/search/net_choices.hpp"

namespace railyard::collectives::nccl {

/// The paths of a node, and the bandwidth of its links and NIC ports that channels have not used
/// yet. All searches of the node share this object.
struct NodeResources {
  const System& system;
  const Paths& paths;
  bool inter = false;   ///< the communicator has other nodes
  bool railed = false;  ///< rails and planes of ports matter (since 2.29)
  NetChoices nets;
  LinkBudget budget;
  std::vector<float> net_left;  ///< free bandwidth in GB/s by port
  /// Bit sets of the path types that occur between GPUs, and between GPUs and ports.
  unsigned types_intra = 0, types_inter = 0;

  NodeResources(const System& system, const Paths& paths, const SearchEnvironment& environment,
                bool inter);
};

/// Searches channels with given limits and keeps the best graph (NCCL 2.30.7, src/graph/search.cc,
/// ncclTopoSearchRec and the functions that it calls). For one channel after another it tries
/// orders of GPUs by depth-first search, as long as links and ports have enough bandwidth left. The
/// search ends after `steps` tried GPUs.
class ChannelSearch {
 public:
  ChannelSearch(NodeResources& resources, Candidate& trial, Candidate& best)
      : resources_(resources), trial_(trial), best_(best), used_(resources.system.gpus.size(), 0) {}

  /// Returns the number of unused steps, or kPerfect if no better graph is possible.
  [[nodiscard]] std::int64_t run(std::int64_t steps);
  static constexpr std::int64_t kPerfect = -1;

 private:
  /// The order in which GPUs are tried: any order, the order of the PCIe tree, or the order of the
  /// previous channel.
  enum class Order { any, pcie, replay };
  /// The criteria that decide which GPU is tried first. As in NCCL, bandwidths are whole GB/s.
  struct Score {
    int gpu = 0;
    int net_bandwidth = 0, pcie_bandwidth = 0,
        net_hops = 0;             ///< of the path from the channel's NIC
    int bandwidth = 0, hops = 0;  ///< of the path from the previous GPU
    int distance = 0;             ///< distance from the previous GPU, in the order of GPUs
  };
  /// The state of an incomplete channel. At step `to_net` the channel leaves to the network. At
  /// step `to_first` it returns to its first GPU (a ring). -1: it does not.
  struct Walk {
    int step = 0;
    int to_net = -1;
    int to_first = -1;
    Order order = Order::any;
  };
  struct Origin {
    VertexKind kind = VertexKind::gpu;
    int index = -1;  ///< -1: none
  };

  [[nodiscard]] int gpu_count() const { return resources_.system.gpu_count(); }
  [[nodiscard]] Walk first_walk(Order order) const;
  [[nodiscard]] bool follow(Origin from, Origin to, float factor);
  void unfollow(Origin from, Origin to, float factor);

  void add_channel();
  void start_from_net();
  [[nodiscard]] bool may_start(int net) const;
  [[nodiscard]] bool start_head(int net, std::size_t net_count);
  void start_chains(int net);
  void start_inside();

  void try_gpu(Origin from, int gpu, Walk walk);
  void place(int gpu, Walk walk);
  void finish_channel();
  void return_to_net(int gpu, Walk walk);
  [[nodiscard]] bool may_return(int net, int start, int step) const;
  void pass_through_nvswitch(int head, Walk walk);
  void spread_to_all(int head, Walk walk);
  void go_on(int gpu, Walk walk);
  void close_ring(int gpu, Walk walk);

  /// Pushes the GPUs to try after `gpu` onto the stack, best first (ncclTopoSearchNextGpuSort).
  void push_next_gpus(int gpu, Walk walk);
  void push_neighbours(int gpu);
  void push_by_score(int gpu, Walk walk);
  [[nodiscard]] bool is_free(int from, int gpu) const;

  NodeResources& resources_;
  Candidate& trial_;
  Candidate& best_;
  std::vector<std::uint64_t> used_;  ///< by GPU: one bit per channel
  std::vector<int> stack_;           ///< GPUs still to try, for all steps
  std::vector<Score> scores_;
  std::int64_t time_ = 0;
};

}  // namespace railyard::collectives::nccl

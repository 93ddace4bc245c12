#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/node/host_memory.hpp"

namespace railyard::apps {

/// A row of `railyard bench` whose ranks were on cores.
struct HostRow {
  std::size_t table = 0;  ///< which file it is of
  collectives::Collective collective{};
  int ranks = 0;
  std::string algorithm{};
  int channels = 0;
  bool over_mpi = false;  ///< else threads of one process
  double time_us = 0;     ///< median of the iterations
};

/// What describes hosts whose ranks are on cores (docs/models/probe.md), with its unit.
struct HostParameter {
  enum class What { launch, step, network, rate, cached_rate, port };
  What what{};
  std::string name{}, unit{};
  double start = 0, value = 0;
  double error = 0;        ///< relative standard error
  std::size_t points = 0;  ///< rows that it moves
  bool identified = false;
};

/// Cluster file `reference` with other values of its parameters, and what its flow simulation says
/// of rows: what `bench --predict` says with a file of those values.
class HostModel {
 public:
  /// Throws InputError: the cluster file.
  explicit HostModel(const std::string& reference);
  /// Whether all ranks are on cores.
  [[nodiscard]] bool is_of_hosts() const;
  /// Those that the file has, at their values there; times of nothing begin at 1 us.
  [[nodiscard]] std::vector<HostParameter> parameters() const;
  /// A cluster file's description with other values, in the order of parameters().
  [[nodiscard]] topology::ClusterSpec with(std::span<const double> x) const;
  [[nodiscard]] std::optional<topology::HostMemory> memory_with(std::span<const double> x) const;
  /// Why a row says nothing of this cluster: it names no schedule, or ranks lie otherwise; or "".
  [[nodiscard]] std::string why_not(const HostRow& row, int nodes) const;
  [[nodiscard]] double microseconds(std::span<const double> x, const HostRow& row);

 private:
  /// A cluster with what runs on it.
  struct Side {
    explicit Side(topology::ClusterSpec spec);
    topology::Cluster cluster;
    std::unique_ptr<collectives::Executor> analytic, streams, transfers;
  };
  struct Built {
    std::vector<double> x;
    std::unique_ptr<Side> memory, cache;  ///< cache: where the file has one
  };
  const Built& built(std::span<const double> x);
  [[nodiscard]] static double microseconds_on(const Side& side, const HostRow& row);

  topology::ClusterSpec spec_;
  std::optional<topology::HostMemory> memory_;
  std::vector<HostParameter> parameters_;
  std::deque<Built> built_;  ///< the last few values
};

/// Gives every rank `factor` times the bandwidth that it has to its CPU.
void scale_rank_bandwidth(topology::NodeSpec& node, double factor);

}  // namespace railyard::apps

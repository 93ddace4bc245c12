#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/cluster/cluster_spec.hpp"
#include "topology/node/host_memory.hpp"

namespace railyard::hw {

/// A parameter of a cluster whose ranks are on cores (docs/models/probe.md), with its unit.
struct HostParameter {
  enum class What { launch, step, network, rate, cached_rate, port };
  What what{};
  std::string name{}, unit{};
  double start = 0, value = 0;
  double error = 0;        ///< relative standard error
  std::size_t points = 0;  ///< rows whose prediction depends on it
  bool identified = false;
};

/// A cluster file whose ranks are on cores, and variants with other parameter values.
class HostCluster {
 public:
  /// Throws InputError if the cluster file is invalid.
  explicit HostCluster(const std::string& reference);
  /// Whether all ranks are on cores; the other members apply only to such clusters.
  [[nodiscard]] bool is_of_hosts() const;
  /// The parameters of the file with their values. Times of zero start at 1 us.
  [[nodiscard]] const std::vector<HostParameter>& parameters() const { return parameters_; }
  [[nodiscard]] const topology::ClusterSpec& spec() const { return spec_; }
  /// The cluster with other values, in the order of parameters().
  [[nodiscard]] topology::ClusterSpec with(std::span<const double> x) const;
  /// Bandwidth and size of the cache with other values; nothing if the file has none.
  [[nodiscard]] std::optional<topology::HostMemory> memory_with(std::span<const double> x) const;
  /// with(x), but all ranks have the bandwidth of the cache; nothing if the file has none.
  [[nodiscard]] std::optional<topology::ClusterSpec> cached_with(std::span<const double> x) const;

 private:
  topology::ClusterSpec spec_;
  std::optional<topology::HostMemory> memory_;
  std::vector<HostParameter> parameters_;
};

}  // namespace railyard::hw

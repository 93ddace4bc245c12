#include "hw/probe/host_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "topology/cluster/cluster.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::hw {
namespace {

using What = HostParameter::What;

Time time_of(double us) {
  return Time::picoseconds(static_cast<std::int64_t>(std::llround(us * 1e6)));
}

double gigabits(Bandwidth rate) { return static_cast<double>(rate.bits_per_second()) / 1e9; }

Bandwidth rate_of(double gigabits_per_second) {
  return Bandwidth::bits_per_second(
      std::max<std::int64_t>(std::llround(gigabits_per_second * 1e9), 1));
}

std::vector<HostParameter> parameters_of(const topology::ClusterSpec& spec,
                                         const std::optional<topology::HostMemory>& memory) {
  std::vector<HostParameter> parameters;
  const auto add = [&](What what, const char* name, const char* unit, double start) {
    const double from = start > 0 ? start : 1;
    parameters.push_back({.what = what, .name = name, .unit = unit, .start = from, .value = from});
  };
  const topology::StepOverheads& simple = spec.overheads.simple;
  add(What::launch, "launch", "us", simple.launch.microseconds());
  add(What::step, "step", "us", simple.pcie.microseconds());
  add(What::network, "network_step", "us", simple.network.microseconds());
  if (const auto rate = topology::rank_bandwidth(spec.node_specs.front()))
    add(What::rate, "rate", "Gb/s", gigabits(*rate));
  if (memory) add(What::cached_rate, "cached_rate", "Gb/s", gigabits(memory->bandwidth));
  if (spec.fabric.port_bandwidth)
    add(What::port, "port_bandwidth", "Gb/s", gigabits(*spec.fabric.port_bandwidth));
  return parameters;
}

}  // namespace

HostCluster::HostCluster(const std::string& reference) : spec_(topology::read_cluster(reference)) {
  if (!is_of_hosts()) return;
  memory_ = topology::read_host_memory(reference);
  parameters_ = parameters_of(spec_, memory_);
}

bool HostCluster::is_of_hosts() const {
  return std::ranges::all_of(spec_.node_specs, [](const topology::NodeSpec& node) {
    return topology::is_host_rank(node.gpu);
  });
}

topology::ClusterSpec HostCluster::with(std::span<const double> x) const {
  topology::ClusterSpec spec = spec_;
  topology::StepOverheads& simple = spec.overheads.simple;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    switch (parameters_[k].what) {
      case What::launch: simple.launch = time_of(x[k]); break;
      case What::step: simple.pcie = simple.nvlink = time_of(x[k]); break;
      case What::network: simple.network = time_of(x[k]); break;
      case What::rate:
        for (topology::NodeSpec& node : spec.node_specs)
          topology::scale_rank_bandwidth(node, x[k] / parameters_[k].start);
        break;
      case What::cached_rate: break;
      case What::port: spec.fabric.port_bandwidth = rate_of(x[k]); break;
    }
  }
  return spec;
}

std::optional<topology::HostMemory> HostCluster::memory_with(std::span<const double> x) const {
  std::optional<topology::HostMemory> memory = memory_;
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (parameters_[k].what == What::cached_rate) memory->bandwidth = rate_of(x[k]);
  return memory;
}

std::optional<topology::ClusterSpec> HostCluster::cached_with(std::span<const double> x) const {
  const auto memory = memory_with(x);
  if (!memory) return std::nullopt;
  topology::ClusterSpec spec = with(x);
  const double own =
      gigabits(topology::rank_bandwidth(spec.node_specs.front()).value_or(memory->bandwidth));
  for (topology::NodeSpec& node : spec.node_specs)
    topology::scale_rank_bandwidth(node, gigabits(memory->bandwidth) / own);
  return spec;
}

}  // namespace railyard::hw

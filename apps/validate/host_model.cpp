#include "apps/validate/host_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/bench/bench_setting.hpp"
#include "apps/sim/engine.hpp"
#include "topology/node/host_rank.hpp"

namespace railyard::apps {
namespace {

using collectives::Group;
using collectives::Task;
using What = HostParameter::What;

/// A search needs a few: the point that it is at, and one beside it for each parameter.
constexpr std::size_t kKept = 8;

Time time_of(double us) {
  return Time::picoseconds(static_cast<std::int64_t>(std::llround(us * 1e6)));
}

double gigabits(Bandwidth rate) { return static_cast<double>(rate.bits_per_second()) / 1e9; }

Bandwidth rate_of(double gigabits_per_second) {
  return Bandwidth::bits_per_second(
      std::max<std::int64_t>(std::llround(gigabits_per_second * 1e9), 1));
}

void scale(std::vector<topology::PcieSpec>& functions, double factor) {
  for (topology::PcieSpec& function : functions) {
    if (function.kind == topology::PcieKind::gpu && function.bandwidth)
      function.bandwidth = rate_of(gigabits(*function.bandwidth) * factor);
    scale(function.children, factor);
  }
}

/// The first rank's; nothing where the file leaves it to PCIe's speed.
std::optional<Bandwidth> rank_bandwidth(const std::vector<topology::PcieSpec>& functions) {
  for (const topology::PcieSpec& function : functions) {
    if (function.kind == topology::PcieKind::gpu) return function.bandwidth;
    if (const auto below = rank_bandwidth(function.children)) return below;
  }
  return std::nullopt;
}

std::optional<Bandwidth> rank_bandwidth(const topology::ClusterSpec& spec) {
  for (const topology::CpuSpec& cpu : spec.node_specs.front().cpus)
    if (const auto found = rank_bandwidth(cpu.pcie)) return found;
  return std::nullopt;
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
  if (const auto rate = rank_bandwidth(spec)) add(What::rate, "rate", "Gb/s", gigabits(*rate));
  if (memory) add(What::cached_rate, "cached_rate", "Gb/s", gigabits(memory->bandwidth));
  if (spec.fabric.port_bandwidth)
    add(What::port, "port_bandwidth", "Gb/s", gigabits(*spec.fabric.port_bandwidth));
  return parameters;
}

}  // namespace

void scale_rank_bandwidth(topology::NodeSpec& node, double factor) {
  for (topology::CpuSpec& cpu : node.cpus) scale(cpu.pcie, factor);
}

HostModel::Side::Side(topology::ClusterSpec spec)
    : cluster(topology::build_cluster(std::move(spec))),
      analytic(make_engine(cluster, {.fidelity = "analytic"})),
      streams(make_engine(cluster, {.fidelity = "flow"})),
      transfers(make_engine(cluster, {.fidelity = "flow", .expand = true})) {}

HostModel::HostModel(const std::string& reference) : spec_(topology::read_cluster(reference)) {
  if (!is_of_hosts()) return;
  memory_ = topology::read_host_memory(reference);
  parameters_ = parameters_of(spec_, memory_);
}

bool HostModel::is_of_hosts() const {
  return std::ranges::all_of(spec_.node_specs, [](const topology::NodeSpec& node) {
    return topology::is_host_rank(node.gpu);
  });
}

std::vector<HostParameter> HostModel::parameters() const { return parameters_; }

topology::ClusterSpec HostModel::with(std::span<const double> x) const {
  topology::ClusterSpec spec = spec_;
  topology::StepOverheads& simple = spec.overheads.simple;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    switch (parameters_[k].what) {
      case What::launch: simple.launch = time_of(x[k]); break;
      case What::step: simple.pcie = simple.nvlink = time_of(x[k]); break;
      case What::network: simple.network = time_of(x[k]); break;
      case What::rate:
        for (topology::NodeSpec& node : spec.node_specs)
          scale_rank_bandwidth(node, x[k] / parameters_[k].start);
        break;
      case What::cached_rate: break;
      case What::port: spec.fabric.port_bandwidth = rate_of(x[k]); break;
    }
  }
  return spec;
}

std::optional<topology::HostMemory> HostModel::memory_with(std::span<const double> x) const {
  std::optional<topology::HostMemory> memory = memory_;
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (parameters_[k].what == What::cached_rate) memory->bandwidth = rate_of(x[k]);
  return memory;
}

std::string HostModel::why_not(const HostRow& row, int nodes) const {
  if (row.algorithm.empty() || row.algorithm.starts_with(kNative))
    return "names no schedule: a fit of ranks on cores takes result files of 'railyard bench' with "
           "an algorithm";
  const topology::Cluster cluster = topology::build_cluster(spec_);
  if (row.ranks < 2 || static_cast<std::size_t>(row.ranks) > cluster.rank_count())
    return fmt::format("is of {} ranks, and the cluster has {}", row.ranks, cluster.rank_count());
  const auto found = Group::first(cluster, static_cast<std::size_t>(row.ranks)).nodes().size();
  if (nodes > 0 && found != static_cast<std::size_t>(nodes))
    return fmt::format("is of {} ranks on {} hosts, which the cluster has on {}", row.ranks, nodes,
                       found);
  return {};
}

const HostModel::Built& HostModel::built(std::span<const double> x) {
  const auto known =
      std::ranges::find_if(built_, [&](const Built& one) { return std::ranges::equal(one.x, x); });
  if (known != built_.end()) return *known;
  Built next{
      .x = {x.begin(), x.end()}, .memory = std::make_unique<Side>(with(x)), .cache = nullptr};
  if (const auto memory = memory_with(x)) {
    topology::ClusterSpec spec = with(x);
    const double own = gigabits(rank_bandwidth(spec).value_or(memory->bandwidth));
    for (topology::NodeSpec& node : spec.node_specs)
      scale_rank_bandwidth(node, gigabits(memory->bandwidth) / own);
    next.cache = std::make_unique<Side>(std::move(spec));
  }
  if (built_.size() == kKept) built_.pop_front();
  built_.push_back(std::move(next));
  return built_.back();
}

double HostModel::microseconds(std::span<const double> x, const HostRow& row) {
  const Built& now = built(x);
  const Bytes buffers = row.collective.bytes * std::int64_t{row.ranks};
  const double part = !row.over_mpi && now.cache ? memory_->part(buffers) : 0;
  return (part > 0 ? part * microseconds_on(*now.cache, row) : 0) +
         (part < 1 ? (1 - part) * microseconds_on(*now.memory, row) : 0);
}

double HostModel::microseconds_on(const Side& side, const HostRow& row) {
  const auto group = std::make_shared<const Group>(
      Group::first(side.cluster, static_cast<std::size_t>(row.ranks)));
  auto chooser = collectives::nccl::Chooser::without_nccl(side.cluster, *side.analytic);
  const collectives::Schedule schedule = chooser.chosen_schedule(
      {.group = group,
       .collective = row.collective,
       .algorithm = row.algorithm,
       .protocol = collectives::Protocol::simple,
       .channels = row.channels > 0 ? std::optional(row.channels) : std::nullopt});
  const Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const bool expands = row.over_mpi && schedule.transfer_count() <= kMostExpanded;
  const auto run = (expands ? side.transfers : side.streams)->run({&task, 1});
  return (run.tasks.front().finish - run.tasks.front().start).microseconds();
}

}  // namespace railyard::apps

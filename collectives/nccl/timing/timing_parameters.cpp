#include "collectives/nccl/timing/timing_parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace railyard::collectives::nccl {
namespace {

using enum ParameterOwner;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Time us(double value) { return Time::from_seconds(value * 1e-6); }

/// Upper limits of efficiencies: 1 for NICs; for links inside a node, their line rate / NCCL's
/// bandwidth of the link.
double all_of_it(const Machine& /*machine*/) { return 1; }
double of_line_rate(const Machine& m) {
  return m.meets_over_nvlink && m.nvlink > 0 ? m.link_limit / m.nvlink : kInfinite;
}
double of_line_rate_pcie(const Machine& m) {
  return !m.meets_over_nvlink && m.pcie > 0 ? m.link_limit / m.pcie : kInfinite;
}

constexpr std::array<TimingParameter, 35> kParameters{{
    {"launch/ll", generation, [](const Machine& m) { return m.gpu.launch.ll.microseconds(); },
     [](Machine& m, double v) { m.gpu.launch.ll = us(v); }, 0.003},
    {"step/ll", generation, [](const Machine& m) { return m.gpu.step.ll.microseconds(); },
     [](Machine& m, double v) { m.gpu.step.ll = us(v); }, 0.003},
    {"launch/ll128", generation, [](const Machine& m) { return m.gpu.launch.ll128.microseconds(); },
     [](Machine& m, double v) { m.gpu.launch.ll128 = us(v); }, 0.003},
    {"step/ll128", generation, [](const Machine& m) { return m.gpu.step.ll128.microseconds(); },
     [](Machine& m, double v) { m.gpu.step.ll128 = us(v); }, 0.003},
    {"launch/simple", generation,
     [](const Machine& m) { return m.gpu.launch.simple.microseconds(); },
     [](Machine& m, double v) { m.gpu.launch.simple = us(v); }, 0.003},
    {"step/simple", generation, [](const Machine& m) { return m.gpu.step.simple.microseconds(); },
     [](Machine& m, double v) { m.gpu.step.simple = us(v); }, 0.003},
    {"link_efficiency", generation, [](const Machine& m) { return m.gpu.link_efficiency; },
     [](Machine& m, double v) { m.gpu.link_efficiency = v; }, 0.2, of_line_rate},
    {"ll_efficiency", generation, [](const Machine& m) { return m.gpu.ll_efficiency; },
     [](Machine& m, double v) { m.gpu.ll_efficiency = v; }, 0.01},
    {"ll128_efficiency", generation, [](const Machine& m) { return m.gpu.ll128_efficiency; },
     [](Machine& m, double v) { m.gpu.ll128_efficiency = v; }, 0.1},
    {"tree/ll", generation, [](const Machine& m) { return m.gpu.tree.ll; },
     [](Machine& m, double v) { m.gpu.tree.ll = v; }, 0.02},
    {"tree/ll128", generation, [](const Machine& m) { return m.gpu.tree.ll128; },
     [](Machine& m, double v) { m.gpu.tree.ll128 = v; }, 0.02},
    {"tree/simple", generation, [](const Machine& m) { return m.gpu.tree.simple; },
     [](Machine& m, double v) { m.gpu.tree.simple = v; }, 0.02},
    {"tree_fill", generation, [](const Machine& m) { return m.gpu.tree_fill; },
     [](Machine& m, double v) { m.gpu.tree_fill = v; }, 0.05},
    {"tail", generation, [](const Machine& m) { return m.gpu.tail; },
     [](Machine& m, double v) { m.gpu.tail = v; }, 0.02},
    {"nvls_launch", generation, [](const Machine& m) { return m.gpu.nvls_launch.microseconds(); },
     [](Machine& m, double v) { m.gpu.nvls_launch = us(v); }, 0.003},
    {"nvls_efficiency", generation, [](const Machine& m) { return m.gpu.nvls_efficiency; },
     [](Machine& m, double v) { m.gpu.nvls_efficiency = v; }, 0.1},
    {"nvls_chunk", generation,
     [](const Machine& m) { return static_cast<double>(m.gpu.nvls_chunk.count()); },
     [](Machine& m, double v) { m.gpu.nvls_chunk = Bytes(std::llround(v)); }, 0.02},
    {"nvls_fill", generation, [](const Machine& m) { return m.gpu.nvls_fill; },
     [](Machine& m, double v) { m.gpu.nvls_fill = v; }, 0.02},
    {"nvls_tree_efficiency", generation,
     [](const Machine& m) { return m.gpu.nvls_tree_efficiency; },
     [](Machine& m, double v) { m.gpu.nvls_tree_efficiency = v; }, 0.1},
    {"nvls_tree_fill", generation, [](const Machine& m) { return m.gpu.nvls_tree_fill; },
     [](Machine& m, double v) { m.gpu.nvls_tree_fill = v; }, 0.02},
    {"exchange_launch", generation,
     [](const Machine& m) { return m.gpu.exchange_launch.microseconds(); },
     [](Machine& m, double v) { m.gpu.exchange_launch = us(v); }, 0.003},
    {"exchange_launch_ll", generation,
     [](const Machine& m) { return m.gpu.exchange_launch_ll.microseconds(); },
     [](Machine& m, double v) { m.gpu.exchange_launch_ll = us(v); }, 0.003},
    {"exchange_peer", generation,
     [](const Machine& m) { return m.gpu.exchange_peer.microseconds(); },
     [](Machine& m, double v) { m.gpu.exchange_peer = us(v); }, 0.01},
    {"exchange_efficiency", generation, [](const Machine& m) { return m.gpu.exchange_efficiency; },
     [](Machine& m, double v) { m.gpu.exchange_efficiency = v; }, 0.02},
    {"exchange_ll_efficiency", generation,
     [](const Machine& m) { return m.gpu.exchange_ll_efficiency; },
     [](Machine& m, double v) { m.gpu.exchange_ll_efficiency = v; }, 0.01},
    {"self_copy", generation, [](const Machine& m) { return m.gpu.self_copy; },
     [](Machine& m, double v) { m.gpu.self_copy = v; }, 0.01},
    {"efficiency", fabric, [](const Machine& m) { return m.fabric.efficiency; },
     [](Machine& m, double v) { m.fabric.efficiency = v; }, 0.2, all_of_it},
    {"step/ll", fabric, [](const Machine& m) { return m.fabric.step.ll.microseconds(); },
     [](Machine& m, double v) { m.fabric.step.ll = us(v); }, 0.003},
    {"step/ll128", fabric, [](const Machine& m) { return m.fabric.step.ll128.microseconds(); },
     [](Machine& m, double v) { m.fabric.step.ll128 = us(v); }, 0.01},
    {"step/simple", fabric, [](const Machine& m) { return m.fabric.step.simple.microseconds(); },
     [](Machine& m, double v) { m.fabric.step.simple = us(v); }, 0.01},
    {"tree_step", fabric, [](const Machine& m) { return m.fabric.tree_step; },
     [](Machine& m, double v) { m.fabric.tree_step = v; }, 0.5},
    {"nvls_step", fabric, [](const Machine& m) { return m.fabric.nvls_step.microseconds(); },
     [](Machine& m, double v) { m.fabric.nvls_step = us(v); }, 0.003},
    {"message", fabric, [](const Machine& m) { return m.fabric.message.microseconds(); },
     [](Machine& m, double v) { m.fabric.message = us(v); }, 0.01},
    {"switch_efficiency", host, [](const Machine& m) { return m.pcie_timing.switch_efficiency; },
     [](Machine& m, double v) { m.pcie_timing.switch_efficiency = v; }, 0.02, of_line_rate_pcie},
    {"host_efficiency", host, [](const Machine& m) { return m.pcie_timing.host_efficiency; },
     [](Machine& m, double v) { m.pcie_timing.host_efficiency = v; }, 0.02, of_line_rate_pcie},
}};

}  // namespace

double TimingParameter::bounded(const Machine& machine, double value) const {
  return most == nullptr ? value : std::min(value, most(machine));
}

std::span<const TimingParameter> timing_parameters() { return kParameters; }

}  // namespace railyard::collectives::nccl

#pragma once

#include "collectives/nccl/timing/time_model.hpp"

namespace railyard::collectives::nccl {

/// Eight GPUs with 400 GB/s of NVLink each and eight NICs of 50 GB/s; round numbers for every
/// timing.
inline Machine machine(int nodes) {
  using namespace railyard::literals;
  Machine m;
  m.nodes = nodes;
  m.ranks = 8 * nodes;
  m.nvlink = 400;
  m.nics = m.exchange_nics = 400;
  m.nic_count = 8;
  m.channels = 16;
  m.nvls_channels = 16;
  m.nvls_heads = 8;
  m.exchange_ll_limit = 512 << 10;
  m.gpu.launch = {.ll = 5_us, .ll128 = 8_us, .simple = 10_us};
  m.gpu.step = {.ll = 1_us, .ll128 = 2_us, .simple = 3_us};
  m.gpu.link_efficiency = 0.9;
  m.gpu.ll_efficiency = 0.5;
  m.gpu.ll128_efficiency = 0.9;
  m.gpu.tail = 0;
  m.gpu.tree = {.ll = 0.1, .ll128 = 0.4, .simple = 0.5};
  m.gpu.tree_fill = 0;
  m.gpu.nvls_launch = 20_us;
  m.gpu.nvls_efficiency = 1.4;
  m.gpu.nvls_chunk = Bytes(0);
  m.gpu.nvls_fill = 0;
  m.gpu.nvls_tree_efficiency = 1;
  m.gpu.nvls_tree_fill = 0;
  m.gpu.exchange_launch = 14_us;
  m.gpu.exchange_launch_ll = 7_us;
  m.gpu.exchange_peer = 1_us;
  m.gpu.exchange_efficiency = 1;
  m.gpu.exchange_ll_efficiency = 0.5;
  m.gpu.self_copy = 0;
  m.fabric.efficiency = 0.95;
  m.fabric.step = {.ll = 4_us, .ll128 = 6_us, .simple = 12_us};
  m.fabric.tree_step = 2;
  m.fabric.nvls_step = 15_us;
  m.fabric.message = 2_us;
  return m;
}

}  // namespace railyard::collectives::nccl

#include "collectives/nccl/tuning/tuning_constants.hpp"

namespace railyard::collectives::nccl {
namespace {

/// NCCL 2.30.7 src/graph/tuning.cc (ncclTunerConstantsDefaults, nvlsEfficiency,
/// treeCorrectionFactor). Values of a triple are for LL, LL128, Simple; algorithms are in the order
/// of TuningAlgorithm.
constexpr TuningConstants release_2_30() {
  TuningConstants c;
  c.base_latency = {{{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}, {}, {}, {}, {}, {8.0, 8.0, 8.0}}};
  c.hop_latency = {{
      {{{0.6, 1.25, 4.0},
        {0.6, 1.9, 3.4},
        {0, 0, 3.7},
        {0, 0, 2.8},
        {0, 0, 25},
        {0, 0, 25},
        {0, 0, 4.0}}},
      {{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}, {0, 0, 3.7}, {0, 0, 2.8}, {}, {}, {0, 0, 4.0}}},
      {{{5.0, 8.5, 14},
        {2.7, 4.0, 14.0},
        {0, 0, 31},
        {0, 0, 30},
        {0, 0, 18},
        {0, 0, 20.9},
        {0, 0, 14}}},
  }};
  c.ll_bandwidth = {{{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282, 90, 70}}};
  c.ring_ll128_per_channel = {
      {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
  c.tree_ll128_per_channel = {
      {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};
  c.tree_per_channel = {
      {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
  c.nvls_tree_per_channel = {
      {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {0.0, 57.7, 45.5}, {0.0, 96.0, 80.0}}};
  c.nvls_efficiency = {0, 0, 0.85f, 0.74f};
  c.tree_correction = {{
      {1,   1,   1,   1,   .9f, .8f, .7f, .7f, .7f, .7f, .6f, .5f,
       .4f, .4f, .5f, .6f, .7f, .8f, .9f, 1,   1,   1,   1,   1},
      {1,   1,   1,   1,   1,   .9f, .8f, .8f, .8f, .7f, .6f, .6f,
       .6f, .6f, .6f, .6f, .8f, .9f, .9f, .9f, .9f, 1,   1,   1},
      {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .8f, .7f, .6f, .6f, .5f,
       .5f, .5f, .5f, .6f, .7f, .8f, .7f, .7f, .8f, .9f, .9f, .9f},
  }};
  c.nvls_tree_is_corrected = true;
  return c;
}

/// NCCL 2.28.9, same file: the differences.
constexpr TuningConstants release_2_28() {
  TuningConstants c = release_2_30();
  c.ring_ll128_per_channel[3] = {73.4, 34.6, 73.4};
  c.nvls_tree_per_channel[3] = {0.0, 96.0, 43.8};
  c.nvls_tree_is_corrected = false;
  c.ll128_needs_equal_gpus = true;
  return c;
}

/// NCCL 2.32.6: what differs. src/tuning/cost_model.cc, lines 155 and 171
/// (ncclTunerConstantsDefaults), ring.cc, tree.cc, pat.cc, nvls.cc, collnet.cc, tuning_general.cc
/// and tuning.cc of the same folder.
constexpr TuningConstants release_2_32() {
  TuningConstants c = release_2_30();
  c.ll_bandwidth[3][0] = 2 * 141.2;
  c.tree_ll128_per_channel[3] = {55.6, 36.7, 20.0};
  c.slow_rings_have_fewer_threads = false;
  c.two_nodes_count_nics = true;
  c.others_alone_take_tree_hops = false;
  c.nvlink_rings_have_plateau = true;
  c.nvls_tree_is_corrected_on_arm = true;
  c.collnet_needs_nvswitch = false;
  c.collnet_needs_heads = true;
  c.pat_on_full_nodes_is_last = true;
  c.last_of_equals_wins = true;
  return c;
}

constexpr TuningConstants k2_28 = release_2_28();
constexpr TuningConstants k2_30 = release_2_30();
constexpr TuningConstants k2_32 = release_2_32();

}  // namespace

const TuningConstants& tuning_constants(Version version) {
  switch (version) {
    case Version::v2_28: return k2_28;
    case Version::v2_30: return k2_30;
    case Version::v2_32: break;
  }
  return k2_32;
}

}  // namespace railyard::collectives::nccl

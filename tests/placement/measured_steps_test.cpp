// Predicted against the published times of arXiv 2205.05198. Nothing is set per run: GPUs from
// configs/gpus, the node's links as the source states them. Other measured runs:
// tests/apps/training_validate_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "placement/cost/closed_form.hpp"
#include "placement/cost/scored_strategy.hpp"

namespace railyard::placement {
namespace {

using namespace literals;

/// Selene and like machines: 12 NVLinks of 20 GB/s, 8 x HDR200.
NodeFabric selene() {
  return {
      .gpus_per_node = 8, .nvlink = 240_GBps, .nics = 200_GBps, .nic_count = 8, .overheads = {}};
}
Model gpt(int layers, int hidden, int heads, int sequence) {
  return {.name = "gpt",
          .layers = layers,
          .hidden = hidden,
          .ffn = 4 * hidden,
          .heads = heads,
          .vocabulary = 51200,
          .positions = sequence,
          .sequence = sequence};
}

/// Predicted and measured seconds.
struct Pair {
  double predicted = 0, measured = 0;
};

double predict(const NodeFabric& fabric, const Job& job, const Strategy& strategy) {
  static const Processor a100 = read_processor("a100_sxm_80");
  ClosedForm model(fabric);
  const TypeContext context{.job = job, .gpu = a100, .communication = model, .gpus_per_node = 8};
  return score(context, strategy).step.total.seconds();
}

double mean_error_pct(const std::vector<Pair>& pairs) {
  double sum = 0;
  for (const Pair& p : pairs) sum += std::abs(p.predicted / p.measured - 1);
  return 100 * sum / static_cast<double>(pairs.size());
}

struct Korthikanti {
  int hidden, layers, heads, gpus, pp, interleave, micro_batch, batch;
  double full_s, selective_s;
};

// arXiv 2205.05198, table 5. Calculon's mean error on it is 3.65 % (its validation.py); ours
// may be up to 2.5 %.
TEST(MeasuredSteps, KorthikantiTableFive) {
  std::vector<Pair> pairs;
  for (const Korthikanti& k : {Korthikanti{6144, 48, 64, 8, 1, 1, 4, 4, 1.42, 1.10},
                               Korthikanti{12288, 96, 96, 64, 8, 3, 1, 64, 18.13, 13.75},
                               Korthikanti{20480, 105, 128, 280, 35, 3, 1, 280, 49.05, 37.83},
                               Korthikanti{25600, 128, 160, 512, 64, 1, 1, 512, 94.42, 71.49}}) {
    const Job job{.name = "korthikanti",
                  .model = gpt(k.layers, k.hidden, k.heads, 2048),
                  .batch = k.batch,
                  .sequence = 2048,
                  .precision = Precision::fp16,
                  .attention = AttentionKernel::unfused};
    Strategy s{.tp = 8,
               .pp = k.pp,
               .micro_batch = k.micro_batch,
               .interleave = k.interleave,
               .recompute = Recompute::full};
    if (k.interleave > 1) s.schedule = PipelineSchedule::interleaved;
    pairs.push_back({predict(selene(), job, s), k.full_s});
    s.recompute = Recompute::selective;
    s.sequence_parallel = true;
    pairs.push_back({predict(selene(), job, s), k.selective_s});
  }
  std::cout << fmt::format("Korthikanti: mean error {:.2f} %\n", mean_error_pct(pairs));
  EXPECT_LT(mean_error_pct(pairs), 2.5);
}

}  // namespace
}  // namespace railyard::placement

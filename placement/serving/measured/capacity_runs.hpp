#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/serving/measured/mapped_row.hpp"
#include "placement/serving/measured/serving_fit.hpp"

namespace railyard::placement::serving {

/// The highest measured throughput of a machine, with or without latency limits.
struct CapacityRun {
  std::string model{}, cluster{};  ///< names in configs
  std::string benchmark{};         ///< model and scenario, as written in the source
  std::string submitter{}, machine{};
  int gpus = 0;
  Formats formats{};
  double input = 0, output = 0;           ///< mean tokens
  double ttft_limit = 0, tpot_limit = 0;  ///< seconds at the 99th percentile; 0: none
  bool equal_answers = false;             ///< all answers have the mean length
  double longest_answer = 0;              ///< tokens; above 0: answers have a long tail up to it
  double longest_prompt = 0;              ///< tokens
  /// Number of queries of the whole run; 0: enough to fill the machine many times.
  int queries = 0;
  bool at_once = false;  ///< all requests are present at the beginning (Offline)
  double measured = 0;   ///< output tokens per second of all GPUs
  bool has_experts = false;
};

/// Runs, and the rows that are left out.
struct CapacityRuns {
  std::vector<CapacityRun> runs{};
  std::vector<std::string> left_out{};  ///< "reason: number of rows"
};

/// Runs from rows with the columns of MLPerf Inference results: model, accelerator, gpus, scenario
/// (Offline, Server, Interactive), weights, result_tokens_per_s, output_tokens_per_sample,
/// ttft_limit_p99_ms, tpot_limit_p99_ms. Rules of the map set input_tokens (mean prompt length of
/// the benchmark), kv_format, answers (spread or equal), longest_prompt and longest_answer in
/// tokens, and queries (of a whole run). Throws InputError for a text that is not a number or
/// format.
[[nodiscard]] CapacityRuns capacity_runs(const ServingMap& map,
                                         const std::vector<MeasuredRows>& tables);

/// Predicted capacity of a machine.
struct PredictedCapacity {
  double tokens_per_s = 0;  ///< output tokens of all GPUs; 0: no split meets the limits
  Deployment deployment{};  ///< one replica of the split with the highest throughput
};

/// The highest throughput over all splits of the model (tp and pp within a replica, experts cut
/// over ranks or spread). Each replica is simulated with its share of the requests:
///
///   all at once   output tokens per second while the middle half of the requests ends; with
///                 `queries`, over the whole run
///   at a rate     output tokens per request times the largest Poisson rate at which 99 % of the
///                 requests meet each limit, by bisection to 2 %, at most the throughput all at
///                 once
///
/// Lengths are drawn evenly from 0 to twice their mean; answers with a given longest one are
/// exponential. With latency limits the token budget is tuned too; in a whole run, the sequences
/// per copy of attention. The KV cache limits the number of running sequences. Each rate is
/// simulated for 600 s of arrivals (MLPerf's minimum duration), with 1,000 to 20,000 requests. No
/// HTTP server is included, since MLPerf's harness calls the engine directly.
[[nodiscard]] PredictedCapacity predict_capacity(ServingPredictor& predictor,
                                                 const CapacityRun& run,
                                                 const EngineEfficiencies& with);
/// One prediction per run. Runs with equal inputs are predicted once.
[[nodiscard]] std::vector<PredictedCapacity> predict_capacities(ServingPredictor& predictor,
                                                                std::span<const CapacityRun> runs,
                                                                const EngineEfficiencies& with);

}  // namespace railyard::placement::serving

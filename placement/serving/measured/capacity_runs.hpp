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
  std::string benchmark{};         ///< model and scenario, as the source writes them
  std::string submitter{}, machine{};
  int gpus = 0;
  Formats formats{};
  double input = 0, output = 0;           ///< mean tokens
  double ttft_limit = 0, tpot_limit = 0;  ///< seconds at the 99th percentile; 0: none
  bool equal_answers = false;             ///< all answers have the mean length
  double longest_answer = 0;              ///< tokens; above 0: answers have a long tail up to it
  double longest_prompt = 0;              ///< tokens
  int queries = 0;                        ///< of the whole run; 0: more than fill it many times
  bool at_once = false;                   ///< all requests are there at the beginning (Offline)
  double measured = 0;                    ///< output tokens per second of all GPUs
  bool has_experts = false;
};

struct CapacityRuns {
  std::vector<CapacityRun> runs{};
  std::vector<std::string> left_out{};  ///< "reason: so many rows"
};

/// Rows with the columns of truth about MLPerf Inference: model, accelerator, gpus, scenario
/// (Offline, Server, Interactive), weights, result_tokens_per_s, output_tokens_per_sample,
/// ttft_limit_p99_ms, tpot_limit_p99_ms. Rules of the map set input_tokens, the mean length of the
/// benchmark's prompts, kv_format, answers (spread or equal), longest_prompt and longest_answer in
/// tokens, and queries of a whole run. Throws InputError for a text that is no number or format.
[[nodiscard]] CapacityRuns capacity_runs(const ServingMap& map,
                                         const std::vector<MeasuredRows>& tables);

/// Predicted capacity of a machine.
struct PredictedCapacity {
  double tokens_per_s = 0;  ///< output tokens of all GPUs; 0: no split meets the limits
  Deployment deployment{};  ///< of a replica, the split that reaches most
};

/// The highest throughput over all splits of the model (tp and pp within a replica, experts cut or
/// spread), each replica simulated with its share of the requests:
///
///   all at once   output tokens per second while the middle half of the requests ends; with
///                 `queries`, of the whole run
///   at a rate     output tokens per request times the largest Poisson rate, at most that of all at
///                 once, at which 99 % of the requests meet each limit, by bisection to 2 %
///
/// Lengths are drawn evenly from 0 to twice their mean; answers with a longest one are exponential.
/// With limits the tokens of a step are also tuned, in a whole run the sequences per copy of
/// attention. The engine runs at most as many sequences as the KV cache holds. Each rate is
/// simulated for ten minutes of arrivals, MLPerf's least duration of a run, and 1,000 to 20,000
/// requests. Requests do not pass a server over HTTP (MLPerf's harness calls the engine).
[[nodiscard]] PredictedCapacity predict_capacity(ServingPredictor& predictor,
                                                 const CapacityRun& run,
                                                 const EngineEfficiencies& with);
/// Of each run. Runs that differ in nothing that a prediction depends on are predicted once.
[[nodiscard]] std::vector<PredictedCapacity> predict_capacities(ServingPredictor& predictor,
                                                                std::span<const CapacityRun> runs,
                                                                const EngineEfficiencies& with);

}  // namespace railyard::placement::serving

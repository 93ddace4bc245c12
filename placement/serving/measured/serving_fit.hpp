#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "placement/measured/step_predictor.hpp"
#include "placement/serving/measured/serving_runs.hpp"
#include "placement/serving/service/service_run.hpp"
#include "placement/serving/step/efficiency_parameters.hpp"

namespace railyard::placement::serving {

/// Efficiencies of all engines.
struct EngineEfficiencies {
  StepEfficiency shared{};
  double host_us[3] = {0, 0, 0};  ///< by Engine
  double launch_us[3] = {5, 5, 5};
  /// Network and HTTP time of a request in ms if perf_analyzer, a native program, sends it.
  /// shared.request_ms is that of a client in Python.
  double native_request_ms = 10;
  [[nodiscard]] StepEfficiency of(Engine engine) const;
  /// The values for the engine and the client of a measured run.
  [[nodiscard]] StepEfficiency of(const ServingRun& run) const;
};

/// The shipped values.
[[nodiscard]] EngineEfficiencies shipped_efficiencies();

/// Predicts measured runs. Each model and cluster is read only once. Not thread-safe.
class ServingPredictor {
 public:
  /// Closed-form TTFT and TPOT in seconds. The run must not have a prefill pool.
  [[nodiscard]] ClosedResult predict(const ServingRun& run, const EngineEfficiencies& with);
  /// Mean TTFT and TPOT of a simulated closed loop, in seconds. All clients start at the same time
  /// and send ten requests each, with lengths drawn as in the measured run.
  [[nodiscard]] ClosedResult simulate(const ServingRun& run, const EngineEfficiencies& with);
  [[nodiscard]] const Model& model(const std::string& name);
  [[nodiscard]] const PredictedMachine& machine(const std::string& cluster) {
    return machines_.machine(cluster);
  }

 private:
  /// `tabulated`: StepModel::Options::tabulated_tokens.
  [[nodiscard]] StepModel step_of(const ServingRun& run, const Deployment& deployment,
                                  const EngineEfficiencies& with, int tabulated);
  [[nodiscard]] ServiceResult serve(const ServingRun& run, const std::vector<Request>& requests,
                                    const EngineEfficiencies& with);

  /// All-reduces of replicas that span nodes.
  [[nodiscard]] std::shared_ptr<const CommunicationModel> between_nodes(const std::string& cluster,
                                                                        const Deployment& d);

  StepPredictor machines_{};
  std::map<std::string, Model> models_{};
  std::map<std::pair<std::string, int>, std::shared_ptr<const CommunicationModel>> between_nodes_{};
};

/// Fits all parameters to the TPOT of runs without a prefill pool and to the TTFT of runs with at
/// most eight clients. Least squares of log(predicted / measured) with Cauchy's loss; each run has
/// the weight 1 / sqrt(size of its group). A weak prior (0.02) pulls each parameter to a typical
/// value that does not come from these runs. Parameters of experts are fitted only to runs of
/// models that have experts.
struct ServingFit {
  EngineEfficiencies efficiencies{};
  std::vector<FittedParameter> parameters{};
};
[[nodiscard]] ServingFit fit_serving(ServingPredictor& predictor,
                                     std::span<const ServingRun* const> runs);

/// Each run simulated with parameters fitted to the runs of all other models, or of all other
/// clusters. Zeros if no other runs remain. `on_fit` is called before each fit.
enum class ServingHeldOut { model, cluster };
[[nodiscard]] std::vector<ClosedResult> simulated_left_out(
    ServingPredictor& predictor, std::span<const ServingRun> runs, ServingHeldOut what,
    const std::function<void(const std::string&, std::size_t, std::size_t)>& on_fit);

}  // namespace railyard::placement::serving

#include "apps/bench_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "apps/choice.hpp"
#include "apps/collective_rows.hpp"
#include "apps/engine.hpp"
#include "apps/process_cluster.hpp"
#include "apps/progress.hpp"
#include "apps/result_output.hpp"
#include "apps/setting.hpp"
#include "core/diagnostic.hpp"
#include "core/enum_names.hpp"

namespace railyard::apps {
namespace {

using collectives::Measurement;
using collectives::Schedule;
using collectives::Task;

void require_local(const std::string& backend) {
  if (backend == "local") return;
  if (backend != "mpi" && backend != "nccl") {
    throw InputError("", "--backend", core::unknown_name(backend, {"local", "mpi", "nccl"}));
  }
  throw BackendError(fmt::format(
      "--backend {}: railyard-cluster, which runs it, is not part of this version; --backend local "
      "needs nothing, and nccl-tests or its MPI build measure {} meanwhile",
      backend, backend == "mpi" ? "an MPI cluster" : "GPUs"));
}

/// The largest size that cuts into whole elements for every rank, as nccl-tests rounds; at least
/// one.
Bytes whole_elements(const collectives::Collective& collective, std::uint32_t ranks) {
  using enum collectives::Kind;
  const bool in_blocks = collective.kind == all_gather || collective.kind == reduce_scatter ||
                         collective.kind == all_to_all;
  const Bytes unit = size_of(collective.type) * (in_blocks ? std::int64_t{ranks} : 1);
  return std::max(unit, unit * (collective.bytes.count() / unit.count()));
}

/// The smallest time that at least `part` of the times do not exceed (nearest rank).
Time quantile(std::vector<Time> times, double part) {
  std::ranges::sort(times);
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(times.size())));
  return times[std::max<std::size_t>(rank, 1) - 1];
}

Time mean(const std::vector<Time>& times) {
  const Time sum = std::accumulate(times.begin(), times.end(), Time());
  return Time::picoseconds(sum.picoseconds() / static_cast<std::int64_t>(times.size()));
}

ClusterFlags predicted_cluster(const BenchFlags& flags) {
  return {.cluster = flags.predict, .nodes = flags.nodes, .gpus = {}, .ranks = {}};
}

/// One cluster, the schedules made for it, and the local machine that runs them.
class Bench {
 public:
  Bench(const BenchFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        cluster_(flags.predict.empty() ? process_cluster(flags.gpus)
                                       : load_cluster(predicted_cluster(flags), provenance_)),
        group_(group_of(cluster_, {.cluster = {}, .nodes = {}, .gpus = flags.gpus, .ranks = {}})),
        analytic_(make_engine(cluster_, {.fidelity = "analytic"})),
        chooser_(flags.predict.empty() ? Chooser::without_nccl(cluster_, *analytic_)
                                       : Chooser(cluster_, *analytic_, {})),
        local_({.threads = flags.threads, .timeline = false, .seed = flags.collective.seed}) {
    provenance_.command = context.command;
    provenance_.seed = flags.collective.seed;
    if (flags.predict.empty()) return;
    predictor_ = make_engine(cluster_, {.fidelity = "flow"});
    add_facts(predicted_cluster(flags), cluster_, provenance_);
  }

  int run() {
    std::vector<Bytes> sizes = sizes_of(flags_.collective);
    if (sizes.size() > 1 && !flags_.output.trace.empty()) {
      throw InputError("", "--trace", "shows one size", "use --bytes");
    }
    std::vector<Measurement> rows;
    {
      Progress progress(context_, sizes.size());
      for (const Bytes size : sizes) {
        progress.next(size_text(size.count()));
        rows.push_back(row(size));
      }
    }
    write_result({.kind = "bench",
                  .provenance = provenance_,
                  .rows = tabulate(bench_columns(), std::span<const Measurement>(rows))},
                 flags_.output, context_);
    for (const std::string& wrong : wrong_) print_error(context_, wrong);
    return wrong_.empty() ? ExitCode::done : ExitCode::finding;
  }

 private:
  Measurement row(Bytes size) {
    collectives::Collective collective = collective_of(flags_.collective);
    collective.bytes = size;
    collective.bytes = whole_elements(collective, group_->size());
    const Schedule schedule = chooser_.chosen_schedule({.group = group_,
                                                        .collective = collective,
                                                        .algorithm = flags_.collective.algorithm,
                                                        .protocol = protocol(),
                                                        .channels = flags_.collective.channels});
    const hw::Repeated repeated = local_.repeat(schedule, repetition());
    write_trace(schedule);
    collectives::TaskResult result;
    result.finish = mean(repeated.times);
    Measurement row = measure(schedule, result, local_.name(), flags_.collective.seed);
    row.live = Measurement::Live{.min = std::ranges::min(repeated.times),
                                 .p50 = quantile(repeated.times, 0.5),
                                 .p99 = quantile(repeated.times, 0.99),
                                 .wrong = repeated.check.wrong,
                                 .predicted = {},
                                 .error_pct = {}};
    if (predictor_) predict(schedule, row);
    if (repeated.check.wrong != 0) {
      wrong_.push_back(fmt::format("{} with '{}', {}: {} wrong elements; {}", row.collective,
                                   row.algorithm, size_text(row.bytes.count()),
                                   repeated.check.wrong, repeated.check.first_wrong));
    }
    return row;
  }

  /// Protocols are for networks and NVLink; memory needs none but the simple one.
  [[nodiscard]] collectives::Protocol protocol() const {
    return protocol_of(flags_.collective).value_or(collectives::Protocol::simple);
  }

  [[nodiscard]] hw::Repetition repetition() const {
    hw::Repetition repetition = flags_.repetition;
    repetition.check = flags_.check != 0;
    return repetition;
  }

  void predict(const Schedule& schedule, Measurement& row) {
    const Task task{.schedule = &schedule, .start = Time(), .name = {}};
    const auto predicted = predictor_->run({&task, 1}).tasks.front();
    row.live->predicted = predicted.finish - predicted.start;
    row.bound_by = predicted.bound_by.text;
    if (row.time > Time()) {
      row.live->error_pct = (row.live->predicted->seconds() / row.time.seconds() - 1) * 100;
    }
  }

  void write_trace(const Schedule& schedule) {
    if (flags_.output.trace.empty()) return;
    hw::LocalExecutor traced(
        {.threads = flags_.threads, .timeline = true, .seed = flags_.collective.seed});
    const Task task{.schedule = &schedule, .start = Time(), .name = {}};
    write_trace_file(traced.run({&task, 1}), flags_.output, context_);
  }

  const BenchFlags& flags_;
  Context& context_;
  Provenance provenance_;
  topology::Cluster cluster_;
  std::shared_ptr<const collectives::Group> group_;
  std::unique_ptr<collectives::Executor> analytic_, predictor_;
  Chooser chooser_;
  hw::LocalExecutor local_;
  std::vector<std::string> wrong_;
};

}  // namespace

int run_bench(const BenchFlags& flags, Context& context) {
  check_output(flags.output);
  require_local(flags.backend);
  return Bench(flags, context).run();
}

}  // namespace railyard::apps

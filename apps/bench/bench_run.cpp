#include "apps/bench/bench_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <thread>

#include "apps/bench/bench_setting.hpp"
#include "apps/bench/pair_rows.hpp"
#include "apps/bench/unused_flags.hpp"
#include "apps/bench/workload_bench.hpp"
#include "apps/cli/interruptible.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/cli/shell_words.hpp"
#include "apps/output/collective_rows.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/table_stream.hpp"
#include "collectives/formats/nccl_tests_text.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/size_text.hpp"
#include "hw/live_cluster.hpp"
#include "hw/live_row.hpp"
#include "hw/local/local_executor.hpp"
#include "hw/nccl_tests_devices.hpp"
#include "hw/pairs/pair_bandwidths.hpp"
#include "hw/prediction_error.hpp"
#include "hw/time_statistics.hpp"
#include "hw/world/agreement.hpp"
#include "hw/world/launcher.hpp"

namespace railyard::apps {
namespace {

using collectives::Measurement;
using collectives::Schedule;
using collectives::Task;

constexpr int kLocalRanks = 8;
constexpr double kMaxErrorPct = 20;

/// Whether results are written to the send buffer (in), to another buffer (out), or both in
/// separate rows.
struct Places {
  bool out = false, in = true;
};

Places places_of(const BenchFlags& flags) {
  const bool is_nccl_tests = flags.format == "nccl-tests";
  if (is_nccl_tests && flags.place == "in") {
    throw InputError("", "--place", "the format nccl-tests requires out-of-place times",
                     "use --place both or out");
  }
  if (flags.place.empty()) return {.out = is_nccl_tests, .in = true};
  return {.out = flags.place != "in", .in = flags.place != "out"};
}

void add_live_facts(hw::LiveBackend& backend, const hw::LiveHosts& hosts, Provenance& provenance) {
  std::string names;
  for (std::size_t i = 0; i < hosts.names.size(); ++i) {
    names += fmt::format("{}{} x {}", i == 0 ? "" : ", ", hosts.names[i], hosts.ranks[i]);
  }
  provenance.facts.emplace_back("backend", backend.name());
  provenance.facts.emplace_back("hosts", names);
  for (const auto& fact : backend.facts()) provenance.facts.push_back(fact);
  for (const auto& [name, value] : hw::live_environment()) {
    provenance.facts.emplace_back("env " + name, value);
  }
}

/// A benchmark run on one backend.
class Bench {
 public:
  Bench(const BenchFlags& flags, hw::LiveBackend& backend, Context& context)
      : flags_(flags), backend_(backend), context_(context) {
    provenance_.command = context.command;
    hw::World& world = backend.world();
    hw::set_up_together(world, [&] {
      if (!flags.min_busbw.empty()) {
        const auto floor = core::parse_bandwidth(flags.min_busbw);
        if (!floor.value) throw InputError("", "--min-busbw", floor.error);
        floor_ = *floor.value;
      }
      setting_.emplace(flags, backend, provenance_);
      provenance_.seed = setting_->seed();
      collective_ = collective_of(flags.collective);
      places_ = places_of(flags);
      sizes_ = sizes_of(flags.collective);
      if (!flags.workload.empty()) return;
      if (sizes_.size() > 1 && !flags.output.trace.empty()) {
        throw InputError("", "--trace", "supports only a single size",
                         "give one size: --bytes 64M");
      }
      if (backend.name() != "local" && !flags.output.trace.empty()) {
        throw InputError("", "--trace", "supports the backend local only",
                         "'railyard sim --trace' shows a prediction for other backends");
      }
    });
    for (const std::string& difference : hw::environment_differences(world)) {
      print_note(context, "the ranks' environments differ: " + difference);
    }
    add_live_facts(backend, setting_->hosts(), provenance_);
    if (!flags.predict.empty() && !setting_->release_note().empty() && is_first()) {
      print_note(context, "predictions: " + setting_->release_note());
      provenance_.notes.push_back("predictions: " + setting_->release_note());
    }
  }

  int run() {
    if (flags_.matrix) return run_matrix();
    if (!flags_.workload.empty())
      return ended(bench_workload(flags_, backend_, *setting_, provenance_, context_));
    std::vector<Measurement> rows;
    bool is_stopped = false;
    {
      const Interruptible guard(!context_.take_result);
      Progress progress(context_, sizes_.size());
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        is_stopped = must_stop();
        if (is_stopped) {
          print_note(context_,
                     fmt::format("stopped: {} of {} sizes are finished", i, sizes_.size()));
          break;
        }
        const Bytes size = sizes_[i];
        progress.next(core::size_text(size.count()));
        const std::size_t before = rows.size();
        const bool in_place = places_.in && can_run_in_place(size);
        if (places_.out || !in_place) rows.push_back(row(size, false));
        if (in_place) rows.push_back(row(size, true));
        if (is_first()) stream(std::span(rows).subspan(before), progress);
      }
    }
    if (!is_first()) return ended(ExitCode::done);
    hw::set_error_terms(rows, latencies_, flags_.max_error_pct.value_or(kMaxErrorPct) / 100);
    write_rows(rows);
    for (const std::string& note : backend_.notes()) print_note(context_, note);
    for (const std::string& wrong : wrong_) print_error(context_, wrong);
    const std::string low = floor_ ? hw::below_floor(rows, *floor_) : "";
    if (!low.empty()) print_error(context_, low);
    if (is_stopped) return ended(ExitCode::interrupted);
    return ended(wrong_.empty() && low.empty() ? ExitCode::done : ExitCode::finding);
  }

 private:
  [[nodiscard]] bool is_first() const { return backend_.world().process() == 0; }

  /// Whether process 0 was interrupted by ctrl-C. All processes get the same answer.
  [[nodiscard]] bool must_stop() {
    return backend_.world().broadcast(was_interrupted() ? "stop" : "") == "stop";
  }

  /// Whether standard output shows a table, and nothing else is written there.
  [[nodiscard]] bool prints_table() const {
    const OutputFlags& output = flags_.output;
    return output.json != "-" && output.csv != "-" && output.trace != "-";
  }

  /// Prints the rows of a size while the next size runs: always in the format of nccl-tests,
  /// otherwise as a table on a terminal. With predictions the table needs all sizes (error_term),
  /// so it comes last.
  void stream(std::span<const Measurement> rows, Progress& progress) {
    if (!prints_table()) return;
    if (flags_.format == "nccl-tests") {
      progress.clear();
      if (!nccl_tests_) nccl_tests_.emplace(nccl_tests_head(), context_.out);
      nccl_tests_->add(rows);
      return;
    }
    if (!flags_.predict.empty() || !table_.is_on_terminal()) return;
    progress.clear();
    for (const Measurement& row : rows) {
      RowTable table = tabulate(bench_columns(), std::span(&row, 1));
      // The first row determines the heading.
      for (auto& column : table.columns)
        if (column.name == "in_place") column.style.joins_heading = !(places_.in && places_.out);
      table_.add(table);
    }
  }

  [[nodiscard]] collectives::NcclTestsHead nccl_tests_head() {
    return {.command = context_.command,
            .collective = collective_,
            .devices = hw::nccl_tests_devices(backend_),
            .processes = backend_.world().processes(),
            .least = sizes_.front(),
            .most = sizes_.back(),
            .factor = flags_.collective.factor,
            .warmup = flags_.repetition.warmup,
            .iterations = flags_.repetition.iterations,
            .is_checked = flags_.repetition.check,
            .graph = flags_.gpu.graph};
  }

  int run_matrix() {
    std::optional<Progress> progress;
    const auto on_round = [&](std::size_t rounds) {
      if (!progress) progress.emplace(context_, rounds);
      progress->next("pairs");
    };
    const auto rows = hw::measure_pairs(backend_, setting_->hosts(), setting_->group(),
                                        {.bytes = sizes_.back(),
                                         .repetition = flags_.repetition,
                                         .seed = setting_->seed(),
                                         .alone = flags_.alone},
                                        on_round);
    progress.reset();
    if (!is_first()) return ended(ExitCode::done);
    write_result({.kind = "matrix",
                  .provenance = provenance_,
                  .rows = tabulate_pairs(rows),
                  .sections = {{"rails", tabulate_rails(hw::rail_bandwidths(rows))}}},
                 flags_.output, context_);
    const std::vector<std::string> slow = hw::slow_pairs(rows);
    for (const std::string& pair : slow) print_error(context_, "slow: " + pair);
    return ended(slow.empty() ? ExitCode::done : ExitCode::finding);
  }

  /// Adds the range of predictions if it is requested, or if a part of the machine is nominal.
  void add_range(RowTable& table) {
    const auto& range = setting_->range();
    if (!range) return;
    for (const std::string& note : add_machine_range(*range, flags_.range, table, provenance_))
      print_note(context_, note);
  }

  void write_rows(const std::vector<Measurement>& rows) {
    if (!outlier_note_.empty()) {
      if (prints_table()) print_note(context_, outlier_note_);
      provenance_.notes.push_back(outlier_note_);
    }
    RowTable table = tabulate(bench_columns(), rows);
    add_range(table);
    const ResultDocument document{
        .kind = "bench", .provenance = provenance_, .rows = std::move(table)};
    const bool is_printed = flags_.format == "nccl-tests" || !table_.is_empty();
    write_result(document, flags_.output, context_, is_printed ? Table::no : Table::yes);
    if (nccl_tests_) nccl_tests_->end();
  }

  /// Without --place, a collective that has no in-place form (ncclAlltoAll) runs out of place.
  [[nodiscard]] bool can_run_in_place(Bytes size) const {
    if (!flags_.place.empty()) return true;
    if (flags_.collective.algorithm != kNative) return true;
    collectives::Collective collective = collective_;
    collective.bytes = size;
    return backend_.why_not({.collective = collective}).empty();
  }

  /// The predicted time of the smallest message, with the algorithm and protocol of a row.
  [[nodiscard]] Time least_time(const Measurement& row) {
    collectives::Collective least = collective_;
    least.bytes = Bytes(1);
    least.bytes = hw::whole_elements(least, setting_->ranks());
    CollectiveFlags flags = flags_.collective;
    if (flags.algorithm != kNative) flags.algorithm = row.algorithm;
    const auto predicted = setting_->predicted(setting_->schedule(flags, least));
    return predicted ? predicted->finish - predicted->start : Time();
  }

  /// Process 0's exit code, distributed to all processes.
  [[nodiscard]] int ended(int code) {
    return std::stoi(backend_.world().broadcast(std::to_string(code)));
  }

  /// Measures a size. The row is complete only at process 0.
  Measurement row(Bytes size, bool in_place) {
    collectives::Collective collective = collective_;
    collective.bytes = size;
    collective.bytes = hw::whole_elements(collective, setting_->ranks());
    const Schedule schedule = setting_->schedule(flags_.collective, collective);
    const bool is_native = flags_.collective.algorithm == kNative;
    const hw::LiveTask task{.collective = collective,
                            .schedule = is_native ? nullptr : &schedule,
                            .in_place = in_place,
                            .seed = setting_->seed()};
    if (const std::string why = backend_.why_not(task); !why.empty()) {
      throw InputError(
          "", is_native ? "--algorithm" : "--backend",
          fmt::format("the backend {} does not support this: {}", backend_.name(), why));
    }
    const hw::Measured measured = hw::measure(backend_, task, flags_.repetition);
    write_trace(schedule);
    if (!is_first()) return {};
    Measurement row = measurement(schedule, measured);
    row.live->in_place = in_place;
    latencies_.push_back(row.live->predicted ? least_time(row) : Time());
    if (is_native) set_native(task, schedule, row);
    return row;
  }

  /// Writes the library's choice into the row, if the library reports it.
  void set_native(const hw::LiveTask& task, const Schedule& model, Measurement& row) {
    row.algorithm = kNative;
    row.protocol.clear();
    row.channels = 0;
    const auto choice = backend_.choice(task);
    if (!choice) return;
    row.algorithm = fmt::format("{}:{}", kNative, choice->algorithm);
    row.protocol = choice->protocol;
    row.channels = choice->channels;
    const bool is_other =
        choice->algorithm != model.algorithm() || choice->protocol != to_text(model.protocol());
    if (flags_.predict.empty() || !is_other) return;
    print_note(context_,
               fmt::format("{} of {}: the library chose {} {}, the prediction is for {} {}",
                           row.collective, core::size_text(row.bytes.count()), choice->algorithm,
                           choice->protocol, model.algorithm(), to_text(model.protocol())));
  }

  Measurement measurement(const Schedule& schedule, const hw::Measured& measured) {
    note_outliers(schedule.collective().bytes, measured.times);
    Measurement row = hw::live_row(schedule, measured, backend_.name(), setting_->seed(),
                                   setting_->predicted(schedule));
    if (measured.check.wrong != 0) {
      wrong_.push_back(fmt::format("{} with '{}', {}: {} wrong elements; {}", row.collective,
                                   row.algorithm, core::size_text(row.bytes.count()),
                                   measured.check.wrong, measured.check.first_wrong));
    }
    return row;
  }

  /// Records the size with the largest share of iterations far above the median.
  void note_outliers(Bytes size, const std::vector<Time>& times) {
    constexpr std::size_t kFewest = 10;  // with fewer iterations a single one is at least a tenth
    if (times.size() < kFewest) return;
    const std::size_t count = hw::outliers(times);
    const double share = static_cast<double>(count) / static_cast<double>(times.size());
    if (share <= worst_share_) return;
    worst_share_ = share;
    outlier_note_ = fmt::format(
        "{}: {} of {} iterations took more than twice the median of {:.2f} us, up to {:.2f} us: "
        "other programs used the cores or the network. time_us is the median",
        core::size_text(size.count()), count, times.size(), hw::quantile(times, 0.5).microseconds(),
        std::ranges::max(times).microseconds());
  }

  void write_trace(const Schedule& schedule) {
    if (flags_.output.trace.empty()) return;
    hw::LocalExecutor traced(
        {.threads = flags_.threads, .timeline = true, .seed = setting_->seed()});
    const Task task{.schedule = &schedule, .start = Time(), .name = {}};
    write_trace_file(traced.run({&task, 1}), flags_.output, context_);
  }

  const BenchFlags& flags_;
  hw::LiveBackend& backend_;
  Context& context_;
  Provenance provenance_;
  std::optional<BenchSetting> setting_;
  collectives::Collective collective_;
  double worst_share_ = 0;  ///< largest share over all sizes of iterations far above the median
  std::string outlier_note_;
  Places places_;
  std::vector<Bytes> sizes_;
  std::optional<Bandwidth> floor_;
  std::vector<Time> latencies_;  ///< by row: the predicted time of the smallest message
  std::vector<std::string> wrong_;
  TableStream table_{context_.out};
  std::optional<collectives::NcclTestsText> nccl_tests_;
};

const hw::BackendEntry* find_backend(const Context& context, std::string_view name) {
  const auto found = std::ranges::find(context.backends, name, &hw::BackendEntry::name);
  return found == context.backends.end() ? nullptr : &*found;
}

/// The number of ranks: --gpus, or without a launcher that of the workload.
std::optional<int> asked_ranks(const BenchFlags& flags) {
  if (flags.gpus || flags.workload.empty() || hw::launched()) return flags.gpus;
  return static_cast<int>(workload_of(flags).ranks());
}

/// Runs the command with railyard-cluster if this program does not have the backend, or if the
/// backend is mpi and no launcher started the program. Otherwise returns nothing.
std::optional<int> run_elsewhere(const BenchFlags& flags, std::string_view name,
                                 const Context& context) {
  if (name != "local" && name != "mpi" && name != "nccl") {
    throw InputError("", "--backend",
                     core::unknown_name(std::string(name), {"local", "mpi", "nccl"}));
  }
  const bool is_here = find_backend(context, name) != nullptr;
  const bool is_cluster_program = context.command.starts_with("railyard-cluster");
  if (is_here && (name != "mpi" || hw::launched())) return std::nullopt;
  if (!is_here && is_cluster_program) {
    throw BackendError(fmt::format(
        "--backend {}: not part of this build; on Debian or Ubuntu: {}, then configure and build "
        "again",
        name,
        name == "mpi" ? "apt-get install libopenmpi-dev openmpi-bin" : "see docs/models/live.md"));
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return run_cluster_program(asked_ranks(flags).value_or(std::max(2, cores)), name == "mpi",
                             context);
}

hw::LiveOptions options_of(const BenchFlags& flags, std::string_view name, Context& context) {
  const auto timeout = core::parse_time(flags.timeout);
  if (!timeout.value) throw InputError("", "--timeout", timeout.error);
  hw::LiveOptions options{.threads = flags.threads, .timeout = *timeout.value};
  options.gpu = flags.gpu;
  options.command = shell_words(context.arguments);
  if (!flags.segment.empty()) options.segment = size_of_flag(flags.segment, "--segment");
  options.ranks =
      static_cast<std::uint32_t>(asked_ranks(flags).value_or(name == "local" ? kLocalRanks : 0));
  if (flags.in_flight) options.in_flight = static_cast<std::uint32_t>(*flags.in_flight);
  options.fail = [&context](const std::string& error) {
    print_error(context, error);
    context.err.flush();
    context.abandon(ExitCode::backend_missing);
  };
  return options;
}

/// Sets the variables of --env. NCCL reads them once, when it starts.
void set_environment(const BenchFlags& flags) {
  for (const std::string& setting : flags.environment) {
    const std::size_t equals = setting.find('=');
    if (!setting.starts_with("NCCL_") || equals == std::string::npos)
      throw InputError("", "--env", fmt::format("'{}' is not NCCL_NAME=VALUE", setting));
    setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
  }
}

}  // namespace

int run_bench(const BenchFlags& flags, Context& context) {
  check_output(flags.output);
  const std::string name(flags.backend.empty() ? context.backends.front().name : flags.backend);
  if (name == "local" || name == "mpi" || name == "nccl") refuse_unused(flags, name);
  if (const auto code = run_elsewhere(flags, name, context)) return *code;
  set_environment(flags);
  const hw::LiveOptions options = options_of(flags, name, context);
  const std::unique_ptr<hw::LiveBackend> backend = find_backend(context, name)->open(options);
  return Bench(flags, *backend, context).run();
}

}  // namespace railyard::apps

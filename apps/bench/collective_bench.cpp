#include "apps/bench/collective_bench.hpp"

#include <fmt/format.h>

#include <span>

#include "apps/cli/interruptible.hpp"
#include "apps/cli/progress.hpp"
#include "apps/output/result_output.hpp"
#include "core/diagnostic.hpp"
#include "core/size_text.hpp"
#include "hw/live_row.hpp"
#include "hw/local/local_executor.hpp"
#include "hw/prediction_error.hpp"

namespace railyard::apps {

using collectives::Measurement;
using collectives::Schedule;

CollectiveBench::CollectiveBench(const BenchFlags& flags, const BenchRequest& request,
                                 hw::LiveBackend& backend, BenchSetting& setting, Context& context)
    : flags_(flags),
      request_(request),
      backend_(backend),
      setting_(setting),
      context_(context),
      output_(flags, request, backend, setting, context) {}

int CollectiveBench::run(const std::optional<Bandwidth>& least, const Provenance& provenance) {
  const bool is_stopped = measure();
  if (!is_first()) return ExitCode::done;
  output_.write(rows_, outliers_.worst(), provenance);
  for (const std::string& note : backend_.notes()) print_note(context_, note);
  for (const std::string& wrong : wrong_) print_error(context_, wrong);
  const std::string low = least ? hw::below_floor(rows_, *least) : "";
  if (!low.empty()) print_error(context_, low);
  if (is_stopped) return ExitCode::interrupted;
  return wrong_.empty() && low.empty() ? ExitCode::done : ExitCode::finding;
}

bool CollectiveBench::measure() {
  const bool is_stopped = measure_sizes();
  if (is_first())
    hw::set_error_terms(rows_, latencies_, flags_.max_error_pct.value_or(kMaxErrorPct) / 100);
  return is_stopped;
}

/// Whether it was stopped before all sizes were measured.
bool CollectiveBench::measure_sizes() {
  const std::vector<Bytes>& sizes = request_.sizes;
  const Interruptible guard(!context_.take_result);
  Progress progress(context_, sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (must_stop()) {
      print_note(context_, fmt::format("stopped: {} of {} sizes are finished", i, sizes.size()));
      return true;
    }
    progress.next(core::size_text(sizes[i].count()));
    const std::size_t before = rows_.size();
    const bool in_place = request_.in && can_run_in_place(sizes[i]);
    if (request_.out || !in_place) measure_size(sizes[i], false);
    if (in_place) measure_size(sizes[i], true);
    if (is_first()) output_.stream(std::span(rows_).subspan(before), progress);
  }
  return false;
}

/// Whether process 0 was interrupted by ctrl-C; all processes agree.
bool CollectiveBench::must_stop() {
  return backend_.world().broadcast(was_interrupted() ? "stop" : "") == "stop";
}

bool CollectiveBench::is_native() const { return flags_.collective.algorithm == hw::kNative; }

/// Without --place, a collective that has no in-place form (ncclAlltoAll) runs out of place.
bool CollectiveBench::can_run_in_place(Bytes size) const {
  if (!flags_.place.empty() || !is_native()) return true;
  collectives::Collective collective = request_.collective;
  collective.bytes = size;
  return backend_.why_not({.collective = collective}).empty();
}

void CollectiveBench::measure_size(Bytes size, bool in_place) {
  collectives::Collective collective = request_.collective;
  collective.bytes = size;
  collective.bytes = hw::whole_elements(collective, setting_.ranks());
  const Schedule schedule = setting_.schedule(flags_.collective, collective);
  const hw::LiveTask task{.collective = collective,
                          .schedule = is_native() ? nullptr : &schedule,
                          .in_place = in_place,
                          .seed = setting_.seed()};
  if (const std::string why = backend_.why_not(task); !why.empty()) {
    throw InputError("", is_native() ? "--algorithm" : "--backend",
                     fmt::format("the backend {} does not support this: {}", backend_.name(), why));
  }
  const hw::Measured measured = hw::measure(backend_, task, flags_.repetition);
  write_trace(schedule);
  if (is_first()) add_row(task, schedule, measured);
}

void CollectiveBench::add_row(const hw::LiveTask& task, const Schedule& schedule,
                              const hw::Measured& measured) {
  outliers_.add(schedule.collective().bytes, measured.times);
  Measurement row = hw::live_row(schedule, measured, backend_.name(), setting_.seed(),
                                 setting_.predicted(schedule));
  if (measured.check.wrong != 0) {
    wrong_.push_back(fmt::format("{} with '{}', {}: {} wrong elements; {}", row.collective,
                                 row.algorithm, core::size_text(row.bytes.count()),
                                 measured.check.wrong, measured.check.first_wrong));
  }
  row.live->in_place = task.in_place;
  latencies_.push_back(row.live->predicted ? least_time(row) : Time());
  if (is_native()) set_native_choice(task, schedule, row);
  rows_.push_back(std::move(row));
}

/// The predicted time of the smallest message with the algorithm and protocol of a row.
Time CollectiveBench::least_time(const Measurement& row) {
  collectives::Collective least = request_.collective;
  least.bytes = Bytes(1);
  least.bytes = hw::whole_elements(least, setting_.ranks());
  CollectiveFlags flags = flags_.collective;
  if (!is_native()) flags.algorithm = row.algorithm;
  const auto predicted = setting_.predicted(setting_.schedule(flags, least));
  return predicted ? predicted->finish - predicted->start : Time();
}

/// Writes the library's choice into the row; a note tells if the prediction is for another one.
void CollectiveBench::set_native_choice(const hw::LiveTask& task, const Schedule& model,
                                        Measurement& row) {
  const auto choice = backend_.choice(task);
  hw::set_native(choice, row);
  if (!choice || flags_.predict.empty()) return;
  if (choice->algorithm == model.algorithm() && choice->protocol == to_text(model.protocol()))
    return;
  print_note(context_,
             fmt::format("{} of {}: the library chose {} {}, the prediction is for {} {}",
                         row.collective, core::size_text(row.bytes.count()), choice->algorithm,
                         choice->protocol, model.algorithm(), to_text(model.protocol())));
}

void CollectiveBench::write_trace(const Schedule& schedule) {
  if (flags_.output.trace.empty()) return;
  hw::LocalExecutor traced({.threads = flags_.threads, .timeline = true, .seed = setting_.seed()});
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  write_trace_file(traced.run({&task, 1}), flags_.output, context_);
}

}  // namespace railyard::apps

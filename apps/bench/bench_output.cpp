#include "apps/bench/bench_output.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "apps/output/collective_rows.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "core/size_text.hpp"
#include "hw/nccl_tests_devices.hpp"

namespace railyard::apps {

using collectives::Measurement;

std::string outlier_note(const hw::IterationOutliers& worst) {
  return fmt::format(
      "{}: {} of {} iterations took more than twice the median of {:.2f} us, up to {:.2f} us: "
      "other programs used the cores or the network. time_us is the median",
      core::size_text(worst.size.count()), worst.count, worst.iterations,
      worst.median.microseconds(), worst.most.microseconds());
}

BenchOutput::BenchOutput(const BenchFlags& flags, const BenchRequest& request,
                         hw::LiveBackend& backend, const BenchSetting& setting, Context& context)
    : flags_(flags),
      request_(request),
      backend_(backend),
      setting_(setting),
      context_(context),
      table_(context.out) {}

/// Whether standard output is for a table that a person reads, and nothing else goes there.
bool BenchOutput::prints_table() const {
  const OutputFlags& output = flags_.output;
  return output.json != "-" && output.csv != "-" && output.trace != "-";
}

void BenchOutput::stream(std::span<const Measurement> rows, Progress& progress) {
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
    // The first row speaks for all in the heading.
    for (auto& column : table.columns)
      if (column.name == "in_place") column.style.joins_heading = !(request_.in && request_.out);
    table_.add(table);
  }
}

collectives::NcclTestsHead BenchOutput::nccl_tests_head() {
  return {.command = context_.command,
          .collective = request_.collective,
          .devices = hw::nccl_tests_devices(backend_),
          .processes = backend_.world().processes(),
          .least = request_.sizes.front(),
          .most = request_.sizes.back(),
          .factor = flags_.collective.factor,
          .warmup = flags_.repetition.warmup,
          .iterations = flags_.repetition.iterations,
          .is_checked = flags_.repetition.check,
          .graph = flags_.gpu.graph};
}

void BenchOutput::write(const std::vector<Measurement>& rows,
                        const std::optional<hw::IterationOutliers>& worst, Provenance provenance) {
  if (worst) {
    const std::string note = outlier_note(*worst);
    if (prints_table()) print_note(context_, note);
    provenance.notes.push_back(note);
  }
  RowTable table = tabulate(bench_columns(), rows);
  // Where it is requested, or a part of the machine is nominal.
  if (const auto& range = setting_.range())
    for (const std::string& note : add_machine_range(*range, flags_.range, table, provenance))
      print_note(context_, note);
  const bool is_printed = flags_.format == "nccl-tests" || !table_.is_empty();
  write_result({.kind = "bench", .provenance = std::move(provenance), .rows = std::move(table)},
               flags_.output, context_, is_printed ? Table::no : Table::yes);
  if (nccl_tests_) nccl_tests_->end();
}

}  // namespace railyard::apps

#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/link_rows.hpp"
#include "apps/output/packet_rows.hpp"
#include "apps/output/rows.hpp"
#include "apps/output/table_stream.hpp"
#include "apps/sim/sim_flags.hpp"
#include "apps/sim/simulation.hpp"
#include "collectives/schedule/executor.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Link loads, packet statistics and notes of a run.
struct RunReport {
  std::vector<LinkRow> links{};
  std::vector<CableRow> cables{};
  std::vector<PacketRow> packets{};
  std::vector<std::string> notes{};    ///< for files
  std::vector<std::string> printed{};  ///< caveats and tiers of the fabric without traffic
  Time end{};                          ///< of the last task
};

/// The result of `railyard sim`: rows, and sections about their runs.
class SimResult {
 public:
  /// All arguments must outlive it.
  SimResult(const SimFlags& flags, const Simulation& simulation, Provenance& provenance,
            Context& context)
      : flags_(flags), simulation_(simulation), provenance_(provenance), context_(context) {}

  /// The report of a run of result row `row` with duration `span`. Thread-safe. Writes --trace,
  /// which is for a single run.
  [[nodiscard]] RunReport report(const collectives::Run& run, std::size_t row, Time span) const;
  /// Adds a report to the sections; prints its notes, each once.
  void add(const RunReport& report);
  /// Prints rows of a collective while others run, if a terminal shows only the table.
  void stream(RowTable rows);
  [[nodiscard]] bool streams() const;
  /// Writes the files of --flows, --queues and --pauses; `tasks`: names of the tasks of a run.
  void write_records(std::span<const std::string> tasks) const;
  /// Adds routing and range to the rows, and writes them with the sections.
  void write(std::string_view kind, RowTable rows);

 private:
  void note(const std::string& text);
  void add_range(RowTable& rows);

  const SimFlags& flags_;
  const Simulation& simulation_;
  Provenance& provenance_;
  Context& context_;
  RunReport all_;
  std::set<std::string> notes_;
  TableStream stream_{context_.out};
};

}  // namespace railyard::apps

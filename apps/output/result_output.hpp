#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::apps {

/// Throws InputError where the file of a flag lies in no folder, or is one: known before a long
/// run.
void check_output_file(const std::string& flag, const std::string& file);

/// Throws InputError if two results would go to standard output, or a file cannot be made.
void check_output(const OutputFlags& flags);

/// Whether a table is printed.
enum class Table { yes, no };

/// Writes a result to the files of the flags. The table goes to standard output unless JSON, CSV or
/// a trace does. Files are replaced in one step (core::write_file); throws InputError.
void write_result(const ResultDocument& document, const OutputFlags& flags, Context& context,
                  Table table = Table::yes);

/// Writes `text` to a file ("-": standard output). Throws InputError with the file.
void write_text(const std::string& text, const std::string& file, Context& context);

/// Writes a run's timeline to flags.trace, if that is set.
void write_trace_file(const collectives::Run& run, const OutputFlags& flags, Context& context);

/// The same of events and arrows between their tracks.
void write_timeline(const std::vector<collectives::TimelineEvent>& events,
                    const std::vector<collectives::TimelineArrow>& arrows, const OutputFlags& flags,
                    Context& context);

}  // namespace railyard::apps

#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"
#include "apps/output/rows.hpp"
#include "collectives/schedule/executor.hpp"
#include "collectives/workload/workload_result.hpp"

namespace railyard::apps {

/// Checks an output file before a long run: throws InputError if its folder does not exist, or if
/// it is a folder.
void check_output_file(const std::string& flag, const std::string& file);

/// Throws InputError if two results use standard output, or if a file cannot be created.
void check_output(const OutputFlags& flags);

/// Whether a table is printed.
enum class Table { yes, no };

/// Writes a result to the files of the flags. Prints the table to standard output, unless JSON, CSV
/// or a trace is written there. Files are replaced atomically (core::write_file). Throws
/// InputError.
void write_result(const ResultDocument& document, const OutputFlags& flags, Context& context,
                  Table table = Table::yes);

/// Writes `text` to a file ("-": standard output). Throws InputError with the file.
void write_text(const std::string& text, const std::string& file, Context& context);

/// Writes a run's timeline to flags.trace, if that is set.
void write_trace_file(const collectives::Run& run, const OutputFlags& flags, Context& context);

/// The same for events, and arrows between their tracks.
void write_timeline(const std::vector<collectives::TimelineEvent>& events,
                    const std::vector<collectives::TimelineArrow>& arrows, const OutputFlags& flags,
                    Context& context);

}  // namespace railyard::apps
